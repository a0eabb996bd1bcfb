//! OpenSearch and Elasticsearch: an own index, by `_search` and a boolean query.
//!
//! `POST {base}/{index}/_search` with `query.bool` of `must` and `must_not`, each term a
//! `match_phrase` in the field of the text, so that words and phrases are cut as the index cuts
//! them. Answers `hits.hits` of `_source` and `highlight`, and `hits.total`, as an object or,
//! before Elasticsearch 7, a number. A search that timed out, or whose shards failed without a hit,
//! is an engine that is down.
//!
//! Source: docs.opensearch.org, Search API, boolean query, highlighting; elastic.co, Search API
//! (`max_result_window`).

use super::address::Base;
use super::fields::Fields;
use super::read::{json, number, text};
use super::{Adapter, Part};
use crate::{Abilities, Answer, Counts, EngineError, Exclusion, Page, Request, SignedTerms};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const NAME: &str = "OpenSearch";

/// What it can express. Behind the 10,000th hit the index's `max_result_window` ends.
pub(super) const ABILITIES: Abilities = Abilities {
    exclusion: Exclusion::Exact,
    needs_inclusion: false,
    page_size: Some(10_000),
    deepest: Some(10_000),
    ..Abilities::COMMON
};

/// An index of OpenSearch's or Elasticsearch's.
pub(super) struct OpenSearch {
    base: Base,
    fields: Fields,
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    timed_out: bool,
    #[serde(rename = "_shards", default)]
    shards: Shards,
    hits: Hits,
}

#[derive(Deserialize, Default)]
struct Shards {
    #[serde(default)]
    total: u64,
    #[serde(default)]
    failed: u64,
}

#[derive(Deserialize)]
struct Hits {
    #[serde(default)]
    total: Value,
    hits: Vec<Value>,
}

impl OpenSearch {
    /// # Errors
    /// When the address names no index.
    pub fn new(mut base: Base) -> Result<Self, String> {
        if base.url().path().trim_matches('/').is_empty() {
            return Err(
                "an index must follow the address, as in opensearch:http://localhost:9200/pages"
                    .into(),
            );
        }
        Ok(OpenSearch {
            fields: Fields::take(&mut base),
            base,
        })
    }

    fn query(&self, terms: &SignedTerms, part: Part) -> Value {
        let clause = |term: &String| json!({"match_phrase": {self.fields.text.as_str(): term}});
        let clauses = |terms: &[String]| -> Vec<Value> { terms.iter().map(clause).collect() };
        json!({
            "query": {"bool": {"must": clauses(terms.include()), "must_not": clauses(terms.exclude())}},
            "from": part.start,
            "size": part.size,
            "track_total_hits": true,
            "_source": [self.fields.url, self.fields.title],
            "highlight": {
                "pre_tags": [""], "post_tags": [""],
                "fields": {self.fields.text.as_str(): {"fragment_size": 200, "number_of_fragments": 1}},
            },
        })
    }

    /// A hit's document and the piece of its text.
    fn parts<'a>(&self, hit: &'a Value) -> (&'a Value, Option<String>) {
        let snippet = hit
            .get("highlight")
            .and_then(|highlight| text(highlight, &self.fields.text));
        (hit.get("_source").unwrap_or(&Value::Null), snippet)
    }
}

impl Adapter for OpenSearch {
    fn write(&self, _terms: &SignedTerms) -> String {
        String::new()
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        let json = Some(self.query(terms, part).to_string());
        Ok(Request {
            json,
            ..self.base.get("/_search", &[], &[])
        })
    }

