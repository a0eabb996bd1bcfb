//! Parsing of the content blocks of WARC records: HTTP responses, and bodies without a response.

use crate::record::RawRecord;
use crate::record_format::{field, parse_truncation};
use forage_http::{Exchange, FetchError, Truncation, page_url};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use url::Url;

/// Lines of a header block that are read.
const MAX_HEADER_LINES: usize = 4096;
/// Largest header block, in bytes.
const MAX_HEADER_BYTES: usize = 1 << 20;
/// The first bytes of an HTTP response.
const HTTP_MAGIC: &[u8] = b"HTTP/";

/// Parses the block of a record of `url`: an HTTP response, or a body whose media type is that of
/// the record.
///
/// # Errors
/// Fails with kind `bad-url` if the URL is not that of a page, and with kind `bad-body` if the
/// record should have a response and has none.
pub(crate) fn parse_block(
    record: &RawRecord,
    url: &str,
    block: &[u8],
) -> Result<Exchange, FetchError> {
    let media_type = record.field(field::CONTENT_TYPE);
    let essence = media_type
        .and_then(|media_type| media_type.split(';').next())
        .unwrap_or_default()
        .trim();
    let is_http = essence.is_empty() || essence.eq_ignore_ascii_case("application/http");
    let is_response = record.is_of_type("response") && (is_http || block.starts_with(HTTP_MAGIC));
    let mut exchange = if is_response {
        parse_response(url, block)?
    } else {
        parse_body(url, media_type, block)?
    };
    // The further segments of a record are not joined to it.
    let mark = [field::TRUNCATED, field::SEGMENT_NUMBER].map(|name| record.field(name));
    let mark = mark.into_iter().flatten().next().map(parse_truncation);
    exchange.truncated = mark.or(exchange.truncated);
    Ok(exchange)
}

/// Parses an HTTP response to a request for `url`.
///
/// # Errors
/// Fails with kind `bad-url` if the URL is not HTTP or HTTPS, and with kind `bad-body` if the block
/// is not a response.
pub(crate) fn parse_response(url: &str, block: &[u8]) -> Result<Exchange, FetchError> {
    let url = page_url::normalise_url(url)?;
    let error =
        |cause: &str| FetchError::BadBody(format!("the record has no HTTP response: {cause}"));
    let (header_block, body) =
        split_header_block(block).ok_or_else(|| error("its header block has no end"))?;
    let (status, fields) =
        parse_status_line(header_block).ok_or_else(|| error("it has no status line"))?;
    let headers = parse_header_fields(fields);
    let is_chunked = headers
        .get(TRANSFER_ENCODING)
        .is_some_and(|coding| coding.as_bytes().to_ascii_lowercase().ends_with(b"chunked"));
    // Some writers keep the body chunked, others only the header field.
    let decoded = if is_chunked {
        decode_chunked(body)
    } else {
        None
    };
    let mut exchange = Exchange::new(url, status, headers);
    let (body, is_complete) = decoded.unwrap_or_else(|| (body.to_vec(), true));
    exchange.body = body;
    exchange.truncated = (!is_complete).then_some(Truncation::Disconnect);
    Ok(exchange)
}

/// Returns an exchange for a body without a response: of a file, or text that was converted from a
/// page.
fn parse_body(url: &str, media_type: Option<&str>, block: &[u8]) -> Result<Exchange, FetchError> {
    let url = page_url::normalise_url(url).or_else(|e| {
        Url::parse(url)
            .ok()
            .filter(|url| matches!(url.scheme(), "ftp" | "file"))
            .ok_or(e)
    })?;
    let media_type = media_type.and_then(|media_type| HeaderValue::from_str(media_type).ok());
    let headers = media_type
        .map(|media_type| (CONTENT_TYPE, media_type))
        .into_iter()
        .collect();
    let mut exchange = Exchange::new(url, 200, headers);
    exchange.body = block.to_vec();
    exchange.is_body_only = true;
    Ok(exchange)
}

/// Splits a response into its header block, with the empty line at its end, and the body. Lines may
/// end without CR.
fn split_header_block(block: &[u8]) -> Option<(&[u8], &[u8])> {
    let searched = &block[..block.len().min(MAX_HEADER_BYTES)];
    let mut line_ends = memchr::memchr_iter(b'\n', searched).map(|index| index + 1);
    line_ends.find_map(|end| {
        let rest = &block[end..];
        let empty_line = [&b"\r\n"[..], b"\n"]
            .into_iter()
            .find(|empty_line| rest.starts_with(empty_line))?;
        Some(block.split_at(end + empty_line.len()))
    })
}

