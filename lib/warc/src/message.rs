//! HTTP answers as archives keep them: head and body as bytes; and what they keep beside, which has
//! no head.

use crate::layout::field;
use crate::record::RawRecord;
use forage_http::{Exchange, FetchError, page_url};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use url::Url;

/// Lines of a head that are read.
const MOST_LINES: usize = 4096;
/// Bytes of a head, at most.
const MOST_HEAD: usize = 1 << 20;
/// What HTTP answers begin with.
const HTTP: &[u8] = b"HTTP/";

/// What a record keeps of `url`: an HTTP answer, or a body that has only the type that the record
/// gives.
///
/// # Errors
/// Of kind `bad-url`, where that is no page's; of kind `bad-body`, where there should be an answer
/// and is none.
pub(crate) fn kept(raw: &RawRecord, url: &str, block: &[u8]) -> Result<Exchange, FetchError> {
    let media = raw.field(field::CONTENT_TYPE);
    let essence = media
        .and_then(|media| media.split(';').next())
        .unwrap_or_default()
        .trim();
    let is_http = essence.is_empty() || essence.eq_ignore_ascii_case("application/http");
    let is_response = raw.is_of_type("response") && (is_http || block.starts_with(HTTP));
    if is_response {
        answer(url, block)
    } else {
        bare(url, media, block)
    }
}

/// An answer that was kept of `url`.
///
/// # Errors
/// Of kind `bad-url`, where that is none of the web; of kind `bad-body`, where the block is no
/// answer.
pub(crate) fn answer(url: &str, block: &[u8]) -> Result<Exchange, FetchError> {
    let url = page_url::normalize_url(url)?;
    let wrong = |cause: &str| FetchError::BadBody(format!("no HTTP answer is kept: {cause}"));
    let (head, body) = split(block).ok_or_else(|| wrong("its head has no end"))?;
    let (status, fields) = status(head).ok_or_else(|| wrong("it does not begin with a status"))?;
    let headers = headers(fields);
    let coding = headers
        .get(TRANSFER_ENCODING)
        .map(|coding| coding.as_bytes().to_ascii_lowercase());
    // Some writers keep the body as it was on the wire, others only the header that says so.
    let joined = coding
        .filter(|coding| coding.ends_with(b"chunked"))
        .and_then(|_| joined(body));
    let body = joined.unwrap_or_else(|| body.to_vec());
    let mut exchange = Exchange::new(url, status, headers);
    exchange.body = body;
    Ok(exchange)
}

/// A body that was kept of `url` without an answer around it: of a file, or made of a page.
fn bare(url: &str, media: Option<&str>, block: &[u8]) -> Result<Exchange, FetchError> {
    let url = page_url::normalize_url(url).or_else(|e| {
        let other = Url::parse(url)
            .ok()
            .filter(|url| matches!(url.scheme(), "ftp" | "file"));
        other.ok_or(e)
    })?;
    let media = media.and_then(|media| HeaderValue::from_str(media).ok());
    let headers = media
        .map(|media| (CONTENT_TYPE, media))
        .into_iter()
        .collect();
    let mut exchange = Exchange::new(url, 200, headers);
    (exchange.body, exchange.is_body_only) = (block.to_vec(), true);
    Ok(exchange)
}

/// Head, with the empty line that ends it, and body. Lines may end without CR.
fn split(block: &[u8]) -> Option<(&[u8], &[u8])> {
    let within = &block[..block.len().min(MOST_HEAD)];
    let mut ends = memchr::memchr_iter(b'\n', within).map(|end| end + 1);
    ends.find_map(|end| {
        let rest = &block[end..];
        let empty = [&b"\r\n"[..], b"\n"]
            .into_iter()
            .find(|empty| rest.starts_with(empty))?;
        Some(block.split_at(end + empty.len()))
    })
}

/// Status, and the head without the line that tells it: of any version of HTTP, with or without a
/// reason.
fn status(head: &[u8]) -> Option<(u16, &[u8])> {
    let (line, fields) = head.split_at(memchr::memchr(b'\n', head)? + 1);
    let (version, rest) = line.split_at(memchr::memchr(b' ', line)?);
    let code = str::from_utf8(rest.trim_ascii_start().get(..3)?)
        .ok()?
        .parse()
        .ok()?;
    let is_status = version.len() > HTTP.len()
        && version[..HTTP.len()].eq_ignore_ascii_case(HTTP)
        && code >= 100;
    is_status.then_some((code, fields))
}

