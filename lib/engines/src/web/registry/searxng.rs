//! Adapter for SearXNG, a metasearch engine that anyone can run, by its JSON interface.
//!
//! `GET {address}/search?q=…&format=json&pageno=N` returns `results` of `url`, `title`, `content`.
//! There is no total, and the page size cannot be chosen, so a page without results is the last
//! one. SearXNG passes the query to other engines, which honour different operators. So terms are
//! quoted, excluded terms get a minus sign, and hits are checked again for excluded terms.
//!
//! `unresponsive_engines` lists the other engines that did not answer, whose hits are missing, but
//! not those that did. So a response without results may be a failure of all of them, or an answer
//! of the others ([`EngineError::Incomplete`]). If all that are listed were rate limited, SearXNG
//! asks to wait.
//!
//! Source: SearXNG's `docs/dev/search_api.rst` and `searx/webutils.py` (result fields).

use crate::web::address::{EngineAddress, QueryParameters};
use crate::web::failure::{error_message, failure_from_message};
use crate::web::query_syntax::{Quoting, format_terms};
use crate::web::response::{HitFields, collapse_white_space, html_to_text, parse_hits, parse_json};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineError, EngineQuery, EngineRequest, EngineResponse, EngineResult,
    HitPage, MissingPart,
};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

pub(super) const NAME: &str = "SearXNG";

/// The engines behind an instance see its address and suspend it when it calls too often. SearXNG
/// takes a client with more than 150 calls in 600 s for a bot (`LONG_MAX`, `LONG_WINDOW` in
/// `searx/botdetection/ip_limit.py`), and the public engines do not allow more than that either, so
/// the interval is 600 s / 150.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    call_interval: Duration::from_secs(4),
    ..EngineCapabilities::COMMON
};

/// Adapter for a SearXNG instance.
pub(super) struct SearxngAdapter(pub EngineAddress);

#[derive(Deserialize)]
struct SearxngResponse {
    results: Vec<Value>,
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

impl EngineAdapter for SearxngAdapter {
    /// Formats the query with all inclusion terms quoted, so that none is stemmed, dropped or
    /// interpreted as SearXNG syntax (`!engine`, `:language`).
    fn format_query(&self, query: &EngineQuery) -> String {
        format_terms(query, ("", Quoting::Always), ("-", Quoting::WhenNeeded))
    }

    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        let query = self.format_query(query);
        let fixed: QueryParameters = &[("q", &query), ("format", &"json"), ("pageno", &range.page)];
        Ok(self.0.build_get("/search", &[], fixed))
    }

    fn parse_response(&self, response: &EngineResponse, _range: HitRange) -> EngineResult<HitPage> {
        let parsed: SearxngResponse = parse_json(NAME, &response.body)?;
        let missing = parsed.unresponsive_engines.iter();
        let missing: Vec<MissingPart> = missing.map(parse_unresponsive_engine).collect();
        if parsed.results.is_empty() && !missing.is_empty() {
            let failure = Box::new(failure_of_engines(&missing, response));
            return Err(EngineError::Incomplete { missing, failure });
        }
        let fields = HitFields::new("url", "title", "content");
        let hits = parse_hits(NAME, &parsed.results, fields)?;
        Ok(HitPage {
            has_more: !hits.is_empty(),
            hits,
            missing,
            ..HitPage::default()
        })
    }

    fn classify_failure(&self, response: &EngineResponse) -> Option<EngineError> {
        if response.status != 403 {
            return None;
        }
        Some(EngineError::Refused(match denial_message(&response.body) {
            Some(message) => format!("{NAME} returned status 403, access denied: {message}"),
            None => format!(
                "{NAME} returned status 403, probably because JSON is not enabled; \
                 add `- json` to `search.formats` in its settings.yml"
            ),
        }))
    }
}

/// Returns the message in the body of a 403 response; `None` if it is empty or the one that SearXNG
/// returns for a format that is not enabled.
fn denial_message(body: &[u8]) -> Option<String> {
    let message =
        error_message(body).unwrap_or_else(|| html_to_text(&String::from_utf8_lossy(body)));
    let normalised = message.to_lowercase().replace("403", "");
    let is_default = normalised.contains("have the permission to access the requested resource");
    (!is_default && !["", "forbidden"].contains(&normalised.trim())).then_some(message)
}

/// Returns the failure if no engine behind SearXNG responded: SearXNG asks to wait if all of them
/// are rate limited, and is down otherwise.
fn failure_of_engines(engines: &[MissingPart], response: &EngineResponse) -> EngineError {
    let reasons: Vec<String> = engines.iter().map(MissingPart::to_string).collect();
    let reasons = reasons.join(", ");
    let message = format!("engines behind SearXNG did not respond: {reasons}");
    let is_limited = |engine: &MissingPart| is_rate_limited(&engine.reason.to_lowercase());
    if engines.iter().all(is_limited) {
        return failure_from_message(message, true, response);
    }
    EngineError::Down(message)
}

