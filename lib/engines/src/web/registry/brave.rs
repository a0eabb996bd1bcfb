//! Adapter for Brave Search, an own index of the web.
//!
//! `GET {address}/res/v1/web/search?q=…&count=20&offset=N` with the header `X-Subscription-Token`
//! returns `web.results` of `url`, `title`, `description`, and no `web` if there are no hits.
//! `offset` counts pages, 0 to 9. `spellcheck` must be off, as it rewrites rare words. There are
//! two kinds of status 429: `RATE_LIMITED` ends with the first window in `X-RateLimit-Reset`,
//! `QUOTA_LIMITED` with the month. A 429 also means the month's quota if nothing of it is left by
//! `X-RateLimit-Remaining`.
//!
//! Source: api-dashboard.search.brave.com, API reference of web search, search operators, response
//! headers.

use crate::capabilities::QueryLengthLimit;
use crate::web::address::EngineAddress;
use crate::web::query_syntax::{Quoting, format_terms};
use crate::web::response::{HitFields, parse_hits, parse_json};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineError, EngineQuery, EngineRequest, EngineResponse, EngineResult,
    HitPage,
};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

pub(super) const NAME: &str = "Brave";

/// The last page that can be requested (API reference, `offset`: 0 to 9).
const LAST_PAGE: u32 = 10;

/// Limits are those of the API reference. The smallest plan allows one call per second.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    max_page_size: Some(20),
    max_hits: Some(200),
    query_length: QueryLengthLimit {
        characters: Some(400),
        words: Some(50),
    },
    call_interval: Duration::from_secs(1),
    ..EngineCapabilities::COMMON
};

/// Adapter for Brave's API.
pub(super) struct BraveAdapter(pub EngineAddress);

#[derive(Deserialize)]
struct BraveResponse {
    r#type: String,
    #[serde(default)]
    query: BraveQueryInfo,
    web: Option<BraveWebResults>,
}

#[derive(Deserialize, Default)]
struct BraveQueryInfo {
    #[serde(default)]
    more_results_available: bool,
}

#[derive(Deserialize)]
struct BraveWebResults {
    results: Vec<Value>,
}

impl EngineAdapter for BraveAdapter {
    fn format_query(&self, query: &EngineQuery) -> String {
        let (include, exclude) = (("+", Quoting::WhenNeeded), ("-", Quoting::WhenNeeded));
        format_terms(query, include, exclude)
    }

    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        Ok(self.0.build_get(
            "/res/v1/web/search",
            &[("country", "ALL")],
            &[
                ("q", &self.format_query(query)),
                ("count", &range.size),
                ("offset", &(range.page - 1)),
                ("spellcheck", &false),
                ("operators", &true),
                ("text_decorations", &false),
                ("result_filter", &"web"),
            ],
        ))
    }

    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage> {
        let parsed: BraveResponse = parse_json(NAME, &response.body)?;
        if parsed.r#type != "search" {
            return Err(EngineError::Down(format!(
                "{NAME} returned no search response; check the address"
            )));
        }
        let results = parsed.web.map(|web| web.results).unwrap_or_default();
        let fields = HitFields::new("url", "title", "description");
        let hits = parse_hits(NAME, &results, fields)?;
        let has_more =
            parsed.query.more_results_available && range.page < LAST_PAGE && !hits.is_empty();
        Ok(HitPage {
            hits,
            has_more,
            ..HitPage::default()
        })
    }

    fn classify_failure(&self, response: &EngineResponse) -> Option<EngineError> {
        let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        // The API reference shows a list of errors. The service returns a single one.
        let mut pointers = ["/error/code", "/errors/0/code"].iter();
        let code = pointers.find_map(|pointer| body.pointer(pointer)?.as_str());
        let code = code.unwrap_or(if response.status == 429 { "429" } else { "" });
        let refused = |reason: &str| {
            let message = format!("{NAME} returned {code}: {reason}");
            Some(EngineError::Refused(message))
        };
        match code {
            "QUOTA_LIMITED" | "USAGE_LIMIT_EXCEEDED" => refused("the plan's quota is exhausted"),
            "SUBSCRIPTION_TOKEN_INVALID" => refused("the key in BRAVE_API_KEY is invalid"),
            "RATE_LIMITED" | "429" if is_month_exhausted(response) => {
                refused("the plan's quota is exhausted")
            }
            "RATE_LIMITED" | "429" => Some(EngineError::Throttled {
                message: format!("{NAME} returned {code}, too many requests"),
                retry_after: (response.retry_after)
                    .or_else(|| parse_first_reset(response.header("x-ratelimit-reset")?)),
            }),
            _ => None,
        }
    }
}

