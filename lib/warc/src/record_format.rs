//! Serialization of WARC records: a header block of named fields, a content block, and two line
//! ends, compressed as a gzip member.
//!
//! The blocks of responses and requests are HTTP messages whose header blocks are written anew:
//! when a body is received its transfer coding is gone, and HTTP/2 has no textual header block. The
//! content coding is kept, so that the payload digest is that of the bytes that the server sent.

use data_encoding::{BASE32, BASE32_NOPAD, HEXUPPER};
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

/// Names of fields (WARC 1.1, section 5), and of extension fields of this project.
pub(crate) mod field {
    pub const TYPE: &str = "WARC-Type";
    pub const TARGET_URI: &str = "WARC-Target-URI";
    pub const DATE: &str = "WARC-Date";
    pub const RECORD_ID: &str = "WARC-Record-ID";
    pub const CONCURRENT_TO: &str = "WARC-Concurrent-To";
    pub const BLOCK_DIGEST: &str = "WARC-Block-Digest";
    pub const PAYLOAD_DIGEST: &str = "WARC-Payload-Digest";
    pub const TRUNCATED: &str = "WARC-Truncated";
    pub const PROFILE: &str = "WARC-Profile";
    pub const REFERS_TO: &str = "WARC-Refers-To";
    pub const REFERS_TO_TARGET_URI: &str = "WARC-Refers-To-Target-URI";
    pub const REFERS_TO_DATE: &str = "WARC-Refers-To-Date";
    pub const SEGMENT_NUMBER: &str = "WARC-Segment-Number";
    pub const CONTENT_TYPE: &str = "Content-Type";
    pub const CONTENT_LENGTH: &str = "Content-Length";
    /// Extension: the URL as given, without credentials, if it differs from the target URI.
    pub const REQUESTED_URI: &str = "Forage-Asked-URI";
    /// Extension: a soft-404 mark that only the fetching run could determine.
    pub const SOFT_404: &str = "Forage-Soft-404";
    /// Extension: the page is the same in an earlier archive.
    pub const UNCHANGED: &str = "Forage-Unchanged";
    /// Extension: the URL that a page redirects to, if that was followed.
    pub const REFRESH: &str = "Forage-Refresh";
    /// Extension: the error message of a truncated response, or of a redirect that could not be
    /// followed.
    pub const FAILURE: &str = "Forage-Failure";
}

/// The profiles of revisit records: one with the payload of another record, and one for a 304
/// response (WARC 1.1, sections 6.7.2 and 6.7.3).
pub(crate) const IDENTICAL_PAYLOAD_PROFILE: &str =
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED_PROFILE: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
const RESPONSE_MEDIA_TYPE: &str = "application/http; msgtype=response";
const REQUEST_MEDIA_TYPE: &str = "application/http; msgtype=request";

/// Named fields in their order.
pub(crate) type NamedFields = Vec<(&'static str, String)>;

/// Returns the SHA-1 digest of bytes as a labelled digest: `sha1:` and base 32, as in the examples
/// of WARC 1.1.
pub(crate) fn labelled_digest(bytes: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&Sha1::digest(bytes)))
}

/// Returns the bytes of a labelled digest, in base 32 or 16 of any case, with or without padding
/// and label; the text itself if it is neither.
pub(crate) fn digest_value(digest: &str) -> Vec<u8> {
    let value = digest.rsplit(':').next().unwrap_or_default();
    let value = value.trim().trim_end_matches('=').to_ascii_uppercase();
    HEXUPPER
        .decode(value.as_bytes())
        .or_else(|_| BASE32_NOPAD.decode(value.as_bytes()))
        .unwrap_or(value.into_bytes())
}

/// Returns a record ID: a UUID of version 8 (RFC 9562, section 5.8) from a hash of `parts`. The
/// same parts have the same ID.
pub(crate) fn record_id(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher
            .update(&(part.len() as u64).to_le_bytes())
            .update(part);
    }
    let hex = hasher.finalize().to_hex();
    format!(
        "<urn:uuid:{}-{}-8{}-8{}-{}>",
        &hex[..8],
        &hex[8..12],
        &hex[13..16],
        &hex[17..20],
        &hex[20..32]
    )
}

