//! Marginalia: a small index of the web's less commercial part, which anyone can run.
//!
//! `GET {base}/search?query=…&count=20&page=1` with the header `API-Key` answers `results` of
//! `url`, `title`, `description`. The key `public` is shared by all who have no own one, and often
//! has no calls left; 503 is how the service says so. Its data is CC BY-NC-SA 4.0.
//!
//! Source: about.marginalia-search.com, API; `ApiSearchResult.java`, `ApiSearchResults.java` of
//! MarginaliaSearch.

use super::address::{Base, Parameters};
use super::read::{Names, hits, json};
use super::write::{Quotes, line};
use super::{Adapter, Part};
use crate::{Abilities, Answer, Counts, EngineError, Page, Request, SignedTerms};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

pub(super) const NAME: &str = "Marginalia";

/// The key for those who have none.
pub(super) const PUBLIC: &str = "public";

/// What it can express.
pub(super) const ABILITIES: Abilities = Abilities {
    page_size: Some(100),
    pause: Duration::from_secs(1),
    ..Abilities::COMMON
};

/// Marginalia's API.
pub(super) struct Marginalia(pub Base);

#[derive(Deserialize)]
struct Found {
    results: Vec<Value>,
}

impl Adapter for Marginalia {
    fn write(&self, terms: &SignedTerms) -> String {
        line(terms, ("", Quotes::Needed), ("-", Quotes::Needed))
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        let query = self.write(terms);
        let fixed: Parameters = &[
            ("query", &query),
            ("count", &part.size),
            ("page", &part.number),
        ];
        Ok(self.0.get("/search", &[], fixed))
    }

    fn read(&self, answer: &Answer, part: Part) -> Result<Page, EngineError> {
        let found: Found = json(NAME, &answer.body)?;
        let names = Names {
            url: "url",
            title: "title",
            snippet: "description",
        };
        let hits = hits(NAME, &found.results, names)?;
        // There is no total: a page that is not full is the last one.
        Ok(Page {
            more: found.results.len() >= part.size as usize,
            hits,
            counts: Counts::default(),
        })
    }

    fn failure(&self, answer: &Answer) -> Option<EngineError> {
        let message = format!(
            "{NAME} answers 503, no calls left for this key; an own one goes into MARGINALIA_API_KEY"
        );
        (answer.status == 503).then_some(EngineError::Throttled {
            message,
            retry_after: answer.retry_after,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::remote::testing::{answered, sent, shown, terms};
    use crate::{EngineError, Page};

    #[test]
    fn asks_with_the_key_in_a_header() {
        assert_eq!(
            sent(
                "marginalia",
                "https://api.test/?dc=2",
                &terms(&["lep dan", "je"], &["the"]),
                2
            ),
            "https://api.test/search?dc=2&query=je+%22lep+dan%22+-the&count=10&page=2\napi-key: secret"
        );
    }

    #[test]
    fn reads_results_field_by_field() {
        let body = r#"{"license":"CC-BY-NC-SA 4.0","query":"dan","results":[{"url":"https://a.test/","title":"A",
            "description":"about a","quality":3.5,"format":"html5","details":[[{"keyword":"dan","count":4}]]}]}"#;
        let hits = vec!["https://a.test/ | A | about a".to_owned()];
        assert_eq!(
            shown(&answered("marginalia", 200, body).unwrap()),
            (hits, false)
        );
        assert_eq!(
            answered("marginalia", 200, r#"{"results":[]}"#),
            Ok(Page::default())
        );
        assert!(matches!(
            answered("marginalia", 200, r#"{"license":"x"}"#),
            Err(EngineError::Down(_))
        ));
    }

    #[test]
    fn a_key_without_calls_is_waited_for() {
        assert!(matches!(
            answered("marginalia", 503, ""),
            Err(EngineError::Throttled { .. })
        ));
        assert!(matches!(
            answered("marginalia", 502, ""),
            Err(EngineError::Down(_))
        ));
    }
}
