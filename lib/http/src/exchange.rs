//! An HTTP exchange: a request and its response, from the network or from an archive.
//!
//! The type is shared by fetching and archives, so that a response becomes a record by the same
//! code, whatever its source.

use crate::FetchError;
use crate::error::Truncation;
use crate::memory_budget::Permit;
use crate::page_url;
use reqwest::header::{HeaderMap, LOCATION};
use url::Url;

/// Bytes kept of a body that exceeds the size limit.
const KEPT_BYTES_OF_LARGE_BODY: usize = 64 << 10;

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
