//! URLs of pages: one spelling per page, host and directory; lists of hosts, and partitions of the
//! web by host. Absolute HTTP or HTTPS URLs only.
//!
//! The URL parser (WHATWG URL) converts hosts to ASCII (IDNA) and resolves dot segments. This
//! module also removes the fragment, which is not sent to servers, credentials, which should not be
//! sent, the trailing dot of host names, and tracking parameters, which give one page many URLs.
//!
//! A URL is requested and written with its escapes as they are. What compares URLs, paths or rules
//! for paths compares them with the escapes normalised (`escapes`): [`page_key`].

mod escapes;
mod host_list;
mod partition;
mod refresh;

pub use escapes::{comparison_key, escape_bytes, normalise_escapes};
pub use host_list::{HostList, HostListError};
pub use partition::{Partition, PartitionError};
pub use refresh::refresh_target;
use std::borrow::Cow;
use url::{ParseError, Url};

/// Query parameters with which advertisers and mailing services track readers: those that browsers
/// and ClearURLs remove.
const TRACKING_PARAMETERS: &str = "\
    fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid igshid \
    mc_cid mc_eid mkt_tok oly_anon_id oly_enc_id vero_id _hsenc _hsmi __hssc __hstc \
    __hsfp hsctatracking";
/// Prefix of further tracking parameters.
const TRACKING_PREFIX: &str = "utm_";

/// The reason why a text is not the URL of a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageUrlError {
    /// The URL has no scheme, such as the host names of a list.
    #[error("not an http:// or https:// URL")]
    Relative,
    /// The URL has the scheme of another protocol.
    #[error("{0}: only http and https are fetched")]
    Scheme(String),
    /// The text is not a URL.
    #[error("{0}")]
    Invalid(ParseError),
}

/// Parses and normalises a URL.
///
/// # Errors
/// Fails if it is not an absolute HTTP or HTTPS URL.
pub fn normalise_url(url: &str) -> Result<Url, PageUrlError> {
    normalise(Url::parse(url).map_err(|e| match e {
        // Input is often a list of host names without a scheme.
        ParseError::RelativeUrlWithoutBase => PageUrlError::Relative,
        e => PageUrlError::Invalid(e),
    })?)
}

/// Returns the text by which a page is recognised in whatever spelling its URL comes: the
/// [`comparison_key`] of the normalised URL, or the text itself if it is not the URL of a page.
pub fn page_key(url: &str) -> String {
    normalise_url(url).map_or_else(|_| url.to_owned(), |url| comparison_key(&url).into_owned())
}

/// Returns the text by which a URL is recognised in whatever spelling it comes: its
/// [`comparison_key`], or the text itself if it is no URL. Other than by [`page_key`], URLs with
/// different fragments are different: an engine may have a document for each.
pub fn url_key(url: &str) -> String {
    Url::parse(url).map_or_else(|_| url.to_owned(), |url| comparison_key(&url).into_owned())
}

/// Returns a URL without its credentials, otherwise unchanged. A text that is not a URL loses what
/// stands for them, too.
pub fn strip_credentials(url: &str) -> Cow<'_, str> {
    match Url::parse(url) {
        Ok(mut parsed) if !parsed.username().is_empty() || parsed.password().is_some() => {
            let _ = parsed.set_username("");
            let _ = parsed.set_password(None);
            Cow::Owned(parsed.into())
        }
        Ok(_) => Cow::Borrowed(url),
        Err(_) => strip_text_credentials(url),
    }
}

/// Removes what stands for credentials from a text that cannot be parsed as a URL: all before the
/// last `@` of its authority.
fn strip_text_credentials(text: &str) -> Cow<'_, str> {
    let is_slash = |c| matches!(c, '/' | '\\');
    let Some((scheme, rest)) = text.split_once(':') else {
        return Cow::Borrowed(text);
    };
    let authority = rest.trim_start_matches(is_slash);
    let start = text.len() - authority.len();
    let end = authority.find(|c| is_slash(c) || matches!(c, '?' | '#'));
    match authority[..end.unwrap_or(authority.len())].rfind('@') {
        Some(at) if scheme.len() + 1 < start => {
            Cow::Owned(format!("{}{}", &text[..start], &authority[at + 1..]))
        }
        _ => Cow::Borrowed(text),
    }
}

/// Normalises a parsed URL.
///
/// # Errors
/// Fails if the scheme is not HTTP or HTTPS.
pub fn normalise(mut url: Url) -> Result<Url, PageUrlError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(PageUrlError::Scheme(url.scheme().to_owned()));
    }
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    strip_trailing_dot(&mut url);
    strip_tracking_parameters(&mut url);
    Ok(url)
}

/// Removes the trailing dot of a host name, which denotes the DNS root (RFC 1034, section 3.1).
/// With and without it, the name is that of the same host.
fn strip_trailing_dot(url: &mut Url) {
    let Some(name) = url
        .domain()
        .and_then(|name| name.strip_suffix('.'))
        .map(str::to_owned)
    else {
        return;
    };
    if !name.is_empty() && !name.ends_with('.') {
        // This cannot fail: the part before the dot is a valid name.
        let _ = url.set_host(Some(&name));
    }
}

