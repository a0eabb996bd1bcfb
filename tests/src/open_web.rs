//! The open web on loopback: a metasearch engine like SearXNG, and the hosts of its hits.
//!
//! The engine searches the embedded index, so that a run with it can be compared with a run on the
//! index itself. The server measures the time that its clients wait for responses.

use crate::closed_web::{run_demo_web, run_pipeline, web_folder};
use crate::engine_server::{EngineRequest, EngineResponse, EngineServer};
use crate::run_tool;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The web on loopback, and the time that its clients waited for responses.
pub struct OpenWeb {
    /// The server of the engine and of all hosts.
    pub server: EngineServer,
    wait_time: Arc<Mutex<Duration>>,
    fault: Arc<Mutex<Option<EngineFault>>>,
}

struct IndexedPages {
    by_url: HashMap<String, Value>,
    /// The embedded index of the pages.
    engine: String,
}

/// What is wrong with the engine, or with the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineFault {
    /// It returns status 500.
    Down,
    /// It returns no hit.
    Empty,
    /// It returns no hit, because none of the engines behind it responds.
    AllSilent,
    /// It works, and the hosts of the pages do not respond.
    NoPages,
    /// It works, and the pages are empty.
    EmptyPages,
}

impl EngineFault {
    /// Returns `true` if the pages fail, and not the engine.
    fn is_of_pages(self) -> bool {
        matches!(self, EngineFault::NoPages | EngineFault::EmptyPages)
    }
}

impl OpenWeb {
    /// Starts a server of the pages of demo-web.
    pub fn start() -> OpenWeb {
        let index = format!("index:{}", web_folder().join("index").display());
        Self::with_pages(&run_demo_web(&[]), index)
    }

    /// Starts a server of pages (JSON lines) as HTML on their hosts, and of an engine that finds
    /// them as the embedded index with the name `engine` does.
    pub fn with_pages(pages: &str, engine: String) -> OpenWeb {
        let by_url = pages
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .map(|page: Value| (page["url"].as_str().unwrap().to_owned(), page))
            .collect();
        let pages = IndexedPages { by_url, engine };
        let wait_time = Arc::<Mutex<Duration>>::default();
        let total = Arc::clone(&wait_time);
        let fault = Arc::<Mutex<Option<EngineFault>>>::default();
        let present_fault = Arc::clone(&fault);
        let server = EngineServer::start(move |request, _| {
            let start = Instant::now();
            let response = match *present_fault.lock().unwrap() {
                Some(fault) if is_search(request) != fault.is_of_pages() => fault_response(fault),
                _ => respond(request, &pages),
            };
            *total.lock().unwrap() += start.elapsed();
            response
        });
        OpenWeb {
            server,
            wait_time,
            fault,
        }
    }

    /// Lets the engine fail from now on, or work again.
    pub fn set_fault(&self, fault: Option<EngineFault>) {
        *self.fault.lock().unwrap() = fault;
    }

    /// Runs a pipeline while no page can be fetched.
    ///
    /// # Panics
    /// Panics if it does not stop.
    pub fn fail_pages_during(&self, pipeline: Command) {
        self.set_fault(Some(EngineFault::NoPages));
        run_pipeline(pipeline).expect_exit(3);
        self.set_fault(None);
    }

    /// Returns the number of calls to the engine so far.
    pub fn count_calls(&self) -> usize {
        let requests = self.server.requests();
        requests.iter().filter(|request| is_search(request)).count()
    }

    /// Returns the total time that clients have waited for responses.
    pub fn wait_time(&self) -> Duration {
        *self.wait_time.lock().unwrap()
    }

    /// Returns the arguments of a pipeline that uses this web.
    pub fn args(&self) -> [String; 6] {
        let address = &self.server.address;
        let host = address.strip_prefix("http://").unwrap();
        [
            "--engine".into(),
            format!("searxng:{address}"),
            "--connect-to".into(),
            host.into(),
            "--rate".into(),
            "1000".into(),
        ]
    }
}

