//! Test of what an exclusion term means to an engine: a query `a`, then the query `a -b`.
//!
//! An engine may document exclusion and ignore it nevertheless, as some engines behind a metasearch
//! engine do, or take the term for a required one, as a wiki without CirrusSearch does. The test
//! sends the query `a`, chooses a word `b` that occurs in the snippets or stored documents of at
//! most half of its hits, and sends the query `a -b`. If any hit still contains `b`, or the hits
//! are the same as before, exclusion does not work; the query `a b` shows whether `b` is required.
//! It also takes the place of texts that hits do not show: its hits contain `b`.

use crate::snippet::contains_term;
use crate::{Engine, EngineError, EngineHit, EngineQuery, EngineResult, ExclusionSupport};
use forage_text::terms;
use std::collections::{BTreeMap, BTreeSet};

/// A word that has hits in most languages. Set by judgement, not measured.
pub const COMMON_WORD: &str = "internet";

/// Number of hits requested per query: the first page of most engines. Set by judgement, not
/// measured.
const PAGE_SIZE: u32 = 10;

/// Number of characters below which a word may be a stop word of the engine, as *in* and *so* of
/// PostgreSQL, or too short for its index. Set by judgement, not measured.
const SHORT_WORD: usize = 4;

/// What an exclusion term means to an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExclusionVerdict {
    /// Hits do not contain it.
    Works,
    /// Hits may contain it.
    Ignores,
    /// Hits must contain it.
    Requires,
    /// The query is refused.
    Error,
}

impl ExclusionVerdict {
    /// Returns the verdict as users see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Ignores => "fails: ignores",
            Self::Requires => "fails: requires",
            Self::Error => "fails: error",
        }
    }
}

/// Result of the exclusion test: the meaning of an exclusion term, `None` if the hits do not allow
/// a conclusion, and the observation on which it is based, for users.
pub type CanaryResult = (Option<ExclusionVerdict>, String);

/// Tests what an exclusion term means to an engine. Sends the query `word`, and sends the query
/// again with the exclusion term `excluded`. If `excluded` is `None`, chooses a word that occurs in
/// some of the hits, or takes `fallback` if there is none. Calls `pause` before each query.
///
/// # Errors
/// Fails if the engine does not answer, or `pause` fails.
pub fn test_exclusion(
    engine: &mut dyn Engine,
    word: &str,
    (excluded, fallback): (Option<&str>, Option<&str>),
    mut pause: impl FnMut() -> EngineResult<()>,
) -> EngineResult<CanaryResult> {
    let declared = engine.capabilities().exclusion;
    let mut ask = |engine: &mut dyn Engine, include: &[&str], exclude: &[&str]| {
        pause()?;
        request_hits(engine, &EngineQuery::new(include, exclude))
    };
    // Whether it answers is tested all the same.
    let before = ask(engine, &[word], &[])?;
    if declared == ExclusionSupport::Unsupported {
        let observation = "the engine does not support exclusion".into();
        return Ok((Some(ExclusionVerdict::Ignores), observation));
    }
    // A run believes an engine whose answer says that it honours them.
    if fallback.is_some() && engine.capabilities().exclusion < declared {
        let observation = "the engine says that it supports exclusion".into();
        return Ok((Some(ExclusionVerdict::Works), observation));
    }
    let count = before.texts.len();
    let excluded = excluded.map(Into::into);
    let excluded = excluded.or_else(|| choose_excluded_word(&before, word));
    let Some(excluded) = excluded.or(fallback.map(Into::into)) else {
        let cause = format!("no word is in some but not all of the {count} hits for `{word}`");
        return Ok((None, cause + "; name two words"));
    };
    let query = format!("`{word} -{excluded}`");
    let after = match ask(engine, &[word], &[&excluded]) {
        Err(EngineError::Refused(cause)) => {
            return Ok((Some(ExclusionVerdict::Error), format!("{query}: {cause}")));
        }
        answer => answer?,
    };
    let verdict = judge_hits(&before, &after, &excluded, || {
        ask(engine, &[word, &excluded], &[])
    })?;
    let [shown, shown_after] = [&before, &after].map(|hits| hits.urls_with(&excluded).len());
    let mut observation = format!(
        "{shown} of {count} hits for `{word}` contain `{excluded}`; {shown_after} of {} for {query}",
        after.texts.len()
    );
    if verdict.is_none() {
        observation += "; name another word";
    }
    Ok((verdict, observation))
}

