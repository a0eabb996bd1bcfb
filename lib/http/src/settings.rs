//! How pages are fetched.

use crate::SetupError;
use crate::address::Policy;
use crate::exchange::Exchange;
use crate::host_store::HostStore;
use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Pages of earlier archives, which are asked for only if they have changed.
///
/// Fetching knows archives by this alone; `forage-warc` has the one that reads them.
pub trait ArchivedPages: fmt::Debug + Send + Sync {
    /// The latest answer of this URL that came well and is archived whole, if there is one.
    fn find_page(&self, url: &Url) -> Option<Exchange>;
}

/// How pages are fetched.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whom a webmaster may write to: an address of mail or of a page, told in the user agent.
    /// Without one the open web is not fetched from.
    pub contact: Option<String>,
    /// Where all connections go, whatever the URL's host and port, which stay in the request.
    pub connect_to: Option<Vec<SocketAddr>>,
    /// Whether addresses that are not of the open web may be connected to: this machine, its
    /// network.
    pub allow_private: bool,
    /// Time between the end of a request to a host and the next one to it. Zero takes away pauses
    /// altogether, also those that a host asks for. Requests to one host never overlap.
    pub delay: Duration,
    /// Time for one request, from the connection to the last byte.
    pub timeout: Duration,
    /// Further tries of a request whose failure may pass.
    pub retries: u32,
    /// Largest body, as sent and decompressed.
    pub max_bytes: u64,
    /// Connections that may be open at once.
    pub connections: usize,
    /// Threads that work on pages that have come.
    pub worker_threads: usize,
    /// Pages that are asked for only if they have changed.
    pub archived_pages: Option<Arc<dyn ArchivedPages>>,
    /// What earlier runs knew of hosts.
    pub host_store: Option<Arc<HostStore>>,
    /// Whether each host is asked for its `/.well-known/tdmrep.json`, which costs one request more.
    pub fetch_tdm_files: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            contact: None,
            connect_to: None,
            allow_private: false,
            delay: Duration::from_secs(1),
            timeout: Duration::from_secs(30),
            retries: 2,
            max_bytes: 16 << 20,
            connections: 1024,
            worker_threads: 1,
            archived_pages: None,
            host_store: None,
            fetch_tdm_files: false,
        }
    }
}

impl Settings {
    /// What is told to be connected to in place of all hosts is meant, whatever it is.
    pub(crate) fn policy(&self) -> Policy {
        Policy {
            private: self.allow_private,
            public: self.contact.is_some() || self.connect_to.is_some(),
        }
    }

    /// Whether nothing can be fetched but what needs no contact, and none of that is allowed
    /// either.
    pub(crate) fn is_closed(&self) -> bool {
        self.contact.is_none() && self.connect_to.is_none() && !self.allow_private
    }
}

/// The addresses of `HOST:PORT`, for [`Settings::connect_to`].
///
/// # Errors
/// When it has another form, or the host has no address.
pub fn resolve_connect_to(place: &str) -> Result<Vec<SocketAddr>, SetupError> {
    let wrong = |cause: String| SetupError::ConnectTo {
        place: place.to_owned(),
        cause,
    };
    let addresses: Vec<SocketAddr> = place
        .to_socket_addrs()
        .map_err(|e| wrong(e.to_string()))?
        .collect();
    if addresses.is_empty() {
        Err(wrong("it has no address".into()))
    } else {
        Ok(addresses)
    }
}