/// Named fields; what is none is passed over.
fn headers(fields: &[u8]) -> HeaderMap {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for line in fields.split(|byte| *byte == b'\n').take(MOST_LINES) {
        match lines.last_mut() {
            // A value may go on, on lines that begin with a space.
            Some(last) if line.starts_with(b" ") || line.starts_with(b"\t") => {
                last.push(b' ');
                last.extend(line.trim_ascii());
            }
            _ => lines.push(line.trim_ascii_end().to_vec()),
        }
    }
    let pairs = lines.iter().filter_map(|line| {
        let (name, value) = line.split_at_checked(memchr::memchr(b':', line)?)?;
        let name = HeaderName::from_bytes(name.trim_ascii()).ok()?;
        Some((name, HeaderValue::from_bytes(value[1..].trim_ascii()).ok()?))
    });
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(name, value);
    }
    headers
}

/// A body without its chunks (RFC 9112 §7.1), if it has some. Of one that was cut, what is there.
fn joined(body: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let is_begun = !joined.is_empty();
        let Ok(httparse::Status::Complete((start, size))) = httparse::parse_chunk_size(rest) else {
            return is_begun.then_some(joined);
        };
        let size = usize::try_from(size).ok()?;
        if size == 0 {
            return Some(joined);
        }
        let (chunk, after) = rest[start..]
            .split_at_checked(size)
            .unwrap_or((&rest[start..], b""));
        match after.strip_prefix(b"\r\n") {
            Some(after) => rest = after,
            // Anything may begin with a number, but not go on like this.
            None if !is_begun || !after.is_empty() => return None,
            None => rest = b"",
        }
        joined.extend_from_slice(chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::answer;
    use forage_http::{Exchange, FetchError};

    fn kept(block: &str) -> Exchange {
        answer("http://a.test/", block.as_bytes()).unwrap()
    }

    #[test]
    fn an_answer_has_its_status_headers_and_body() {
        let kept = kept("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a");
        assert_eq!((kept.status, kept.body.as_slice()), (200, &b"<p>a"[..]));
        assert_eq!(kept.headers["content-type"], "text/html");
    }

    #[test]
    fn heads_are_read_as_tools_write_them() {
        for head in [
            "HTTP/2 404\r\ncontent-type: text/html\r\n\r\n",
            "HTTP/2.0 404 \r\n:status: 404\r\ncontent-type: text/html\r\n\r\n",
            "HTTP/1.0 404 Ni mogoče\nContent-Type: text/html\n\n",
            "http/1.1  404 OK\r\nA\u{0}b: c\r\nno header\r\nContent-Type : text/html\r\n\r\n",
            "HTTP/3 404 OK\r\nContent-Type:\r\n   text/html\r\n\r\n",
        ] {
            let kept = kept(&format!("{head}\nbody\n\nb"));
            assert_eq!(
                (kept.status, kept.body.as_slice()),
                (404, &b"\nbody\n\nb"[..]),
                "{head}"
            );
            assert_eq!(kept.headers["content-type"], "text/html", "{head}");
        }
        assert!(kept("HTTP/1.1 200 OK\r\n\r\n").headers.is_empty());
        let folded = kept("HTTP/1.1 200 OK\r\nX: a\r\n\t b\r\n c\r\nY: d\r\n\r\n").headers;
        assert_eq!(
            (&folded["x"], &folded["y"]),
            (&"a b c".parse().unwrap(), &"d".parse().unwrap())
        );
    }

    #[test]
    fn chunks_are_joined_where_they_are_kept() {
        let joined = |body: &str| {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n";
            String::from_utf8(kept(&format!("{head}{body}")).body).unwrap()
        };
        assert_eq!(joined("2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n"), "abc");
        for plain in ["abc", "ada\r\nabc", "2\r\nabc\r\n", "<p>abc", ""] {
            assert_eq!(joined(plain), plain);
        }
        for cut in [
            "2\r\nab\r\n",
            "2\r\nab\r\n1",
            "1\r\na\r\n5\r\nb",
            "2\r\nab\r\nff\r\n",
        ] {
            assert_eq!(joined(cut), "ab", "{cut:?}");
        }
    }

    #[test]
    fn what_is_no_answer_is_told() {
        for block in [
            &b""[..],
            b"20 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nA: b\r\n",
            b"HTTP/1.1 OK\r\n\r\n",
            b"HTTP/1.1 99 OK\r\n\r\n",
        ] {
            assert!(matches!(
                answer("http://a.test/", block),
                Err(FetchError::BadBody(_))
            ));
        }
        assert!(matches!(
            answer("dns:a.test", b""),
            Err(FetchError::BadUrl(_))
        ));
    }
}
