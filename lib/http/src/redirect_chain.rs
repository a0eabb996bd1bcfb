//! The redirect chain of a page while it is followed.

use crate::FetchError;
use crate::cookies::CookieJar;
use crate::exchange::Exchange;
use std::collections::HashSet;
use url::Url;

/// Maximum number of redirects that are followed to a page: 20, as in browsers (the Fetch standard,
/// "HTTP-redirect fetch").
const MAX_REDIRECTS: usize = 20;

/// The redirects that were followed to a page, and the cookies that they have set.
#[derive(Debug)]
pub(crate) struct RedirectChain {
    pub redirects: Vec<Exchange>,
    pub cookies: CookieJar,
    /// The visited URLs, each with the number of cookie changes before it: with a new cookie, the
    /// same URL may have another response.
    visited: HashSet<(Url, u32)>,
}

impl RedirectChain {
    /// Returns a chain that starts at `url`.
    pub fn new(url: &Url) -> RedirectChain {
        let cookies = CookieJar::default();
        RedirectChain {
            redirects: Vec::new(),
            visited: HashSet::from([(url.clone(), cookies.changes())]),
            cookies,
        }
    }

    /// Returns the target of a redirect, and stores its cookies.
    ///
    /// # Errors
    /// Fails if there is no valid target, the redirect closes a loop, or it is one too many.
    pub fn follow(&mut self, redirect: &Exchange) -> Result<Url, FetchError> {
        self.cookies.store(&redirect.url, &redirect.headers);
        let target = redirect.redirect_target()?;
        if self.redirects.len() == MAX_REDIRECTS {
            return Err(FetchError::Redirect(format!(
                "more than {MAX_REDIRECTS} redirects"
            )));
        }
        if !self
            .visited
            .insert((target.clone(), self.cookies.changes()))
        {
            return Err(FetchError::Redirect(format!(
                "redirect loop: {target} was requested before"
            )));
        }
        Ok(target)
    }
}