    fn read(&self, answer: &Answer, part: Part) -> Result<Page, EngineError> {
        let found: Found = json(NAME, &answer.body)?;
        let results = &found.hits.hits;
        let failed = found.shards.failed;
        if found.timed_out || (failed > 0 && results.is_empty()) {
            let why = if found.timed_out {
                "timed out".into()
            } else {
                format!("failed on {failed} shards")
            };
            return Err(EngineError::Down(format!("the search {why} within {NAME}")));
        }
        let hits = self
            .fields
            .hits(NAME, results.iter().map(|hit| self.parts(hit)))?;
        let total = number(found.hits.total.get("value").or(Some(&found.hits.total)));
        let more = total.map_or(results.len() >= part.size as usize, |total| {
            part.is_before(total)
        });
        Ok(Page {
            hits,
            more,
            counts: Counts {
                total,
                ..Counts::default()
            },
        })
    }

    fn caveat(&self, answer: &Answer) -> Option<String> {
        let Found {
            shards: Shards { failed, total },
            ..
        } = json(NAME, &answer.body).ok()?;
        (failed > 0).then(|| {
            format!(
                "{failed} of {total} shards of {NAME}'s index failed; what they hold is not found"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::remote::testing::{answered, sent, shown, terms};
    use crate::{EngineError, SignedTerms};
    use serde_json::{Value, json};

    fn posted(base: &str, terms: &SignedTerms) -> (String, Value) {
        let sent = sent("opensearch", base, terms, 2);
        let (url, rest) = sent.split_once(' ').unwrap();
        let (body, header) = rest.split_once('\n').unwrap();
        assert_eq!(header, "authorization: secret");
        (url.into(), serde_json::from_str(body).unwrap())
    }

    #[test]
    fn posts_a_boolean_query_of_phrases_in_the_field_of_the_text() {
        let (url, body) = posted(
            "http://o.test:9200/pages?text=body",
            &terms(&["lep dan"], &["the"]),
        );
        assert_eq!(url, "http://o.test:9200/pages/_search");
        let query = json!({"bool": {
            "must": [{"match_phrase": {"body": "lep dan"}}], "must_not": [{"match_phrase": {"body": "the"}}]}});
        assert_eq!(
            (&body["query"], &body["from"], &body["size"]),
            (&query, &json!(10), &json!(10))
        );
        assert_eq!(body["_source"], json!(["url", "title"]));
    }

    #[test]
    fn reads_hits_field_by_field() {
        let body = r#"{"took":5,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{
            "total":{"value":11,"relation":"eq"},"max_score":1.2,"hits":[{"_index":"pages","_id":"1","_score":1.2,
            "_source":{"url":"http://a.test/","title":"A"},"highlight":{"text":["lep dan"]}}]}}"#;
        let page = answered("opensearch", 200, body).unwrap();
        let hits = vec!["http://a.test/ | A | lep dan".to_owned()];
        assert_eq!((shown(&page), page.counts.total), ((hits, true), Some(11)));
        let old = r#"{"hits":{"total":0,"hits":[]}}"#;
        assert_eq!(
            answered("opensearch", 200, old).map(|page| page.counts.total),
            Ok(Some(0))
        );
    }

    #[test]
    fn a_search_that_is_not_whole_is_not_no_hits() {
        let message = |body: &str| answered("opensearch", 200, body).unwrap_err().to_string();
        let none = r#""hits":{"total":{"value":0},"hits":[]}"#;
        assert_eq!(
            message(&format!(r#"{{"timed_out":true,{none}}}"#)),
            "the search timed out within OpenSearch"
        );
        assert!(
            message(&format!(r#"{{"_shards":{{"failed":2}},{none}}}"#))
                .contains("failed on 2 shards")
        );
        assert!(
            message(r#"{"hits":{"total":{"value":1},"hits":[{"_source":{}}]}}"#)
                .contains("in `url`")
        );
        let missing = r#"{"error":{"type":"index_not_found_exception","reason":"no such index [web]"},"status":404}"#;
        let failure = answered("opensearch", 404, missing).unwrap_err();
        assert!(
            matches!(&failure, EngineError::Refused(said) if said.ends_with("no such index [web]")),
            "{failure}"
        );
    }
}
