//! SearXNG: a metasearch engine that anyone can run, by its JSON interface.
//!
//! `GET {base}/search?q=…&format=json&pageno=N` answers `results` of `url`, `title`, `content`.
//! There is no total and no page size to choose, so a page without results is the last one. SearXNG
//! passes the query to engines behind it, which differ in what they honour: terms are quoted,
//! excluded ones get a minus sign, and hits are looked at once more. When engines behind it failed
//! and nothing came, that is `unresponsive_engines`, not "no hits"; when all were asked too often,
//! SearXNG asks to wait.
//!
//! Source: SearXNG's `docs/dev/search_api.rst` and `searx/webutils.py` (result fields).

use super::address::{Base, Parameters};
use super::read::{Names, hits, json, one_line, plain};
use super::status::said;
use super::write::{Quotes, line};
use super::{Adapter, Part};
use crate::{Abilities, Answer, Counts, EngineError, Page, Request, SignedTerms};
use serde::Deserialize;
use serde_json::Value;

pub(super) const NAME: &str = "SearXNG";

/// What it can express.
pub(super) const ABILITIES: Abilities = Abilities::COMMON;

/// A SearXNG instance.
pub(super) struct Searxng(pub Base);

/// What is read of an answer; the rest is passed over.
#[derive(Deserialize)]
struct Found {
    results: Vec<Value>,
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

impl Adapter for Searxng {
    /// Inclusion terms are quoted, so that none is stemmed, dropped or taken for one of SearXNG's
    /// own marks (`!engine`, `:language`).
    fn write(&self, terms: &SignedTerms) -> String {
        line(terms, ("", Quotes::Always), ("-", Quotes::Needed))
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        let query = self.write(terms);
        let fixed: Parameters = &[("q", &query), ("format", &"json"), ("pageno", &part.number)];
        Ok(self.0.get("/search", &[], fixed))
    }

    fn read(&self, answer: &Answer, _part: Part) -> Result<Page, EngineError> {
        let found: Found = json(NAME, &answer.body)?;
        if found.results.is_empty() && !found.unresponsive_engines.is_empty() {
            return Err(silence(&found.unresponsive_engines, answer));
        }
        let names = Names {
            url: "url",
            title: "title",
            snippet: "content",
        };
        let hits = hits(NAME, &found.results, names)?;
        Ok(Page {
            more: !hits.is_empty(),
            hits,
            counts: Counts::default(),
        })
    }

