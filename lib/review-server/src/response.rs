//! HTTP responses.

use serde::Serialize;
use std::io::{self, Write};

/// Headers of all responses. The page loads its own files only, is in no frame, and does not tell
/// linked pages its address, which contains the token.
const SECURITY_HEADERS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; \
    style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Cache-Control: no-store\r\n";

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    status: &'static str,
    content_type: &'static str,
    body: Vec<u8>,
}

impl Response {
    /// Creates a response with a file of the page.
    pub(crate) fn file(content_type: &'static str, body: &str) -> Response {
        Response {
            status: "200 OK",
            content_type,
            body: body.into(),
        }
    }

    /// Creates a response with a value as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Response {
        match serde_json::to_vec(value) {
            Ok(body) => Response::json_bytes(body),
            Err(_) => Response::error("500 Internal Server Error", "the value cannot be written"),
        }
    }

    /// Creates a response with JSON text.
    pub(crate) fn json_bytes(body: Vec<u8>) -> Response {
        Response {
            status: "200 OK",
            content_type: "application/json",
            body,
        }
    }

    /// Creates an error response with a message for the user of the page.
    pub(crate) fn error(status: &'static str, message: &str) -> Response {
        Response {
            status,
            content_type: "text/plain; charset=utf-8",
            body: message.into(),
        }
    }

    /// Writes the response, after which the connection is closed.
    ///
    /// # Errors
    /// Fails if the browser has closed the connection.
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let header = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{SECURITY_HEADERS}\
             Connection: close\r\n\r\n",
            self.status,
            self.content_type,
            self.body.len()
        );
        to.write_all(header.as_bytes())?;
        to.write_all(&self.body)?;
        to.flush()
    }
}
