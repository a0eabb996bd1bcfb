//! Adapter for Mojeek, an own index of the web that reports exact document counts.
//!
//! `GET {address}/search?fmt=json&q=…&qm=…&s=1&t=10&api_key=…` returns `response.results` of `url`,
//! `title`, `desc`, and in `response.head` the number of results and the document frequency of each
//! word. Excluded words are sent in `qm`, excluded phrases in `q`. Failures are reported by
//! `response.status` with HTTP status 200.
//!
//! Source: mojeek.com, Search API, request parameters and JSON response format.

use crate::web::address::{EngineAddress, QueryParameters};
use crate::web::failure::failure_from_message;
use crate::web::query_syntax::{Quoting, format_terms, is_single_word};
use crate::web::response::{
    HitFields, collapse_white_space, parse_count, parse_hits, parse_json, string_field,
};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineCounts, EngineError, EngineQuery, EngineRequest, EngineResponse,
    EngineResult, HitPage,
};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

pub(super) const NAME: &str = "Mojeek";

/// The page size is that of the API documentation, which states no interval. The interval is that
/// of Brave, by judgement.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    max_page_size: Some(100),
    call_interval: Duration::from_secs(1),
    ..EngineCapabilities::COMMON
};

/// Adapter for Mojeek's API.
pub(super) struct MojeekAdapter(pub EngineAddress);

#[derive(Deserialize)]
struct MojeekResponse {
    response: MojeekResponseBody,
}

#[derive(Deserialize)]
struct MojeekResponseBody {
    status: String,
    #[serde(default)]
    head: MojeekHead,
    results: Option<Vec<Value>>,
}

#[derive(Deserialize, Default)]
struct MojeekHead {
    #[serde(default)]
    results: Value,
    #[serde(default)]
    words: Vec<Value>,
}

impl EngineAdapter for MojeekAdapter {
    fn format_query(&self, query: &EngineQuery) -> String {
        let excluded = query.exclude().iter();
        let phrases = excluded.filter(|term| !is_single_word(term)).cloned();
        let phrases: Vec<String> = phrases.collect();
        let query = EngineQuery::new(query.include(), &phrases);
        format_terms(&query, ("", Quoting::WhenNeeded), ("-", Quoting::Always))
    }

    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        let excluded = query.exclude().iter().map(String::as_str);
        let words = excluded.filter(|term| is_single_word(term));
        let excluded_words = words.collect::<Vec<_>>().join(" ");
        let query = self.format_query(query);
        let start = range.start.saturating_add(1);
        let fixed: QueryParameters = &[
            ("fmt", &"json"),
            ("q", &query),
            ("s", &start),
            ("t", &range.size),
            ("qm", &excluded_words),
        ];
        let used = fixed.len() - usize::from(excluded_words.is_empty());
        Ok(self.0.build_get("/search", &[], &fixed[..used]))
    }

    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage> {
        let parsed: MojeekResponse = parse_json(NAME, &response.body)?;
        let MojeekResponseBody {
            status,
            head,
            results,
        } = parsed.response;
        if status != "OK" {
            return Err(classify_status(&status, response));
        }
        let total = parse_count(Some(&head.results));
        if results.is_none() && total != Some(0) {
            return Err(EngineError::Down(format!("{NAME} returned no `results`")));
        }
        let results = results.unwrap_or_default();
        let fields = HitFields::new("url", "title", "desc");
        let hits = parse_hits(NAME, &results, fields)?;
        let has_more =
            !hits.is_empty() && total.is_none_or(|total| range.is_followed_by_hits(total));
        let df_of = |word| Some((string_field(word, "full")?, parse_count(word.get("hits"))?));
        let df = head.words.iter().filter_map(df_of).collect();
        Ok(HitPage {
            hits,
            has_more,
            counts: EngineCounts { total, df },
            ..HitPage::default()
        })
    }
}

/// Returns the failure that a status other than "OK" means. A daily limit is a refusal, as waiting
/// for its end would take too long.
fn classify_status(status: &str, response: &EngineResponse) -> EngineError {
    let message = format!("{NAME} returned {}", collapse_white_space(status));
    let status = status.to_lowercase();
    let asks_to_wait = status.contains("too many") || status.contains("rate limit");
    failure_from_message(message, asks_to_wait, response)
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{format_hits, format_request, parse_body, query};
    use crate::{EngineError, HitPage};

    #[test]
    fn sends_excluded_words_in_their_own_parameter() {
        assert_eq!(
            format_request(
                "mojeek",
                "https://api.test/",
                &query(&["lep dan", "je"], &["the", "of", "in the"]),
                2
            ),
            "https://api.test/search?fmt=json&q=je+%22lep+dan%22+-%22in+the%22&s=11&t=10\
             &qm=of+the&api_key=secret"
        );
        assert!(
            !format_request("mojeek", "https://api.test/", &query(&["je"], &[]), 1).contains("qm=")
        );
    }

    #[test]
    fn parses_results_and_counts() {
        let body = r#"{"response":{"status":"OK","head":{"query":"dan","nword":1,"words":[
            {"full":"dan","stem":"dan","plus":1,"hits":112207}],"timer":0.61,"start":1,"return":1,
            "exact":true,"results":112094},"results":[{"url":"https://a.test/","title":"A",
            "desc":"about a","size":"1kb","date":"1.1.2026"}]}}"#;
        let page = parse_body("mojeek", 200, body).unwrap();
        assert_eq!(
            format_hits(&page),
            (vec!["https://a.test/ | A | about a".into()], true)
        );
        assert_eq!(
            (page.counts.total, page.counts.df.get("dan")),
            (Some(112_094), Some(&112_207))
        );
        let without_results = r#"{"response":{"status":"OK","head":{"results":0}}}"#;
        assert_eq!(
            parse_body("mojeek", 200, without_results).map(|page| HitPage {
                counts: Default::default(),
                ..page
            }),
            Ok(HitPage::default())
        );
    }

    #[test]
    fn classifies_failures_by_response_status() {
        let failure = |status: &str| {
            parse_body(
                "mojeek",
                200,
                &format!(r#"{{"response":{{"status":"{status}"}}}}"#),
            )
            .unwrap_err()
        };
        assert_eq!(
            failure("ERROR: Daily Limit Reached"),
            EngineError::Refused("Mojeek returned ERROR: Daily Limit Reached".into())
        );
        assert!(matches!(
            failure("ERROR: Too many requests"),
            EngineError::Throttled { .. }
        ));
        assert!(matches!(failure("OK"), EngineError::Down(_)));
        assert_eq!(
            failure("ERROR: no such key secret").to_string(),
            "Mojeek returned ERROR: no such key ***"
        );
    }
}