/// Serializes the warcinfo record, which is the first of an archive and names its software.
pub(crate) fn warcinfo_record(date: &str, file: &str) -> Vec<u8> {
    let block = format!(
        "software: forage/{}\r\nformat: WARC File Format 1.1\r\n",
        env!("CARGO_PKG_VERSION")
    );
    let fields = vec![
        (field::TYPE, "warcinfo".to_owned()),
        (
            field::RECORD_ID,
            record_id(&[b"warcinfo", date.as_bytes(), file.as_bytes()]),
        ),
        (field::DATE, date.to_owned()),
        (field::CONTENT_TYPE, "application/warc-fields".to_owned()),
    ];
    gzip_record(&fields, block.as_bytes())
}

/// Serializes the response of an exchange; as a revisit record if it refers to another record with
/// the same payload.
pub(crate) fn response_record(
    exchange: &Exchange,
    id: &str,
    payload_digest: &str,
    requested_url: &str,
    refers_to: Option<&RecordReference>,
) -> Vec<u8> {
    let record_type = if refers_to.is_some() {
        "revisit"
    } else {
        "response"
    };
    let mut fields = vec![
        (field::TYPE, record_type.to_owned()),
        (field::RECORD_ID, id.to_owned()),
        (field::DATE, exchange.date.clone()),
        (field::TARGET_URI, exchange.url.to_string()),
        (field::CONTENT_TYPE, RESPONSE_MEDIA_TYPE.to_owned()),
        (field::PAYLOAD_DIGEST, payload_digest.to_owned()),
    ];
    let requested_url = strip_credentials(requested_url);
    if requested_url != exchange.url.as_str() && !requested_url.contains(|c: char| c.is_control()) {
        fields.push((field::REQUESTED_URI, requested_url.into_owned()));
    }
    let (status, headers, profile) = match &exchange.not_modified {
        Some(headers) if refers_to.is_some() => (304, headers, NOT_MODIFIED_PROFILE),
        _ => (
            exchange.status,
            &exchange.headers,
            IDENTICAL_PAYLOAD_PROFILE,
        ),
    };
    let mut block = response_header_block(status, headers, exchange.body.len());
    match refers_to {
        Some(reference) => fields.extend([
            (field::PROFILE, profile.to_owned()),
            (field::REFERS_TO, reference.id.clone()),
            (field::REFERS_TO_TARGET_URI, reference.target_uri.clone()),
            (field::REFERS_TO_DATE, reference.date.clone()),
            // The body is left out (section 6.7.2).
            (field::TRUNCATED, "length".to_owned()),
        ]),
        None => block.extend_from_slice(&exchange.body),
    }
    if let Some(truncation) = exchange.truncated.filter(|_| refers_to.is_none()) {
        fields.push((field::TRUNCATED, truncation_reason(truncation).to_owned()));
    }
    if exchange.is_duplicate {
        fields.push((field::SOFT_404, SAME_BODY.to_owned()));
    }
    if let Some(target) = &exchange.refresh {
        fields.push((field::REFRESH, target.to_string()));
    }
    if exchange.is_unchanged {
        fields.push((field::UNCHANGED, "yes".to_owned()));
    }
    if let Some(failure) = &exchange.failure {
        fields.push((
            field::FAILURE,
            failure.to_string().replace(char::is_control, " "),
        ));
    }
    gzip_record(&fields, &block)
}

/// Returns the value of the field `WARC-Truncated`.
fn truncation_reason(truncation: Truncation) -> &'static str {
    match truncation {
        Truncation::Length => "length",
        Truncation::Time => "time",
        Truncation::Disconnect => "disconnect",
    }
}

/// Returns the reason that a value of `WARC-Truncated` states. Other writers also have
/// `unspecified`.
pub(crate) fn parse_truncation(reason: &str) -> Truncation {
    match reason.trim() {
        "length" => Truncation::Length,
        "time" => Truncation::Time,
        _ => Truncation::Disconnect,
    }
}