/// Returns `true` if the reason (in lower case) means that an engine was called too often, in the
/// wording of SearXNG (`searx/webapp.py`, `exception_classname_to_text`). SearXNG does not call a
/// suspended engine for a while.
fn is_rate_limited(reason: &str) -> bool {
    let mut wordings = ["too many requests", "captcha", "suspended", "access denied"].iter();
    wordings.any(|wording| reason.contains(wording))
}

/// Parses an entry of `unresponsive_engines`, which is a pair of name and reason.
fn parse_unresponsive_engine(engine: &Value) -> MissingPart {
    let (name, reason) = match engine {
        Value::Array(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            let (name, reasons) = parts.split_first().unwrap_or((&"", &[]));
            ((*name).to_owned(), reasons.join(": "))
        }
        Value::String(name) => (name.clone(), String::new()),
        other => (other.to_string(), String::new()),
    };
    MissingPart {
        name: collapse_white_space(&name),
        reason: collapse_white_space(&reason),
    }
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{format_hits, format_request, parse_body, query};
    use crate::{EngineError, HitPage};

    #[test]
    fn requests_a_page_as_json_with_the_options_of_the_user() {
        let url = |address, query| {
            format_request("searxng", address, &query, 2)
                .lines()
                .next()
                .unwrap()
                .to_owned()
        };
        let search = "search?q=%22%C4%8D%22&format=json&pageno=2";
        assert_eq!(
            url("http://s.test", query(&["č"], &[])),
            format!("http://s.test/{search}")
        );
        assert_eq!(
            url("http://s.test/x/?engines=a,b#y", query(&["a"], &["the"])),
            "http://s.test/x/search?engines=a%2Cb&q=%22a%22+-the&format=json&pageno=2"
        );
        assert!(
            format_request("searxng", "http://s.test", &query(&["a"], &[]), 1)
                .ends_with("\nauthorization: secret")
        );
    }

    #[test]
    fn parses_results() {
        let body = r#"{"query":"q","results":[
            {"url":"http://a.test/","title":"A","content":"about a","engine":"x","score":1.5,
            "positions":[1]},{"title":"no address"},{"url":""},{"url":7},"x",
            {"url":" HTTP://B.test","title":null}],
            "answers":[],"suggestions":[],"unresponsive_engines":[["y","timeout"]]}"#;
        let hits = ["http://a.test/ | A | about a", "http://b.test/ | - | -"]
            .map(String::from)
            .to_vec();
        assert_eq!(
            format_hits(&parse_body("searxng", 200, body).unwrap()),
            (hits, true)
        );
    }

    #[test]
    fn no_results_are_a_page_unless_engines_failed() {
        let parse = |body| parse_body("searxng", 200, body);
        assert_eq!(
            parse(r#"{"results":[],"unresponsive_engines":[]}"#),
            Ok(HitPage::default())
        );
        let result = parse(
            r#"{"results":[],
            "unresponsive_engines":[["brave","too many requests"],["x","timeout"]]}"#,
        );
        let message =
            "engines behind SearXNG did not respond: brave: too many requests, x: timeout";
        let Err(EngineError::Incomplete { missing, failure }) = result else {
            panic!("{result:?}")
        };
        assert_eq!(missing.len(), 2);
        assert_eq!(*failure, EngineError::Down(message.into()));
    }

    #[test]
    fn asks_to_wait_if_all_engines_are_rate_limited() {
        let reasons = r#"[["brave","Suspended: too many requests"],["bing","CAPTCHA"],
            ["mojeek","Suspended: access denied"]]"#;
        let result = parse_body(
            "searxng",
            200,
            &format!(r#"{{"results":[],"unresponsive_engines":{reasons}}}"#),
        );
        let Err(EngineError::Incomplete { failure, .. }) = result else {
            panic!("{result:?}")
        };
        assert!(
            matches!(
                *failure,
                EngineError::Throttled {
                    retry_after: None,
                    ..
                }
            ),
            "{failure:?}"
        );
        let with_results = format!(
            r#"{{"results":[{{"url":"http://a.test/"}}],"unresponsive_engines":{reasons}}}"#
        );
        assert_eq!(
            parse_body("searxng", 200, &with_results).map(|page| page.hits.len()),
            Ok(1)
        );
    }

    #[test]
    fn explains_a_format_that_is_not_enabled() {
        let failure = |body| parse_body("searxng", 403, body).unwrap_err();
        let flask_default = "<!doctype html><title>403 Forbidden</title><h1>Forbidden</h1>\
                             <p>You don't have the permission to access the requested \
                             resource.</p>";
        for body in ["", "Forbidden", "<html>forbidden", flask_default] {
            let message = failure(body).to_string();
            assert!(matches!(failure(body), EngineError::Refused(_)), "{body}");
            assert!(message.contains("search.formats"), "{body}: {message}");
        }
        let blocked = EngineError::Refused(
            "SearXNG returned status 403, access denied: Your IP is blocked by nginx".into(),
        );
        assert_eq!(failure("<html>Your IP is blocked by nginx"), blocked);
    }
}