/// Removes tracking parameters. Does not change the spelling of the others.
fn strip_tracking_parameters(url: &mut Url) {
    let Some(query) = url.query() else { return };
    let kept: Vec<&str> = query
        .split('&')
        .filter(|parameter| !is_tracking_parameter(parameter))
        .collect();
    if kept.len() == query.split('&').count() {
        return;
    }
    let kept = kept.join("&");
    url.set_query(Some(kept.as_str()).filter(|query| !query.is_empty()));
}

fn is_tracking_parameter(parameter: &str) -> bool {
    let name = parameter
        .split('=')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    name.starts_with(TRACKING_PREFIX)
        || TRACKING_PARAMETERS
            .split_ascii_whitespace()
            .any(|tracking| tracking == name)
}

/// Returns the [`host_key`] of a URL; `None` if it is not a URL with a host.
pub fn host_of(url: &str) -> Option<String> {
    let key = host_key(&Url::parse(url).ok()?);
    (!key.is_empty()).then_some(key)
}

/// Returns the directory of a URL: all up to the last `/` of its path, without query and fragment.
/// Returns `None` if the URL has no host.
pub fn directory_of(url: &str) -> Option<&str> {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = &url[..end];
    let host = url.find("://")? + "://".len();
    match url[host..].rfind('/') {
        Some(slash) if slash > 0 => Some(&url[..=host + slash]),
        Some(_) => None,
        None => (host < url.len()).then_some(url),
    }
}

/// Returns the key under which a host is scheduled: its name, followed by the port unless that is
/// 80 or 443. Another port is treated as another host.
pub fn host_key(url: &Url) -> String {
    let name = url.host_str().unwrap_or_default();
    match url.port() {
        None | Some(80 | 443) => name.to_owned(),
        Some(port) => format!("{name}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{directory_of, host_key, host_of, normalise_url, strip_credentials};
    use url::Url;

    fn normalised(url: &str) -> String {
        normalise_url(url).unwrap().to_string()
    }

    #[test]
    fn hosts_and_directories_of_urls() {
        for (url, host, directory) in [
            (
                "http://a.test/x/y.html",
                Some("a.test"),
                Some("http://a.test/x/"),
            ),
            (
                "http://A.test:81/x/",
                Some("a.test:81"),
                Some("http://A.test:81/x/"),
            ),
            (
                "http://a.test/x/y?of=/z/#/t/",
                Some("a.test"),
                Some("http://a.test/x/"),
            ),
            ("http://a.test/y", Some("a.test"), Some("http://a.test/")),
            ("https://a.test", Some("a.test"), Some("https://a.test")),
            ("nothing", None, None),
        ] {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
            assert_eq!(directory_of(url), directory, "{url}");
        }
    }

    #[test]
    fn rejects_urls_that_are_not_absolute_http_urls() {
        for url in [
            "",
            "a.test/x",
            "ftp://a.test/",
            "file:///etc/passwd",
            "http://",
            "javascript:1",
            "http://[::1",
        ] {
            assert!(normalise_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn one_page_has_one_spelling() {
        for (url, expected) in [
            ("HTTP://A.test:80/x/../y#z", "http://a.test/y"),
            ("http://me:secret@a.test/", "http://a.test/"),
            ("http://A.test./x", "http://a.test/x"),
            ("http://a.test.:81/", "http://a.test:81/"),
            ("http://čebela.test/Č", "http://xn--ebela-gya.test/%C4%8C"),
            (
                "http://a.test/?utm_source=x&b=1&fbclid=2&c",
                "http://a.test/?b=1&c",
            ),
            ("http://a.test/?UTM_Medium=x", "http://a.test/"),
            (
                "http://a.test/?b=utm_x&&c=%41",
                "http://a.test/?b=utm_x&&c=%41",
            ),
        ] {
            assert_eq!(normalised(url), expected);
        }
    }

    #[test]
    fn credentials_are_removed_also_from_what_is_no_url() {
        for (url, expected) in [
            ("http://me:secret@a.test/x#y", "http://a.test/x#y"),
            ("http://u:p@[bad/", "http://[bad/"),
            ("http://u:p@h:99999/", "http://h:99999/"),
            ("HTTPS:\\\\u:p@q@h:99999?a@b", "HTTPS:\\\\h:99999?a@b"),
            ("http://[bad/@x", "http://[bad/@x"),
            ("http://a.test/@x", "http://a.test/@x"),
            ("mailto:me@a.test", "mailto:me@a.test"),
            ("me@a.test", "me@a.test"),
            ("", ""),
        ] {
            assert_eq!(strip_credentials(url), expected);
        }
    }

    #[test]
    fn http_and_https_share_a_host_key() {
        let key = |url| host_key(&Url::parse(url).unwrap());
        assert_eq!(key("http://a.test/"), key("https://a.test/"));
        assert_eq!(
            (key("http://a.test:8080/"), key("http://[::1]/")),
            ("a.test:8080".into(), "[::1]".into())
        );
    }
}