/// Returns the failure of a response by its fields: the value of `WARC-Truncated`, and that of
/// [`field::FAILURE`]. Records of other writers do not have the latter: a truncated response of
/// theirs is read as far as it goes.
pub(crate) fn parse_failure(truncated: Option<&str>, failure: Option<&str>) -> Option<FetchError> {
    let message = failure?.replace(char::is_control, " ");
    let kind = match truncated {
        None => return Some(FetchError::Redirect(message)),
        Some("length") => ErrorKind::TooLarge,
        Some("time") => ErrorKind::Timeout,
        Some(_) => ErrorKind::Connect,
    };
    Some(FetchError::Repeated { kind, message })
}

/// Serializes the request of an exchange, whose response has the ID `response_id`.
pub(crate) fn request_record(exchange: &Exchange, response_id: &str) -> Vec<u8> {
    let url = &exchange.url;
    let mut block = format!(
        "GET {} HTTP/1.1\r\n",
        &url[Position::BeforePath..Position::AfterQuery]
    )
    .into_bytes();
    write_header_fields(&mut block, &exchange.request_headers, |_| true);
    let fields = vec![
        (field::TYPE, "request".to_owned()),
        (
            field::RECORD_ID,
            record_id(&[b"request", response_id.as_bytes()]),
        ),
        (field::DATE, exchange.date.clone()),
        (field::TARGET_URI, url.to_string()),
        (field::CONCURRENT_TO, response_id.to_owned()),
        (field::CONTENT_TYPE, REQUEST_MEDIA_TYPE.to_owned()),
    ];
    gzip_record(&fields, &block)
}

/// Returns the status line and header fields of a response. `Content-Length` is that of the
/// archived body.
fn response_header_block(status: u16, headers: &HeaderMap, length: usize) -> Vec<u8> {
    let reason = StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason());
    let mut block = format!("HTTP/1.1 {status} {}\r\n", reason.unwrap_or_default()).into_bytes();
    let mut headers = headers.clone();
    if status != 304 {
        headers.insert(CONTENT_LENGTH, length.into());
    }
    write_header_fields(&mut block, &headers, |name| name != TRANSFER_ENCODING);
    block
}

/// Writes the header fields whose names are included, and the empty line at the end.
fn write_header_fields(to: &mut Vec<u8>, headers: &HeaderMap, includes: impl Fn(&str) -> bool) {
    for (name, value) in headers.iter().filter(|(name, _)| includes(name.as_str())) {
        to.extend_from_slice(name.as_str().as_bytes());
        to.extend_from_slice(b": ");
        to.extend_from_slice(value.as_bytes());
        to.extend_from_slice(b"\r\n");
    }
    to.extend_from_slice(b"\r\n");
}

/// Serializes a record as a gzip member, with its block digest and length.
fn gzip_record(fields: &NamedFields, block: &[u8]) -> Vec<u8> {
    let mut header_block = String::from("WARC/1.1\r\n");
    let block_fields = [
        (field::BLOCK_DIGEST, labelled_digest(block)),
        (field::CONTENT_LENGTH, block.len().to_string()),
    ];
    for (name, value) in fields.iter().chain(&block_fields) {
        header_block.extend([*name, ": ", value, "\r\n"]);
    }
    header_block.push_str("\r\n");
    let mut encoder = GzEncoder::new(
        Vec::with_capacity(header_block.len() + block.len() / 3),
        Compression::default(),
    );
    // Writing to a vector cannot fail.
    let _ = encoder
        .write_all(header_block.as_bytes())
        .and_then(|()| encoder.write_all(block))
        .and_then(|()| encoder.write_all(b"\r\n\r\n"));
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{labelled_digest, record_id};

    #[test]
    fn digests_have_the_format_of_archives() {
        assert_eq!(
            labelled_digest(b""),
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
        );
    }

    #[test]
    fn record_ids_depend_on_parts_and_their_boundaries() {
        let id = record_id(&[b"a", b"bc"]);
        assert_eq!(id, record_id(&[b"a", b"bc"]));
        assert_ne!(id, record_id(&[b"ab", b"c"]));
        assert!(id.starts_with("<urn:uuid:") && id.len() == 10 + 36 + 1);
    }
}
