//! What records look like: a head of named fields, a block, and two line ends.
//!
//! Blocks of responses and requests are the HTTP messages, with their heads written anew: the
//! transfer coding is gone when a body arrives, and HTTP/2 has no head to keep. The content coding
//! stays, so that the payload digest is that of the bytes that the server sent.

use data_encoding::BASE32;
use flate2::Compression;
use flate2::write::GzEncoder;
use forage_http::page_url::strip_credentials;
use forage_http::{Exchange, FetchError, RecordReference, SAME_BODY, Truncation};
use forage_record::ErrorKind;
use http::StatusCode;
use http::header::{CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING};
use sha1::{Digest, Sha1};
use std::io::Write;
use url::Position;

/// Names of fields.
pub(crate) mod field {
    pub const TYPE: &str = "WARC-Type";
    pub const TARGET: &str = "WARC-Target-URI";
    pub const DATE: &str = "WARC-Date";
    pub const ID: &str = "WARC-Record-ID";
    pub const CONCURRENT_TO: &str = "WARC-Concurrent-To";
    pub const BLOCK_DIGEST: &str = "WARC-Block-Digest";
    pub const PAYLOAD_DIGEST: &str = "WARC-Payload-Digest";
    pub const TRUNCATED: &str = "WARC-Truncated";
    pub const PROFILE: &str = "WARC-Profile";
    pub const REFERS_TO: &str = "WARC-Refers-To";
    pub const REFERS_TO_TARGET: &str = "WARC-Refers-To-Target-URI";
    pub const REFERS_TO_DATE: &str = "WARC-Refers-To-Date";
    pub const CONTENT_TYPE: &str = "Content-Type";
    pub const CONTENT_LENGTH: &str = "Content-Length";
    /// Ours: the URL as it was given, without credentials, where that is not the one that was asked
    /// for.
    pub const ASKED: &str = "Forage-Asked-URI";
    /// Ours: why the page may be none, where only the run that fetched it could see that.
    pub const SOFT: &str = "Forage-Soft-404";
    /// Ours: that the page is as an earlier archive keeps it.
    pub const UNCHANGED: &str = "Forage-Unchanged";
    /// Ours: what kept the rest of a truncated answer away, or is wrong with a redirect, in words.
    pub const FAILURE: &str = "Forage-Failure";
}

/// Profile of a revisit whose payload was kept before (WARC 1.1 §6.7.2).
const IDENTICAL_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const RESPONSE: &str = "application/http; msgtype=response";
const REQUEST: &str = "application/http; msgtype=request";

/// Named fields in their order.
pub(crate) type Fields = Vec<(&'static str, String)>;

/// `sha1:` and the digest in base 32, as archives write it.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&Sha1::digest(bytes)))
}

/// A record id. It is a name, not a secret: made of what it names, the same content gets the same
/// one.
pub(crate) fn record_id(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher
            .update(&(part.len() as u64).to_le_bytes())
            .update(part);
    }
    let hex = hasher.finalize().to_hex();
    // Version 8 of RFC 9562: a UUID by a rule of our own.
    format!(
        "<urn:uuid:{}-{}-8{}-8{}-{}>",
        &hex[..8],
        &hex[8..12],
        &hex[13..16],
        &hex[17..20],
        &hex[20..32]
    )
}

/// The record that says what wrote the archive; it stands first.
pub(crate) fn info(date: &str, file: &str) -> Vec<u8> {
    let block = format!(
        "software: forage/{}\r\nformat: WARC File Format 1.1\r\n",
        env!("CARGO_PKG_VERSION")
    );
    let head = vec![
        (field::TYPE, "warcinfo".to_owned()),
        (
            field::ID,
            record_id(&[b"warcinfo", date.as_bytes(), file.as_bytes()]),
        ),
        (field::DATE, date.to_owned()),
        (field::CONTENT_TYPE, "application/warc-fields".to_owned()),
    ];
    member(&head, block.as_bytes())
}

/// The response of an exchange; where its payload is kept before, a revisit.
pub(crate) fn response(
    exchange: &Exchange,
    id: &str,
    payload: &str,
    requested: &str,
    original: Option<&RecordReference>,
) -> Vec<u8> {
    let mut head = vec![
        (
            field::TYPE,
            if original.is_some() {
                "revisit"
            } else {
                "response"
            }
            .to_owned(),
        ),
        (field::ID, id.to_owned()),
        (field::DATE, exchange.date.clone()),
        (field::TARGET, exchange.url.to_string()),
        (field::CONTENT_TYPE, RESPONSE.to_owned()),
        (field::PAYLOAD_DIGEST, payload.to_owned()),
    ];
    let requested = strip_credentials(requested);
    if requested != exchange.url.as_str() && !requested.contains(|c: char| c.is_control()) {
        head.push((field::ASKED, requested.into_owned()));
    }
    let mut block = response_head(exchange);
    match original {
        Some(original) => head.extend([
            (field::PROFILE, IDENTICAL_PAYLOAD.to_owned()),
            (field::REFERS_TO, original.id.clone()),
            (field::REFERS_TO_TARGET, original.target_uri.clone()),
            (field::REFERS_TO_DATE, original.date.clone()),
        ]),
        None => block.extend_from_slice(&exchange.body),
    }
    if let Some(truncation) = exchange.truncated {
        head.push((field::TRUNCATED, truncation_reason(truncation).to_owned()));
    }
    if exchange.is_duplicate {
        head.push((field::SOFT, SAME_BODY.to_owned()));
    }
    if exchange.is_unchanged {
        head.push((field::UNCHANGED, "yes".to_owned()));
    }
    if let Some(failure) = &exchange.failure {
        head.push((
            field::FAILURE,
            failure.to_string().replace(char::is_control, " "),
        ));
    }
    member(&head, &block)
}

