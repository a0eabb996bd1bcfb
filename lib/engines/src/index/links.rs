//! The links of documents, by which in-links are found.
//!
//! Each page that a document links to is a term of the document: its normalised URL. Terms are not
//! stored with documents, so `search --dump` writes no links. Anchor texts are not indexed. The
//! size of the index with links is in BENCHMARKS.md, "Focused crawling".

use super::writer::is_indexable_url;
use forage_web::page_url::{comparison_key, normalise_url};
use std::collections::BTreeSet;

/// Returns the keys of the URLs of the pages that a document links to, sorted and distinct. `own`
/// are the URLs of the document itself, whose links to itself do not count.
///
/// Links that are not HTTP are left out, and so are URLs that are too long to be indexed.
pub fn link_targets<'a>(own: &[&str], links: impl Iterator<Item = &'a str>) -> Vec<String> {
    let normalise = |url: &str| {
        let url = normalise_url(url).ok()?;
        Some(comparison_key(&url).into_owned())
    };
    let mut targets: BTreeSet<String> = links.filter_map(normalise).collect();
    for url in own.iter().copied().filter_map(normalise) {
        targets.remove(&url);
    }
    targets.retain(|url| is_indexable_url(url));
    targets.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::link_targets;

    #[test]
    fn targets_are_normalised_distinct_and_other_pages() {
        let links = [
            "http://B.test/#top",
            "http://b.test/?utm_source=x",
            "http://a.test/#end",
            "http://final.test/",
            "mailto:me@a.test",
            "/relative",
            "http://a.test/2",
        ];
        assert_eq!(
            link_targets(&["http://a.test/", "http://final.test"], links.into_iter()),
            ["http://a.test/2", "http://b.test/"]
        );
    }
}