    fn failure(&self, answer: &Answer) -> Option<EngineError> {
        let advice = "SearXNG answers 403: most often JSON is not among `search.formats` in its settings.yml; \
                      add `- json` there";
        (answer.status == 403).then(|| match denial(&answer.body) {
            Some(said) => EngineError::Refused(format!("SearXNG answers 403, not allowed: {said}")),
            None => EngineError::Refused(advice.into()),
        })
    }
}

/// What the body of a 403 says, unless it is nothing or what SearXNG itself says where a format is
/// not allowed.
fn denial(body: &[u8]) -> Option<String> {
    let said = said(body).unwrap_or_else(|| plain(&String::from_utf8_lossy(body)));
    let plain = said.to_lowercase().replace("403", "");
    let is_usual = plain.contains("have the permission to access the requested resource");
    (!is_usual && !["", "forbidden"].contains(&plain.trim())).then_some(said)
}

/// What it means that no engine gave an answer: that they ask to wait if it is so with all, else
/// that they are down.
fn silence(engines: &[Value], answer: &Answer) -> EngineError {
    let told: Vec<String> = engines.iter().map(unresponsive).collect();
    let message = format!("engines behind SearXNG gave no answer: {}", told.join(", "));
    if told.iter().all(|told| asks_to_wait(&told.to_lowercase())) {
        return EngineError::Throttled {
            message,
            retry_after: answer.retry_after,
        };
    }
    EngineError::Down(message)
}

/// Whether an engine was asked too often, by SearXNG's words for it (`searx/webapp.py`,
/// `exception_classname_to_text`); one that is suspended is let alone by SearXNG for a while.
fn asks_to_wait(told: &str) -> bool {
    ["too many requests", "captcha", "suspended", "access denied"]
        .iter()
        .any(|reason| told.contains(reason))
}

/// An engine that gave no answer: SearXNG writes a pair of name and reason.
fn unresponsive(engine: &Value) -> String {
    match engine {
        Value::Array(parts) => one_line(
            &parts
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(": "),
        ),
        Value::String(name) => one_line(name),
        other => one_line(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use crate::remote::testing::{answered, sent, shown, terms};
    use crate::{EngineError, Page};

    #[test]
    fn the_address_keeps_the_users_options_and_asks_for_a_page_of_json() {
        let address = |base, terms| {
            sent("searxng", base, &terms, 2)
                .lines()
                .next()
                .unwrap()
                .to_owned()
        };
        let search = "search?q=%22%C4%8D%22&format=json&pageno=2";
        assert_eq!(
            address("http://s.test", terms(&["č"], &[])),
            format!("http://s.test/{search}")
        );
        assert_eq!(
            address("http://s.test/x/?engines=a,b#y", terms(&["a"], &["the"])),
            "http://s.test/x/search?engines=a%2Cb&q=%22a%22+-the&format=json&pageno=2"
        );
        assert!(
            sent("searxng", "http://s.test", &terms(&["a"], &[]), 1)
                .ends_with("\nauthorization: secret")
        );
    }

    #[test]
    fn reads_results_field_by_field() {
        let body = r#"{"query":"q","results":[
            {"url":"http://a.test/","title":"A","content":"about a","engine":"x","score":1.5,"positions":[1]},
            {"title":"no address"},{"url":""},{"url":7},"x",{"url":" HTTP://B.test","title":null}],
            "answers":[],"suggestions":[],"unresponsive_engines":[["y","timeout"]]}"#;
        let hits = ["http://a.test/ | A | about a", "http://b.test/ | - | -"]
            .map(String::from)
            .to_vec();
        assert_eq!(
            shown(&answered("searxng", 200, body).unwrap()),
            (hits, true)
        );
    }

    #[test]
    fn no_results_is_a_page_unless_engines_behind_it_failed() {
        let ask = |body| answered("searxng", 200, body);
        assert_eq!(
            ask(r#"{"results":[],"unresponsive_engines":[]}"#),
            Ok(Page::default())
        );
        let failed = ask(
            r#"{"results":[],"unresponsive_engines":[["brave","too many requests"],["x","timeout"]]}"#,
        );
        let message = "engines behind SearXNG gave no answer: brave: too many requests, x: timeout";
        assert_eq!(failed, Err(EngineError::Down(message.into())));
    }

    #[test]
    fn when_all_engines_behind_it_were_asked_too_often_it_asks_to_wait() {
        let reasons = r#"[["brave","Suspended: too many requests"],["bing","CAPTCHA"],["mojeek","Suspended: access denied"]]"#;
        let failed = answered(
            "searxng",
            200,
            &format!(r#"{{"results":[],"unresponsive_engines":{reasons}}}"#),
        );
        assert!(
            matches!(
                failed,
                Err(EngineError::Throttled {
                    retry_after: None,
                    ..
                })
            ),
            "{failed:?}"
        );
        let found = format!(
            r#"{{"results":[{{"url":"http://a.test/"}}],"unresponsive_engines":{reasons}}}"#
        );
        assert_eq!(
            answered("searxng", 200, &found).map(|page| page.hits.len()),
            Ok(1)
        );
    }

    #[test]
    fn a_forbidden_format_is_explained() {
        let ask = |body| answered("searxng", 403, body).unwrap_err();
        let flask = "<!doctype html><title>403 Forbidden</title><h1>Forbidden</h1><p>You don't have the permission to access \
                     the requested resource.</p>";
        for body in ["", "Forbidden", "<html>forbidden", flask] {
            assert!(
                matches!(ask(body), EngineError::Refused(message) if message.contains("search.formats")),
                "{body}"
            );
        }
        let blocked = EngineError::Refused(
            "SearXNG answers 403, not allowed: Your IP is blocked by nginx".into(),
        );
        assert_eq!(ask("<html>Your IP is blocked by nginx"), blocked);
    }
}
