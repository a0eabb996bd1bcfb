//! A query's terms with their signs, the page that its hits are to be like, and the form of both
//! that the cache goes by.

/// Terms that a document must and must not contain: sorted, without repetition and without empty
/// terms, so that the same terms in any order are the same query. Beside them or alone, the URL of
/// a document that others are to be like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignedTerms {
    include: Vec<String>,
    exclude: Vec<String>,
    like: Option<String>,
}

impl SignedTerms {
    /// The terms of a query, in any order.
    pub fn new<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Self {
        SignedTerms {
            include: canonical(include),
            exclude: canonical(exclude),
            like: None,
        }
    }

    /// The same query for documents that are like the one with this URL; blank is none.
    #[must_use]
    pub fn like_page(self, url: Option<&str>) -> Self {
        let like = url
            .map(|url| url.split_whitespace().collect::<String>())
            .filter(|url| !url.is_empty());
        SignedTerms { like, ..self }
    }

    /// Terms that a document must contain, sorted.
    pub fn include(&self) -> &[String] {
        &self.include
    }

    /// Terms that a document must not contain, sorted.
    pub fn exclude(&self) -> &[String] {
        &self.exclude
    }

    /// The URL of the document that others are to be like.
    pub fn like(&self) -> Option<&str> {
        self.like.as_deref()
    }

    /// The same query without its last exclusion term; none where there is no exclusion term.
    pub fn without_last_exclusion(&self) -> Option<Self> {
        let mut shorter = self.clone();
        shorter.exclude.pop().map(|_| shorter)
    }

    /// Whether there is neither a term nor a document to be like.
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty() && self.like.is_none()
    }

    /// The canonical query: each term behind its sign, one a line, and the URL behind `~`. Equal
    /// for equal queries only, and readable in the cache.
    pub fn key(&self) -> String {
        let include = self.include.iter().map(|term| format!("+{term}"));
        let exclude = self.exclude.iter().map(|term| format!("-{term}"));
        let like = self.like.iter().map(|url| format!("~{url}"));
        include
            .chain(exclude)
            .chain(like)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn canonical(terms: &[impl AsRef<str>]) -> Vec<String> {
    // A line feed inside a term would make two keys alike; white space means nothing to any engine.
    let mut terms: Vec<String> = terms
        .iter()
        .map(|term| {
            term.as_ref()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    terms.retain(|term| !term.is_empty());
    terms.sort_unstable();
    terms.dedup();
    terms
}

#[cfg(test)]
mod tests {
    use super::SignedTerms;

    fn key(include: &[&str], exclude: &[&str]) -> String {
        SignedTerms::new(include, exclude).key()
    }

    #[test]
    fn the_same_terms_in_any_order_are_the_same_query() {
        assert_eq!(key(&["je", "da", "je"], &["the", ""]), "+da\n+je\n-the");
        assert_eq!(key(&["je", "da"], &["the"]), key(&["da", "je"], &["the"]));
    }

    #[test]
    fn other_terms_or_signs_are_another_query() {
        assert_ne!(key(&["da"], &[]), key(&[], &["da"]));
        assert_ne!(key(&["a\n+b"], &[]), key(&["a", "b"], &[]));
    }

    #[test]
    fn a_page_to_be_like_is_part_of_the_query() {
        let like = |url| SignedTerms::new(&["da"], &[]).like_page(url);
        assert_eq!(like(Some("http://a.test/")).key(), "+da\n~http://a.test/");
        assert_eq!(like(Some(" ")), like(None));
        assert!(SignedTerms::default().like_page(None).is_empty());
        assert!(
            !SignedTerms::default()
                .like_page(Some("http://a.test/"))
                .is_empty()
        );
    }
}