/// The reason why a record is truncated (WARC 1.1 §5.13).
fn truncation_reason(truncation: Truncation) -> &'static str {
    match truncation {
        Truncation::Length => "length",
        Truncation::Time => "time",
        Truncation::Disconnect => "disconnect",
    }
}

/// What kept the rest of an answer away that we kept as far as it came, or is wrong with a
/// redirect. What others truncated says nothing of the kind: it is read as far as it goes.
pub(crate) fn failure(truncated: Option<&str>, told: Option<&str>) -> Option<FetchError> {
    let told = told?.replace(char::is_control, " ");
    let kind = match truncated {
        None => return Some(FetchError::Redirect(told)),
        Some("length") => ErrorKind::TooLarge,
        Some("time") => ErrorKind::Timeout,
        Some(_) => ErrorKind::Connect,
    };
    Some(FetchError::Repeated {
        kind,
        message: told,
    })
}

/// The request of an exchange.
pub(crate) fn request(exchange: &Exchange, response: &str) -> Vec<u8> {
    let url = &exchange.url;
    let mut block = format!(
        "GET {} HTTP/1.1\r\n",
        &url[Position::BeforePath..Position::AfterQuery]
    )
    .into_bytes();
    write_headers(&mut block, &exchange.request_headers, |_| true);
    let head = vec![
        (field::TYPE, "request".to_owned()),
        (field::ID, record_id(&[b"request", response.as_bytes()])),
        (field::DATE, exchange.date.clone()),
        (field::TARGET, url.to_string()),
        (field::CONCURRENT_TO, response.to_owned()),
        (field::CONTENT_TYPE, REQUEST.to_owned()),
    ];
    member(&head, &block)
}

/// Status line and headers. The length is that of the body as it is kept.
fn response_head(exchange: &Exchange) -> Vec<u8> {
    let reason = StatusCode::from_u16(exchange.status)
        .ok()
        .and_then(|status| status.canonical_reason());
    let mut head = format!(
        "HTTP/1.1 {} {}\r\n",
        exchange.status,
        reason.unwrap_or_default()
    )
    .into_bytes();
    let mut headers = exchange.headers.clone();
    headers.insert(CONTENT_LENGTH, exchange.body.len().into());
    write_headers(&mut head, &headers, |name| name != TRANSFER_ENCODING);
    head
}

fn write_headers(to: &mut Vec<u8>, headers: &HeaderMap, keeps: impl Fn(&str) -> bool) {
    for (name, value) in headers.iter().filter(|(name, _)| keeps(name.as_str())) {
        to.extend_from_slice(name.as_str().as_bytes());
        to.extend_from_slice(b": ");
        to.extend_from_slice(value.as_bytes());
        to.extend_from_slice(b"\r\n");
    }
    to.extend_from_slice(b"\r\n");
}

/// A record as a gzip member.
fn member(head: &Fields, block: &[u8]) -> Vec<u8> {
    let mut text = String::from("WARC/1.1\r\n");
    let further = [
        (field::BLOCK_DIGEST, digest(block)),
        (field::CONTENT_LENGTH, block.len().to_string()),
    ];
    for (name, value) in head.iter().chain(&further) {
        text.extend([*name, ": ", value, "\r\n"]);
    }
    text.push_str("\r\n");
    let mut encoder = GzEncoder::new(
        Vec::with_capacity(text.len() + block.len() / 3),
        Compression::default(),
    );
    // A vector takes all that is written.
    let _ = encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.write_all(block))
        .and_then(|()| encoder.write_all(b"\r\n\r\n"));
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{digest, record_id};

    #[test]
    fn digests_are_written_as_archives_do() {
        assert_eq!(digest(b""), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    }

    #[test]
    fn equal_content_has_an_equal_id_and_no_other() {
        let id = record_id(&[b"a", b"bc"]);
        assert_eq!(id, record_id(&[b"a", b"bc"]));
        assert_ne!(id, record_id(&[b"ab", b"c"]));
        assert!(id.starts_with("<urn:uuid:") && id.len() == 10 + 36 + 1);
    }
}
