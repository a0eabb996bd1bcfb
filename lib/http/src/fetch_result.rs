//! What fetching one page brought: its exchanges, redirects first, and what they come to.
//!
//! An archive keeps it whole, so that a page gives the same record whether it comes from the web or
//! from an archive.

use crate::exchange::Exchange;
use crate::headers::{codings, robots_tag, tdm_reservation, value};
use crate::soft_404::{ROOT_REDIRECT, SAME_BODY, leads_home};
use crate::{FetchError, decode};
use forage_record::Fetch;
use reqwest::header::CONTENT_TYPE;
use std::borrow::Cow;

/// The exchanges of one page: its redirect chain, and the answer at its end.
#[derive(Debug)]
pub struct FetchResult {
    /// The URL as it was given.
    pub requested: String,
    /// In their order; all but the last are redirects.
    pub redirects: Vec<Exchange>,
    /// The one that is no redirect, or leads nowhere.
    pub final_exchange: Exchange,
    /// Whether the host's `/.well-known/tdmrep.json` reserves the page; `None` where it does not
    /// say, or was not asked.
    pub tdm_file_reservation: Option<bool>,
}

/// A page as it came.
#[derive(Debug, Clone)]
pub struct PageResponse<'a> {
    /// Its final URL, status and time, why it may be no page though it is a success, and whether an
    /// earlier archive keeps it as it is.
    pub fetch: Fetch,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// Directives of `X-Robots-Tag` headers that are meant for everyone or for us, in lower case.
    pub robots: Vec<String>,
    /// Whether text and data mining is reserved, by the header `TDM-Reservation`, or, where there
    /// is none, by the host's `/.well-known/tdmrep.json`; `None` where neither says.
    pub tdm_reservation: Option<bool>,
    /// The body, decompressed.
    pub body: Cow<'a, [u8]>,
}

impl FetchResult {
    /// Undoes the compression of the page, up to `max_bytes`.
    ///
    /// # Errors
    /// When the answer is no success or broke off, or the body is damaged or too large.
    pub fn response(&self, max_bytes: u64) -> Result<PageResponse<'_>, FetchError> {
        let Exchange {
            status,
            headers,
            body,
            failure,
            is_unchanged,
            ..
        } = &self.final_exchange;
        match failure {
            Some(e @ FetchError::Redirect(_)) => return Err(e.clone()),
            _ if !(200..300).contains(status) => return Err(FetchError::Status(*status)),
            Some(e) => return Err(e.clone()),
            None => {}
        }
        let (soft_404, unchanged) = (self.soft_404(), *is_unchanged);
        Ok(PageResponse {
            fetch: Fetch {
                soft_404,
                unchanged,
                ..self.fetch_metadata()
            },
            content_type: value(headers, CONTENT_TYPE),
            robots: robots_tag(headers),
            tdm_reservation: tdm_reservation(headers).or(self.tdm_file_reservation),
            body: decode::decompress(&codings(headers), body, max_bytes)?,
        })
    }

    /// The last answer, whatever it is: where it came from, its status and its time.
    pub fn fetch_metadata(&self) -> Fetch {
        let Exchange {
            url,
            status,
            at,
            is_body_only,
            ..
        } = &self.final_exchange;
        Fetch {
            url: Some(url.to_string()),
            // A body that an archive keeps alone has none.
            status: (!is_body_only).then_some(*status),
            at: Some(at.clone()).filter(|at| !at.is_empty()),
            ..Fetch::default()
        }
    }

    /// All exchanges in their order.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.redirects.iter().chain([&self.final_exchange])
    }

    /// Why the page may be none, as far as that shows.
    fn soft_404(&self) -> Option<String> {
        if self
            .redirects
            .first()
            .is_some_and(|first| leads_home(&first.url, &self.final_exchange.url))
        {
            return Some(ROOT_REDIRECT.to_owned());
        }
        self.final_exchange
            .is_duplicate
            .then(|| SAME_BODY.to_owned())
    }
}
