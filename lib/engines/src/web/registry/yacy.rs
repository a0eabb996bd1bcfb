//! Adapter for YaCy, an own index or one shared among peers.
//!
//! `GET {address}/yacysearch.json?query=…&startRecord=0&maximumRecords=10` returns `channels`. The
//! first one has `items` of `link`, `title`, `description` (HTML), and `totalResults` as a string.
//! With `resource=local`, only the peer's own index is searched.
//!
//! `inlink:` with a URL without its scheme finds the pages that link to it from other hosts; `*`
//! takes the place of the terms.
//!
//! Source: wiki.yacy.net, Dev:APIyacysearch; the query operators that a peer lists at
//! `/index.html?searchoptions=1`; `yacysearch` and `QueryParams` of YaCy (`inlink` is compared with
//! the field `outboundlinks_urlstub_sxt`).

use crate::web::address::EngineAddress;
use crate::web::query_syntax::{Quoting, format_terms};
use crate::web::response::{HitFields, parse_count, parse_hits, parse_json};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineCounts, EngineError, EngineQuery, EngineRequest, EngineResponse,
    EngineResult, HitPage,
};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

pub(super) const NAME: &str = "YaCy";

/// A peer searches the network for a client on another machine only up to 6 times per minute and 60
/// times in 10 minutes, and its own index beyond that, without a message (`yacysearch`).
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    supports_in_links: true,
    max_page_size: Some(u32::MAX),
    call_interval: Duration::from_secs(11),
    ..EngineCapabilities::COMMON
};

/// Adapter for a YaCy peer.
pub(super) struct YacyAdapter(pub EngineAddress);

#[derive(Deserialize)]
struct YacyResponse {
    channels: Vec<YacyChannel>,
}

#[derive(Deserialize)]
struct YacyChannel {
    #[serde(rename = "totalResults", default)]
    total: Value,
    items: Vec<Value>,
}

impl EngineAdapter for YacyAdapter {
    fn format_query(&self, query: &EngineQuery) -> String {
        let terms = format_terms(query, ("", Quoting::WhenNeeded), ("-", Quoting::WhenNeeded));
        let Some(url) = query.links_to() else {
            return terms;
        };
        let without_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
        let any = if query.include().is_empty() { "*" } else { "" };
        let link = format!("inlink:{without_scheme}");
        let mut parts = vec![any, &terms, &link];
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }

    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        let query = self.format_query(query);
        Ok(self.0.build_get(
            "/yacysearch.json",
            &[("contentdom", "text")],
            &[
                ("query", &query),
                ("startRecord", &range.start),
                ("maximumRecords", &range.size),
            ],
        ))
    }

    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage> {
        let parsed: YacyResponse = parse_json(NAME, &response.body)?;
        let Some(channel) = parsed.channels.first() else {
            return Err(EngineError::Down(format!("{NAME} returned no channel")));
        };
        let fields = HitFields::new("link", "title", "description");
        let hits = parse_hits(NAME, &channel.items, fields)?;
        let total = parse_count(Some(&channel.total));
        let has_more =
            !hits.is_empty() && total.is_none_or(|total| range.is_followed_by_hits(total));
        Ok(HitPage {
            hits,
            has_more,
            counts: EngineCounts::from_total(total),
            ..HitPage::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::EngineError;
    use crate::web::tests::helpers::{format_hits, format_request, parse_body, query};

    #[test]
    fn requests_a_range_of_records() {
        let request = format_request(
            "yacy",
            "http://y.test:8090/?resource=local",
            &query(&["lep dan"], &["the"]),
            2,
        );
        assert_eq!(
            request.lines().next().unwrap(),
            "http://y.test:8090/yacysearch.json?resource=local&contentdom=text\
             &query=%22lep+dan%22+-the&startRecord=10&maximumRecords=10"
        );
    }

    #[test]
    fn asks_for_in_links_by_the_url_without_its_scheme() {
        let request = |include: &[&str]| {
            let query = query(include, &[]).with_links_to(Some("https://a.test/b?c=1#d"));
            format_request("yacy", "http://y.test", &query, 1)
        };
        let start = "http://y.test/yacysearch.json?contentdom=text&query=";
        for (include, expected) in [
            (vec![], "*+inlink%3Aa.test%2Fb%3Fc%3D1&"),
            (vec!["dan"], "dan+inlink%3Aa.test%2Fb%3Fc%3D1&"),
        ] {
            let request = request(&include);
            assert!(
                request.starts_with(&format!("{start}{expected}")),
                "{request}"
            );
        }
    }

    #[test]
    fn parses_items() {
        let body = r#"{"channels":[{"title":"YaCy","totalResults":"1,234","startIndex":"0",
            "itemsPerPage":"10","items":[{"title":"A","link":"http://a.test/",
            "description":"lep <b>dan</b>","pubDate":"Wed, 21 Oct 2026","host":"a.test"}],
            "navigation":[]}]}"#;
        let page = parse_body("yacy", 200, body).unwrap();
        let hits = vec!["http://a.test/ | A | lep dan".to_owned()];
        assert_eq!(
            (format_hits(&page), page.counts.total),
            ((hits, true), Some(1234))
        );
        assert!(matches!(
            parse_body("yacy", 200, r#"{"channels":[]}"#),
            Err(EngineError::Down(_))
        ));
        assert!(matches!(
            parse_body("yacy", 200, r#"{"channels":[{"items":"x"}]}"#),
            Err(EngineError::Down(_))
        ));
    }
}
