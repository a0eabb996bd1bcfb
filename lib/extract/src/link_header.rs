//! The header fields `Link` (RFC 8288) and `Content-Language`, which say of a document of any
//! format what HTML says in its head.

use crate::ExtractedPage;
use crate::metadata::PageMetadata;
use forage_content::media::MediaType;
use regex::Regex;
use std::sync::LazyLock;
use url::Url;

/// A link: its target and its parameters; and a parameter.
static PATTERNS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        r#"<([^<>]*)>((?:\s*;\s*(?:[\w*-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)?)*)"#,
        r#"([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))"#,
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
    // A file of the type of this one is a page like it.
    let own_type = metadata.page.fetch.media_type.clone();
    let is_own = |media: &str| MediaType::parse(media).map(|media| media.essence) == own_type;
    let [link, parameter] = &*PATTERNS;
    for link in link.captures_iter(links.unwrap_or_default()) {
        let (_, [target, parameters]) = link.extract();
        let values = |name: &str| {
            let found = parameter.captures_iter(parameters);
            let found = found.filter(|found| found[1].eq_ignore_ascii_case(name));
            let values = found.filter_map(|found| found.get(2).or(found.get(3)));
            values.map(|value| value.as_str()).collect::<Vec<_>>()
        };
        let value = |name: &str| values(name).first().copied();
        // One with the anchor of another document is a link of that.
        if value("anchor").is_some_and(|anchor| url.join(anchor).as_ref() != Ok(url)) {
            continue;
        }
        // Only languages may be several (section 3.4.1).
        for language in 0..values("hreflang").len().max(1) {
            metadata.add_start_tag("link", |name| match name {
                "href" => Some(target),
                "hreflang" => values(name).get(language).copied(),
                "type" => value(name).filter(|media| !is_own(media)),
                _ => value(name),
            });
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
            </at>; rel=alternate; hreflang=x-default; hreflang=de; HrefLang=\"de-AT\"; type=\"text/plain\", \
            </esc>; title=\"\\\"; rel=canonical; x=\\\"\", \
            </l>;; title=\"a, <b>; \\\"c\"; rel=\"nofollow license\"; anchor=\"/x/\", </o>; rel=license; anchor=\"/p\", x";
        let mut page = ExtractedPage::default();
        page.fetch.media_type = Some("text/plain".to_owned());
        add_response_fields(&mut page, &url, Some(links), Some("sl de"));
        let fetch = &page.fetch;
        assert_eq!(fetch.canonical.as_deref(), Some("http://a.test/x/c?a=1,2"));
        assert_eq!(fetch.licence.as_deref(), Some("http://a.test/l"));
        let alternates: Vec<_> = fetch.alternates.iter().collect();
        let expected = [("de", "at"), ("de-at", "at"), ("hsb", "hsb")];
        let expected =
            expected.map(|(code, path)| (code.to_owned(), format!("http://a.test/{path}")));
        assert_eq!(
            alternates,
            expected.each_ref().map(|(code, url)| (code, url))
        );
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
