//! The redirect chain of a page.

use crate::FetchError;
use crate::cookies::Cookies;
use crate::exchange::Exchange;
use std::collections::HashSet;
use url::Url;

/// Redirects that are followed to a page, as browsers do.
const MAX_REDIRECTS: usize = 20;

/// The redirects that were followed to a page, and the cookies that came on the way.
#[derive(Debug)]
pub(crate) struct RedirectChain {
    pub redirects: Vec<Exchange>,
    pub cookies: Cookies,
    /// Who comes back to the same page with a new cookie may get another answer.
    seen: HashSet<(Url, u32)>,
}

impl RedirectChain {
    /// Begins here.
    pub fn new(url: &Url) -> RedirectChain {
        let cookies = Cookies::default();
        RedirectChain {
            redirects: Vec::new(),
            seen: HashSet::from([(url.clone(), cookies.changes())]),
            cookies,
        }
    }

    /// Where a redirect leads.
    ///
    /// # Errors
    /// When that is nowhere, back or too far.
    pub fn next(&mut self, exchange: &Exchange) -> Result<Url, FetchError> {
        self.cookies.store(&exchange.url, &exchange.headers);
        let next = exchange.redirect_target()?;
        if self.redirects.len() == MAX_REDIRECTS {
            return Err(FetchError::Redirect(format!(
                "more than {MAX_REDIRECTS} redirects"
            )));
        }
        if !self.seen.insert((next.clone(), self.cookies.changes())) {
            return Err(FetchError::Redirect(format!(
                "redirects lead back to {next}"
            )));
        }
        Ok(next)
    }
}
