//! GDELT DOC 2.0: the world's online news of the last months.
//!
//! `GET {base}/api/v2/doc/doc?query=…&mode=artlist&format=json&maxrecords=250` answers `articles`
//! of `url` and `title`, and an empty object for no hits. There are no further pages, so the one
//! that there is has all 250. What is wrong is told in plain text of status 200. It asks for five
//! seconds between calls.
//!
//! Source: blog.gdeltproject.org, "GDELT DOC 2.0 API Debuts".

use super::address::Base;
use super::read::{Names, hits, json};
use super::status::{said, told};
use super::write::{Quotes, line};
use super::{Adapter, Part};
use crate::{Abilities, Answer, Counts, EngineError, Page, Request, SignedTerms};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;

pub(super) const NAME: &str = "GDELT";

/// Operators of the query that have only one value in a run, and so are options of the address.
const OPERATORS: [&str; 2] = ["sourcelang", "sourcecountry"];

/// What it can express.
pub(super) const ABILITIES: Abilities = Abilities {
    pause: Duration::from_secs(5),
    ..Abilities::COMMON
};

/// GDELT's API.
pub(super) struct Gdelt {
    base: Base,
    /// What every query ends with.
    operators: String,
}

#[derive(Deserialize)]
struct Found {
    articles: Vec<Value>,
}

impl Gdelt {
    pub fn new(mut base: Base) -> Self {
        let operator = |name: &str| base.take(name).map(|value| format!(" {name}:{value}"));
        let operators = OPERATORS.into_iter().filter_map(operator).collect();
        Gdelt { base, operators }
    }
}

impl Adapter for Gdelt {
    fn write(&self, terms: &SignedTerms) -> String {
        line(terms, ("", Quotes::Needed), ("-", Quotes::Needed)) + &self.operators
    }

    fn request(&self, terms: &SignedTerms, _part: Part) -> Result<Request, EngineError> {
        let query = self.write(terms);
        Ok(self.base.get(
            "/api/v2/doc/doc",
            &[],
            &[
                ("query", &query),
                ("mode", &"artlist"),
                ("format", &"json"),
                ("maxrecords", &250),
            ],
        ))
    }

    fn read(&self, answer: &Answer, _part: Part) -> Result<Page, EngineError> {
        if let Some(message) = said(&answer.body).filter(|_| !is_object(&answer.body)) {
            // It says so in words, in place of articles.
            return Err(told(
                format!("{NAME} says: {message}"),
                message.contains("limit requests"),
                answer,
            ));
        }
        let answered: Value = json(NAME, &answer.body)?;
        if answered.as_object().is_some_and(Map::is_empty) {
            return Ok(Page::default());
        }
        let found: Found = json(NAME, &answer.body)?;
        // Its articles have no piece of their text.
        let hits = hits(
            NAME,
            &found.articles,
            Names {
                url: "url",
                title: "title",
                snippet: "",
            },
        )?;
        Ok(Page {
            hits,
            more: false,
            counts: Counts::default(),
        })
    }
}

fn is_object(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"{")
}

#[cfg(test)]
mod tests {
    use crate::remote::testing::{answered, sent, shown, terms};
    use crate::{EngineError, Page};

    #[test]
    fn the_language_of_the_source_is_part_of_the_query() {
        assert_eq!(
            sent(
                "gdelt",
                "https://g.test/?timespan=1w&sourcelang=slovenian",
                &terms(&["lep dan", "je"], &["the"]),
                1
            ),
            "https://g.test/api/v2/doc/doc?timespan=1w&query=je+%22lep+dan%22+-the+sourcelang%3Aslovenian\
             &mode=artlist&format=json&maxrecords=250"
        );
    }

    #[test]
    fn reads_articles_field_by_field() {
        let body = r#"{"articles":[{"url":"https://a.test/n","url_mobile":"","title":"A","seendate":"20260101T000000Z",
            "socialimage":"","domain":"a.test","language":"Slovenian","sourcecountry":"Slovenia"}]}"#;
        let hits = vec!["https://a.test/n | A | -".to_owned()];
        assert_eq!(shown(&answered("gdelt", 200, body).unwrap()), (hits, false));
        assert_eq!(answered("gdelt", 200, "{}"), Ok(Page::default()));
    }

    #[test]
    fn what_is_said_in_plain_text_has_its_kind() {
        let ask = |text: &str| answered("gdelt", 200, text).unwrap_err();
        let short = "The specified phrase is too short.\n";
        assert_eq!(
            ask(short),
            EngineError::Refused("GDELT says: The specified phrase is too short.".into())
        );
        let often =
            "Please limit requests to one every 5 seconds or contact us for larger queries.";
        assert!(matches!(ask(often), EngineError::Throttled { .. }));
        assert!(matches!(ask("<html></html>"), EngineError::Down(_)));
        assert!(matches!(ask(""), EngineError::Down(_)));
        assert!(matches!(
            ask(r#"{"articles":[{"url":"#),
            EngineError::Down(_)
        ));
    }
}
