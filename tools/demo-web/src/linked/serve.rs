//! Serves the linked web over HTTP on loopback.

use super::LinkedWeb;
use anyhow::Context;
use forage_loopback::{Response, serve_connections};
use std::net::{SocketAddr, TcpListener};

/// Connections that are served at the same time. A crawl opens one for each URL of a step.
const MAX_CONNECTIONS: usize = 1024;

/// A server that listens, and does not answer yet.
#[derive(Debug)]
pub(crate) struct LinkedWebServer {
    listener: TcpListener,
    /// The address with the port that the system has chosen.
    pub(crate) address: SocketAddr,
}

impl LinkedWebServer {
    /// Listens on an address; with port 0, on a free port. Clients can connect from now on.
    ///
    /// # Errors
    /// Fails if the port is in use.
    pub(crate) fn listen(address: SocketAddr) -> anyhow::Result<LinkedWebServer> {
        let listener = TcpListener::bind(address).with_context(|| address.to_string())?;
        let address = listener.local_addr().with_context(|| address.to_string())?;
        Ok(LinkedWebServer { listener, address })
    }

    /// Answers requests until the process ends.
    pub(crate) fn run(&self, web: LinkedWeb) {
        serve_connections(&self.listener, MAX_CONNECTIONS, move |request, stream| {
            let response = request.map_or_else(
                |_| Response::new("400 Bad Request", "text/plain", "malformed request\n"),
                |request| web.answer(&request),
            );
            // A client that is gone is no error.
            let _ = response.write(stream);
        });
    }
}
