//! Files that are no pages but have pages or records in them, as programs save them: recognised by
//! their first lines, as none has a signature that no text could begin with.

use crate::media::utf16::utf16_sample;

/// Bytes at the beginning of a file that are examined. Set by judgement, not measured.
const HEAD_BYTES: usize = 64 << 10;

/// The names by which these files are known here.
pub(crate) const RECORDS: &str = "application/x-ndjson";
pub(crate) const HTTP: &str = "application/http";
pub(crate) const MAIL: &str = "message/rfc822";
pub(crate) const RTF: &str = "application/rtf";
pub(crate) const WARC: &str = "application/warc";
pub(crate) const WEB_ARCHIVE: &str = "application/x-webarchive";

/// Returns the media type of a file that begins like one of these.
pub(crate) fn detect(body: &[u8]) -> Option<&'static str> {
    let head = &body[..body.len().min(HEAD_BYTES)];
    let text = head.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(head);
    let text = text.trim_ascii_start();
    if is_archive(text) {
        Some(WARC)
    } else if text.starts_with(b"{\\rtf") {
        Some(RTF)
    } else if text.starts_with(b"bplist0")
        && memchr::memmem::find(body, b"WebMainResource").is_some()
    {
        Some(WEB_ARCHIVE)
    } else if split_response(text).is_some() {
        Some(HTTP)
    } else if is_mail(text) {
        Some(MAIL)
    } else {
        let decoded = utf16_sample(head);
        is_json(decoded.as_deref().map_or(text, str::as_bytes)).then_some(RECORDS)
    }
}

/// Returns `true` if a text begins with a record of WARC, or of its predecessor ARC.
fn is_archive(text: &[u8]) -> bool {
    let version = text.strip_prefix(b"WARC/").and_then(|rest| rest.first());
    version.is_some_and(u8::is_ascii_digit) || text.starts_with(b"filedesc://")
}

/// Returns `true` if a text begins with an object that has a key, or an array of such.
fn is_json(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    let key = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let Some(key) = key.and_then(|rest| rest.strip_prefix(b"\"")) else {
        return false;
    };
    let end = key.iter().position(|byte| *byte == b'"');
    end.is_some_and(|end| key[end + 1..].trim_ascii_start().starts_with(b":"))
}

/// Returns `true` if a text begins with the header of a mail or of a page in one file (MHTML).
fn is_mail(text: &[u8]) -> bool {
    split_header(text).is_some_and(|(fields, _)| field(&fields, "mime-version").is_some())
}

/// The fields of a header: names in lower case, and values.
type Fields = Vec<(String, String)>;

fn field<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    let field = fields.iter().rfind(|(field, _)| field == name);
    field.map(|(_, value)| value.as_str())
}

