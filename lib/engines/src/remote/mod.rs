//! Engines on the web: what is theirs is an [`Adapter`], what they share is written once, here.
//!
//! An adapter says what its engine can express, how a query is written and how an answer is read; a
//! module each, a line each in [`registry`]. [`Remote`] makes an [`Engine`] of it: it shortens what
//! is too long, keeps within the engine's depth, tells failures by their status, and takes the key
//! out of every word that comes back.
//!
//! An answer counts as "no hits" only when it says so in the form that the engine documents: what
//! can't be read is an engine that is down.

pub(crate) mod address;
mod brave;
mod description;
mod fields;
mod gdelt;
mod marginalia;
mod mediawiki;
mod mojeek;
mod opensearch;
mod quickwit;
mod read;
pub(crate) mod registry;
mod searxng;
mod solr;
mod status;
#[cfg(test)]
mod testing;
mod write;
mod yacy;

use crate::{Abilities, Answer, Engine, EngineError, Http, Key, Page, Request, SignedTerms};
use registry::Online;

/// Characters of what is said of a failure that are passed on.
const BRIEF: usize = 400;

/// What is particular to one engine on the web.
pub(crate) trait Adapter {
    /// The query in the engine's words, as far as its length counts.
    fn write(&self, terms: &SignedTerms) -> String;

    /// What asks for a part of the query's hits.
    ///
    /// # Errors
    /// When the engine can't be asked this.
    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError>;

    /// The hits of an answer with a status of success.
    ///
    /// # Errors
    /// When it is no answer as the engine documents it, or one that says why there is none.
    fn read(&self, answer: &Answer, part: Part) -> Result<Page, EngineError>;

    /// What is missing in an answer that was read.
    fn caveat(&self, _answer: &Answer) -> Option<String> {
        None
    }

    /// What an answer without success means, where that is not what its status says.
    fn failure(&self, _answer: &Answer) -> Option<EngineError> {
        None
    }

    /// Finds out what must be known before the first call.
    ///
    /// # Errors
    /// When that can't be found out.
    fn prepare(&mut self, _http: &mut Http) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Which hits of a query are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The page, from 1.
    pub number: u32,
    /// How many hits.
    pub size: u32,
    /// How many come before them.
    pub start: u32,
}

impl Part {
    /// Page `number` of `size` hits, no larger than the engine's pages and no deeper than it goes.
    fn within(abilities: &Abilities, number: u32, size: u32) -> Part {
        let number = number.max(1);
        let size = size.min(abilities.page_size.unwrap_or(size)).max(1);
        let start = (number - 1).saturating_mul(size);
        let left = abilities
            .deepest
            .map_or(size, |deepest| deepest.saturating_sub(start));
        Part {
            number,
            size: size.min(left.max(1)),
            start,
        }
    }

    /// Whether there are hits behind these by the engine's own count.
    fn is_before(&self, total: u64) -> bool {
        u64::from(self.start) + u64::from(self.size) < total
    }
}

/// An engine on the web.
pub(crate) struct Remote {
    adapter: Box<dyn Adapter>,
    online: &'static Online,
    /// Nothing that comes back will hold it.
    key: Option<Key>,
    http: Http,
    caveat: Option<String>,
}

impl Remote {
    fn ask(&mut self, terms: &SignedTerms, part: Part) -> Result<Page, EngineError> {
        self.adapter.prepare(&mut self.http)?;
        let Online {
            name,
            key,
            abilities,
            ..
        } = self.online;
        let terms = write::fit(terms, &abilities.longest, name, |terms| {
            self.adapter.write(terms)
        })?;
        let request = self.adapter.request(&terms, part)?;
        let answer = (self.http)(&request).map_err(EngineError::Down)?;
        match status::failure(name, *key, &answer) {
            Some(failure) => Err(self.adapter.failure(&answer).unwrap_or(failure)),
            None => {
                let page = self.adapter.read(&answer, part)?;
                self.caveat = self.adapter.caveat(&answer).or(self.caveat.take());
                Ok(page)
            }
        }
    }
}

impl Engine for Remote {
    fn abilities(&self) -> Abilities {
        self.online.abilities
    }

    fn page(&mut self, terms: &SignedTerms, number: u32, size: u32) -> Result<Page, EngineError> {
        let abilities = self.online.abilities;
        let part = Part::within(&abilities, number, size);
        let mut answer = self.ask(terms, part);
        if let Ok(page) = &mut answer {
            page.more &= abilities
                .deepest
                .is_none_or(|deepest| part.start.saturating_add(part.size) < deepest);
        }
        if let Some(key) = &self.key {
            answer = hide(key, answer);
        }
        answer.map_err(|failure| failure.map_message(brief))
    }