/// Parses the status line, of any version of HTTP, with or without a reason. Returns the status and
/// the rest of the header block.
fn parse_status_line(header_block: &[u8]) -> Option<(u16, &[u8])> {
    let (line, fields) = header_block.split_at(memchr::memchr(b'\n', header_block)? + 1);
    let (version, rest) = line.split_at(memchr::memchr(b' ', line)?);
    let status = str::from_utf8(rest.trim_ascii_start().get(..3)?)
        .ok()?
        .parse()
        .ok()?;
    let is_status_line = version.len() > HTTP_MAGIC.len()
        && version[..HTTP_MAGIC.len()].eq_ignore_ascii_case(HTTP_MAGIC)
        && status >= 100;
    is_status_line.then_some((status, fields))
}

/// Parses header fields; invalid lines are skipped.
fn parse_header_fields(fields: &[u8]) -> HeaderMap {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for line in fields.split(|byte| *byte == b'\n').take(MAX_HEADER_LINES) {
        match lines.last_mut() {
            // A folded value: continued on lines that begin with whitespace.
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

/// Decodes the chunked transfer coding (RFC 9112, section 7.1), of a truncated body as far as it
/// goes. Also returns `true` if the last chunk came. Returns `None` if the body is not chunked.
fn decode_chunked(body: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut decoded = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let has_chunks = !decoded.is_empty();
        let Ok(httparse::Status::Complete((start, size))) = httparse::parse_chunk_size(rest) else {
            return has_chunks.then_some((decoded, false));
        };
        let size = usize::try_from(size).ok()?;
        if size == 0 {
            return Some((decoded, true));
        }
        let (chunk, after) = rest[start..]
            .split_at_checked(size)
            .unwrap_or((&rest[start..], b""));
        match after.strip_prefix(b"\r\n") {
            Some(after) => rest = after,
            // Any text may begin with a number, but a chunk of that size ends with CRLF.
            None if !after.is_empty() => return None,
            // The first chunk is cut, or the body is a text that begins with a number.
            None if !has_chunks && !chunk.starts_with(b"<") => return Some((body.to_vec(), false)),
            None => rest = b"",
        }
        decoded.extend_from_slice(chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::parse_response;
    use forage_http::{Exchange, FetchError};

    fn parse(block: &str) -> Exchange {
        parse_response("http://a.test/", block.as_bytes()).unwrap()
    }

    #[test]
    fn parses_status_headers_and_body() {
        let exchange = parse("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a");
        assert_eq!(
            (exchange.status, exchange.body.as_slice()),
            (200, &b"<p>a"[..])
        );
        assert_eq!(exchange.headers["content-type"], "text/html");
    }

    #[test]
    fn parses_header_blocks_of_various_writers() {
        for header_block in [
            "HTTP/2 404\r\ncontent-type: text/html\r\n\r\n",
            "HTTP/2.0 404 \r\n:status: 404\r\ncontent-type: text/html\r\n\r\n",
            "HTTP/1.0 404 Ni mogoče\nContent-Type: text/html\n\n",
            "http/1.1  404 OK\r\nA\u{0}b: c\r\nno header\r\nContent-Type : text/html\r\n\r\n",
            "HTTP/3 404 OK\r\nContent-Type:\r\n   text/html\r\n\r\n",
        ] {
            let exchange = parse(&format!("{header_block}\nbody\n\nb"));
            assert_eq!(
                (exchange.status, exchange.body.as_slice()),
                (404, &b"\nbody\n\nb"[..]),
                "{header_block}"
            );
            assert_eq!(
                exchange.headers["content-type"], "text/html",
                "{header_block}"
            );
        }
        assert!(parse("HTTP/1.1 200 OK\r\n\r\n").headers.is_empty());
        let folded = parse("HTTP/1.1 200 OK\r\nX: a\r\n\t b\r\n c\r\nY: d\r\n\r\n").headers;
        assert_eq!(
            (&folded["x"], &folded["y"]),
            (&"a b c".parse().unwrap(), &"d".parse().unwrap())
        );
    }

    #[test]
    fn decodes_chunked_bodies_only_if_they_are_chunked() {
        let decoded = |body: &str| {
            let header_block = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n";
            String::from_utf8(parse(&format!("{header_block}{body}")).body).unwrap()
        };
        assert_eq!(decoded("2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n"), "abc");
        for plain in ["abc", "ada\r\nabc", "2\r\nabc\r\n", "<p>abc", ""] {
            assert_eq!(decoded(plain), plain);
        }
        for truncated in [
            "2\r\nab\r\n",
            "2\r\nab\r\n1",
            "1\r\na\r\n5\r\nb",
            "2\r\nab\r\nff\r\n",
        ] {
            assert_eq!(decoded(truncated), "ab", "{truncated:?}");
        }
    }

    #[test]
    fn rejects_blocks_that_are_not_responses() {
        for block in [
            &b""[..],
            b"20 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nA: b\r\n",
            b"HTTP/1.1 OK\r\n\r\n",
            b"HTTP/1.1 99 OK\r\n\r\n",
        ] {
            assert!(matches!(
                parse_response("http://a.test/", block),
                Err(FetchError::BadBody(_))
            ));
        }
        assert!(matches!(
            parse_response("dns:a.test", b""),
            Err(FetchError::BadUrl(_))
        ));
    }
}
