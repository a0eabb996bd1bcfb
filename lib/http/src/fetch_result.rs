//! The result of fetching one page: its redirect chain and the exchange at its end.
//!
//! Archives store it completely, so that a page has the same record whether it comes from the web
//! or from an archive.

use crate::exchange::Exchange;
use crate::headers::{
    content_codings, content_type, joined_values, robots_directives, tdm_reservation,
};
use crate::soft_404::{ROOT_REDIRECT, SAME_BODY, is_root_redirect};
use crate::{FetchError, content_coding};
use forage_record::Fetch;
use reqwest::header::{CONTENT_LANGUAGE, LINK};
use std::borrow::Cow;

/// The exchanges of one page.
#[derive(Debug)]
pub struct FetchResult {
    /// The URL as given.
    pub requested_url: String,
    /// The redirects, in their order.
    pub redirects: Vec<Exchange>,
    /// The exchange at the end: not a redirect, or a redirect that cannot be followed.
    pub final_exchange: Exchange,
    /// The reservation of the page in the host's `/.well-known/tdmrep.json`; `None` if it states
    /// none, or was not fetched.
    pub tdm_file_reservation: Option<bool>,
}

/// A page that was fetched with success.
#[derive(Debug, Clone)]
pub struct PageResponse<'a> {
    /// The final URL, status and date of the page, with the marks `soft_404`, `unchanged` and
    /// `truncated`.
    pub fetch: Fetch,
    /// The `Content-Type` header field; several are joined by commas.
    pub content_type: Option<String>,
    /// The `Link` header field; several are joined by commas.
    pub links: Option<String>,
    /// The `Content-Language` header field.
    pub language: Option<String>,
    /// The directives of `X-Robots-Tag` for all robots or for this one, in lower case.
    pub robots: Vec<String>,
    /// True if text and data mining is reserved, by the header field `TDM-Reservation` or, if that
    /// is missing, by the host's `/.well-known/tdmrep.json`; `None` if neither states it.
    pub tdm_reservation: Option<bool>,
    /// The body, decompressed.
    pub body: Cow<'a, [u8]>,
}

impl FetchResult {
    /// Returns the page, and decompresses its body up to `max_bytes`.
    ///
    /// # Errors
    /// Fails if the status is not 2xx, the exchange failed, nothing of the body can be decoded, or
    /// it is too large.
    pub fn response(&self, max_bytes: u64) -> Result<PageResponse<'_>, FetchError> {
        let exchange = &self.final_exchange;
        match &exchange.failure {
            Some(FetchError::Redirect(message)) => return Err(self.redirect_error(message)),
            Some(e @ FetchError::OtherPartition(_)) => return Err(e.clone()),
            _ if !(200..300).contains(&exchange.status) => {
                return Err(FetchError::Status(exchange.status));
            }
            Some(e) => return Err(e.clone()),
            None => {}
        }
        let headers = &exchange.headers;
        let codings = content_codings(headers);
        let body = content_coding::decompress(&codings, &exchange.body, max_bytes)?;
        Ok(PageResponse {
            fetch: Fetch {
                soft_404: self.soft_404(),
                unchanged: exchange.is_unchanged,
                truncated: !exchange.has_stated_length() || body.is_damaged,
                ..self.fetch_metadata()
            },
            content_type: content_type(headers),
            links: joined_values(headers, LINK),
            language: joined_values(headers, CONTENT_LANGUAGE),
            robots: robots_directives(headers),
            tdm_reservation: tdm_reservation(headers).or(self.tdm_file_reservation),
            body: body.bytes,
        })
    }

    /// Returns the error of a redirect that was not followed. An archive has only its message.
    fn redirect_error(&self, message: &str) -> FetchError {
        let target = self.final_exchange.redirect_target().ok();
        target
            .map(|target| FetchError::OtherPartition(target.into()))
            .filter(|e| e.to_string() == message)
            .unwrap_or_else(|| FetchError::Redirect(message.to_owned()))
    }

    /// Returns the URL, status, date and robots directives of the final response, whatever its
    /// status.
    pub fn fetch_metadata(&self) -> Fetch {
        let exchange = &self.final_exchange;
        Fetch {
            url: Some(exchange.url.to_string()),
            // A body that is archived alone has no status.
            status: (!exchange.is_body_only).then_some(exchange.status),
            at: Some(exchange.date.clone()).filter(|date| !date.is_empty()),
            robots: Some(robots_directives(&exchange.headers).join(", "))
                .filter(|directives| !directives.is_empty()),
            ..Fetch::default()
        }
    }

    /// Iterates over all exchanges in their order.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.redirects.iter().chain([&self.final_exchange])
    }

    /// Returns the reason why the page may be a soft 404, if there is one.
    fn soft_404(&self) -> Option<String> {
        if self
            .redirects
            .first()
            .is_some_and(|first| is_root_redirect(&first.url, &self.final_exchange.url))
        {
            return Some(ROOT_REDIRECT.to_owned());
        }
        self.final_exchange
            .is_duplicate
            .then(|| SAME_BODY.to_owned())
    }
}
