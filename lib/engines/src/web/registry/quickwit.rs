//! Adapter for Quickwit, an index of the user's own on object storage, by its REST API.
//!
//! `GET {address}/api/v1/{index}/search?query=…&max_hits=10&start_offset=0` returns `hits`, which
//! are the documents, and `num_hits`. A query has the form `text:"a" AND NOT text:"b"`. Snippets
//! need `snippet_fields` with fields that are stored. Failures have a `message`.
//!
//! Source: quickwit.io, REST API, query language.

use crate::web::address::{EngineAddress, QueryParameters};
use crate::web::field_names::FieldNames;
use crate::web::query_syntax::{join_spellings, quote_term};
use crate::web::response::{parse_json, string_field};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineCounts, EngineError, EngineQuery, EngineRequest, EngineResponse,
    EngineResult, ExclusionSupport, HitPage,
};
use serde::Deserialize;
use serde_json::Value;

pub(super) const NAME: &str = "Quickwit";

/// Quickwit accepts neither `max_hits` nor `start_offset` above 10,000.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    exclusion: ExclusionSupport::Exact,
    needs_inclusion_term: false,
    max_page_size: Some(10_000),
    max_hits: Some(10_000),
    supports_variants: true,
    ..EngineCapabilities::COMMON
};

/// Adapter for an index of Quickwit.
pub(super) struct QuickwitAdapter {
    address: EngineAddress,
    /// Path of the search API, with the index.
    path: String,
    field_names: FieldNames,
}

#[derive(Deserialize)]
struct QuickwitResponse {
    num_hits: u64,
    hits: Vec<Value>,
    #[serde(default)]
    snippets: Option<Vec<Value>>,
    #[serde(default)]
    errors: Vec<Value>,
}

impl QuickwitAdapter {
    /// # Errors
    /// Fails if the address does not end with an index.
    pub fn new(mut address: EngineAddress) -> Result<Self, String> {
        let field_names = FieldNames::take_from(&mut address);
        let path = address
            .url
            .path()
            .trim_end_matches('/')
            .trim_end_matches("/search")
            .to_owned();
        let (base, index) = path.rsplit_once('/').unwrap_or_default();
        if index.is_empty() {
            return Err(
                "the address must end with an index, as in quickwit:http://localhost:7280/pages"
                    .into(),
            );
        }
        let path = format!("{}/api/v1/{index}/search", base.trim_end_matches("/api/v1"));
        Ok(QuickwitAdapter {
            address,
            path,
            field_names,
        })
    }
}

impl EngineAdapter for QuickwitAdapter {
    fn format_query(&self, query: &EngineQuery) -> String {
        let clause = |term: &str| format!("{}:{}", self.field_names.text, quote_term(term));
        let included = |term: &String| join_spellings(query.spellings(term).map(clause).collect());
        let mut clauses: Vec<String> = query.include().iter().map(included).collect();
        if clauses.is_empty() {
            clauses.push("*".into());
        }
        let excluded = query.exclude().iter();
        clauses.extend(excluded.map(|term| format!("NOT {}", clause(term))));
        clauses.join(" AND ")
    }

    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        let query = self.format_query(query);
        let text = &self.field_names.text;
        let defaults = [("format", "json"), ("snippet_fields", text)];
        let fixed: QueryParameters = &[
            ("query", &query),
            ("max_hits", &range.size),
            ("start_offset", &range.start),
        ];
        let mut request = self.address.build_get("", &defaults, fixed);
        // Replaces the whole path of the address, which already has the index.
        request.url.set_path(&self.path);
        Ok(request)
    }

    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage> {
        let parsed: QuickwitResponse = parse_json(NAME, &response.body)?;
        if parsed.hits.is_empty() && !parsed.errors.is_empty() {
            return Err(EngineError::Down(format!(
                "{NAME}: the search failed on {} splits",
                parsed.errors.len()
            )));
        }
        let snippets = parsed.snippets.unwrap_or_default();
        let snippet = |index| string_field(snippets.get(index)?, &self.field_names.text);
        let hits = parsed.hits.iter().zip(0..);
        let documents = hits.map(|(hit, index)| (hit, snippet(index)));
        let hits = self.field_names.parse_documents(NAME, documents)?;
        let counts = EngineCounts::from_total(Some(parsed.num_hits));
        Ok(HitPage {
            hits,
            has_more: range.is_followed_by_hits(parsed.num_hits),
            counts,
            ..HitPage::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::EngineError;
    use crate::web::tests::helpers::{format_hits, format_request, parse_body, query};

    #[test]
    fn searches_the_index_at_the_end_of_the_address() {
        let url = |address| {
            format_request("quickwit", address, &query(&["dan"], &["the"]), 2)
                .lines()
                .next()
                .unwrap()
                .to_owned()
        };
        let search = "search?format=json&snippet_fields=body\
                      &query=body%3A%22dan%22+AND+NOT+body%3A%22the%22&max_hits=10&start_offset=10";
        assert_eq!(
            url("http://q.test:7280/pages?text=body"),
            format!("http://q.test:7280/api/v1/pages/{search}")
        );
        assert_eq!(
            url("http://q.test/x/api/v1/pages/?text=body"),
            format!("http://q.test/x/api/v1/pages/{search}")
        );
        assert!(
            format_request("quickwit", "http://q.test/pages", &query(&[], &["the"]), 1)
                .contains("query=*+AND+NOT+text")
        );
    }

    #[test]
    fn parses_hits() {
        let body = r#"{"num_hits":21,"hits":[{"url":"http://a.test/","title":"A","text":"long"}],
            "snippets":[{"text":["lep <b>dan</b>"]}],"elapsed_time_micros":9,"errors":[]}"#;
        let page = parse_body("quickwit", 200, body).unwrap();
        let hits = vec!["http://a.test/ | A | lep dan".to_owned()];
        assert_eq!(
            (format_hits(&page), page.counts.total),
            ((hits, true), Some(21))
        );
        let failure = parse_body(
            "quickwit",
            200,
            r#"{"num_hits":0,"hits":[],"errors":["split gone"]}"#,
        )
        .unwrap_err();
        assert!(matches!(failure, EngineError::Down(_)));
        assert!(matches!(
            parse_body("quickwit", 200, r#"{"hits":[]}"#),
            Err(EngineError::Down(_))
        ));
        let refused =
            parse_body("quickwit", 400, r#"{"message":"Failed to parse query"}"#).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "Quickwit returned status 400: Failed to parse query"
        );
    }
}
