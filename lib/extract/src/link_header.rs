//! The header fields `Link` (RFC 8288) and `Content-Language`, which say of a document of any format
//! what HTML says in its head.

use crate::ExtractedPage;
use crate::metadata::PageMetadata;
use url::Url;

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
    for link in split(links.unwrap_or_default(), ',') {
        add_link(&mut metadata, link);
    }
    metadata.page.fetch.canonical = canonical.or(metadata.page.fetch.canonical);
    *page = metadata.page;
}

/// Adds a link as if it was an element of the page. One with an anchor is of another document.
fn add_link(metadata: &mut PageMetadata, link: &str) {
    let mut parts = split(link, ';').map(str::trim);
    let target = parts.next().and_then(|target| target.strip_prefix('<'));
    let Some(target) = target.and_then(|target| target.strip_suffix('>')) else {
        return;
    };
    let parameters: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('=')).collect();
    let parameter = |name: &str| {
        let is_it = |(found, _): &&(&str, &str)| found.trim().eq_ignore_ascii_case(name);
        let value = parameters.iter().find(is_it).map(|(_, value)| *value);
        value.map(|value| value.trim().trim_matches('"'))
    };
    if parameter("anchor").is_none() {
        let attribute = |name: &str| match name {
            "href" => Some(target),
            name => parameter(name),
        };
        metadata.add_start_tag("link", attribute);
    }
}

/// Splits a field at a separator that is neither in a URL nor in quotes.
fn split(field: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_url) = (false, false);
    field.split(move |c| {
        match c {
            '"' if !is_url => is_quoted = !is_quoted,
            '<' | '>' if !is_quoted => is_url = c == '<',
            _ => {}
        }
        c == separator && !is_quoted && !is_url
    })
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
