//! SearXNG: a metasearch engine that anyone can run, by its JSON interface.
//!
//! `GET {base}/search?q=…&format=json&pageno=N` answers `results` of `url`, `title`, `content`. There is no total
//! and no page size to choose, so a page without results is the last one. SearXNG passes the query to engines behind
//! it, which differ in what they honour: terms are quoted, excluded ones get a minus sign, and hits are looked at
//! once more. When engines behind it failed and nothing came, that is `unresponsive_engines`, not "no hits".
//!
//! Source: SearXNG's `docs/dev/search_api.rst` and `searx/webutils.py` (result fields).

use crate::{Abilities, Answer, Engine, EngineError, Exclusion, Http, Page, PageHit, SignedTerms};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

/// A SearXNG instance.
pub struct Searxng {
    base: Url,
    http: Http,
}

/// What is read of an answer; the rest is passed over.
#[derive(Deserialize)]
struct Results {
    results: Vec<Value>,
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

#[derive(Deserialize)]
struct FoundPage {
    url: Option<String>,
    title: Option<String>,
    content: Option<String>,
}

impl Searxng {
    /// The instance at `base`, whose query part holds SearXNG's own options (`engines`, `language` …).
    pub fn new(base: Url, http: Http) -> Self {
        Searxng { base, http }
    }

    /// The address that asks for one page.
    fn address(&self, terms: &SignedTerms, number: u32) -> Url {
        let mut url = self.base.clone();
        let path = format!("{}/search", url.path().trim_end_matches('/').trim_end_matches("/search"));
        url.set_path(&path);
        url.set_fragment(None);
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("q", &write(terms)).append_pair("format", "json");
        pairs.append_pair("pageno", &number.to_string());
        drop(pairs);
        url
    }
}

impl Engine for Searxng {
    fn abilities(&self) -> Abilities {
        Abilities { exclusion: Exclusion::Unsure, needs_inclusion: true, like: false }
    }

