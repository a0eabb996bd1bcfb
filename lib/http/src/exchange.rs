//! An HTTP exchange: a request and its response, from the network or from an archive.
//!
//! The type is shared by fetching and archives, so that a response becomes a record by the same
//! code, whatever its source.

use crate::FetchError;
use crate::content_coding;
use crate::error::Truncation;
use crate::headers::{content_codings, header_value};
use crate::memory_budget::Permit;
use crate::page_url;
use reqwest::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, LOCATION, TRANSFER_ENCODING,
};
use url::Url;

/// Bytes kept of a body that exceeds the size limit.
const KEPT_BYTES_OF_LARGE_BODY: usize = 64 << 10;
/// Largest decompressed body that is compared with its end.
const MAX_DECODED_BYTES: u64 = 64 << 20;

/// A reference to a WARC record, as a revisit record makes it (WARC 1.1, section 6.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordReference {
    /// `WARC-Record-ID` of the record.
    pub id: String,
    /// `WARC-Target-URI` of the record.
    pub target_uri: String,
    /// `WARC-Date` of the record.
    pub date: String,
}

/// A request and its response.
#[derive(Debug)]
pub struct Exchange {
    /// The URL of the request.
    pub url: Url,
    /// The status of the response.
    pub status: u16,
    /// The header fields of the response.
    pub headers: HeaderMap,
    /// The body as sent: without transfer coding, with content codings.
    pub body: Vec<u8>,
    /// The reason why the body is incomplete, if it is. Without a failure, the part can be used.
    pub truncated: Option<Truncation>,
    /// The failure that left a page incomplete, or the defect of a redirect. `None` for responses
    /// of other statuses, whose bodies are not used.
    pub failure: Option<FetchError>,
    /// The time at which the response began, RFC 3339 in UTC, to the second; empty if an archive
    /// does not state it.
    pub date: String,
    /// The header fields of the request, for an archive.
    pub request_headers: HeaderMap,
    /// The archived record with the same payload: the body was not sent again, as it has not
    /// changed.
    pub refers_to: Option<RecordReference>,
    /// The header fields of the 304 response by which the archived page was confirmed.
    pub not_modified: Option<HeaderMap>,
    /// The URL that the page redirects to, by the field `Refresh` or in its head, if that was
    /// followed.
    pub refresh: Option<Url>,
    /// True if the host has sent the same body for another URL, in the same run.
    pub is_duplicate: bool,
    /// True if an archive holds the body alone (a `resource` or `conversion` record). There was no
    /// response, and `status` is not meaningful.
    pub is_body_only: bool,
    /// True if an earlier archive has the same body for this URL.
    pub is_unchanged: bool,
    /// The share of the memory budget that the body occupies.
    pub(crate) permit: Permit,
}

impl Exchange {
    /// Returns an exchange with an empty body, an unknown date and no request headers.
    pub fn new(url: Url, status: u16, headers: HeaderMap) -> Exchange {
        Exchange {
            url,
            status,
            headers,
            body: Vec::new(),
            truncated: None,
            failure: None,
            date: String::new(),
            request_headers: HeaderMap::new(),
            refers_to: None,
            not_modified: None,
            refresh: None,
            is_duplicate: false,
            is_body_only: false,
            is_unchanged: false,
            permit: Permit::default(),
        }
    }

    /// Returns `true` if the response is a redirect to a single target; 300 and 304 are not.
    pub fn is_redirect(&self) -> bool {
        self.refresh.is_some() || matches!(self.status, 301..=303 | 305..=308)
    }

    /// Returns the URL that the response redirects to.
    ///
    /// # Errors
    /// Fails if there is no `Location`, or it is not an HTTP or HTTPS URL.
    pub fn redirect_target(&self) -> Result<Url, FetchError> {
        if let Some(target) = &self.refresh {
            return Ok(target.clone());
        }
        page_url::resolve_redirect(
            &self.url,
            self.headers.get(LOCATION).map(|value| value.as_bytes()),
        )
    }

    /// Returns `true` if the body is the whole representation, as far as its bytes and the header
    /// fields tell. No other response is the base of a conditional request (RFC 9111, section 3.3).
    pub fn is_complete(&self) -> bool {
        let codings = content_codings(&self.headers);
        let decoded = content_coding::decompress(&codings, &self.body, MAX_DECODED_BYTES);
        self.has_stated_length() && decoded.is_ok_and(|decoded| !decoded.is_damaged)
    }

