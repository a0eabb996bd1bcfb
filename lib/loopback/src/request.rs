//! HTTP requests, within strict limits.

use std::io::{self, Read};

/// Maximum size of request line and headers in bytes. Browsers send under 2 kB.
const MAX_HEADER_BYTES: usize = 16 << 10;
/// Maximum size of a body in bytes. A verdict has under 50.
const MAX_BODY_BYTES: usize = 1 << 10;

/// A request.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The method, as in `GET`.
    pub method: String,
    /// The path and the query, with the leading slash, as sent.
    pub path: String,
    /// The header `Host`.
    pub host: Option<String>,
    /// The header `Origin`.
    pub origin: Option<String>,
    /// The header `Content-Type`.
    pub content_type: Option<String>,
    /// The body; empty if there is none.
    pub body: Vec<u8>,
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    /// Fails with `InvalidData` if the request is malformed, longer than the limits, or has a
    /// transfer coding, and with other kinds if the client is gone.
    pub fn read(from: &mut impl Read) -> io::Result<Request> {
        let (header, mut body) = read_header(from)?;
        let header = String::from_utf8(header).map_err(|_| malformed())?;
        let mut lines = header.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(path), Some("HTTP/1.1" | "HTTP/1.0"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(malformed());
        };
        let mut request = Request {
            method: method.into(),
            path: path.into(),
            ..Request::default()
        };
        let mut length = 0;
        for line in lines {
            let (name, value) = line.split_once(':').ok_or_else(malformed)?;
            let value = value.trim().to_owned();
            match name.to_ascii_lowercase().as_str() {
                "host" => request.host = Some(value),
                "origin" => request.origin = Some(value),
                "content-type" => request.content_type = Some(value),
                "content-length" => length = value.parse().map_err(|_| malformed())?,
                "transfer-encoding" => return Err(malformed()),
                _ => {}
            }
        }
        if length > MAX_BODY_BYTES || body.len() > length {
            return Err(malformed());
        }
        let received = body.len();
        body.resize(length, 0);
        from.read_exact(&mut body[received..])?;
        request.body = body;
        Ok(request)
    }
}

/// Reads up to the blank line after the headers. Returns the header without it, and the bytes of
/// the body that were read with it.
fn read_header(from: &mut impl Read) -> io::Result<(Vec<u8>, Vec<u8>)> {
    const END: &[u8] = b"\r\n\r\n";
    let mut bytes = Vec::new();
    let mut chunk = [0; 2048];
    loop {
        let read = from.read(&mut chunk)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&chunk[..read]);
        if let Some(end) = bytes.windows(END.len()).position(|part| part == END) {
            let body = bytes.split_off(end + END.len());
            bytes.truncate(end);
            return Ok((bytes, body));
        }
        if bytes.len() > MAX_HEADER_BYTES {
            return Err(malformed());
        }
    }
}

fn malformed() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::{MAX_BODY_BYTES, MAX_HEADER_BYTES, Request};
    use proptest::prelude::*;

    #[test]
    fn reads_a_request_with_a_body() {
        let text = "POST /t/verdict HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: application/json\
                    \r\ncontent-length: 2\r\nOrigin: http://x\r\n\r\n{}";
        let request = Request::read(&mut text.as_bytes()).unwrap();
        assert_eq!(
            (request.method.as_str(), request.path.as_str()),
            ("POST", "/t/verdict")
        );
        assert_eq!(request.host.as_deref(), Some("127.0.0.1:1"));
        assert_eq!(request.origin.as_deref(), Some("http://x"));
        assert_eq!(request.body, b"{}");
    }

    #[test]
    fn refuses_requests_that_are_malformed_or_too_long() {
        let long_header = format!(
            "GET / HTTP/1.1\r\nA: {}\r\n\r\n",
            "x".repeat(2 * MAX_HEADER_BYTES)
        );
        let long_body = format!(
            "POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n",
            MAX_BODY_BYTES + 1
        );
        for text in [
            "",
            "GET / HTTP/1.1\r\n",
            "GET /\r\n\r\n",
            "GET / x HTTP/1.1\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n{}",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n{}",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            &long_header,
            &long_body,
        ] {
            assert!(Request::read(&mut text.as_bytes()).is_err(), "{text:.80}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            let _ = Request::read(&mut bytes.as_slice());
        }
    }
}
