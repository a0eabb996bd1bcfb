//! A query to an engine, and its canonical form, by which the cache identifies it.

use forage_record::Query;
use forage_web::page_url::normalise_url;
use std::collections::BTreeMap;

/// A query: inclusion and exclusion terms, and optionally the URL of a document to which hits must
/// be similar ("more like this"), and the URL of a page to which hits must link (in-links).
///
/// Terms are sorted, distinct and not empty. So two queries with the same terms are equal, whatever
/// the order in which the terms were given. A document that has a variant of an inclusion term
/// matches as one that has the term; the variants of an exclusion term are exclusion terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineQuery {
    include: Vec<String>,
    exclude: Vec<String>,
    /// Variants of inclusion terms, by term.
    variants: BTreeMap<String, Vec<String>>,
    like_url: Option<String>,
    links_to: Option<String>,
}

impl EngineQuery {
    /// Creates a query from terms in any order.
    pub fn new<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Self {
        EngineQuery {
            include: canonical_terms(include),
            exclude: canonical_terms(exclude),
            ..EngineQuery::default()
        }
    }

    /// Returns the query with further spellings of its terms.
    fn with_variants(mut self, variants: &BTreeMap<String, Vec<String>>) -> Self {
        for (term, variants) in variants {
            let (Some(term), mut variants) =
                (canonical_terms(&[term]).pop(), canonical_terms(variants))
            else {
                continue;
            };
            if self.exclude.contains(&term) {
                self.exclude = canonical_terms(&[&*self.exclude, &*variants].concat());
            }
            variants.retain(|variant| *variant != term);
            if self.include.contains(&term) && !variants.is_empty() {
                self.variants.insert(term, variants);
            }
        }
        self
    }

    /// Returns the query restricted to documents similar to the one at `url`. A blank URL counts as
    /// `None`.
    #[must_use]
    pub fn with_like_url(self, url: Option<&str>) -> Self {
        EngineQuery {
            like_url: url.and_then(remove_white_space),
            ..self
        }
    }

    /// Returns the query restricted to documents that link to the page at `url`, which is
    /// normalised, so that all spellings of a URL are the same query. A blank URL counts as `None`.
    #[must_use]
    pub fn with_links_to(self, url: Option<&str>) -> Self {
        let links_to = url.and_then(remove_white_space).map(|url| {
            // Engines refuse a text that is not the URL of a page.
            normalise_url(&url).map_or(url, String::from)
        });
        EngineQuery { links_to, ..self }
    }

    /// Returns the terms that a document must contain, sorted.
    pub fn include(&self) -> &[String] {
        &self.include
    }

    /// Returns an inclusion term and its variants, any of which a document must contain.
    pub fn spellings<'a>(&'a self, term: &'a str) -> impl Iterator<Item = &'a str> {
        let variants = self.variants.get(term).into_iter().flatten();
        std::iter::once(term).chain(variants.map(String::as_str))
    }

    /// Returns all inclusion terms and their variants.
    pub fn included_spellings(&self) -> Vec<&str> {
        let terms = self.include.iter();
        terms.flat_map(|term| self.spellings(term)).collect()
    }

    /// Returns `true` if an inclusion term has variants.
    pub fn has_variants(&self) -> bool {
        !self.variants.is_empty()
    }

