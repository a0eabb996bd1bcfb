//! Whether an engine honours exclusion: a query `a`, and then `a -b`.
//!
//! Engines say that they exclude, and some that stand behind a metasearch engine don't. So one is
//! asked for `a`, a word `b` is taken that some of its hits show in title or snippet and others
//! don't, and then it is asked for `a -b`. If hits still show `b`, or nothing has changed,
//! exclusion can't be relied on.

use crate::snippet::holds;
use crate::{Engine, EngineError, Exclusion, PageHit, SignedTerms};
use forage_text::terms;
use std::collections::{BTreeMap, BTreeSet};

/// Hits that are asked for.
const SIZE: u32 = 10;

/// What came of the two queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    /// Whether exclusion works; none where that can't be told.
    pub verdict: Option<bool>,
    /// What it rests on, for a person.
    pub why: String,
}

impl Canary {
    fn new(verdict: Option<bool>, why: impl Into<String>) -> Self {
        Canary {
            verdict,
            why: why.into(),
        }
    }
}

/// Asks an engine for `word`, and after a `pause` for it without `excluded`, or without a word that
/// its hits have shown.
///
/// # Errors
/// When the engine doesn't answer.
pub fn ask(
    engine: &mut dyn Engine,
    word: &str,
    excluded: Option<&str>,
    pause: impl FnOnce(),
) -> Result<Canary, EngineError> {
    if engine.abilities().exclusion == Exclusion::Absent {
        return Ok(Canary::new(
            Some(false),
            "the engine can't be asked to exclude",
        ));
    }
    let before = shown(engine, word, None)?;
    let Some(excluded) = excluded.map(Into::into).or_else(|| telling(&before, word)) else {
        let why = format!(
            "`{word}` has {} hits, and no word that some show and others don't; name two words",
            before.len()
        );
        return Ok(Canary::new(None, why));
    };
    let holding = before
        .values()
        .filter(|text| holds(text, &excluded))
        .count();
    if holding == 0 {
        return Ok(Canary::new(
            None,
            format!("no hit of `{word}` shows `{excluded}`; name another word"),
        ));
    }
    pause();
    let after = shown(engine, word, Some(&excluded))?;
    Ok(judge(word, &excluded, (&before, holding), &after))
}

/// What each hit shows, by its address.
type Shown = BTreeMap<String, String>;

fn judge(word: &str, excluded: &str, (before, holding): (&Shown, usize), after: &Shown) -> Canary {
    let leaks = after.values().filter(|text| holds(text, excluded)).count();
    let what = format!(
        "{holding} of {} hits of `{word}` show `{excluded}`",
        before.len()
    );
    let addresses = |shown: &Shown| shown.keys().cloned().collect::<BTreeSet<_>>();
    if leaks > 0 {
        Canary::new(
            Some(false),
            format!(
                "{what}, and {leaks} of {} of `{word} -{excluded}`",
                after.len()
            ),
        )
    } else if after.is_empty() {
        Canary::new(
            None,
            format!("{what}, and `{word} -{excluded}` has no hits; name another word"),
        )
    } else if addresses(before) == addresses(after) {
        Canary::new(
            Some(false),
            format!("{what}, and `{word} -{excluded}` has the same hits"),
        )
    } else {
        Canary::new(
            Some(true),
            format!(
                "{what}, and none of {} of `{word} -{excluded}`",
                after.len()
            ),
        )
    }
}

/// The hits of `word` without `excluded`: what they show, or the documents themselves where the
/// engine has them.
fn shown(
    engine: &mut dyn Engine,
    word: &str,
    excluded: Option<&str>,
) -> Result<Shown, EngineError> {
    let query = SignedTerms::new(&[word], excluded.as_slice());
    let hits = engine.page(&query, 1, SIZE)?.hits;
    let text = |hit: PageHit| -> Result<(String, String), EngineError> {
        let document = engine.document(&hit.url)?.map(|document| document.text);
        let parts = [hit.title, hit.snippet, document]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>();
        Ok((hit.url, parts.join("\n")))
    };
    hits.into_iter().map(text).collect()
}

