//! Adapter for Marginalia, a small index of the less commercial web, whose software anyone can run.
//!
//! `GET {address}/search?query=…&count=20&page=1` with the header `API-Key` returns `results` of
//! `url`, `title`, `description`. The key `public` is shared by all users without a key of their
//! own, and often has no calls left, which the service reports by status 503. The data are
//! CC BY-NC-SA 4.0.
//!
//! Source: about.marginalia-search.com, API; `ApiSearchResult.java`, `ApiSearchResults.java` of
//! MarginaliaSearch.

use crate::web::address::{EngineAddress, QueryParameters};
use crate::web::query_syntax::{Quoting, format_terms};
use crate::web::response::{HitFields, parse_hits, parse_json};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    ApiKey, EngineCapabilities, EngineError, EngineQuery, EngineRequest, EngineResponse,
    EngineResult, HitPage, KeyPlace,
};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

pub(super) const NAME: &str = "Marginalia";

/// The shared key, for users without a key of their own.
const PUBLIC_KEY: &str = "public";

pub(super) const KEY_PLACE: KeyPlace = KeyPlace::Header("api-key");

/// The page size is that of the API documentation. The interval was set by judgement: the
/// calls of the shared key are those of all its users.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    max_page_size: Some(100),
    call_interval: Duration::from_secs(2),
    ..EngineCapabilities::COMMON
};

/// Adapter for Marginalia's API.
pub(super) struct MarginaliaAdapter(EngineAddress);

impl MarginaliaAdapter {
    pub fn new(mut address: EngineAddress) -> Self {
        let public = || Some((KEY_PLACE, ApiKey::new(PUBLIC_KEY)?));
        address.key = address.key.or_else(public);
        MarginaliaAdapter(address)
    }
}

#[derive(Deserialize)]
struct MarginaliaResponse {
    results: Vec<Value>,
}

impl EngineAdapter for MarginaliaAdapter {
    fn format_query(&self, query: &EngineQuery) -> String {
        format_terms(query, ("", Quoting::WhenNeeded), ("-", Quoting::WhenNeeded))
    }

    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        let query = self.format_query(query);
        let fixed: QueryParameters = &[
            ("query", &query),
            ("count", &range.size),
            ("page", &range.page),
        ];
        Ok(self.0.build_get("/search", &[], fixed))
    }

    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage> {
        let parsed: MarginaliaResponse = parse_json(NAME, &response.body)?;
        let fields = HitFields::new("url", "title", "description");
        let hits = parse_hits(NAME, &parsed.results, fields)?;
        // There is no total. A page that is not full is the last one.
        Ok(HitPage {
            has_more: parsed.results.len() >= range.size as usize,
            hits,
            ..HitPage::default()
        })
    }

    fn classify_failure(&self, response: &EngineResponse) -> Option<EngineError> {
        let message = format!(
            "{NAME} returned status 503, no calls left for this key; \
             put a key of your own into MARGINALIA_API_KEY"
        );
        (response.status == 503).then_some(EngineError::Throttled {
            message,
            retry_after: response.retry_after,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{format_hits, format_request, parse_body, query};
    use crate::{EngineError, HitPage};

    #[test]
    fn sends_the_key_in_a_header() {
        assert_eq!(
            format_request(
                "marginalia",
                "https://api.test/?dc=2",
                &query(&["lep dan", "je"], &["the"]),
                2
            ),
            "https://api.test/search?dc=2&query=je+%22lep+dan%22+-the&count=10&page=2\n\
             api-key: secret"
        );
    }

    #[test]
    fn parses_results() {
        let body = r#"{"license":"CC-BY-NC-SA 4.0","query":"dan","results":[
            {"url":"https://a.test/","title":"A","description":"about a","quality":3.5,
            "format":"html5","details":[[{"keyword":"dan","count":4}]]}]}"#;
        let hits = vec!["https://a.test/ | A | about a".to_owned()];
        assert_eq!(
            format_hits(&parse_body("marginalia", 200, body).unwrap()),
            (hits, false)
        );
        assert_eq!(
            parse_body("marginalia", 200, r#"{"results":[]}"#),
            Ok(HitPage::default())
        );
        assert!(matches!(
            parse_body("marginalia", 200, r#"{"license":"x"}"#),
            Err(EngineError::Down(_))
        ));
    }

    #[test]
    fn a_key_without_calls_left_is_waited_for() {
        assert!(matches!(
            parse_body("marginalia", 503, ""),
            Err(EngineError::Throttled { .. })
        ));
        assert!(matches!(
            parse_body("marginalia", 502, ""),
            Err(EngineError::Down(_))
        ));
    }
}
