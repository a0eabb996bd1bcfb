//! Files that a response of a site names, as an index of sitemaps does ([`HitPage::files`]).

use crate::{EngineError, EngineResult, HitPage, MissingPart};
use url::{Host, Url};

/// Returns a page that names files. Those on other hosts are missing.
pub(super) fn page_of_files(files: Vec<Url>, base: &Url) -> HitPage {
    let (files, others): (Vec<Url>, Vec<Url>) =
        files.into_iter().partition(|file| is_same_site(file, base));
    let missing = others.first().map(|other| MissingPart {
        name: format!("{} files on other hosts, as {other}", others.len()),
        reason: "search them as engines of their own".into(),
    });
    HitPage {
        files: files.into_iter().map(String::from).collect(),
        missing: missing.into_iter().collect(),
        ..HitPage::default()
    }
}

/// Refuses a page that lacks all that it should have.
pub(super) fn reject_empty(page: HitPage) -> EngineResult<HitPage> {
    match page.missing.first() {
        Some(part) if page.files.is_empty() && page.hits.is_empty() => {
            Err(EngineError::Refused(part.to_string()))
        }
        _ => Ok(page),
    }
}

/// Returns `true` if a site may name a URL to be requested: that of a web page on its host, or one
/// of the two is a subdomain of the other. `www.` does not count.
pub(super) fn is_same_site(url: &Url, site: &Url) -> bool {
    let is_web = matches!(url.scheme(), "http" | "https");
    let is_below = |a: &str, b: &str| a.strip_suffix(b).is_some_and(|rest| rest.ends_with('.'));
    is_web
        && match (url.host(), site.host()) {
            (Some(Host::Domain(a)), Some(Host::Domain(b))) => {
                let [a, b] = [a, b].map(|host| host.strip_prefix("www.").unwrap_or(host));
                a == b || is_below(a, b) || is_below(b, a)
            }
            (a, b) => a == b,
        }
}

#[cfg(test)]
mod tests {
    use super::is_same_site;
    use url::Url;

    #[test]
    fn a_site_names_files_of_its_own_hosts_only() {
        let is_same = |url: &str, site: &str| {
            is_same_site(&Url::parse(url).unwrap(), &Url::parse(site).unwrap())
        };
        for (url, expected) in [
            ("https://a.test:444/x", true),
            ("http://www.a.test/", true),
            ("http://cdn.a.test/", true),
            ("http://ba.test/", false),
            ("http://127.0.0.1/", false),
            ("ftp://a.test/", false),
            ("data:text/xml,a.test", false),
        ] {
            assert_eq!(is_same(url, "http://www.a.test/"), expected, "{url}");
        }
        assert!(is_same("http://a.test/", "http://cdn.a.test/"));
        assert!(!is_same("http://[::1]/", "http://127.0.0.1/"));
    }
}
