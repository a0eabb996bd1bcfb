//! An HTTP exchange: a request and its answer, as it came over the network or out of an archive.
//!
//! It lies below both fetching and archives, so that what is made of an answer is the same work for
//! either.

use crate::FetchError;
use crate::error::Truncation;
use crate::memory_budget::Permit;
use crate::page_url;
use reqwest::header::{HeaderMap, LOCATION};
use url::Url;

/// Bytes that are kept of a body that is too large.
const KEPT_OF_LARGE: usize = 64 << 10;

/// A record of an archive, as a revisit refers to it (WARC 1.1 §6.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordReference {
    /// `WARC-Record-ID`.
    pub id: String,
    /// `WARC-Target-URI`.
    pub target: String,
    /// `WARC-Date`.
    pub date: String,
}

/// A request and its answer.
#[derive(Debug)]
pub struct Exchange {
    /// The URL that was asked for.
    pub url: Url,
    /// The HTTP status.
    pub status: u16,
    /// The answer's headers.
    pub headers: HeaderMap,
    /// The body as it was sent, without transfer coding but with content codings.
    pub body: Vec<u8>,
    /// Why the body has more than was read, if it has.
    pub truncated: Option<Truncation>,
    /// What kept the rest of a page away, or is wrong with a redirect. Of another answer that is no
    /// success the rest is no matter.
    pub failure: Option<FetchError>,
    /// When the answer began, RFC 3339 in UTC, to the second; empty where an archive does not tell.
    pub at: String,
    /// The headers of the request, for an archive.
    pub request: HeaderMap,
    /// Where the body is kept already: it was not sent again, as it has not changed.
    pub original: Option<RecordReference>,
    /// Whether the host gave the same body at another address before, in the run that fetched it.
    pub is_duplicate: bool,
    /// Whether this is a body alone, which an archive keeps without an answer around it: then there
    /// was no status.
    pub is_body_only: bool,
    /// Whether an earlier archive keeps the same body of this address.
    pub is_unchanged: bool,
    /// The share of the memory budget that the body takes.
    pub(crate) permit: Permit,
}

impl Exchange {
    /// An answer without a body. When it came, and what was asked, is not known.
    pub fn new(url: Url, status: u16, headers: HeaderMap) -> Exchange {
        Exchange {
            url,
            status,
            headers,
            body: Vec::new(),
            truncated: None,
            failure: None,
            at: String::new(),
            request: HeaderMap::new(),
            original: None,
            is_duplicate: false,
            is_body_only: false,
            is_unchanged: false,
            permit: Permit::default(),
        }
    }

    /// Whether the answer is a redirect. 300 and 304 have no target, and are answers that are no
    /// success.
    pub fn is_redirect(&self) -> bool {
        matches!(self.status, 301..=303 | 305..=308)
    }

    /// The URL that the answer redirects to.
    ///
    /// # Errors
    /// When it names none, or one that is not on the web.
    pub fn redirect_target(&self) -> Result<Url, FetchError> {
        page_url::redirected(
            &self.url,
            self.headers.get(LOCATION).map(|value| value.as_bytes()),
        )
    }

    /// Notes that the rest of the body does not come. Of a body that is too large the beginning is
    /// enough.
    pub fn break_off(&mut self, failure: FetchError) {
        let truncation = Truncation::from_failure(&failure);
        if truncation == Truncation::Length {
            self.body.truncate(KEPT_OF_LARGE);
            self.body.shrink_to_fit();
            self.permit = Permit::default();
        }
        (self.truncated, self.failure) = (Some(truncation), Some(failure));
    }
}