/// The word that most hits show, so long as half of them or fewer do; the first of several.
fn telling(shown: &Shown, word: &str) -> Option<String> {
    let mut hits_by_word: BTreeMap<String, usize> = BTreeMap::new();
    for text in shown.values() {
        for word in terms(text).iter().collect::<BTreeSet<_>>() {
            *hits_by_word.entry(word.into()).or_default() += 1;
        }
    }
    let word = word.to_lowercase();
    let most = shown.len() / 2;
    let candidates = hits_by_word
        .into_iter()
        .filter(|(other, hits)| *other != word && *hits <= most);
    candidates
        .min_by_key(|(_, hits)| std::cmp::Reverse(*hits))
        .map(|(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::ask;
    use crate::{Abilities, Counts, Engine, EngineError, Exclusion, Page, PageHit, SignedTerms};

    /// An engine of four pages that excludes, or does something else.
    struct Fake(fn(&SignedTerms, &str) -> bool, Exclusion);

    impl Engine for Fake {
        fn abilities(&self) -> Abilities {
            Abilities {
                exclusion: self.1,
                ..Abilities::COMMON
            }
        }

        fn page(&mut self, terms: &SignedTerms, _: u32, _: u32) -> Result<Page, EngineError> {
            let snippets = ["a beta gamma", "a beta", "a delta", "a"];
            let hits = snippets
                .iter()
                .enumerate()
                .filter(|(_, text)| (self.0)(terms, text))
                .map(|(at, text)| PageHit {
                    url: format!("http://{at}.test/"),
                    title: None,
                    snippet: Some((*text).into()),
                });
            Ok(Page {
                hits: hits.collect(),
                more: false,
                counts: Counts::default(),
            })
        }
    }

    fn excludes(terms: &SignedTerms, text: &str) -> bool {
        !terms
            .exclude()
            .iter()
            .any(|term| text.contains(term.as_str()))
    }

    fn check(
        engine: fn(&SignedTerms, &str) -> bool,
        excluded: Option<&str>,
        verdict: Option<bool>,
        why: &str,
    ) {
        let canary = ask(&mut Fake(engine, Exclusion::Unsure), "a", excluded, || {}).unwrap();
        assert_eq!((canary.verdict, canary.why.as_str()), (verdict, why));
    }

    #[test]
    fn an_engine_that_excludes_is_told_from_one_that_does_not() {
        check(
            excludes,
            None,
            Some(true),
            "2 of 4 hits of `a` show `beta`, and none of 2 of `a -beta`",
        );
        check(
            |_, _| true,
            None,
            Some(false),
            "2 of 4 hits of `a` show `beta`, and 2 of 4 of `a -beta`",
        );
        check(
            |terms, text| terms.exclude().is_empty() || text.contains("gamma"),
            Some("beta"),
            Some(false),
            "2 of 4 hits of `a` show `beta`, and 1 of 1 of `a -beta`",
        );
    }

    #[test]
    fn what_cannot_be_told_is_said() {
        check(
            excludes,
            Some("other"),
            None,
            "no hit of `a` shows `other`; name another word",
        );
        check(
            |terms, _| terms.exclude().is_empty(),
            Some("beta"),
            None,
            "2 of 4 hits of `a` show `beta`, and `a -beta` has no hits; name another word",
        );
        let none = "`a` has 0 hits, and no word that some show and others don't; name two words";
        check(|_, _| false, None, None, none);
    }

    #[test]
    fn an_engine_that_cannot_be_asked_to_exclude_fails_without_a_call() {
        let canary = ask(&mut Fake(excludes, Exclusion::Absent), "a", None, || {}).unwrap();
        assert_eq!(
            (canary.verdict, canary.why.as_str()),
            (Some(false), "the engine can't be asked to exclude")
        );
    }
}
