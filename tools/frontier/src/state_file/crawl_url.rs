//! URLs as the frontier compares them: one spelling per page, without session ids.

use forage_web::page_url::{
    PageUrlError, comparison_key, host_key, normalise_escapes, normalise_url,
};
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;
use url::Url;

/// A segment of ASP.NET, as in `/(S(…))/page.aspx`, of version 1.1 without the letter, and the path
/// parameter of Java servlets, as in `/page;jsessionid=1A2B`.
static PATH_SESSION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"/\((?:(?:[a-z]\([a-z0-9]{24}\))+|[a-z0-9]{24})\)(/|$)|;jsessionid=[^/;]*")
});
/// A parameter of a query with the id of a session: of Java, ASP, ColdFusion, PHP, ASP.NET, shops,
/// and general ones. A shorter or wordlike `id` may name a session of a conference. Set by
/// judgement, not measured.
static SESSION_PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:jsessionid|aspsessionid[a-z]*|cfid|cftoken)=.*|[^=]*sid=[a-z0-9]{32}
        |(?:phpsessid|asp\.net_sessionid|oscsid|zenid|sid|session|session_?id)=(?<id>[a-z0-9-]{16,}))$",
    )
});

/// Compiles a constant pattern; case and white space in it mean nothing.
fn pattern(pattern: &str) -> Regex {
    let compiled = Regex::new(&format!("(?ix){pattern}"));
    compiled.expect("a constant pattern is valid")
}

/// The bits of a key that depend on the whole URL.
const URL_BITS: i64 = (1 << 48) - 1;

/// A normalised URL, with the keys by which it is stored.
#[derive(Debug, Clone)]
pub(crate) struct CrawlUrl {
    url: Url,
    /// 16 bits of the hash of the host, and 48 of that of the URL: most links of a page lead to its
    /// own host, and their keys are then side by side in the file. Among ten million URLs of 5,000
    /// hosts, the probability that any two have the same key is 4 in 100,000.
    pub(crate) key: i64,
    /// The key of the URL as it is spelt, if that is another one. Files of earlier versions have
    /// it.
    pub(crate) spelt_key: Option<i64>,
}

impl CrawlUrl {
    /// Parses and normalises a URL.
    ///
    /// # Errors
    /// Fails if it is not an absolute HTTP or HTTPS URL.
    pub(crate) fn parse(text: &str) -> Result<CrawlUrl, PageUrlError> {
        let mut url = normalise_url(text)?;
        strip_session_ids(&mut url);
        let host = hash_key(url.host_str().unwrap_or_default());
        let key_of = |text: &str| (host & !URL_BITS) | (hash_key(text) & URL_BITS);
        let comparable = comparison_key(&url);
        let key = key_of(&comparable);
        let spelt_key = match comparable {
            Cow::Borrowed(_) => None,
            Cow::Owned(_) => Some(key_of(url.as_str())).filter(|spelt| *spelt != key),
        };
        Ok(CrawlUrl {
            url,
            key,
            spelt_key,
        })
    }

    /// Returns the keys by which the URL may be stored.
    pub(crate) fn keys(&self) -> impl Iterator<Item = i64> {
        std::iter::once(self.key).chain(self.spelt_key)
    }

    pub(crate) fn as_str(&self) -> &str {
        self.url.as_str()
    }

    pub(crate) fn path(&self) -> &str {
        self.url.path()
    }

    /// Returns the name of the host without its port.
    pub(crate) fn host_name(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Returns the name of the host, with its port if that is not the one of the scheme.
    pub(crate) fn host(&self) -> String {
        host_key(&self.url)
    }

    /// Returns the key of the directory: the host, and the path up to its last slash.
    pub(crate) fn directory_key(&self) -> i64 {
        let path = normalise_escapes(self.path().as_bytes());
        let end = path.rfind('/').map_or(0, |slash| slash + 1);
        hash_key(&format!("{}{}", self.host(), &path[..end]))
    }

    /// Returns the key of the URL without its query; `None` if it has no query.
    pub(crate) fn path_key(&self) -> Option<i64> {
        self.url.query()?;
        let url = comparison_key(&self.url);
        url.split_once('?').map(|(path, _)| hash_key(path))
    }
}

/// Returns the first 64 bits of the BLAKE3 hash of a text.
pub(crate) fn hash_key(text: &str) -> i64 {
    let hash = blake3::hash(text.as_bytes());
    let mut key = [0; 8];
    key.copy_from_slice(&hash.as_bytes()[..8]);
    i64::from_le_bytes(key)
}

/// Removes session ids from path and query: those that the canonical form of web archives lacks
/// (SURT of the Internet Archive, `stripPathSessionID` and `stripQuerySessionID`), and similar
/// ones. Does not change the spelling of the rest.
fn strip_session_ids(url: &mut Url) {
    if let Cow::Owned(path) = PATH_SESSION.replace_all(url.path(), "$1") {
        url.set_path(&path);
    }
    let Some(query) = url.query() else { return };
    // Java servlets separate the id by a semicolon also in a query.
    let parameters = query.split_inclusive(['&', ';']);
    let kept: String = parameters
        .filter(|parameter| !is_session_parameter(parameter.trim_end_matches(['&', ';']), query))
        .collect();
    if kept.len() < query.len() {
        let kept = match query.ends_with(['&', ';']) {
            true => kept.as_str(),
            false => kept.trim_end_matches(['&', ';']),
        };
        url.set_query(Some(kept).filter(|query| !query.is_empty()));
    }
}

/// Returns `true` for a parameter of a query with the id of a session. Those of ColdFusion are
/// numbers, of which there are two.
fn is_session_parameter(parameter: &str, query: &str) -> bool {
    let Some(session) = SESSION_PARAMETER.captures(parameter) else {
        return false;
    };
    let id = session.name("id");
    let has_digit = id.is_none_or(|id| id.as_str().contains(|c: char| c.is_ascii_digit()));
    let (lower, all) = (parameter.to_ascii_lowercase(), query.to_ascii_lowercase());
    has_digit && (!lower.starts_with("cf") || all.contains("cfid=") && all.contains("cftoken="))
}

#[cfg(test)]
mod tests {
    use super::CrawlUrl;

