//! Attributes of a link about its target, which are alike in HTML, header fields, feeds and
//! sitemaps.

use super::{MediaType, PageFormat};
use regex::Regex;
use std::sync::LazyLock;

/// A tag of a language, in small letters (RFC 5646, section 2.1).
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("^[a-z]{2,8}(-[a-z0-9]{1,8}){0,4}$").expect("a constant pattern is valid")
});

/// Returns `true` if the media type that a link declares is that of a web page, or it declares
/// none.
pub fn is_page_type(declared: Option<&str>) -> bool {
    let media = declared.and_then(MediaType::parse);
    media.is_none_or(|media| media.format() == Some(PageFormat::Html))
}

/// Returns `true` if a list of relations has one that is registered, by its name or by its URI (RFC
/// 8288, section 2.1; RFC 4287, section 4.2.7.2).
pub fn has_relation(relations: &str, name: &str) -> bool {
    let mut relations = relations.split_ascii_whitespace();
    relations.any(|relation| {
        let relation = relation.to_ascii_lowercase();
        relation.trim_start_matches("http://www.iana.org/assignments/relation/") == name
    })
}

/// Returns the language, in small letters, of a link to the page in another language: one with the
/// relation `alternate`, not to a style sheet, an AMP page or a file of another format, and whose
/// `hreflang` is the tag of one: `x-default` is none.
pub fn alternate_language(
    relations: &str,
    media_type: Option<&str>,
    hreflang: Option<&str>,
) -> Option<String> {
    let has = |name| has_relation(relations, name);
    let is_page = !has("stylesheet") && !has("amphtml") && is_page_type(media_type);
    let tag = hreflang.filter(|_| has("alternate") && is_page)?;
    let tag = tag.trim().to_ascii_lowercase();
    TAG.is_match(&tag).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::alternate_language;

    #[test]
    fn an_alternate_is_in_a_language() {
        for (relations, media_type, hreflang, expected) in [
            ("alternate", None, "DE-at ", Some("de-at")),
            (
                "Nofollow ALTERNATE",
                Some("text/html"),
                "zh-hant-tw",
                Some("zh-hant-tw"),
            ),
            (
                "http://www.iana.org/assignments/relation/alternate",
                None,
                "hsb",
                Some("hsb"),
            ),
            ("http://x.test/alternate", None, "de", None),
            ("alternate stylesheet", None, "de", None),
            ("amphtml", None, "de", None),
            ("alternate", Some("application/rss+xml"), "de", None),
            ("alternate", None, "x-default", None),
            ("alternate", None, "de en", None),
            ("alternate", None, "de--at", None),
            ("alternate", None, "d", None),
            ("alternate", None, "12", None),
        ] {
            let found = alternate_language(relations, media_type, Some(hreflang));
            assert_eq!(found.as_deref(), expected, "{relations} {hreflang}");
        }
    }
}