/// Returns the meaning of an exclusion term from the hits without it (`before`) and with it
/// (`after`). If what they show does not tell it, requests those that have both words.
fn judge_hits(
    before: &Hits,
    after: &Hits,
    excluded: &str,
    request_both: impl FnOnce() -> EngineResult<Hits>,
) -> EngineResult<Option<ExclusionVerdict>> {
    let with = before.urls_with(excluded);
    let is_violated = !after.urls_with(excluded).is_empty() || !after.urls().is_disjoint(&with);
    if after.texts.is_empty() {
        return Ok(None);
    }
    if !is_violated && !with.is_empty() {
        return Ok(Some(ExclusionVerdict::Works));
    }
    let both = request_both()?;
    let (before_urls, after_urls, both_urls) = (before.urls(), after.urls(), both.urls());
    // Otherwise the engine does not look for the second word.
    let has_fewer = both.total.is_some() && both.total < before.total;
    let is_narrower = !both_urls.is_empty() && (both_urls != before_urls || has_fewer);
    // Where all first pages are the same, the totals tell.
    let is_same =
        both_urls == after_urls && (after_urls != before_urls || after.total == both.total);
    Ok(if is_narrower && is_same {
        Some(ExclusionVerdict::Requires)
    } else if is_violated || is_narrower && !after_urls.is_disjoint(&both_urls) {
        Some(ExclusionVerdict::Ignores)
    } else if is_narrower && !before_urls.is_disjoint(&both_urls) {
        Some(ExclusionVerdict::Works)
    } else {
        match before.total.zip(after.total).filter(|_| is_narrower) {
            Some((total, rest)) if rest < total => Some(ExclusionVerdict::Works),
            Some((total, rest)) if rest == total => Some(ExclusionVerdict::Ignores),
            _ => None,
        }
    })
}

/// The first hits for a query.
struct Hits {
    /// Title, and the snippet and stored document, of each hit, by URL.
    texts: BTreeMap<String, [String; 2]>,
    /// Number of matching documents that the engine reports.
    total: Option<u64>,
}

impl Hits {
    fn urls(&self) -> BTreeSet<&str> {
        self.texts.keys().map(String::as_str).collect()
    }

    /// Returns the URLs of the hits that show a term.
    fn urls_with(&self, term: &str) -> BTreeSet<&str> {
        let shows_term = |parts: &[String; 2]| parts.iter().any(|text| contains_term(text, term));
        let shown = self.texts.iter().filter(|(_, parts)| shows_term(parts));
        shown.map(|(url, _)| url.as_str()).collect()
    }
}

fn request_hits(engine: &mut dyn Engine, query: &EngineQuery) -> EngineResult<Hits> {
    let page = engine.request_page(query, 1, PAGE_SIZE)?;
    let to_texts = |hit: EngineHit| -> EngineResult<(String, [String; 2])> {
        let document = engine.document(&hit.url)?.map(|document| document.text);
        let text = [hit.snippet, document].into_iter().flatten();
        let text = text.collect::<Vec<_>>().join("\n");
        Ok((hit.url, [hit.title.unwrap_or_default(), text]))
    };
    Ok(Hits {
        texts: page
            .hits
            .into_iter()
            .map(to_texts)
            .collect::<EngineResult<_>>()?,
        total: page.counts.total,
    })
}

