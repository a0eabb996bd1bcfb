//! The loop that accepts connections.

use crate::request::Request;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The time in which a client must send its request. Browsers open connections before they need
/// them.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A request that is malformed, longer than the limits, or of a form that the server does not know.
#[derive(Debug)]
pub struct MalformedRequest;

/// Serves the connections of a listener until the process ends.
///
/// `respond` receives each request and writes its response to the connection, which is closed
/// afterwards. Connections beyond `max_connections` at the same time are closed without a response,
/// and so is one whose client is gone or sends no request within 30 seconds.
pub fn serve_connections(
    listener: &TcpListener,
    max_connections: usize,
    respond: impl Fn(Result<Request, MalformedRequest>, &mut TcpStream) + Send + Sync + 'static,
) {
    let respond = Arc::new(respond);
    let connections = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        if connections.fetch_add(1, Ordering::Relaxed) >= max_connections {
            connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let respond = Arc::clone(&respond);
        let connections_of_thread = Arc::clone(&connections);
        let started = std::thread::Builder::new().spawn(move || {
            serve_connection(stream, &*respond);
            connections_of_thread.fetch_sub(1, Ordering::Relaxed);
        });
        if started.is_err() {
            connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Answers the request of a connection, and closes it. A client that is gone is no error.
fn serve_connection(
    mut stream: TcpStream,
    respond: &impl Fn(Result<Request, MalformedRequest>, &mut TcpStream),
) {
    let _ = stream.set_read_timeout(Some(REQUEST_TIMEOUT));
    let _ = stream.set_write_timeout(Some(REQUEST_TIMEOUT));
    match Request::read(&mut stream) {
        Ok(request) => respond(Ok(request), &mut stream),
        Err(e) if e.kind() == io::ErrorKind::InvalidData => {
            respond(Err(MalformedRequest), &mut stream);
        }
        Err(_) => {}
    }
}