    /// Returns the query for an engine that does not support variants. Each term has one spelling,
    /// a variant that is not in ASCII, and otherwise the one with diacritics: many engines find
    /// both by it.
    #[must_use]
    pub fn without_variants(&self) -> Self {
        let full_spelling = |term| {
            let variants = self.spellings(term).skip(1).chain([term]);
            let mut with_diacritics = variants.filter(|spelling| !spelling.is_ascii());
            with_diacritics.next().unwrap_or(term)
        };
        let include: Vec<&str> = self
            .include
            .iter()
            .map(|term| full_spelling(term))
            .collect();
        EngineQuery {
            include: canonical_terms(&include),
            variants: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// Returns the query with each spelling of the apostrophes in its terms, for an engine to which
    /// they are different words.
    #[must_use]
    pub fn with_apostrophes(&self) -> Self {
        let spelled = |term: &String| {
            let spell = |text| APOSTROPHES.map(|sign| spell_apostrophes(text, sign));
            (term.clone(), self.spellings(term).flat_map(spell).collect())
        };
        let variants = self.include.iter().chain(&self.exclude).map(spelled);
        self.clone().with_variants(&variants.collect())
    }

    /// Returns the queries for the other spellings of the apostrophes in its terms, for an engine
    /// that has no OR; none if they have none.
    pub fn other_apostrophes(&self) -> Vec<Self> {
        let queries = APOSTROPHES.map(|sign| {
            let spell = |term: &String| spell_apostrophes(term, sign);
            let [include, exclude] = [&self.include, &self.exclude]
                .map(|terms| canonical_terms(&terms.iter().map(spell).collect::<Vec<_>>()));
            EngineQuery {
                include,
                exclude,
                ..self.clone()
            }
        });
        queries.into_iter().filter(|query| query != self).collect()
    }

    /// Returns the terms that a document must not contain, sorted.
    pub fn exclude(&self) -> &[String] {
        &self.exclude
    }

    /// Returns the URL of the document to which hits must be similar.
    pub fn like_url(&self) -> Option<&str> {
        self.like_url.as_deref()
    }

    /// Returns the URL of the page to which hits must link.
    pub fn links_to(&self) -> Option<&str> {
        self.links_to.as_deref()
    }

    /// Returns `true` if the query names a page, which takes the place of inclusion terms.
    pub fn has_url(&self) -> bool {
        self.like_url.is_some() || self.links_to.is_some()
    }

    /// Returns the query without its last exclusion term; `None` if it has no exclusion term.
    pub fn without_last_exclusion(&self) -> Option<Self> {
        let mut shorter = self.clone();
        shorter.exclude.pop().map(|_| shorter)
    }

    /// Returns `true` if the query has neither a term nor a URL.
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty() && !self.has_url()
    }

    /// Returns the canonical form: one line per term, prefixed with `+` or `-` and followed by its
    /// variants, each after a tab, the URL of a similar document prefixed with `~`, and that of a
    /// page that hits link to with `>`.
    ///
    /// Only equal queries have the same form. The cache stores it.
    pub fn to_canonical_form(&self) -> String {
        let include = self.include.iter().map(|term| {
            let spellings: Vec<&str> = self.spellings(term).collect();
            // No term has a tab: its white space is collapsed to blanks.
            format!("+{}", spellings.join("\t"))
        });
        let exclude = self.exclude.iter().map(|term| format!("-{term}"));
        let like_url = self.like_url.iter().map(|url| format!("~{url}"));
        let links_to = self.links_to.iter().map(|url| format!(">{url}"));
        include
            .chain(exclude)
            .chain(like_url)
            .chain(links_to)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns the query with this canonical form; lines of another form are ignored.
    pub(crate) fn from_canonical_form(form: &str) -> EngineQuery {
        let mut query = Query::default();
        for line in form.lines() {
            let Some((sign, rest)) = line.split_at_checked(1) else {
                continue;
            };
            match sign {
                "+" => {
                    let mut spellings = rest.split('\t').map(str::to_owned);
                    let term = spellings.next().unwrap_or_default();
                    let variants: Vec<String> = spellings.collect();
                    if !variants.is_empty() {
                        query.variants.insert(term.clone(), variants);
                    }
                    query.include.push(term);
                }
                "-" => query.exclude.push(rest.into()),
                "~" => query.like = Some(rest.into()),
                ">" => query.links_to = Some(rest.into()),
                _ => {}
            }
        }
        EngineQuery::from(&query)
    }
}

impl From<&Query> for EngineQuery {
    fn from(query: &Query) -> Self {
        EngineQuery::new(&query.include, &query.exclude)
            .with_variants(&query.variants)
            .with_like_url(query.like.as_deref())
            .with_links_to(query.links_to.as_deref())
    }
}

/// The signs in use for an apostrophe within a word: that of keyboards, which terms have, that of
/// typeset texts, and the letter.
const APOSTROPHES: [char; 3] = ['\'', '\u{2019}', '\u{2bc}'];

/// Returns a text with all its apostrophes written with one sign.
fn spell_apostrophes(text: &str, sign: char) -> String {
    text.replace(APOSTROPHES, sign.encode_utf8(&mut [0; 4]))
}

/// Returns a URL without white space, which would make the canonical form ambiguous; `None` if it
/// is blank.
fn remove_white_space(url: &str) -> Option<String> {
    let url: String = url.split_whitespace().collect();
    (!url.is_empty()).then_some(url)
}

/// Returns the terms sorted, without duplicates and empty terms. White space within a term is
/// collapsed, because engines ignore it, and because a line feed would make the canonical form
/// ambiguous.
fn canonical_terms(terms: &[impl AsRef<str>]) -> Vec<String> {
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
    use super::EngineQuery;

    fn canonical_form(include: &[&str], exclude: &[&str]) -> String {
        EngineQuery::new(include, exclude).to_canonical_form()
    }

    #[test]
    fn canonical_form_ignores_order_duplicates_and_empty_terms() {
        assert_eq!(
            canonical_form(&["je", "da", "je"], &["the", ""]),
            "+da\n+je\n-the"
        );
        assert_eq!(
            canonical_form(&["je", "da"], &["the"]),
            canonical_form(&["da", "je"], &["the"])
        );
    }

    #[test]
    fn canonical_form_differs_with_terms_and_signs() {
        assert_ne!(canonical_form(&["da"], &[]), canonical_form(&[], &["da"]));
        assert_ne!(
            canonical_form(&["a\n+b"], &[]),
            canonical_form(&["a", "b"], &[])
        );
    }

    /// Returns a query for `nasa` and not for `hisa`, with variants.
    fn query_with_variants() -> EngineQuery {
        let json = r#"{"include":["nasa","je"],"exclude":["hisa"],
            "variants":{"nasa":["naša","nasa"],"hisa":["hiša"],"ura":["úra"],"je":[]}}"#;
        EngineQuery::from(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn a_term_is_asked_for_in_all_spellings() {
        let query = query_with_variants();
        assert_eq!(query.to_canonical_form(), "+je\n+nasa\tnaša\n-hisa\n-hiša");
        assert_eq!(query.included_spellings(), ["je", "nasa", "naša"]);
        assert_ne!(query, EngineQuery::new(&["je", "nasa"], &["hisa", "hiša"]));
    }

    #[test]
    fn a_query_is_restored_from_its_canonical_form() {
        let url = Some("http://a.test/");
        for query in [
            query_with_variants(),
            EngineQuery::new(&["-a", "dober dan"], &["+b", "~"]),
            EngineQuery::new(&["a"], &[]).with_like_url(url),
            EngineQuery::new(&[""; 0], &[]).with_links_to(url),
            EngineQuery::new(&[""; 0], &[]),
        ] {
            let form = query.to_canonical_form();
            assert_eq!(EngineQuery::from_canonical_form(&form), query, "{form}");
        }
    }

    #[test]
    fn without_variants_the_spelling_with_diacritics_is_left() {
        let query = query_with_variants().without_variants();
        assert_eq!(query, EngineQuery::new(&["je", "naša"], &["hisa", "hiša"]));
    }

    #[test]
    fn apostrophes_are_asked_for_in_all_spellings() {
        let json =
            r#"{"include":["c’hoad","je"],"exclude":["don't","the"],"variants":{"je":["jé"]}}"#;
        let query = EngineQuery::from(&serde_json::from_str(json).unwrap()).with_apostrophes();
        assert_eq!(
            query.to_canonical_form(),
            "+c’hoad\tc'hoad\tcʼhoad\n+je\tjé\n-don't\n-donʼt\n-don’t\n-the"
        );
        let query = EngineQuery::new(&["п'ять", "je"], &["c’hoad"]);
        let others = query.other_apostrophes();
        let forms: Vec<String> = others.iter().map(EngineQuery::to_canonical_form).collect();
        assert_eq!(
            forms,
            [
                "+je\n+п'ять\n-c'hoad",
                "+je\n+п’ять\n-c’hoad",
                "+je\n+пʼять\n-cʼhoad"
            ]
        );
        let plain = query_with_variants();
        assert_eq!(plain.with_apostrophes(), plain);
        assert_eq!(plain.other_apostrophes(), []);
    }

    #[test]
    fn canonical_form_contains_the_normalised_url_of_a_page_that_hits_link_to() {
        let links_to = |url| EngineQuery::default().with_links_to(Some(url));
        for url in ["http://a.test", "HTTP://A.test:80/?utm_source=x#top"] {
            assert_eq!(links_to(url).to_canonical_form(), ">http://a.test/");
        }
        assert_eq!(links_to("no url").links_to(), Some("nourl"));
        assert!(links_to(" ").is_empty() && !links_to("x").is_empty());
    }

    #[test]
    fn canonical_form_contains_the_url_of_a_similar_document() {
        let like = |url| EngineQuery::new(&["da"], &[]).with_like_url(url);
        assert_eq!(
            like(Some("http://a.test/")).to_canonical_form(),
            "+da\n~http://a.test/"
        );
        assert_eq!(like(Some(" ")), like(None));
        assert!(EngineQuery::default().with_like_url(None).is_empty());
        assert!(
            !EngineQuery::default()
                .with_like_url(Some("http://a.test/"))
                .is_empty()
        );
    }
}
