//! Adapter for Solr, an index of the user's own, by its standard query parser.
//!
//! `GET {address}/select?q=+text:"a" -text:"b"&rows=10&start=0` returns `response.docs`,
//! `response.numFound`, and `highlighting` by the unique key of the documents. Failures have an
//! `error` of `msg`.
//!
//! Source: solr.apache.org, Reference Guide, common query parameters, standard query parser,
//! highlighting.

use crate::web::address::{EngineAddress, QueryParameters};
use crate::web::field_names::FieldNames;
use crate::web::query_syntax::{Quoting, format_terms};
use crate::web::response::{parse_json, string_field};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineCounts, EngineError, EngineQuery, EngineRequest, EngineResponse,
    EngineResult, ExclusionSupport, HitPage,
};
use serde::Deserialize;
use serde_json::Value;

pub(super) const NAME: &str = "Solr";

pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    exclusion: ExclusionSupport::Exact,
    needs_inclusion_term: false,
    max_page_size: Some(u32::MAX),
    supports_variants: true,
    folds_apostrophes: Some(false),
    meanings: super::opensearch::CAPABILITIES.meanings,
    ..EngineCapabilities::COMMON
};

/// Adapter for a collection of Solr.
pub(super) struct SolrAdapter {
    address: EngineAddress,
    field_names: FieldNames,
    unique_key: String,
}

#[derive(Deserialize)]
struct SolrResponse {
    #[serde(rename = "responseHeader", default)]
    header: SolrHeader,
    response: SolrResults,
    #[serde(default)]
    highlighting: Value,
}

#[derive(Deserialize, Default)]
struct SolrHeader {
    #[serde(rename = "partialResults", default)]
    is_partial: bool,
}

#[derive(Deserialize)]
struct SolrResults {
    #[serde(rename = "numFound")]
    total: u64,
    docs: Vec<Value>,
}

impl SolrAdapter {
    pub fn new(mut address: EngineAddress) -> Self {
        let unique_key = address.take_option("id").unwrap_or_else(|| "id".into());
        SolrAdapter {
            field_names: FieldNames::take_from(&mut address),
            address,
            unique_key,
        }
    }

    fn snippet(&self, document: &Value, highlighting: &Value) -> Option<String> {
        let key = string_field(document, &self.unique_key)?;
        string_field(highlighting.get(key)?, &self.field_names.text)
    }
}

impl EngineAdapter for SolrAdapter {
    fn format_query(&self, query: &EngineQuery) -> String {
        let field = &self.field_names.text;
        let terms = format_terms(
            query,
            // A field before a group holds for all of it.
            (&format!("+{field}:"), Quoting::Always),
            (&format!("-{field}:"), Quoting::Always),
        );
        // A query of exclusion terms alone would match nothing.
        if query.include().is_empty() {
            format!("*:* {terms}")
        } else {
            terms
        }
    }

    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        let FieldNames { url, title, text } = &self.field_names;
        let fixed: QueryParameters = &[
            ("q", &self.format_query(query)),
            ("defType", &"lucene"),
            ("fl", &format_args!("{},{url},{title}", self.unique_key)),
            ("rows", &range.size),
            ("start", &range.start),
            ("wt", &"json"),
            ("hl", &true),
            ("hl.fl", text),
            ("hl.snippets", &1),
            ("hl.fragsize", &200),
        ];
        Ok(self.address.build_get("/select", &[], fixed))
    }

    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage> {
        let parsed: SolrResponse = parse_json(NAME, &response.body)?;
        let documents = &parsed.response.docs;
        if parsed.header.is_partial && documents.is_empty() {
            return Err(EngineError::Down(format!("{NAME}: the search timed out")));
        }
        let snippet = |document| self.snippet(document, &parsed.highlighting);
        let documents = documents
            .iter()
            .map(|document| (document, snippet(document)));
        let hits = self.field_names.parse_documents(NAME, documents)?;
        let total = parsed.response.total;
        Ok(HitPage {
            hits,
            has_more: range.is_followed_by_hits(total),
            counts: EngineCounts::from_total(Some(total)),
            ..HitPage::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::EngineError;
    use crate::web::tests::helpers::{format_hits, format_request, parse_body, query};

    #[test]
    fn formats_the_query_by_field_and_sign() {
        let request = format_request(
            "solr",
            "http://s.test:8983/solr/pages?text=body",
            &query(&["dan"], &["in the"]),
            2,
        );
        let expected = "http://s.test:8983/solr/pages/select?q=%2Bbody%3A%22dan%22\
                        +-body%3A%22in+the%22&defType=lucene&fl=id%2Curl%2Ctitle&rows=10\
                        &start=10&wt=json";
        assert!(request.starts_with(expected), "{request}");
        assert!(
            format_request("solr", "http://s.test/solr/p", &query(&[], &["the"]), 1)
                .contains("?q=*%3A*+-text%3A%22the%22&")
        );
    }

    #[test]
    fn parses_documents() {
        let body = r#"{"responseHeader":{"status":0,"QTime":3},
            "response":{"numFound":11,"start":0,"numFoundExact":true,
            "docs":[{"id":"d1","url":["http://a.test/"],"title":"A"}]},
            "highlighting":{"d1":{"text":["lep <em>dan</em> &amp;lt;b&amp;gt;"]}}}"#;
        let page = parse_body("solr", 200, body).unwrap();
        let hits = vec!["http://a.test/ | A | lep dan &lt;b&gt;".to_owned()];
        assert_eq!(
            (format_hits(&page), page.counts.total),
            ((hits, true), Some(11))
        );
        let partial =
            r#"{"responseHeader":{"partialResults":true},"response":{"numFound":0,"docs":[]}}"#;
        assert!(matches!(
            parse_body("solr", 200, partial),
            Err(EngineError::Down(_))
        ));
        assert!(matches!(
            parse_body("solr", 200, r#"{"response":{}}"#),
            Err(EngineError::Down(_))
        ));
        let refused = parse_body(
            "solr",
            400,
            r#"{"error":{"msg":"undefined field text","code":400}}"#,
        )
        .unwrap_err();
        assert_eq!(
            refused.to_string(),
            "Solr returned status 400: undefined field text"
        );
    }
}