    /// Returns `true` if nothing of the body is truncated, it has the length that is stated (RFC
    /// 9112, section 8), and a range covers all of it (RFC 9110, section 14.4).
    pub fn has_stated_length(&self) -> bool {
        let field = |name| header_value(&self.headers, name);
        let range = field(CONTENT_RANGE).and_then(|range| whole_range(&range));
        // Some writers of archives decode bodies, and keep the length of the encoded one.
        let codings = [TRANSFER_ENCODING, CONTENT_ENCODING];
        let is_coded = codings.iter().any(|name| self.headers.contains_key(name));
        let stated = range.or_else(|| field(CONTENT_LENGTH)?.parse().ok());
        let is_short = stated.is_some_and(|length| (self.body.len() as u64) < length) && !is_coded;
        let is_part = self.status == 206 && range.is_none();
        self.truncated.is_none() && self.failure.is_none() && !is_short && !is_part
    }

    /// Returns `true` if the server ended the response to a page early. Its beginning is used
    /// unless a repeated request brings more.
    pub(crate) fn is_cut(&self) -> bool {
        let is_success = (200..300).contains(&self.status);
        is_success && self.truncated == Some(Truncation::Disconnect) && self.failure.is_none()
    }

    /// Marks the body as truncated by `failure`. Of a body that is too large, only the first
    /// 64 KiB are kept.
    pub fn truncate_body(&mut self, failure: FetchError) {
        let truncation = Truncation::from_failure(&failure);
        if truncation == Truncation::Length {
            self.body.truncate(KEPT_BYTES_OF_LARGE_BODY);
            self.body.shrink_to_fit();
            self.permit = Permit::default();
        }
        self.truncated = Some(truncation);
        self.failure = Some(failure);
    }
}

/// Returns the length of a representation if a range covers it: 9 for `bytes 0-8/9`.
fn whole_range(range: &str) -> Option<u64> {
    let length: u64 = range.rsplit('/').next()?.parse().ok()?;
    let whole = format!("bytes 0-{}/{length}", length.checked_sub(1)?);
    range.eq_ignore_ascii_case(&whole).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::Exchange;
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
    use url::Url;

    #[test]
    fn a_body_is_complete_if_it_has_the_stated_length_and_no_part_is_asked_for() {
        // RFC 9110, sections 8.6, 14.4 and 15.3.7; RFC 9112, sections 6.3 and 8.
        for (status, fields, body, expected) in [
            (200, "", "abc", true),
            (200, "content-length: 3", "abc", true),
            (200, "content-length: 4", "abc", false),
            (200, "content-length: 2", "abc", true),
            (
                200,
                "content-length: 4; transfer-encoding: chunked",
                "abc",
                true,
            ),
            (
                200,
                "content-length: 9; content-encoding: gzip",
                "<p>abc",
                true,
            ),
            (
                200,
                "content-length: 9; content-encoding: gzip",
                "\u{1f}\u{8b}\u{8}",
                false,
            ),
            (200, "content-encoding: gzip", "\u{1f}\u{8b}\u{8}", false),
            (206, "content-range: bytes 0-2/3", "abc", true),
            // Units are compared without regard to case (RFC 9110, section 14.1).
            (206, "content-range: Bytes 0-2/3", "abc", true),
            (206, "content-range: bytes 0-2/3", "ab", false),
            (206, "content-range: bytes 0-2/4", "abc", false),
            (206, "content-range: bytes 1-2/3", "bc", false),
            (206, "content-range: bytes 0-2/*", "abc", false),
            (206, "", "abc", false),
        ] {
            let fields = fields.split("; ").filter_map(|field: &'static str| {
                let (name, value) = field.split_once(": ")?;
                Some((
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                ))
            });
            let headers: HeaderMap = fields.collect();
            let mut exchange =
                Exchange::new(Url::parse("http://a.test/").unwrap(), status, headers);
            // Latin-1, so that a magic number is two bytes.
            exchange.body = body.chars().map(|c| c as u8).collect();
            assert_eq!(exchange.is_complete(), expected, "{exchange:?}");
        }
    }
}
