//! HTTP responses.

use std::io::{self, Write};

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status with its reason phrase, as in `404 Not Found`.
    pub status: &'static str,
    /// Header lines, each with its line end (CRLF), without those that [`Response::write`] adds.
    pub headers: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Creates a response with a body of this media type.
    pub fn new(status: &'static str, media_type: &str, body: impl Into<Vec<u8>>) -> Response {
        Response {
            status,
            headers: format!("Content-Type: {media_type}\r\n"),
            body: body.into(),
        }
    }

    /// Writes the response, after which the connection is closed.
    ///
    /// # Errors
    /// Fails if the client has closed the connection.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let header = format!(
            "HTTP/1.1 {}\r\n{}Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.status,
            self.headers,
            self.body.len()
        );
        to.write_all(header.as_bytes())?;
        to.write_all(&self.body)?;
        to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::Response;

    #[test]
    fn a_response_has_the_length_of_its_body_and_closes_the_connection() {
        let mut written = Vec::new();
        let response = Response::new("200 OK", "text/plain", "ab");
        response.write(&mut written).unwrap();
        assert_eq!(
            String::from_utf8(written).unwrap(),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\
             Connection: close\r\n\r\nab"
        );
    }
}