    fn page(&mut self, terms: &SignedTerms, number: u32, _size: u32) -> Result<Page, EngineError> {
        let address = self.address(terms, number);
        let answer = (self.http)(&address).map_err(EngineError::Down)?;
        check_status(&answer)?;
        read(&answer.body)
    }
}

/// The query in the syntax that most engines share. Inclusion terms are quoted, so that none is stemmed, dropped or
/// taken for one of SearXNG's own marks (`!engine`, `:language`).
fn write(terms: &SignedTerms) -> String {
    let quote = |term: &str| format!("\"{}\"", term.replace('"', " ").trim());
    let include = terms.include().iter().map(|term| quote(term));
    let exclude = terms.exclude().iter().map(|term| match term.chars().all(char::is_alphanumeric) {
        true => format!("-{term}"),
        false => format!("-{}", quote(term)),
    });
    include.chain(exclude).collect::<Vec<_>>().join(" ")
}

fn check_status(answer: &Answer) -> Result<(), EngineError> {
    let status = answer.status;
    Err(match status {
        200 => return Ok(()),
        403 => EngineError::Refused(
            "SearXNG answers 403: most often JSON is not among `search.formats` in its settings.yml; add `- json` there"
                .into(),
        ),
        429 => EngineError::Throttled {
            message: "SearXNG answers 429, too many requests".into(),
            retry_after: answer.retry_after,
        },
        500.. => EngineError::Down(format!("SearXNG answers {status}")),
        404 => EngineError::Refused("SearXNG answers 404: is the URL that of its front page?".into()),
        _ => EngineError::Refused(format!("SearXNG answers {status}")),
    })
}

fn read(body: &[u8]) -> Result<Page, EngineError> {
    let found: Results = serde_json::from_slice(body).map_err(|e| {
        EngineError::Down(format!("the answer is not SearXNG's JSON ({e}); is the URL that of its front page?"))
    })?;
    if found.results.is_empty() && !found.unresponsive_engines.is_empty() {
        let engines: Vec<String> = found.unresponsive_engines.iter().map(name).collect();
        return Err(EngineError::Down(format!("engines behind SearXNG gave no answer: {}", engines.join(", "))));
    }
    let more = !found.results.is_empty();
    Ok(Page { hits: found.results.into_iter().filter_map(hit).collect(), more })
}

/// A result that has an address. One that has none, or is not as it should be, doesn't spoil the others: it comes from
/// one of many engines.
fn hit(result: Value) -> Option<PageHit> {
    let FoundPage { url, title, content } = serde_json::from_value(result).ok()?;
    // The same address may be written in several ways.
    let url = Url::parse(url?.trim()).ok()?;
    Some(PageHit { url: url.into(), title, snippet: content })
}

/// An engine that gave no answer: SearXNG writes a pair of name and reason.
fn name(engine: &Value) -> String {
    match engine {
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(": "),
        Value::String(name) => name.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Searxng, write};
    use crate::{Answer, Engine, EngineError, Http, Page, PageHit, SignedTerms};
    use std::time::Duration;
    use url::Url;

    fn terms(include: &[&str], exclude: &[&str]) -> SignedTerms {
        let owned = |terms: &[&str]| terms.iter().map(ToString::to_string).collect::<Vec<_>>();
        SignedTerms::new(&owned(include), &owned(exclude))
    }

    fn ask(answer: Result<Answer, String>) -> Result<Page, EngineError> {
        let http: Http = Box::new(move |_| answer.clone());
        Searxng::new(Url::parse("http://sear.test/").unwrap(), http).page(&terms(&["dan"], &[]), 1, 10)
    }

    fn ok(body: &str) -> Result<Answer, String> {
        Ok(Answer { status: 200, retry_after: None, body: body.into() })
    }

    fn status(status: u16) -> EngineError {
        ask(Ok(Answer { status, retry_after: Some(Duration::from_secs(7)), body: Vec::new() })).unwrap_err()
    }

    #[test]
    fn terms_are_quoted_and_excluded_ones_have_a_minus() {
        assert_eq!(write(&terms(&["lep", "dan"], &["the", "don't"])), r#""dan" "lep" -"don't" -the"#);
        assert_eq!(write(&terms(&[r#"!go "x" :en"#], &[])), r#""!go  x  :en""#);
    }

    #[test]
    fn the_address_keeps_the_users_options_and_asks_for_a_page_of_json() {
        let address = |base: &str| {
            let http: Http = Box::new(|_| Err("not asked".into()));
            Searxng::new(Url::parse(base).unwrap(), http).address(&terms(&["č"], &[]), 2).to_string()
        };
        assert_eq!(address("http://s.test"), "http://s.test/search?q=%22%C4%8D%22&format=json&pageno=2");
        assert_eq!(
            address("http://s.test/x/?engines=a,b#y"),
            "http://s.test/x/search?engines=a,b&q=%22%C4%8D%22&format=json&pageno=2"
        );
    }

    #[test]
    fn reads_results_field_by_field() {
        let body = r#"{"query":"q","results":[
            {"url":"http://a.test/","title":"A","content":"about a","engine":"x","score":1.5,"positions":[1]},
            {"title":"no address"},{"url":""},{"url":7},"x",{"url":" HTTP://B.test","title":null}],
            "answers":[],"suggestions":[],"unresponsive_engines":[["y","timeout"]]}"#;
        let hit = |url: &str, title: Option<&str>, snippet: Option<&str>| PageHit {
            url: url.into(),
            title: title.map(Into::into),
            snippet: snippet.map(Into::into),
        };
        let hits = vec![hit("http://a.test/", Some("A"), Some("about a")), hit("http://b.test/", None, None)];
        assert_eq!(ask(ok(body)), Ok(Page { hits, more: true }));
    }

    #[test]
    fn no_results_is_a_page_unless_engines_behind_it_failed() {
        assert_eq!(ask(ok(r#"{"results":[],"unresponsive_engines":[]}"#)), Ok(Page::default()));
        let failed =
            ask(ok(r#"{"results":[],"unresponsive_engines":[["brave","too many requests"],["x","timeout"]]}"#));
        let message = "engines behind SearXNG gave no answer: brave: too many requests, x: timeout";
        assert_eq!(failed, Err(EngineError::Down(message.into())));
    }

    #[test]
    fn each_failure_has_its_kind() {
        assert!(matches!(status(403), EngineError::Refused(message) if message.contains("search.formats")));
        assert!(matches!(status(404), EngineError::Refused(_)));
        assert_eq!(status(429).to_string(), "SearXNG answers 429, too many requests; it asks to wait 7 s");
        assert!(matches!(status(500), EngineError::Down(_)));
        assert!(matches!(ask(Err("timeout".into())), Err(EngineError::Down(_))));
        assert!(matches!(ask(ok("<html>")), Err(EngineError::Down(message)) if message.contains("front page")));
    }
}
