//! Mojeek: an own index of the web, which counts exactly.
//!
//! `GET {base}/search?fmt=json&q=…&qm=…&s=1&t=10&api_key=…` answers `response.results` of `url`,
//! `title`, `desc`, and in `response.head` the number of results and, for each word, of the
//! documents that hold it. Excluded words go into `qm`, excluded phrases into `q`. A failure is
//! told in `response.status` of an answer of status 200.
//!
//! Source: mojeek.com, Search API, request parameters and JSON response format.

use super::address::{Base, Parameters};
use super::read::{Names, hits, json, number, one_line, text};
use super::status::told;
use super::write::{Quotes, line};
use super::{Adapter, Part};
use crate::{Abilities, Answer, Counts, EngineError, Key, Page, Request, SignedTerms};
use serde::Deserialize;
use serde_json::Value;

pub(super) const NAME: &str = "Mojeek";

/// What it can express.
pub(super) const ABILITIES: Abilities = Abilities {
    page_size: Some(100),
    ..Abilities::COMMON
};

/// Mojeek's API.
pub(super) struct Mojeek {
    pub base: Base,
    pub key: Option<Key>,
}

#[derive(Deserialize)]
struct Found {
    response: Response,
}

#[derive(Deserialize)]
struct Response {
    status: String,
    #[serde(default)]
    head: Head,
    results: Option<Vec<Value>>,
}

#[derive(Deserialize, Default)]
struct Head {
    #[serde(default)]
    results: Value,
    #[serde(default)]
    words: Vec<Value>,
}

impl Adapter for Mojeek {
    fn write(&self, terms: &SignedTerms) -> String {
        let phrases: Vec<String> = terms
            .exclude()
            .iter()
            .filter(|term| !is_word(term))
            .cloned()
            .collect();
        let terms = SignedTerms::new(terms.include(), &phrases);
        line(&terms, ("", Quotes::Needed), ("-", Quotes::Always))
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        let words: Vec<&str> = terms
            .exclude()
            .iter()
            .map(String::as_str)
            .filter(|term| is_word(term))
            .collect();
        let (query, words) = (self.write(terms), words.join(" "));
        let (start, key) = (
            part.start.saturating_add(1),
            self.key.as_ref().map(Key::reveal),
        );
        let all: Parameters = &[
            ("fmt", &"json"),
            ("q", &query),
            ("s", &start),
            ("t", &part.size),
        ];
        let mut fixed = all.to_vec();
        if !words.is_empty() {
            fixed.push(("qm", &words));
        }
        if let Some(key) = &key {
            fixed.push(("api_key", key));
        }
        Ok(self.base.get("/search", &[], &fixed))
    }

    fn read(&self, answer: &Answer, part: Part) -> Result<Page, EngineError> {
        let Found {
            response:
                Response {
                    status,
                    head,
                    results,
                },
        } = json(NAME, &answer.body)?;
        if status != "OK" {
            return Err(explain(&status, answer));
        }
        let total = number(Some(&head.results));
        let results = match results {
            Some(results) => results,
            None if total == Some(0) => Vec::new(),
            None => {
                return Err(EngineError::Down(format!(
                    "{NAME}'s answer has no `results`"
                )));
            }
        };
        let hits = hits(
            NAME,
            &results,
            Names {
                url: "url",
                title: "title",
                snippet: "desc",
            },
        )?;
        let more = !hits.is_empty() && total.is_none_or(|total| part.is_before(total));
        let df = head
            .words
            .iter()
            .filter_map(|word| Some((text(word, "full")?, number(word.get("hits"))?)))
            .collect();
        Ok(Page {
            hits,
            more,
            counts: Counts { total, df },
        })
    }
}

fn is_word(term: &str) -> bool {
    term.chars().all(char::is_alphanumeric)
}

/// What a status other than "OK" means. A day's limit is not waited for.
fn explain(status: &str, answer: &Answer) -> EngineError {
    let message = format!("{NAME} answers {}", one_line(status));
    let status = status.to_lowercase();
    told(
        message,
        status.contains("too many") || status.contains("rate limit"),
        answer,
    )
}

#[cfg(test)]
mod tests {
    use crate::remote::testing::{answered, sent, shown, terms};
    use crate::{EngineError, Page};

    #[test]
    fn excluded_words_have_a_parameter_of_their_own() {
        assert_eq!(
            sent(
                "mojeek",
                "https://api.test/",
                &terms(&["lep dan", "je"], &["the", "of", "in the"]),
                2
            ),
            "https://api.test/search?fmt=json&q=je+%22lep+dan%22+-%22in+the%22&s=11&t=10&qm=of+the&api_key=secret"
        );
        assert!(!sent("mojeek", "https://api.test/", &terms(&["je"], &[]), 1).contains("qm="));
    }

    #[test]
    fn reads_results_and_counts_field_by_field() {
        let body = r#"{"response":{"status":"OK","head":{"query":"dan","nword":1,"words":[{"full":"dan","stem":"dan",
            "plus":1,"hits":112207}],"timer":0.61,"start":1,"return":1,"exact":true,"results":112094},"results":[
            {"url":"https://a.test/","title":"A","desc":"about a","size":"1kb","date":"1.1.2026"}]}}"#;
        let page = answered("mojeek", 200, body).unwrap();
        assert_eq!(
            shown(&page),
            (vec!["https://a.test/ | A | about a".into()], true)
        );
        assert_eq!(
            (page.counts.total, page.counts.df.get("dan")),
            (Some(112_094), Some(&112_207))
        );
        let none = r#"{"response":{"status":"OK","head":{"results":0}}}"#;
        assert_eq!(
            answered("mojeek", 200, none).map(|page| Page {
                counts: Default::default(),
                ..page
            }),
            Ok(Page::default())
        );
    }

    #[test]
    fn a_failure_stands_in_the_status() {
        let ask = |status: &str| {
            answered(
                "mojeek",
                200,
                &format!(r#"{{"response":{{"status":"{status}"}}}}"#),
            )
            .unwrap_err()
        };
        assert_eq!(
            ask("ERROR: Daily Limit Reached"),
            EngineError::Refused("Mojeek answers ERROR: Daily Limit Reached".into())
        );
        assert!(matches!(
            ask("ERROR: Too many requests"),
            EngineError::Throttled { .. }
        ));
        assert!(matches!(ask("OK"), EngineError::Down(_)));
        assert_eq!(
            ask("ERROR: no such key secret").to_string(),
            "Mojeek answers ERROR: no such key ***"
        );
    }
}