/// Splits a text into the fields that it begins with and what follows the blank line after them;
/// `None` if a line before that is no field.
fn split_header(text: &[u8]) -> Option<(Fields, &[u8])> {
    let mut fields = Fields::new();
    let mut rest = text;
    loop {
        let end = memchr::memchr(b'\n', rest)?;
        let line = rest[..end].trim_ascii_end();
        rest = &rest[end + 1..];
        if line.is_empty() {
            return (!fields.is_empty()).then_some((fields, rest));
        }
        let line = String::from_utf8_lossy(line);
        if let (true, Some((_, value))) = (line.starts_with([' ', '\t']), fields.last_mut()) {
            value.push_str(&line);
            continue;
        }
        let (name, value) = line.split_once(':')?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

/// Splits HTTP responses as `curl -i` writes them, of which all but the last are redirects, into
/// the `Content-Type` of the last and its body. Returns `None` if a text does not begin with a
/// response.
pub fn split_response(text: &[u8]) -> Option<(Option<String>, &[u8])> {
    let mut response = None;
    let mut rest = text;
    while let Some(found) = split_one_response(rest) {
        rest = found.1;
        response = Some(found);
    }
    response
}

fn split_one_response(text: &[u8]) -> Option<(Option<String>, &[u8])> {
    let end = memchr::memchr(b'\n', text)?;
    let line = str::from_utf8(&text[..end]).ok()?;
    let status = line
        .strip_prefix("HTTP/")?
        .split_ascii_whitespace()
        .nth(1)?;
    if status.len() != 3 || !status.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (fields, body) = split_header(&text[end + 1..])?;
    let content_type = field(&fields, "content-type").map(str::to_owned);
    Some((content_type, body))
}

#[cfg(test)]
mod tests {
    use super::{detect, split_response};
    use crate::media::{ContentKind, MediaType, PageFormat};

    #[test]
    fn saved_files_are_recognised() {
        for (body, expected) in [
            ("WARC/1.0\r\nWARC-Type: warcinfo\r\n", "application/warc"),
            (
                "filedesc://a.arc 0.0.0.0 20200101000000 text/plain 9\n",
                "application/warc",
            ),
            ("{\\rtf1\\ansi Dober dan.}", "application/rtf"),
            (
                "bplist00\u{1}\u{2}_\u{10}\u{f}WebMainResource\0",
                "application/x-webarchive",
            ),
            (
                "HTTP/2 200 \r\ncontent-type: text/html\r\n\r\n<p>a",
                "application/http",
            ),
            ("HTTP/1.1 200 OK\nServer: x\n\n", "application/http"),
            (
                "From: <Saved by Blink>\r\nSubject: =?utf-8?Q?a?=\r\n =?utf-8?Q?b?=\r\n\
                 MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary=\"b\"\r\n\r\n",
                "message/rfc822",
            ),
            ("{\"text\": \"a\"}\n", "application/x-ndjson"),
            ("\u{feff}[\n { \"id\" : 1", "application/x-ndjson"),
        ] {
            assert_eq!(detect(body.as_bytes()), Some(expected), "{body}");
            assert_eq!(
                MediaType::sniff(body.as_bytes()).essence,
                expected,
                "{body}"
            );
        }
        let utf16: Vec<u8> = "{\"text\":\"a\"}\n"
            .repeat(9)
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(detect(&utf16), Some("application/x-ndjson"));
    }

    #[test]
    fn texts_about_them_are_texts() {
        for text in [
            "WARC/ is the beginning of a record.",
            "HTTP/1.1 is a protocol.\nIt has: headers\n\nand bodies.",
            "HTTP/1.1 404 Not Found\nThat is what the server said\n\n.",
            "From: Ana\nTo: Bor\n\nDober dan",
            "MIME-Version: 1.0 is a header.\nMany have it.\n\n",
            "{\\rt",
            "{\"danes\" je lep dan}",
            "[1] {\"a\":1}",
            "bplist00 is the beginning of a property list",
        ] {
            assert_eq!(detect(text.as_bytes()), None, "{text}");
            assert_eq!(
                MediaType::sniff(text.as_bytes()).essence,
                "text/plain",
                "{text}"
            );
        }
    }

    #[test]
    fn the_last_response_has_the_page() {
        let redirect = "HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Type: text/plain\r\n\r\n";
        let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-2\r\n\r\n<p>a";
        let text = [redirect, page].concat();
        let (content_type, body) = split_response(text.as_bytes()).unwrap();
        assert_eq!(
            content_type.as_deref(),
            Some("text/html; charset=iso-8859-2")
        );
        assert_eq!(body, b"<p>a");
    }

    #[test]
    fn saved_files_are_documents_and_records_are_records() {
        let kind = |text: &str| ContentKind::detect(text.as_bytes());
        assert_eq!(kind("{\\rtf1 a}"), ContentKind::Document(PageFormat::Rtf));
        assert_eq!(
            kind("WARC/1.1\r\n"),
            ContentKind::Document(PageFormat::Warc)
        );
        assert_eq!(kind("{\"text\":\"a\"}\n"), ContentKind::Records);
    }
}
