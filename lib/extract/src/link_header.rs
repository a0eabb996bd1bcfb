//! The header fields `Link` (RFC 8288) and `Content-Language`, which say of a document of any format
//! what HTML says in its head.

use crate::ExtractedPage;
use crate::metadata::PageMetadata;
use regex::Regex;
use std::sync::LazyLock;
use url::Url;

/// A link: its target and its parameters; and a parameter.
static PATTERNS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        r#"<([^<>]*)>((?:\s*;\s*[\w*-]+(?:\s*=\s*(?:"[^"]*"|[^\s",;]*))?)*)"#,
        r#"([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s",;]*))"#,
    ]
    .map(|pattern| Regex::new(pattern).expect("a constant pattern is valid"))
});

/// Adds the canonical URL, the licence, the URLs in other languages and the language that the
/// response to a request for `url` states, where the page itself states none.
pub fn add_response_fields(
    page: &mut ExtractedPage,
    url: &Url,
    links: Option<&str>,
    language: Option<&str>,
) {
    let mut metadata = PageMetadata::new(Some(url.clone()));
    std::mem::swap(&mut metadata.page, page);
    metadata.add_language(language.unwrap_or_default());
    let canonical = metadata.page.fetch.canonical.clone();
    let [link, parameter] = &*PATTERNS;
    for link in link.captures_iter(links.unwrap_or_default()) {
        let (_, [target, parameters]) = link.extract();
        let value = |name: &str| {
            let mut parameters = parameter.captures_iter(parameters);
            let found = parameters.find(|found| found[1].eq_ignore_ascii_case(name))?;
            found.get(2).or(found.get(3)).map(|value| value.as_str())
        };
        // One with an anchor is of another document.
        if value("anchor").is_none() {
            let href = |name: &str| (name == "href").then_some(target);
            metadata.add_start_tag("link", |name| href(name).or_else(|| value(name)));
        }
    }
    metadata.page.fetch.canonical = canonical.or(metadata.page.fetch.canonical);
    *page = metadata.page;
}

#[cfg(test)]
mod tests {
    use super::add_response_fields;
    use crate::ExtractedPage;

    #[test]
    fn a_link_of_the_response_counts_like_one_in_the_head() {
        let url = "http://a.test/x/".parse().unwrap();
        let links = "<c?a=1,2>; rel=canonical, </hsb>;rel=\"alternate\"; HREFLANG=HSB, \
            </feed>; rel=alternate; hreflang=de; type=\"application/rss+xml\", \
            </l>; title=\"a, <b>; c\"; rel=\"nofollow license\", </o>; rel=license; anchor=\"/p\", x";
        let mut page = ExtractedPage::default();
        add_response_fields(&mut page, &url, Some(links), Some("sl"));
        let fetch = &page.fetch;
        assert_eq!(fetch.canonical.as_deref(), Some("http://a.test/x/c?a=1,2"));
        assert_eq!(fetch.licence.as_deref(), Some("http://a.test/l"));
        let alternates: Vec<_> = fetch.alternates.iter().collect();
        assert_eq!(alternates, [(&"hsb".into(), &"http://a.test/hsb".into())]);
        assert_eq!(fetch.html_lang.as_deref(), Some("sl"));
        let other = Some("</o>; rel=\"canonical license\"");
        add_response_fields(&mut page, &url, other, Some("de"));
        assert_eq!(
            page.fetch.canonical.as_deref(),
            Some("http://a.test/x/c?a=1,2")
        );
        assert_eq!(page.fetch.licence.as_deref(), Some("http://a.test/l"));
        assert_eq!(page.fetch.html_lang.as_deref(), Some("sl"));
        let mut page = ExtractedPage::default();
        add_response_fields(&mut page, &url, None, Some("sl, de"));
        assert_eq!(page.fetch.html_lang, None);
    }
}