/// Returns the word with the highest document frequency among those that occur in at most half of
/// the texts; a short word only if there is no other. Ties are broken by code point. Titles do not
/// count: engines search them by other rules.
fn choose_excluded_word(hits: &Hits, query_word: &str) -> Option<String> {
    let mut df: BTreeMap<String, usize> = BTreeMap::new();
    for [_, text] in hits.texts.values() {
        for word in terms(text).iter().collect::<BTreeSet<_>>() {
            *df.entry(word.into()).or_default() += 1;
        }
    }
    let query_word = query_word.to_lowercase();
    let max_df = hits.texts.len() / 2;
    df.into_iter()
        .filter(|(word, df)| *word != query_word && *df <= max_df)
        .min_by_key(|(word, df)| (word.chars().count() < SHORT_WORD, std::cmp::Reverse(*df)))
        .map(|(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::{ExclusionVerdict, test_exclusion};
    use crate::{
        Engine, EngineCapabilities, EngineCounts, EngineError, EngineHit, EngineQuery,
        EngineResult, ExclusionSupport, HitPage,
    };

    /// Returns `true` if a text is a hit for a query.
    type HitPredicate = fn(&EngineQuery, &str) -> bool;

    /// An engine with four documents.
    struct FakeEngine {
        is_hit: HitPredicate,
        exclusion: ExclusionSupport,
    }

    impl Engine for FakeEngine {
        fn capabilities(&self) -> EngineCapabilities {
            EngineCapabilities {
                exclusion: self.exclusion,
                ..EngineCapabilities::COMMON
            }
        }

        fn request_page(&mut self, query: &EngineQuery, _: u32, _: u32) -> EngineResult<HitPage> {
            let snippets = ["a beta gamma", "a beta", "a delta", "a"];
            let hits = snippets
                .iter()
                .enumerate()
                .filter(|(_, text)| (self.is_hit)(query, text))
                .map(|(index, text)| EngineHit {
                    url: format!("http://{index}.test/"),
                    snippet: Some((*text).into()),
                    ..EngineHit::default()
                });
            Ok(HitPage {
                hits: hits.collect(),
                has_more: false,
                ..HitPage::default()
            })
        }
    }

    fn honours_exclusion(query: &EngineQuery, text: &str) -> bool {
        !query
            .exclude()
            .iter()
            .any(|term| text.contains(term.as_str()))
    }

    fn check(
        is_hit: HitPredicate,
        excluded: Option<&str>,
        verdict: Option<ExclusionVerdict>,
        observation: &str,
    ) {
        let mut engine = FakeEngine {
            is_hit,
            exclusion: ExclusionSupport::Unreliable,
        };
        let result = test_exclusion(&mut engine, "a", (excluded, None), || Ok(())).unwrap();
        assert_eq!((result.0, result.1.as_str()), (verdict, observation));
    }

    #[test]
    fn distinguishes_engines_that_exclude_from_those_that_do_not() {
        check(
            honours_exclusion,
            None,
            Some(ExclusionVerdict::Works),
            "2 of 4 hits for `a` contain `beta`; 0 of 2 for `a -beta`",
        );
        check(
            |_, _| true,
            None,
            Some(ExclusionVerdict::Ignores),
            "2 of 4 hits for `a` contain `beta`; 2 of 4 for `a -beta`",
        );
        check(
            |query, text| query.exclude().is_empty() || text.contains("gamma"),
            Some("beta"),
            Some(ExclusionVerdict::Ignores),
            "2 of 4 hits for `a` contain `beta`; 1 of 1 for `a -beta`",
        );
    }

    #[test]
    fn draws_no_conclusion_from_unsuitable_hits() {
        check(
            honours_exclusion,
            Some("other"),
            None,
            "0 of 4 hits for `a` contain `other`; 0 of 4 for `a -other`; name another word",
        );
        check(
            |query, _| query.exclude().is_empty(),
            Some("beta"),
            None,
            "2 of 4 hits for `a` contain `beta`; 0 of 0 for `a -beta`; name another word",
        );
        check(
            |_, _| false,
            None,
            None,
            "no word is in some but not all of the 0 hits for `a`; name two words",
        );
    }

    #[test]
    fn an_engine_without_exclusion_fails_without_a_call() {
        let mut engine = FakeEngine {
            is_hit: honours_exclusion,
            exclusion: ExclusionSupport::Unsupported,
        };
        let result = test_exclusion(&mut engine, "a", (None, None), || Ok(())).unwrap();
        assert_eq!(
            (result.0, result.1.as_str()),
            (
                Some(ExclusionVerdict::Ignores),
                "the engine does not support exclusion"
            )
        );
    }

    /// A document: the words of its text, and those that its snippet shows.
    type Document = (&'static str, &'static str);

    /// An engine that takes an exclusion term as `verdict` says, and matches words.
    struct WordEngine {
        verdict: ExclusionVerdict,
        documents: &'static [Document],
    }

    impl Engine for WordEngine {
        fn capabilities(&self) -> EngineCapabilities {
            EngineCapabilities::COMMON
        }

        fn request_page(&mut self, query: &EngineQuery, _: u32, _: u32) -> EngineResult<HitPage> {
            let excluded = query.exclude().first();
            if self.verdict == ExclusionVerdict::Error && excluded.is_some() {
                return Err(EngineError::Refused("srsearch-error".into()));
            }
            let is_hit = |text: &str| {
                let has = |term: &String| text.split(' ').any(|word| word == term);
                query.include().iter().all(has)
                    && excluded.is_none_or(|term| match self.verdict {
                        ExclusionVerdict::Works => !has(term),
                        ExclusionVerdict::Requires => has(term),
                        _ => true,
                    })
            };
            let hits = (0..)
                .zip(self.documents)
                .filter(|(_, (text, _))| is_hit(text));
            let hits = hits.map(|(n, (_, snippet)): (i32, _)| EngineHit {
                url: format!("http://{n}.test/"),
                snippet: Some((*snippet).into()),
                ..EngineHit::default()
            });
            Ok(HitPage {
                hits: hits.collect(),
                ..HitPage::default()
            })
        }
    }

    /// MediaWiki 1.39.17 on MariaDB and SQLite drops the minus, so that the word is required, and
    /// shows no text where words begin or end with letters that are not ASCII.
    #[test]
    fn a_required_term_is_told_from_an_ignored_one_also_without_snippets() {
        use ExclusionVerdict::{Error, Ignores, Requires, Works};
        let shown: &[Document] = &[("a beta x", "a beta"), ("a beta", "a beta"), ("a c", "a c")];
        let hidden: &[Document] = &[("a beta x", ""), ("a beta", ""), ("a c", "")];
        for documents in [shown, hidden, &shown[1..], &hidden[1..]] {
            for verdict in [Works, Ignores, Requires, Error] {
                let mut engine = WordEngine { verdict, documents };
                let result =
                    test_exclusion(&mut engine, "a", (Some("beta"), None), || Ok(())).unwrap();
                assert_eq!(result.0, Some(verdict), "{}", result.1);
            }
        }
    }

    /// An engine whose first page is the same for all queries, with these totals for the word, with
    /// the exclusion, and for both words.
    struct TotalsEngine([u64; 3]);

    impl Engine for TotalsEngine {
        fn capabilities(&self) -> EngineCapabilities {
            EngineCapabilities::COMMON
        }

        fn request_page(&mut self, query: &EngineQuery, _: u32, _: u32) -> EngineResult<HitPage> {
            let form = match (query.include().len(), query.exclude().len()) {
                (1, 0) => 0,
                (1, _) => 1,
                _ => 2,
            };
            let hit = |n: u32| EngineHit {
                url: format!("http://{n}.test/"),
                snippet: Some("a beta".into()),
                ..EngineHit::default()
            };
            Ok(HitPage {
                hits: (0..10).map(hit).collect(),
                counts: EngineCounts::from_total(Some(self.0[form])),
                ..HitPage::default()
            })
        }
    }

    #[test]
    fn where_first_pages_are_the_same_the_totals_tell_required_from_ignored() {
        for (totals, expected) in [
            ([90, 90, 60], ExclusionVerdict::Ignores),
            ([90, 60, 60], ExclusionVerdict::Requires),
            // The engine does not look for the second word.
            ([90, 90, 90], ExclusionVerdict::Ignores),
        ] {
            let words = ("a", (Some("beta"), None));
            let mut engine = TotalsEngine(totals);
            let result = test_exclusion(&mut engine, words.0, words.1, || Ok(())).unwrap();
            assert_eq!(result.0, Some(expected), "{totals:?}");
        }
    }
}
