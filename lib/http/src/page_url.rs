//! URLs of pages, normalised by `forage-page-url`, with the errors of fetching.

use crate::FetchError;
pub(crate) use forage_page_url::host_key;
use forage_page_url::{PageUrlError, normalise};
pub use forage_page_url::{comparison_key, strip_credentials};
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
    Ok(forage_page_url::normalise_url(url)?)
}

/// Returns the normalised target of a redirect.
///
/// # Errors
/// Fails with [`FetchError::Redirect`] if there is no `Location`, or it is not an HTTP or HTTPS
/// URL.
pub(crate) fn resolve_redirect(from: &Url, location: Option<&[u8]>) -> Result<Url, FetchError> {
    let Some(location) = location else {
        return Err(FetchError::Redirect("a redirect without a target".into()));
    };
    let location = String::from_utf8_lossy(location);
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
