//! The responses of the server, all with the headers that protect the review.

use forage_loopback::Response;
use serde::Serialize;

/// Headers of all responses. The page loads its own files only, is in no frame, and does not tell
/// linked pages its address, which contains the token.
const SECURITY_HEADERS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; \
    style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Cache-Control: no-store\r\n";

/// Creates a response with a file of the page.
pub(crate) fn file(media_type: &str, body: &str) -> Response {
    with_security_headers("200 OK", media_type, body)
}

/// Creates a response with a value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => json_bytes(body),
        Err(_) => error("500 Internal Server Error", "the value cannot be written"),
    }
}

/// Creates a response with JSON text.
pub(crate) fn json_bytes(body: Vec<u8>) -> Response {
    with_security_headers("200 OK", "application/json", body)
}

/// Creates an error response with a message for the user of the page.
pub(crate) fn error(status: &'static str, message: &str) -> Response {
    with_security_headers(status, "text/plain; charset=utf-8", message)
}

fn with_security_headers(
    status: &'static str,
    media_type: &str,
    body: impl Into<Vec<u8>>,
) -> Response {
    let mut response = Response::new(status, media_type, body);
    response.headers.push_str(SECURITY_HEADERS);
    response
}
