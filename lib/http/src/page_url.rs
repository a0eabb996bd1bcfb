//! URLs as they are fetched: absolute, HTTP or HTTPS, in one spelling for one page.
//!
//! The parser (WHATWG) makes hosts ASCII, as IDN demands, and resolves dots. Here go what the
//! server never sees (the fragment), what it should not (credentials), the dot that may end a name,
//! and parameters that only tell how a reader came, which make one page look like many.

use crate::FetchError;
use std::borrow::Cow;
use url::{ParseError, Url};

/// Names of parameters by which advertisers and mailers track readers, as browsers and ClearURLs
/// strip them.
const TRACKING: &str = "\
    fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid igshid \
    mc_cid mc_eid mkt_tok oly_anon_id oly_enc_id vero_id _hsenc _hsmi __hssc __hstc \
    __hsfp hsctatracking";
/// What other such names begin with.
const TRACKING_PREFIX: &str = "utm_";

/// The URL to fetch for one that somebody gave.
///
/// # Errors
/// When it is none, or neither HTTP nor HTTPS.
pub fn normalize_url(url: &str) -> Result<Url, FetchError> {
    checked(Url::parse(url).map_err(|e| match e {
        // As in lists of hosts.
        ParseError::RelativeUrlWithoutBase => {
            FetchError::BadUrl("it does not begin with http:// or https://".into())
        }
        e => FetchError::BadUrl(e.to_string()),
    })?)
}

/// A URL as it was given, but for its credentials, which nobody else should see.
pub fn strip_credentials(url: &str) -> Cow<'_, str> {
    match Url::parse(url) {
        Ok(mut parsed) if !parsed.username().is_empty() || parsed.password().is_some() => {
            let _ = (parsed.set_username(""), parsed.set_password(None));
            Cow::Owned(parsed.into())
        }
        _ => Cow::Borrowed(url),
    }
}

/// As [`normalize_url`], of a URL that stands.
///
/// # Errors
/// When it is neither HTTP nor HTTPS.
pub(crate) fn checked(mut url: Url) -> Result<Url, FetchError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::BadUrl(format!(
            "{}: only http and https are fetched",
            url.scheme()
        )));
    }
    url.set_fragment(None);
    let _ = (url.set_username(""), url.set_password(None));
    strip_root(&mut url);
    strip_tracking(&mut url);
    Ok(url)
}

/// Where a redirect leads.
///
/// # Errors
/// Of kind `redirect`, when it leads nowhere, or away from the web.
pub(crate) fn redirected(from: &Url, location: Option<&[u8]>) -> Result<Url, FetchError> {
    let wrong = |cause: String| FetchError::Redirect(cause);
    let location = location.ok_or_else(|| wrong("a redirect without a target".into()))?;
    let location = String::from_utf8_lossy(location);
    let next = from
        .join(&location)
        .map_err(|e| wrong(format!("a redirect to {location:?}: {e}")))?;
    checked(next).map_err(|e| wrong(format!("a redirect to {location:?}: {e}")))
}

/// Takes away the dot at the end of a name, which stands for the root of all names (RFC 1034 §3.1):
/// with and without it one host is meant.
fn strip_root(url: &mut Url) {
    let Some(name) = url
        .domain()
        .and_then(|name| name.strip_suffix('.'))
        .map(str::to_owned)
    else {
        return;
    };
    if !name.is_empty() && !name.ends_with('.') {
        // What stands before the dot is a name itself.
        let _ = url.set_host(Some(&name));
    }
}

/// Takes away parameters that track; the others stay as they are spelt.
fn strip_tracking(url: &mut Url) {
    let Some(query) = url.query() else { return };
    let kept: Vec<&str> = query
        .split('&')
        .filter(|parameter| !is_tracking(parameter))
        .collect();
    if kept.len() == query.split('&').count() {
        return;
    }
    let kept = kept.join("&");
    url.set_query(Some(kept.as_str()).filter(|query| !query.is_empty()));
}

fn is_tracking(parameter: &str) -> bool {
    let name = parameter
        .split('=')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let mut known = TRACKING.split_ascii_whitespace();
    name.starts_with(TRACKING_PREFIX) || known.any(|known| known == name)
}

/// The host that is treated with care: its name, with the port where that is none of the web's, as
/// another server is meant then.
pub(crate) fn host(url: &Url) -> String {
    let name = url.host_str().unwrap_or_default();
    match url.port() {
        None | Some(80 | 443) => name.to_owned(),
        Some(port) => format!("{name}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{host, normalize_url, redirected};
    use crate::FetchError;
    use url::Url;

    fn parsed(url: &str) -> String {
        normalize_url(url).unwrap().to_string()
    }

    #[test]
    fn only_absolute_http_urls_are_fetched() {
        for url in [
            "",
            "a.test/x",
            "ftp://a.test/",
            "file:///etc/passwd",
            "http://",
            "javascript:1",
            "http://[::1",
        ] {
            assert!(
                matches!(normalize_url(url), Err(FetchError::BadUrl(_))),
                "{url}"
            );
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
            assert_eq!(parsed(url), expected);
        }
    }

    #[test]
    fn a_redirect_is_resolved_and_must_stay_on_the_web() {
        let from = Url::parse("http://a.test/x/y").unwrap();
        let to = |location: &str| redirected(&from, Some(location.as_bytes()));
        assert_eq!(to("../z#f").unwrap().as_str(), "http://a.test/z");
        assert_eq!(to("//b.test").unwrap().as_str(), "http://b.test/");
        assert!(matches!(
            to("file:///etc/passwd"),
            Err(FetchError::Redirect(_))
        ));
        assert!(matches!(
            redirected(&from, None),
            Err(FetchError::Redirect(_))
        ));
    }

    #[test]
    fn both_schemes_of_a_name_are_one_host() {
        let host = |url| host(&Url::parse(url).unwrap());
        assert_eq!(host("http://a.test/"), host("https://a.test/"));
        assert_eq!(
            (host("http://a.test:8080/"), host("http://[::1]/")),
            ("a.test:8080".into(), "[::1]".into())
        );
    }
}
