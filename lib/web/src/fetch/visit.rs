//! A visit: the exchanges that fetching one page took, redirects first, and what they come to.
//!
//! It is what an archive keeps, and reading it is the same work whether it comes from the web or from an archive.

use super::decode;
use super::headers::{codings, robots_tag, tdm_reservation, value};
use super::room::Taken;
use super::soft::Soft;
use crate::FetchError;
use crate::error::Cut;
use crate::warc::form::Original;
use forage_record::Fetch;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use std::borrow::Cow;
use url::Url;

/// Bytes that are kept of a body that is too large.
const KEPT_OF_LARGE: usize = 64 << 10;

/// A request and its answer.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The URL that was asked for.
    pub url: Url,
    /// The HTTP status.
    pub status: u16,
    /// The answer's headers.
    pub headers: HeaderMap,
    /// The body as it was sent, without transfer coding but with content codings.
    pub body: Vec<u8>,
    /// Why the body has more than was read, if it has.
    pub cut: Option<Cut>,
    /// What kept the rest of a page away, or is wrong with a redirect. Of another answer that is no success the rest is no
    /// matter.
    pub failure: Option<FetchError>,
    /// When the answer began, RFC 3339 in UTC, to the second; empty where an archive does not tell.
    pub at: String,
    /// The headers of the request, for an archive.
    pub request: HeaderMap,
    /// Where the body is kept already: it was not sent again, as it has not changed.
    pub original: Option<Original>,
    /// Whether the host gave the same body at another address before, in the run that fetched it.
    pub is_twin: bool,
    /// Whether this is a body alone, which an archive keeps without an answer around it: then there was no status.
    pub is_bare: bool,
    /// Whether an earlier archive keeps the same body of this address.
    pub is_unchanged: bool,
    /// Memory that the body takes.
    pub room: Taken,
}

impl Exchange {
    /// Notes that the rest of the body does not come. Of a body that is too large the beginning is enough.
    pub fn break_off(&mut self, failure: FetchError) {
        let cut = Cut::of(&failure);
        if cut == Cut::Length {
            self.body.truncate(KEPT_OF_LARGE);
            self.body.shrink_to_fit();
            self.room = Taken::default();
        }
        (self.cut, self.failure) = (Some(cut), Some(failure));
    }

    fn told_status(&self) -> Option<u16> {
        (!self.is_bare).then_some(self.status)
    }

    fn told_time(&self) -> Option<String> {
        Some(self.at.clone()).filter(|at| !at.is_empty())
    }
}

/// The exchanges of one page.
#[derive(Debug)]
pub struct Visit {
    /// The URL as it was given.
    pub asked: String,
    /// In their order; all but the last are redirects.
    pub(crate) redirects: Vec<Exchange>,
    /// The one that is no redirect, or leads nowhere.
    pub(crate) last: Exchange,
    /// Whether the host's `/.well-known/tdmrep.json` reserves the page; `None` where it does not say, or was not asked.
    pub(crate) tdm_file: Option<bool>,
}

/// A page as it came.
#[derive(Debug, Clone)]
pub struct Response<'a> {
    /// The final URL, after redirects, without its fragment.
    pub url: Url,
    /// The HTTP status, a success; `None` where there was no answer.
    pub status: Option<u16>,
    /// When the answer began, RFC 3339 in UTC, to the second, if that is known.
    pub at: Option<String>,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// Directives of `X-Robots-Tag` headers that are meant for everyone or for us, in lower case.
    pub robots: Vec<String>,
    /// Whether text and data mining is reserved, by the header `TDM-Reservation`, or, where there is none, by the host's
    /// `/.well-known/tdmrep.json`; `None` where neither says.
    pub tdm_reservation: Option<bool>,
    /// Why this may be no page, though it is a success.
    pub soft_404: Option<Soft>,
    /// Whether an earlier archive keeps the page as it is.
    pub is_unchanged: bool,
    /// The body, decompressed.
    pub body: Cow<'a, [u8]>,
}

impl Visit {
    /// Undoes the compression of the page, up to `max_bytes`.
    ///
    /// # Errors
    /// When the answer is no success or broke off, or the body is damaged or too large.
    pub fn response(&self, max_bytes: u64) -> Result<Response<'_>, FetchError> {
        let Exchange { url, status, headers, body, .. } = &self.last;
        match &self.last.failure {
            Some(e @ FetchError::Redirect(_)) => return Err(e.clone()),
            _ if !(200..300).contains(status) => return Err(FetchError::Status(*status)),
            Some(e) => return Err(e.clone()),
            None => {}
        }
        Ok(Response {
            url: url.clone(),
            status: self.last.told_status(),
            at: self.last.told_time(),
            content_type: value(headers, CONTENT_TYPE),
            robots: robots_tag(headers),
            tdm_reservation: tdm_reservation(headers).or(self.tdm_file),
            soft_404: Soft::of(self),
            is_unchanged: self.last.is_unchanged,
            body: decode::decompress(&codings(headers), body, max_bytes)?,
        })
    }

    /// The last answer, whatever it is: where it came from, its status and its time.
    pub fn answered(&self) -> Fetch {
        let url = Some(self.last.url.to_string());
        Fetch { url, status: self.last.told_status(), at: self.last.told_time(), ..Fetch::default() }
    }

    /// All exchanges in their order.
    pub(crate) fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.redirects.iter().chain([&self.last])
    }
}