    fn caveat(&mut self) -> Option<String> {
        self.caveat.take()
    }
}

/// What is said of a failure, cut where it is long.
fn brief(message: &str) -> String {
    match message.char_indices().nth(BRIEF) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.into(),
    }
}

/// The answer without the key, should the engine have repeated it.
fn hide(key: &Key, answer: Result<Page, EngineError>) -> Result<Page, EngineError> {
    let mut page = answer.map_err(|failure| failure.map_message(|message| key.hide_in(message)))?;
    for hit in &mut page.hits {
        hit.url = key.hide_in(&hit.url);
        for text in [&mut hit.title, &mut hit.snippet].into_iter().flatten() {
            *text = key.hide_in(text);
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::testing::{answered, answered_with_key};
    use super::{Part, brief};
    use crate::Abilities;

    /// An answer with one hit, of each engine that answers in JSON.
    const ANSWERS: [(&str, &str); 10] = [
        ("searxng", r#"{"results":[{"url":"http://č.test/"}]}"#),
        (
            "mediawiki",
            r#"{"query":{"search":[{"title":"č","snippet":"<b>č</b> &amp;"}]}}"#,
        ),
        (
            "brave",
            r#"{"type":"search","web":{"results":[{"url":"http://č.test/"}]}}"#,
        ),
        (
            "mojeek",
            r#"{"response":{"status":"OK","results":[{"url":"http://č.test/"}]}}"#,
        ),
        ("marginalia", r#"{"results":[{"url":"http://č.test/"}]}"#),
        (
            "opensearch",
            r#"{"hits":{"hits":[{"_source":{"url":"http://č.test/"}}]}}"#,
        ),
        (
            "quickwit",
            r#"{"num_hits":1,"hits":[{"url":"http://č.test/"}]}"#,
        ),
        (
            "solr",
            r#"{"response":{"numFound":1,"docs":[{"url":"http://č.test/"}]}}"#,
        ),
        (
            "yacy",
            r#"{"channels":[{"items":[{"link":"http://č.test/"}]}]}"#,
        ),
        ("gdelt", r#"{"articles":[{"url":"http://č.test/"}]}"#),
    ];

    #[test]
    fn an_answer_that_breaks_off_or_is_changed_anywhere_is_never_no_hits() {
        for (kind, body) in ANSWERS {
            assert_eq!(
                answered(kind, 200, body).map(|page| page.hits.len()),
                Ok(1),
                "{kind}"
            );
            for (at, _) in body.char_indices() {
                assert!(
                    answered(kind, 200, &body[..at]).is_err(),
                    "{kind}: {}",
                    &body[..at]
                );
                for other in ["\u{0}", "[", "}", "\"", "9", "\\"] {
                    let changed = format!("{}{other}{}", &body[..at], &body[at..]);
                    let answer = answered(kind, 200, &changed);
                    // Brave leaves out `web` where there is nothing, and what is misspelt is not
                    // there.
                    let is_none = answer.is_ok_and(|page| page.hits.is_empty());
                    assert!(!is_none || kind == "brave", "{kind}: {changed}");
                }
            }
        }
    }

    #[test]
    fn what_is_said_is_cut_when_the_key_is_out_of_it() {
        let said = |before: usize| {
            answered_with_key(
                "Basic bWU6c2VzYW1l",
                &format!("{}{}", "x".repeat(before), "bWU6c2VzYW1l sesame"),
            )
        };
        for before in 300..=410 {
            let said = said(before);
            assert!(
                !["bWU", "c2Vz", "ses", "VzYW1"]
                    .iter()
                    .any(|part| said.contains(part)),
                "{said}"
            );
        }
        assert_eq!(brief(&"č".repeat(500)).chars().count(), 401);
    }

    #[test]
    fn a_part_keeps_within_the_engines_pages_and_depth() {
        let abilities = Abilities {
            page_size: Some(20),
            deepest: Some(50),
            ..Abilities::COMMON
        };
        let part = |number, size| {
            let Part { size, start, .. } = Part::within(&abilities, number, size);
            (start, size)
        };
        assert_eq!(
            [part(1, 10), part(1, 100), part(3, 20), part(9, 20)],
            [(0, 10), (0, 20), (40, 10), (160, 1)]
        );
        assert!(
            Part::within(&abilities, 2, 10).is_before(21)
                && !Part::within(&abilities, 2, 10).is_before(20)
        );
    }
}
