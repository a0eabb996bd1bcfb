//! Pages that answer with success and are not there ("soft 404"), as far as that shows without
//! knowing any language: a deep address that leads to the host's front page, or a body that a host
//! gave at another address before.
//!
//! Hosts do both for good reasons, too, so this is noted, and nothing follows from it here.

use crate::exchange::Exchange;
use crate::page_url;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use url::Url;

/// Bodies that are remembered, some 40 bytes each; when there are more, all are forgotten.
const REMEMBERED: usize = 200_000;

/// What a record says of a page that was redirected to the front page of its host.
pub(crate) const ROOT_REDIRECT: &str = "root-redirect";
/// What a record and an archive say of a page whose body the host gave at another address before,
/// in the same run.
pub const SAME_BODY: &str = "same-body";

/// Whether a redirect leads from a page to the front page of the same host.
pub(crate) fn leads_home(from: &Url, to: &Url) -> bool {
    let name = |url: &Url| {
        url.host_str()
            .map(|host| host.trim_start_matches("www.").to_owned())
    };
    let is_home = |url: &Url| {
        let page = url.path().trim_start_matches('/');
        (page.is_empty() || page.starts_with("index.")) && url.query().is_none()
    };
    name(from) == name(to) && is_home(to) && !is_home(from)
}

/// The bodies that hosts gave in a run.
#[derive(Debug, Default)]
pub(crate) struct SeenBodies(Mutex<HashMap<[u8; 16], [u8; 16]>>);

impl SeenBodies {
    /// Whether the host gave this body at another address before; remembers it. Addresses that
    /// differ in the scheme or in a slash at their end count as one.
    pub fn is_duplicate(&self, exchange: &Exchange) -> bool {
        if exchange.status != 200 || exchange.truncated.is_some() || exchange.body.is_empty() {
            return false;
        }
        let host = page_url::host(&exchange.url);
        let path = exchange.url.path().trim_end_matches('/');
        let address = hash(&[
            path.as_bytes(),
            exchange.url.query().unwrap_or_default().as_bytes(),
        ]);
        let body = hash(&[host.as_bytes(), &exchange.body]);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        *known.entry(body).or_insert(address) != address
    }
}

fn hash(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher
            .update(&(part.len() as u64).to_le_bytes())
            .update(part);
    }
    hasher.finalize().as_bytes().as_chunks().0[0]
}

#[cfg(test)]
mod tests {
    use super::leads_home;
    use url::Url;

    #[test]
    fn a_deep_address_that_leads_to_the_front_page_is_told_from_others() {
        let leads = |from, to| leads_home(&Url::parse(from).unwrap(), &Url::parse(to).unwrap());
        assert!(leads("http://a.test/news/1", "https://www.a.test/"));
        assert!(leads("http://a.test/?page=7", "http://a.test/index.html"));
        for (from, to) in [
            ("http://a.test/", "https://a.test/"),
            ("http://a.test/index.php", "http://a.test/"),
            ("http://a.test/news/1", "http://a.test/news"),
            ("http://a.test/news/1", "http://b.test/"),
            ("http://a.test/news/1", "http://a.test/?from=news"),
        ] {
            assert!(!leads(from, to), "{from} {to}");
        }
    }
}