    fn normalised(url: &str) -> String {
        CrawlUrl::parse(url).unwrap().as_str().to_owned()
    }

    #[test]
    fn session_ids_and_fragments_are_no_part_of_a_url() {
        for (url, expected) in [
            ("http://A.test:80/x#top", "http://a.test/x"),
            ("http://a.test/x;jsessionid=1A2B?b=1", "http://a.test/x?b=1"),
            ("http://a.test/x;JSESSIONID=1/y", "http://a.test/x/y"),
            (
                "http://a.test/?PHPSESSID=0123456789abcdef0123&b=1",
                "http://a.test/?b=1",
            ),
            ("http://a.test/?sid=0123456789abcdef", "http://a.test/"),
            (
                "http://a.test/?b=1&phpsessid=abcdefabcdefabcdefabcdefabcdefab",
                "http://a.test/?b=1",
            ),
            ("http://a.test/?sid=12", "http://a.test/?sid=12"),
            (
                "http://a.test/?b=1;jsessionid=1A2B.n1&c=2;d",
                "http://a.test/?b=1;c=2;d",
            ),
            (
                "http://a.test/?b=1&CFID=12&CFTOKEN=34",
                "http://a.test/?b=1",
            ),
            ("http://a.test/?cfid=12", "http://a.test/?cfid=12"),
            (
                "http://a.test/?ASPSESSIONIDAQBSDSRT=OEBBPBMCJAKLBMLOHHKGAEGJ&b=",
                "http://a.test/?b=",
            ),
            (
                "http://a.test/?MySid=0123456789abcdef0123456789abcdef",
                "http://a.test/",
            ),
            (
                "http://a.test/x/(S(4hqa0555fwsecu455xqckv45))/y.aspx?b",
                "http://a.test/x/y.aspx?b",
            ),
            (
                "http://a.test/(4hqa0555fwsecu455xqckv45)/y.aspx",
                "http://a.test/y.aspx",
            ),
            (
                "http://a.test/(a(4hqa0555fwsecu455xqckv45)S(4hqa0555fwsecu455xqckv45))/",
                "http://a.test/",
            ),
            (
                "http://a.test/(S(x))/(1999)/",
                "http://a.test/(S(x))/(1999)/",
            ),
            (
                "http://a.test/photos/36050182@N05/",
                "http://a.test/photos/36050182@N05/",
            ),
            (
                "http://a.test/?session=information-retrieval",
                "http://a.test/?session=information-retrieval",
            ),
        ] {
            assert_eq!(normalised(url), expected);
            assert_eq!(normalised(expected), expected);
        }
    }

    #[test]
    fn a_directory_ends_at_the_last_slash_and_belongs_to_its_host() {
        let key = |url| CrawlUrl::parse(url).unwrap().directory_key();
        assert_eq!(key("http://a.test/x/1"), key("https://a.test/x/2?y=/z/"));
        assert_ne!(key("http://a.test/x/1"), key("http://a.test/x/y/1"));
        assert_ne!(key("http://a.test/x/1"), key("http://b.test/x/1"));
    }

    #[test]
    fn the_spelling_of_escapes_is_no_part_of_a_key() {
        let url = |url| CrawlUrl::parse(url).unwrap();
        for (a, b) in [
            (
                "http://a.test/%d8%b3/1?x=%c3%a9",
                "http://a.test/%D8%B3/1?x=é",
            ),
            (
                "http://a.test/%7Ejoe/?f[]=1",
                "http://a.test/~joe/?f%5b%5D=1",
            ),
        ] {
            let (a, b) = (url(a), url(b));
            assert_ne!(a.as_str(), b.as_str());
            assert_eq!(a.key, b.key);
            assert_eq!(a.directory_key(), b.directory_key());
            assert_eq!(a.path_key(), b.path_key());
        }
        assert_ne!(url("http://a.test/a%2Fb").key, url("http://a.test/a/b").key);
        assert_eq!(url("http://a.test/~joe/").spelt_key, None);
    }

    #[test]
    fn only_urls_with_a_query_have_a_path_key() {
        let key = |url| CrawlUrl::parse(url).unwrap().path_key();
        assert_eq!(key("http://a.test/x?a"), key("http://a.test/x?b"));
        assert!(key("http://a.test/x").is_none() && key("http://a.test/x?a").is_some());
    }
}
