//! The open web as a run meets it, on loopback: a metasearch engine like SearXNG, and the hosts
//! that it finds.
//!
//! The engine asks the embedded index, so that a run over it can be compared with one over the
//! index itself. The time that its clients wait for answers is added up.

use crate::closed_web::{demo_web, web};
use crate::engine_server::{Answer, Asked, EngineServer};
use crate::run;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The loopback web, and the time that its clients waited for answers.
pub struct OpenWeb {
    /// Engine and hosts alike.
    pub server: EngineServer,
    waited: Arc<Mutex<Duration>>,
}

impl OpenWeb {
    /// Serves demo-web's pages as HTML, on all their hosts, and an engine that knows them.
    pub fn start() -> OpenWeb {
        let pages: HashMap<String, Value> = demo_web(&[])
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .map(|page: Value| (page["url"].as_str().unwrap().to_owned(), page))
            .collect();
        let waited = Arc::<Mutex<Duration>>::default();
        let log = Arc::clone(&waited);
        let server = EngineServer::start(move |asked, _| {
            let start = Instant::now();
            let answer = answer(asked, &pages);
            *log.lock().unwrap() += start.elapsed();
            answer
        });
        OpenWeb { server, waited }
    }

    /// How long clients have waited for answers until now.
    pub fn waited(&self) -> Duration {
        *self.waited.lock().unwrap()
    }

    /// Arguments of a pipeline that goes to this web.
    pub fn args(&self) -> [String; 4] {
        let address = &self.server.address;
        let host = address.strip_prefix("http://").unwrap();
        [
            "--engine".into(),
            format!("searxng:{address}"),
            "--connect-to".into(),
            host.into(),
        ]
    }
}

fn answer(asked: &Asked, pages: &HashMap<String, Value>) -> Answer {
    let host = asked.header("host").unwrap_or_default();
    match asked.target.split_once("/search?") {
        Some(("", parameters)) if host.starts_with("127.0.0.1") => {
            Answer::ok(results(parameters, pages).to_string())
                .with("Content-Type", "application/json")
        }
        // A site that answers in RSS, and knows nothing of exclusion.
        Some(("/plain", parameters)) => Answer::ok(feed(&results(parameters, pages))),
        _ if asked.target == "/osd.xml" => Answer::ok(
            "<OpenSearchDescription><Url type='application/rss+xml' \
             template='/plain/search?q={searchTerms}&amp;pageno={startPage}'/></OpenSearchDescription>",
        ),
        _ => match pages.get(&format!("http://{host}{}", asked.target)) {
            Some(page) => Answer::ok(html(page)).with("Content-Type", "text/html; charset=utf-8"),
            None => Answer::status("404 Not Found", ""),
        },
    }
}

fn html(page: &Value) -> String {
    let escape = |text: &Value| {
        text.as_str()
            .unwrap_or_default()
            .replace('&', "&amp;")
            .replace('<', "&lt;")
    };
    let (title, text) = (escape(&page["title"]), escape(&page["text"]));
    let paragraphs: String = text
        .lines()
        .map(|line| format!("<p>{line}</p>\n"))
        .collect();
    format!(
        "<!DOCTYPE html><html><head><title>{title}</title></head><body><article>{paragraphs}</article></body></html>"
    )
}

fn feed(results: &Value) -> String {
    let urls = results["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|result| result["url"].as_str());
    let items: String = urls
        .map(|url| format!("<item><link>{url}</link></item>"))
        .collect();
    format!("<rss><channel>{items}</channel></rss>")
}

/// A page of SearXNG's results, by the embedded index.
fn results(parameters: &str, pages: &HashMap<String, Value>) -> Value {
    let parameter = |name: &str| {
        let found = parameters
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        decode(found.unwrap_or_default())
    };
    let (query, page) = (
        parameter("q"),
        parameter("pageno").parse::<usize>().unwrap(),
    );
    let (mut include, mut exclude) = (Vec::new(), Vec::new());
    for term in query.split(' ').map(|term| term.replace('"', "")) {
        match term.strip_prefix('-') {
            Some(term) => exclude.push(term.to_owned()),
            None => include.push(term),
        }
    }
    let engine = format!("index:{}", web().join("index").display());
    let query = json!({"query": {"include": include, "exclude": exclude}}).to_string();
    let hits = run(
        "search",
        ["--engine", &engine, "--top", &(page * 10).to_string()],
        query,
    )
    .exits(0)
    .records();
    let urls = hits
        .iter()
        .filter_map(|hit| hit["url"].as_str())
        .skip((page - 1) * 10);
    let result = |url: &str| json!({"url": url, "title": pages[url]["title"], "content": "", "engine": "index"});
    json!({"query": parameter("q"), "results": urls.map(result).collect::<Vec<_>>(), "unresponsive_engines": []})
}

fn decode(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap()
}
