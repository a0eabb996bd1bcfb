//! Adapter for OpenSearch and Elasticsearch: an index of the user's own, by `_search` and a boolean
//! query.
//!
//! `POST {address}/{index}/_search` with `query.bool` of `must` and `must_not`. Each term is a
//! `match_phrase` in the text field, so that the index splits words and phrases by its own
//! analyzer. The response has `hits.hits` of `_source` and `highlight`, and `hits.total`, which is
//! an object, or a number before Elasticsearch 7. A search that timed out, or one without hits
//! whose shards failed, means that the engine is down.
//!
//! Source: docs.opensearch.org, Search API, boolean query, highlighting; elastic.co, Search API
//! (`max_result_window`).

use crate::web::address::EngineAddress;
use crate::web::field_names::FieldNames;
use crate::web::response::{parse_count, parse_json, string_field};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineCounts, EngineError, EngineQuery, EngineRequest, EngineResponse,
    EngineResult, ExclusionSupport, HitPage, MissingPart,
};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const NAME: &str = "OpenSearch";

/// The limit of hits is the default of `max_result_window`.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    exclusion: ExclusionSupport::Exact,
    needs_inclusion_term: false,
    max_page_size: Some(10_000),
    max_hits: Some(10_000),
    supports_variants: true,
    folds_apostrophes: Some(false),
    meanings: &["StandardAnalyzer of Lucene 9|yes|yes|yes|yes|yes|no|no|yes|no"],
    ..EngineCapabilities::COMMON
};

/// Adapter for an index of OpenSearch or Elasticsearch.
pub(super) struct OpenSearchAdapter {
    address: EngineAddress,
    field_names: FieldNames,
}

#[derive(Deserialize)]
struct OpenSearchResponse {
    #[serde(default)]
    timed_out: bool,
    #[serde(rename = "_shards", default)]
    shards: OpenSearchShards,
    hits: OpenSearchHits,
}

#[derive(Deserialize, Default)]
struct OpenSearchShards {
    #[serde(default)]
    total: u64,
    #[serde(default)]
    failed: u64,
}

#[derive(Deserialize)]
struct OpenSearchHits {
    #[serde(default)]
    total: Value,
    hits: Vec<Value>,
}

impl OpenSearchAdapter {
    /// # Errors
    /// Fails if the address does not end with an index.
    pub fn new(mut address: EngineAddress) -> Result<Self, String> {
        if address.url.path().trim_matches('/').is_empty() {
            return Err(
                "the address must end with an index, as in opensearch:http://localhost:9200/pages"
                    .into(),
            );
        }
        Ok(OpenSearchAdapter {
            field_names: FieldNames::take_from(&mut address),
            address,
        })
    }

    fn build_body(&self, query: &EngineQuery, range: HitRange) -> Value {
        let text_field = self.field_names.text.as_str();
        let clause = |term: &str| json!({"match_phrase": {text_field: term}});
        let included = |term: &String| {
            let mut clauses: Vec<Value> = query.spellings(term).map(clause).collect();
            match clauses.len() {
                1 => clauses.remove(0),
                // Without a clause that must match, one of these has to.
                _ => json!({"bool": {"should": clauses}}),
            }
        };
        let include: Vec<Value> = query.include().iter().map(included).collect();
        let exclude: Vec<Value> = query.exclude().iter().map(|term| clause(term)).collect();
        json!({
            "query": {"bool": {"must": include, "must_not": exclude}},
            "from": range.start,
            "size": range.size,
            "track_total_hits": true,
            "_source": [self.field_names.url, self.field_names.title],
            "highlight": {
                "pre_tags": [""], "post_tags": [""],
                "fields": {text_field: {"fragment_size": 200, "number_of_fragments": 1}},
            },
        })
    }

    /// Returns the document and the snippet of a hit.
    fn document_and_snippet<'a>(&self, hit: &'a Value) -> (&'a Value, Option<String>) {
        let highlight = hit.get("highlight");
        let snippet = highlight.and_then(|texts| string_field(texts, &self.field_names.text));
        (hit.get("_source").unwrap_or(&Value::Null), snippet)
    }
}

