//! Test of whether an engine honours exclusion terms: a query `a`, then the query `a -b`.
//!
//! An engine may document exclusion and ignore it nevertheless, as some engines behind a metasearch
//! engine do. The test sends the query `a`, chooses a word `b` that occurs in the titles, snippets
//! or stored documents of at most half of its hits, and sends the query `a -b`. If any hit still
//! contains `b`, or the hits are the same as before, exclusion is unreliable.

use crate::snippet::contains_term;
use crate::{Engine, EngineHit, EngineQuery, EngineResult, ExclusionSupport};
use forage_text::terms;
use std::collections::{BTreeMap, BTreeSet};

/// A word that has hits in most languages. Set by judgement, not measured.
pub const COMMON_WORD: &str = "internet";

/// Number of hits requested per query: the first page of most engines. Set by judgement, not
/// measured.
const PAGE_SIZE: u32 = 10;

/// Result of the exclusion test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanaryResult {
    /// True if exclusion works; `None` if the hits do not allow a conclusion.
    pub excludes: Option<bool>,
    /// Observation on which the result is based, for users.
    pub observation: String,
}

impl CanaryResult {
    fn new(excludes: Option<bool>, observation: impl Into<String>) -> Self {
        CanaryResult {
            excludes,
            observation: observation.into(),
        }
    }
}

/// Tests whether an engine honours exclusion terms. Sends the query `word`, calls `pause`, and
/// sends the query again with the exclusion term `excluded`. If `excluded` is `None`, chooses a
/// word that occurs in some of the hits.
///
/// # Errors
/// Fails if the engine does not answer.
pub fn test_exclusion(
    engine: &mut dyn Engine,
    word: &str,
    excluded: Option<&str>,
    pause: impl FnOnce(),
) -> EngineResult<CanaryResult> {
    if engine.capabilities().exclusion == ExclusionSupport::Unsupported {
        // Whether it answers is tested all the same.
        retrieve_texts(engine, word, None)?;
        return Ok(CanaryResult::new(
            Some(false),
            "the engine does not support exclusion",
        ));
    }
    let before = retrieve_texts(engine, word, None)?;
    let Some(excluded) = excluded
        .map(Into::into)
        .or_else(|| choose_excluded_word(&before, word))
    else {
        let observation = format!(
            "no word is in some but not all of the {} hits for `{word}`; name two words",
            before.len()
        );
        return Ok(CanaryResult::new(None, observation));
    };
    if count_containing(&before, &excluded) == 0 {
        return Ok(CanaryResult::new(
            None,
            format!("no hit for `{word}` contains `{excluded}`; name another word"),
        ));
    }
    pause();
    let after = retrieve_texts(engine, word, Some(&excluded))?;
    Ok(compare_hits(word, &excluded, &before, &after))
}

/// Text of each hit, by URL.
type TextByUrl = BTreeMap<String, String>;

/// Compares the hits without and with the exclusion term.
fn compare_hits(word: &str, excluded: &str, before: &TextByUrl, after: &TextByUrl) -> CanaryResult {
    let containing_before = count_containing(before, excluded);
    let containing_after = count_containing(after, excluded);
    let observation = format!(
        "{containing_before} of {} hits for `{word}` contain `{excluded}`",
        before.len()
    );
    if after.is_empty() {
        return CanaryResult::new(
            None,
            format!("{observation}; no hits for `{word} -{excluded}`; name another word"),
        );
    }
    if containing_after == 0 && before.keys().eq(after.keys()) {
        return CanaryResult::new(
            Some(false),
            format!("{observation}; the same hits for `{word} -{excluded}`"),
        );
    }
    CanaryResult::new(
        Some(containing_after == 0),
        format!(
            "{observation}; {containing_after} of {} for `{word} -{excluded}`",
            after.len()
        ),
    )
}

fn count_containing(texts: &TextByUrl, term: &str) -> usize {
    texts
        .values()
        .filter(|text| contains_term(text, term))
        .count()
}

/// Returns the text of each hit for `word` without `excluded`: title, snippet, and the document if
/// the engine stores it.
fn retrieve_texts(
    engine: &mut dyn Engine,
    word: &str,
    excluded: Option<&str>,
) -> EngineResult<TextByUrl> {
    let query = EngineQuery::new(&[word], excluded.as_slice());
    let hits = engine.request_page(&query, 1, PAGE_SIZE)?.hits;
    let text_by_url = |hit: EngineHit| -> EngineResult<(String, String)> {
        let document = engine.document(&hit.url)?.map(|document| document.text);
        let parts = [hit.title, hit.snippet, document]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>();
        Ok((hit.url, parts.join("\n")))
    };
    hits.into_iter().map(text_by_url).collect()
}

/// Returns the word with the highest document frequency among those that occur in at most half of
/// the texts. Ties are broken by code point.
fn choose_excluded_word(texts: &TextByUrl, query_word: &str) -> Option<String> {
    let mut df: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts.values() {
        for word in terms(text).iter().collect::<BTreeSet<_>>() {
            *df.entry(word.into()).or_default() += 1;
        }
    }
    let query_word = query_word.to_lowercase();
    let max_df = texts.len() / 2;
    df.into_iter()
        .filter(|(word, df)| *word != query_word && *df <= max_df)
        .min_by_key(|(_, df)| std::cmp::Reverse(*df))
        .map(|(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::test_exclusion;
    use crate::{
        Engine, EngineCapabilities, EngineHit, EngineQuery, EngineResult, ExclusionSupport, HitPage,
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
        excludes: Option<bool>,
        observation: &str,
    ) {
        let mut engine = FakeEngine {
            is_hit,
            exclusion: ExclusionSupport::Unreliable,
        };
        let result = test_exclusion(&mut engine, "a", excluded, || {}).unwrap();
        assert_eq!(
            (result.excludes, result.observation.as_str()),
            (excludes, observation)
        );
    }

    #[test]
    fn distinguishes_engines_that_exclude_from_those_that_do_not() {
        check(
            honours_exclusion,
            None,
            Some(true),
            "2 of 4 hits for `a` contain `beta`; 0 of 2 for `a -beta`",
        );
        check(
            |_, _| true,
            None,
            Some(false),
            "2 of 4 hits for `a` contain `beta`; 2 of 4 for `a -beta`",
        );
        check(
            |query, text| query.exclude().is_empty() || text.contains("gamma"),
            Some("beta"),
            Some(false),
            "2 of 4 hits for `a` contain `beta`; 1 of 1 for `a -beta`",
        );
    }

    #[test]
    fn draws_no_conclusion_from_unsuitable_hits() {
        check(
            honours_exclusion,
            Some("other"),
            None,
            "no hit for `a` contains `other`; name another word",
        );
        check(
            |query, _| query.exclude().is_empty(),
            Some("beta"),
            None,
            "2 of 4 hits for `a` contain `beta`; no hits for `a -beta`; name another word",
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
        let result = test_exclusion(&mut engine, "a", None, || {}).unwrap();
        assert_eq!(
            (result.excludes, result.observation.as_str()),
            (Some(false), "the engine does not support exclusion")
        );
    }
}