fn is_search(request: &EngineRequest) -> bool {
    request.target.starts_with("/search?")
}

fn fault_response(fault: EngineFault) -> EngineResponse {
    match fault {
        EngineFault::Down => EngineResponse::status("500 Internal Server Error", ""),
        EngineFault::NoPages => EngineResponse::hang_up(),
        EngineFault::EmptyPages => EngineResponse::ok(""),
        EngineFault::Empty => EngineResponse::ok(r#"{"results":[],"unresponsive_engines":[]}"#),
        EngineFault::AllSilent => {
            EngineResponse::ok(r#"{"results":[],"unresponsive_engines":[["a","CAPTCHA"]]}"#)
        }
    }
}

fn respond(request: &EngineRequest, pages: &IndexedPages) -> EngineResponse {
    let host = request.header("host").unwrap_or_default();
    match request.target.split_once("/search?") {
        Some(("", parameters)) if host.starts_with("127.0.0.1") => {
            EngineResponse::ok(search_results(parameters, pages).to_string())
                .with_header("Content-Type", "application/json")
        }
        // A site that returns RSS, and does not support exclusion.
        Some(("/plain", parameters)) => {
            EngineResponse::ok(rss_feed(&search_results(parameters, pages)))
        }
        _ if request.target == "/osd.xml" => EngineResponse::ok(
            "<OpenSearchDescription><Url type='application/rss+xml' \
             template='/plain/search?q={searchTerms}&amp;pageno={startPage}'/>\
             </OpenSearchDescription>",
        ),
        _ => match pages
            .by_url
            .get(&format!("http://{host}{}", request.target))
        {
            Some(page) => EngineResponse::ok(page_html(page))
                .with_header("Content-Type", "text/html; charset=utf-8"),
            None => EngineResponse::status("404 Not Found", ""),
        },
    }
}

fn page_html(page: &Value) -> String {
    let escape = |text: &Value| {
        text.as_str()
            .unwrap_or_default()
            .replace('&', "&amp;")
            .replace('<', "&lt;")
    };
    let title = escape(&page["title"]);
    let text = escape(&page["text"]);
    let paragraphs: String = text
        .lines()
        .map(|line| format!("<p>{line}</p>\n"))
        .collect();
    format!(
        "<!DOCTYPE html><html><head><title>{title}</title></head>\
         <body><article>{paragraphs}</article></body></html>"
    )
}

fn rss_feed(results: &Value) -> String {
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

/// Returns a page of results in the format of SearXNG, from the embedded index.
fn search_results(parameters: &str, pages: &IndexedPages) -> Value {
    let parameter = |name: &str| {
        let value = parameters
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        percent_decode(value.unwrap_or_default())
    };
    let query = parameter("q");
    let page = parameter("pageno").parse::<usize>().unwrap();
    let mut include = Vec::new();
    let mut exclude = Vec::new();
    for term in query.split(' ').map(|term| term.replace('"', "")) {
        match term.strip_prefix('-') {
            Some(term) => exclude.push(term.to_owned()),
            None => include.push(term),
        }
    }
    let query = json!({"query": {"include": include, "exclude": exclude}}).to_string();
    let hits = run_tool(
        "search",
        ["--engine", &pages.engine, "--top", &(page * 10).to_string()],
        query,
    )
    .expect_exit(0)
    .records();
    let urls = hits
        .iter()
        .filter_map(|hit| hit["url"].as_str())
        .skip((page - 1) * 10);
    let results: Vec<Value> = urls
        .map(|url| {
            json!({"url": url, "title": pages.by_url[url]["title"], "content": "", "engine": "index"})
        })
        .collect();
    json!({"query": parameter("q"), "results": results, "unresponsive_engines": []})
}

/// Decodes a value in the query part of a URL.
///
/// # Panics
/// Panics if it is not a text in UTF-8.
pub fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
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
