//! Redirects by pages: the header field `Refresh`, and the head of the page.

use crate::content_coding;
use crate::exchange::Exchange;
use crate::headers::{content_codings, content_type};
use crate::page_url;
use crate::settings::RefreshFinder;
use forage_web::page_url::{comparison_key, escape_bytes, refresh_target};
use reqwest::header::HeaderName;
use url::Url;

const REFRESH: HeaderName = HeaderName::from_static("refresh");
/// Largest body of a page that redirects, in bytes as sent; of a larger one, the text counts.
/// Bodies of this size need no share of the memory budget, which the chain would hold while it
/// waits. Also the number of decompressed bytes that are searched. Set by judgement, not measured.
const MAX_BYTES: usize = 64 << 10;

/// Returns the URL that a page redirects to after a short delay; `None` if it is the page itself,
/// which many pages of news load again and again.
pub(crate) fn find_refresh(page: &Exchange, finder: Option<RefreshFinder>) -> Option<Url> {
    let is_success = (200..300).contains(&page.status) && page.failure.is_none();
    if !is_success || page.body.len() > MAX_BYTES {
        return None;
    }
    let target = field_target(page).or_else(|| {
        let codings = content_codings(&page.headers);
        let is_truncated = true;
        let limit = MAX_BYTES as u64;
        let head = content_coding::decompress_prefix(&codings, &page.body, limit, is_truncated);
        let content_type = content_type(&page.headers);
        let target = finder?(&page.url, content_type.as_deref(), &head.ok()?)?;
        forage_web::page_url::normalise(target).ok()
    });
    target.filter(|target| comparison_key(target) != comparison_key(&page.url))
}

/// Returns the URL in the header field.
fn field_target(page: &Exchange) -> Option<Url> {
    let value = escape_bytes(page.headers.get(REFRESH)?.as_bytes());
    page_url::resolve_redirect(&page.url, Some(refresh_target(&value)?.as_bytes())).ok()
}

#[cfg(test)]
mod tests {
    use super::{REFRESH, find_refresh};
    use crate::exchange::Exchange;
    use crate::settings::RefreshFinder;
    use reqwest::header::{HeaderMap, HeaderValue};
    use url::Url;

    fn page(status: u16, refresh: Option<&'static [u8]>, body: &[u8]) -> Exchange {
        let url = Url::parse("http://a.test/x/~y").unwrap();
        let field = refresh.map(|value| (REFRESH, HeaderValue::from_bytes(value).unwrap()));
        let mut page = Exchange::new(url, status, HeaderMap::from_iter(field));
        page.body = body.to_vec();
        page
    }

    fn target(page: &Exchange) -> Option<String> {
        let finder: RefreshFinder = |url, _, head| url.join(str::from_utf8(head).ok()?).ok();
        find_refresh(page, Some(finder)).map(String::from)
    }

    #[test]
    fn a_field_takes_precedence_over_the_page() {
        let expected = Some("http://a.test/x/z?%E8".to_owned());
        assert_eq!(
            target(&page(200, Some(b"0;url=z?\xe8"), b"other")),
            expected
        );
        let expected = Some("http://a.test/x/other".to_owned());
        assert_eq!(target(&page(200, Some(b"60;url=z"), b"other")), expected);
        assert_eq!(target(&page(200, None, b"other#part")), expected);
    }

    #[test]
    fn an_error_page_and_a_page_that_loads_itself_again_do_not_redirect() {
        assert_eq!(target(&page(404, Some(b"0;url=z"), b"z")), None);
        let large = [&b"z?"[..], &b"x".repeat(70_000)].concat();
        assert_eq!(target(&page(200, None, &large)), None);
        for own in [&b"~y"[..], b"%7Ey#top", b"//a.test/x/~y"] {
            assert_eq!(target(&page(200, None, own)), None);
        }
        assert_eq!(
            target(&page(200, Some(b"0;url=mailto:a@b.test"), b"~y")),
            None
        );
    }
}
