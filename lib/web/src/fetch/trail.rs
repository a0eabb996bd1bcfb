//! The way to a page, by redirects.

use super::cookies::Cookies;
use super::target;
use super::visit::Exchange;
use crate::FetchError;
use reqwest::header::LOCATION;
use std::collections::HashSet;
use url::Url;

/// Redirects that are followed to a page, as browsers do.
const MAX_REDIRECTS: usize = 20;

/// Where a visit was sent, and what it was given on the way.
#[derive(Debug)]
pub(super) struct Trail {
    pub redirects: Vec<Exchange>,
    pub cookies: Cookies,
    /// Who comes back to the same page with a new cookie may get another answer.
    seen: HashSet<(Url, u32)>,
}

impl Trail {
    /// Begins here.
    pub fn from(url: &Url) -> Trail {
        let cookies = Cookies::default();
        Trail { redirects: Vec::new(), seen: HashSet::from([(url.clone(), cookies.changes())]), cookies }
    }

    /// Where a redirect leads.
    ///
    /// # Errors
    /// When that is nowhere, back or too far.
    pub fn next(&mut self, exchange: &Exchange) -> Result<Url, FetchError> {
        self.cookies.note(&exchange.url, &exchange.headers);
        let next = location(exchange)?;
        if self.redirects.len() == MAX_REDIRECTS {
            return Err(FetchError::Redirect(format!("more than {MAX_REDIRECTS} redirects")));
        }
        if !self.seen.insert((next.clone(), self.cookies.changes())) {
            return Err(FetchError::Redirect(format!("redirects lead back to {next}")));
        }
        Ok(next)
    }
}

/// Whether an answer sends on. 300 and 304 have no target, and are answers that are no success.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301..=303 | 305..=308)
}

/// Where an answer sends on to.
///
/// # Errors
/// When that is nowhere, or away from the web.
pub(crate) fn location(exchange: &Exchange) -> Result<Url, FetchError> {
    target::redirected(&exchange.url, exchange.headers.get(LOCATION).map(|value| value.as_bytes()))
}
