//! Quickwit: an own index on object storage, by its REST API.
//!
//! `GET {base}/api/v1/{index}/search?query=…&max_hits=10&start_offset=0` answers `hits`, which are
//! the documents, and `num_hits`. A query is written `text:"a" AND NOT text:"b"`. Snippets need
//! `snippet_fields` of fields that are stored. Failures have a `message`.
//!
//! Source: quickwit.io, REST API, query language.

use super::address::{Base, Parameters};
use super::fields::Fields;
use super::read::{json, text};
use super::write::quoted;
use super::{Adapter, Part};
use crate::{Abilities, Answer, Counts, EngineError, Exclusion, Page, Request, SignedTerms};
use serde::Deserialize;
use serde_json::Value;

pub(super) const NAME: &str = "Quickwit";

/// What it can express.
pub(super) const ABILITIES: Abilities = Abilities {
    exclusion: Exclusion::Exact,
    needs_inclusion: false,
    page_size: Some(10_000),
    deepest: Some(10_000),
    ..Abilities::COMMON
};

/// An index of Quickwit's.
pub(super) struct Quickwit {
    base: Base,
    path: String,
    fields: Fields,
}

#[derive(Deserialize)]
struct Found {
    num_hits: u64,
    hits: Vec<Value>,
    #[serde(default)]
    snippets: Option<Vec<Value>>,
    #[serde(default)]
    errors: Vec<Value>,
}

impl Quickwit {
    /// # Errors
    /// When the address names no index.
    pub fn new(mut base: Base) -> Result<Self, String> {
        let fields = Fields::take(&mut base);
        let path = base
            .url()
            .path()
            .trim_end_matches('/')
            .trim_end_matches("/search")
            .to_owned();
        let (before, index) = path.rsplit_once('/').unwrap_or_default();
        if index.is_empty() {
            return Err(
                "an index must follow the address, as in quickwit:http://localhost:7280/pages"
                    .into(),
            );
        }
        let path = format!(
            "{}/api/v1/{index}/search",
            before.trim_end_matches("/api/v1")
        );
        Ok(Quickwit { base, path, fields })
    }
}

impl Adapter for Quickwit {
    fn write(&self, terms: &SignedTerms) -> String {
        let clause = |term: &String| format!("{}:{}", self.fields.text, quoted(term));
        let mut clauses: Vec<String> = terms.include().iter().map(clause).collect();
        if clauses.is_empty() {
            clauses.push("*".into());
        }
        clauses.extend(
            terms
                .exclude()
                .iter()
                .map(|term| format!("NOT {}", clause(term))),
        );
        clauses.join(" AND ")
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        let query = self.write(terms);
        let usual = [("format", "json"), ("snippet_fields", &self.fields.text)];
        let Part { size, start, .. } = part;
        let fixed: Parameters = &[
            ("query", &query),
            ("max_hits", &size),
            ("start_offset", &start),
        ];
        let mut request = self.base.get("", &usual, fixed);
        // The path stands for all of the address, index and all.
        request.url.set_path(&self.path);
        Ok(request)
    }

    fn read(&self, answer: &Answer, part: Part) -> Result<Page, EngineError> {
        let found: Found = json(NAME, &answer.body)?;
        if found.hits.is_empty() && !found.errors.is_empty() {
            return Err(EngineError::Down(format!(
                "the search failed on {} splits of {NAME}",
                found.errors.len()
            )));
        }
        let snippets = found.snippets.unwrap_or_default();
        let snippet = |at| {
            snippets
                .get(at)
                .and_then(|snippet| text(snippet, &self.fields.text))
        };
        let documents = found
            .hits
            .iter()
            .enumerate()
            .map(|(at, hit)| (hit, snippet(at)));
        let hits = self.fields.hits(NAME, documents)?;
        let counts = Counts {
            total: Some(found.num_hits),
            ..Counts::default()
        };
        Ok(Page {
            hits,
            more: part.is_before(found.num_hits),
            counts,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::EngineError;
    use crate::remote::testing::{answered, sent, shown, terms};

    #[test]
    fn asks_the_index_that_the_address_ends_with() {
        let url = |base| {
            sent("quickwit", base, &terms(&["dan"], &["the"]), 2)
                .lines()
                .next()
                .unwrap()
                .to_owned()
        };
        let asked = "search?format=json&snippet_fields=body&query=body%3A%22dan%22+AND+NOT+body%3A%22the%22\
                     &max_hits=10&start_offset=10";
        assert_eq!(
            url("http://q.test:7280/pages?text=body"),
            format!("http://q.test:7280/api/v1/pages/{asked}")
        );
        assert_eq!(
            url("http://q.test/x/api/v1/pages/?text=body"),
            format!("http://q.test/x/api/v1/pages/{asked}")
        );
        assert!(
            sent("quickwit", "http://q.test/pages", &terms(&[], &["the"]), 1)
                .contains("query=*+AND+NOT+text")
        );
    }

    #[test]
    fn reads_hits_field_by_field() {
        let body = r#"{"num_hits":21,"hits":[{"url":"http://a.test/","title":"A","text":"long"}],
            "snippets":[{"text":["lep <b>dan</b>"]}],"elapsed_time_micros":9,"errors":[]}"#;
        let page = answered("quickwit", 200, body).unwrap();
        let hits = vec!["http://a.test/ | A | lep dan".to_owned()];
        assert_eq!((shown(&page), page.counts.total), ((hits, true), Some(21)));
        let down = answered(
            "quickwit",
            200,
            r#"{"num_hits":0,"hits":[],"errors":["split gone"]}"#,
        )
        .unwrap_err();
        assert!(matches!(down, EngineError::Down(_)));
        assert!(matches!(
            answered("quickwit", 200, r#"{"hits":[]}"#),
            Err(EngineError::Down(_))
        ));
        let refused =
            answered("quickwit", 400, r#"{"message":"Failed to parse query"}"#).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "Quickwit answers 400: Failed to parse query"
        );
    }
}
