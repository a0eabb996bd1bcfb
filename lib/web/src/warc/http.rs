//! HTTP answers as archives keep them: head and body as bytes.

use crate::FetchError;
use crate::fetch::room::Taken;
use crate::fetch::target;
use crate::fetch::visit::Exchange;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};

/// Headers of an answer that are read.
const MOST_HEADERS: usize = 256;

/// An answer that was kept of `url`.
///
/// # Errors
/// Of kind `bad-url`, where that is none of the web; of kind `bad-body`, where the block is no answer.
pub(super) fn answer(url: &str, block: &[u8]) -> Result<Exchange, FetchError> {
    let url = target::parse(url)?;
    let wrong = |cause: &dyn std::fmt::Display| FetchError::BadBody(format!("no HTTP answer is kept: {cause}"));
    let mut parsed = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut answer = httparse::Response::new(&mut parsed);
    let mut parser = httparse::ParserConfig::default();
    parser.ignore_invalid_headers_in_responses(true);
    let head = match parser.parse_response(&mut answer, block).map_err(|e| wrong(&e))? {
        httparse::Status::Complete(length) => length,
        httparse::Status::Partial => return Err(wrong(&"its head has no end")),
    };
    let mut headers = HeaderMap::new();
    for header in answer.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(header.value)) {
            headers.append(name, value);
        }
    }
    let is_chunked = headers.get(TRANSFER_ENCODING).is_some_and(|coding| coding.as_bytes().ends_with(b"chunked"));
    let body = &block[head..];
    // Some writers keep the body as it was on the wire, others only the header that says so.
    let body = if is_chunked { joined(body).unwrap_or_else(|| body.to_vec()) } else { body.to_vec() };
    Ok(Exchange {
        url,
        status: answer.code.unwrap_or_default(),
        headers,
        body,
        cut: None,
        failure: None,
        at: String::new(),
        request: HeaderMap::new(),
        original: None,
        is_twin: false,
        is_unchanged: false,
        room: Taken::default(),
    })
}

/// A body without its chunks (RFC 9112 §7.1), if it has some.
fn joined(body: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let (start, size) = match httparse::parse_chunk_size(rest).ok()? {
            httparse::Status::Complete(found) => found,
            httparse::Status::Partial => return None,
        };
        let size = usize::try_from(size).ok()?;
        if size == 0 {
            return Some(joined);
        }
        let end = start.checked_add(size)?;
        joined.extend_from_slice(rest.get(start..end)?);
        rest = rest.get(end..)?.strip_prefix(b"\r\n")?;
    }
}

#[cfg(test)]
mod tests {
    use super::answer;
    use crate::FetchError;

    #[test]
    fn an_answer_has_its_status_headers_and_body() {
        let kept = answer("http://a.test/", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a").unwrap();
        assert_eq!((kept.status, kept.body.as_slice()), (200, &b"<p>a"[..]));
        assert_eq!(kept.headers["content-type"], "text/html");
    }

    #[test]
    fn chunks_are_joined_where_they_are_kept() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        for body in ["2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n", "abc"] {
            assert_eq!(answer("http://a.test/", format!("{head}{body}").as_bytes()).unwrap().body, b"abc");
        }
    }

    #[test]
    fn what_is_no_answer_is_told() {
        for block in [&b""[..], b"20 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n"] {
            assert!(matches!(answer("http://a.test/", block), Err(FetchError::BadBody(_))));
        }
        assert!(matches!(answer("dns:a.test", b""), Err(FetchError::BadUrl(_))));
    }
}
