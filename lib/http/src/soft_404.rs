//! Detection of pages that do not exist although the status is 2xx ("soft 404"), by signs that are
//! independent of the language: a redirect to the front page of the host, and a body that the host
//! has sent for another URL.
//!
//! Both also occur on sound pages, so this crate only marks them.

use crate::exchange::Exchange;
use crate::page_url;
use parking_lot::Mutex;
use std::collections::HashMap;
use url::Url;

/// Maximum number of remembered bodies, of about 40 bytes each; beyond it all are forgotten.
const MAX_BODIES: usize = 200_000;

/// The mark in a record of a page that was redirected to the front page of its host.
pub(crate) const ROOT_REDIRECT: &str = "root-redirect";
/// The mark in a record and an archive of a page whose body the host has sent for another URL, in
/// the same run.
pub const SAME_BODY: &str = "same-body";

/// Returns `true` if a redirect leads from a page to the front page of the same host, with or
/// without `www.`.
pub(crate) fn is_root_redirect(from: &Url, to: &Url) -> bool {
    host_without_www(from) == host_without_www(to) && is_front_page(to) && !is_front_page(from)
}

fn host_without_www(url: &Url) -> Option<&str> {
    url.host_str().map(|host| host.trim_start_matches("www."))
}

fn is_front_page(url: &Url) -> bool {
    let page = url.path().trim_start_matches('/');
    (page.is_empty() || page.starts_with("index.")) && url.query().is_none()
}

/// The bodies that hosts have sent in a run: hashes of body and host, with the hash of the URL.
#[derive(Debug, Default)]
pub(crate) struct SeenBodies(Mutex<HashMap<[u8; 16], [u8; 16]>>);

impl SeenBodies {
    /// Records the body of an exchange. Returns `true` if the host has sent it for another URL
    /// before; URLs that differ only in the scheme or in a trailing slash count as the same.
    pub fn record_body(&self, exchange: &Exchange) -> bool {
        if exchange.status != 200 || exchange.truncated.is_some() || exchange.body.is_empty() {
            return false;
        }
        let host = page_url::host_key(&exchange.url);
        let path = exchange.url.path().trim_end_matches('/');
        let url_hash = hash_parts(&[
            path.as_bytes(),
            exchange.url.query().unwrap_or_default().as_bytes(),
        ]);
        let body_hash = hash_parts(&[host.as_bytes(), &exchange.body]);
        let mut seen = self.0.lock();
        if seen.len() >= MAX_BODIES {
            seen.clear();
        }
        *seen.entry(body_hash).or_insert(url_hash) != url_hash
    }
}

/// Hashes byte strings with their lengths, so that their boundaries count.
fn hash_parts(parts: &[&[u8]]) -> [u8; 16] {
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
    use super::is_root_redirect;
    use url::Url;

    #[test]
    fn detects_a_redirect_to_the_front_page_of_the_host() {
        let is_root =
            |from, to| is_root_redirect(&Url::parse(from).unwrap(), &Url::parse(to).unwrap());
        assert!(is_root("http://a.test/news/1", "https://www.a.test/"));
        assert!(is_root("http://a.test/?page=7", "http://a.test/index.html"));
        for (from, to) in [
            ("http://a.test/", "https://a.test/"),
            ("http://a.test/index.php", "http://a.test/"),
            ("http://a.test/news/1", "http://a.test/news"),
            ("http://a.test/news/1", "http://b.test/"),
            ("http://a.test/news/1", "http://a.test/?from=news"),
        ] {
            assert!(!is_root(from, to), "{from} {to}");
        }
    }
}
