//! URLs of pages, normalised by `forage-web`, with the errors of fetching.

use crate::FetchError;
pub(crate) use forage_web::page_url::host_key;
use forage_web::page_url::{PageUrlError, escape_bytes, normalise};
pub use forage_web::page_url::{Partition, comparison_key, strip_credentials};
use url::Url;

impl From<PageUrlError> for FetchError {
    fn from(error: PageUrlError) -> FetchError {
        FetchError::BadUrl(error.to_string())
    }
}

/// Parses and normalises a URL.
///
/// # Errors
/// Fails if it is not an absolute HTTP or HTTPS URL.
pub fn normalise_url(url: &str) -> Result<Url, FetchError> {
    Ok(forage_web::page_url::normalise_url(url)?)
}

/// Returns the normalised target of a redirect. Its bytes may be in any encoding; as in browsers,
/// those other than ASCII are escaped as they are.
///
/// # Errors
/// Fails with [`FetchError::Redirect`] if there is no `Location`, or it is not an HTTP or HTTPS
/// URL.
pub(crate) fn resolve_redirect(from: &Url, location: Option<&[u8]>) -> Result<Url, FetchError> {
    let Some(location) = location else {
        return Err(FetchError::Redirect("a redirect without a target".into()));
    };
    let location = escape_bytes(location);
    let target = from
        .join(&location)
        .map_err(|e| FetchError::BadUrl(e.to_string()));
    target
        .and_then(|target| Ok(normalise(target)?))
        .map_err(|e| FetchError::Redirect(format!("a redirect to {location:?}: {e}")))
}

#[cfg(test)]
mod tests {
    use super::resolve_redirect;
    use crate::FetchError;
    use url::Url;

    #[test]
    fn resolves_redirects_to_http_urls_only() {
        let from = Url::parse("http://a.test/x/y").unwrap();
        let to = |location: &str| resolve_redirect(&from, Some(location.as_bytes()));
        assert_eq!(to("../z#f").unwrap().as_str(), "http://a.test/z");
        assert_eq!(to("//b.test").unwrap().as_str(), "http://b.test/");
        assert_eq!(
            to(" /č d?č\t").unwrap().as_str(),
            "http://a.test/%C4%8D%20d?%C4%8D"
        );
        assert_eq!(
            to("//čebela.test/č").unwrap().as_str(),
            "http://xn--ebela-gya.test/%C4%8D"
        );
        let legacy = resolve_redirect(&from, Some(b"z-\xf0\xf3?\xe8")).unwrap();
        assert_eq!(legacy.as_str(), "http://a.test/x/z-%F0%F3?%E8");
        assert!(matches!(
            to("file:///etc/passwd"),
            Err(FetchError::Redirect(_))
        ));
        assert!(matches!(
            resolve_redirect(&from, None),
            Err(FetchError::Redirect(_))
        ));
    }
}