impl EngineAdapter for OpenSearchAdapter {
    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        let json = Some(self.build_body(query, range).to_string());
        Ok(EngineRequest {
            json,
            ..self.address.build_get("/_search", &[], &[])
        })
    }

    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage> {
        let parsed: OpenSearchResponse = parse_json(NAME, &response.body)?;
        let results = &parsed.hits.hits;
        let OpenSearchShards { failed, total } = parsed.shards;
        let missing = (failed > 0).then(|| MissingPart {
            name: format!("{failed} of {total} shards"),
            reason: String::new(),
        });
        if parsed.timed_out {
            return Err(EngineError::Down(format!("{NAME}: the search timed out")));
        }
        if failed > 0 && results.is_empty() {
            let message = format!("{NAME}: the search failed on {failed} shards");
            return Err(EngineError::Down(message));
        }
        let documents = results.iter().map(|hit| self.document_and_snippet(hit));
        let hits = self.field_names.parse_documents(NAME, documents)?;
        let total = parse_count(parsed.hits.total.get("value").or(Some(&parsed.hits.total)));
        let has_more = total.map_or(results.len() >= range.size as usize, |total| {
            range.is_followed_by_hits(total)
        });
        Ok(HitPage {
            hits,
            has_more,
            counts: EngineCounts::from_total(total),
            missing: missing.into_iter().collect(),
            ..HitPage::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{format_hits, format_request, parse_body, query};
    use crate::{EngineError, EngineQuery};
    use serde_json::{Value, json};

    /// Returns the URL and the body that a query is posted with.
    fn posted(address: &str, query: &EngineQuery) -> (String, Value) {
        let request = format_request("opensearch", address, query, 2);
        let (url, rest) = request.split_once(' ').unwrap();
        let (body, header) = rest.split_once('\n').unwrap();
        assert_eq!(header, "authorization: secret");
        (url.into(), serde_json::from_str(body).unwrap())
    }

    #[test]
    fn posts_a_boolean_query_of_phrases_in_the_text_field() {
        let (url, body) = posted(
            "http://o.test:9200/pages?text=body",
            &query(&["lep dan"], &["the"]),
        );
        assert_eq!(url, "http://o.test:9200/pages/_search");
        let query = json!({"bool": {
            "must": [{"match_phrase": {"body": "lep dan"}}],
            "must_not": [{"match_phrase": {"body": "the"}}],
        }});
        assert_eq!(
            (&body["query"], &body["from"], &body["size"]),
            (&query, &json!(10), &json!(10))
        );
        assert_eq!(body["_source"], json!(["url", "title"]));
    }

    #[test]
    fn parses_hits() {
        let body = r#"{"took":5,"timed_out":false,
            "_shards":{"total":1,"successful":1,"skipped":0,"failed":0},
            "hits":{"total":{"value":11,"relation":"eq"},"max_score":1.2,"hits":[
            {"_index":"pages","_id":"1","_score":1.2,"_source":{"url":"http://a.test/","title":"A"},
            "highlight":{"text":["lep dan"]}}]}}"#;
        let page = parse_body("opensearch", 200, body).unwrap();
        let hits = vec!["http://a.test/ | A | lep dan".to_owned()];
        assert_eq!(
            (format_hits(&page), page.counts.total),
            ((hits, true), Some(11))
        );
        let before_version_7 = r#"{"hits":{"total":0,"hits":[]}}"#;
        assert_eq!(
            parse_body("opensearch", 200, before_version_7).map(|page| page.counts.total),
            Ok(Some(0))
        );
    }

    #[test]
    fn an_incomplete_search_does_not_mean_no_hits() {
        let message = |body: &str| parse_body("opensearch", 200, body).unwrap_err().to_string();
        let without_hits = r#""hits":{"total":{"value":0},"hits":[]}"#;
        assert_eq!(
            message(&format!(r#"{{"timed_out":true,{without_hits}}}"#)),
            "OpenSearch: the search timed out"
        );
        assert!(
            message(&format!(r#"{{"_shards":{{"failed":2}},{without_hits}}}"#))
                .contains("failed on 2 shards")
        );
        assert!(
            message(r#"{"hits":{"total":{"value":1},"hits":[{"_source":{}}]}}"#)
                .contains("in `url`")
        );
        let missing_index = r#"{"error":{"type":"index_not_found_exception",
            "reason":"no such index [web]"},"status":404}"#;
        let failure = parse_body("opensearch", 404, missing_index).unwrap_err();
        let EngineError::Refused(message) = failure else {
            panic!("{failure}")
        };
        assert!(message.ends_with("no such index [web]"), "{message}");
    }
}