/// Returns `true` if no calls remain in the longest window, the month. A limit of 0 means that the
/// plan has no monthly limit.
fn is_month_exhausted(response: &EngineResponse) -> bool {
    let last_value = |header: &str| {
        let (_, last) = response.header(header)?.rsplit_once(',')?;
        last.trim().parse::<i64>().ok()
    };
    last_value("x-ratelimit-remaining").is_some_and(|remaining| remaining <= 0)
        && last_value("x-ratelimit-limit") != Some(0)
}

/// Returns the time until the shortest window starts again. The header has a number of seconds for
/// each window, the shortest first.
fn parse_first_reset(header: &str) -> Option<Duration> {
    let seconds = header.split(',').next()?.trim().parse().ok();
    seconds.map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{
        format_hits, format_request, parse_body, parse_response, query,
    };
    use crate::{EngineError, EngineResponse, HitPage};

    #[test]
    fn sends_the_key_in_a_header_and_the_offset_in_pages() {
        assert_eq!(
            format_request(
                "brave",
                "https://api.test/?country=SI",
                &query(&["lep dan", "je"], &["the"]),
                3
            ),
            "https://api.test/res/v1/web/search?country=SI&q=%2Bje+%2B%22lep+dan%22+-the&count=10\
             &offset=2&spellcheck=false&operators=true&text_decorations=false&result_filter=web\n\
             x-subscription-token: secret"
        );
    }

    #[test]
    fn parses_results() {
        let body = r#"{"type":"search","query":{"original":"+dan","more_results_available":true,
            "search_operators":{"applied":true,"cleaned_query":"dan"}},"mixed":{},
            "web":{"type":"search","results":[{"url":"https://a.test/","title":"A",
            "description":"It&#x27;s a","page_age":"2026-01-01T00:00:00","language":"sl",
            "extra_snippets":["x"]}],"family_friendly":true}}"#;
        let hits = vec!["https://a.test/ | A | It's a".to_owned()];
        assert_eq!(
            format_hits(&parse_body("brave", 200, body).unwrap()),
            (hits, true)
        );
        assert_eq!(
            parse_body("brave", 200, r#"{"type":"search","query":{}}"#),
            Ok(HitPage::default())
        );
        assert!(matches!(
            parse_body("brave", 200, r#"{"type":"other"}"#),
            Err(EngineError::Down(_))
        ));
        assert!(matches!(
            parse_body("brave", 200, r#"{"type":"search","web":{}}"#),
            Err(EngineError::Down(_))
        ));
    }

    #[test]
    fn an_exhausted_month_is_a_refusal_and_an_exhausted_second_is_not() {
        let failure = |limit: &str, remaining: &str, body: &str| {
            let headers = [
                ("x-ratelimit-limit", limit),
                ("x-ratelimit-remaining", remaining),
                ("x-ratelimit-reset", "1, 99"),
            ];
            let headers = headers
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into()))
                .collect();
            parse_response(
                "brave",
                EngineResponse {
                    status: 429,
                    headers,
                    body: body.into(),
                    ..EngineResponse::default()
                },
            )
            .unwrap_err()
        };
        for body in ["", r#"{"error":{"code":"RATE_LIMITED"}}"#] {
            assert!(matches!(
                failure("1, 2000", "0, 0", body),
                EngineError::Refused(_)
            ));
            for (limit, remaining) in [("1, 2000", "0, 12"), ("20, 0", "0, 0"), ("1", "0")] {
                assert!(matches!(
                    failure(limit, remaining, body),
                    EngineError::Throttled {
                        retry_after: Some(_),
                        ..
                    }
                ));
            }
        }
    }

    #[test]
    fn an_exhausted_quota_is_refused_and_a_rate_limit_is_waited_for() {
        let error = |code: &str| {
            format!(r#"{{"type":"ErrorResponse","errors":[{{"code":"{code}","status":429}}]}}"#)
        };
        let exhausted = parse_body("brave", 429, &error("QUOTA_LIMITED")).unwrap_err();
        assert_eq!(
            exhausted,
            EngineError::Refused(
                "Brave returned QUOTA_LIMITED: the plan's quota is exhausted".into()
            )
        );
        let headers = vec![("x-ratelimit-reset".to_owned(), "2, 1419704".to_owned())];
        let response = EngineResponse {
            status: 429,
            headers,
            body: error("RATE_LIMITED").into(),
            ..EngineResponse::default()
        };
        let message = "Brave returned RATE_LIMITED, too many requests; it asks to wait 2 s";
        assert_eq!(
            parse_response("brave", response).unwrap_err().to_string(),
            message
        );
        let invalid = parse_body(
            "brave",
            422,
            r#"{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID"}}"#,
        )
        .unwrap_err();
        assert!(invalid.to_string().contains("BRAVE_API_KEY"));
    }
}
