//! The whole loop over real HTTP: a metasearch engine like SearXNG and the hosts that it finds, all on loopback.
//!
//! The engine asks the embedded index, so that a run over it can be compared with one over the index itself: both must
//! end with the same corpus. What the tools take beside the time that they wait for answers is measured, too.

use forage_tests::closed_web::{calls, demo_web, documents, done, journal, new_run, resume, steps, web};
use forage_tests::engine_server::{Answer, Asked, EngineServer};
use forage_tests::{folder, run};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The pause of fetch-extract between two requests to a host, here robots.txt and the page.
const PAUSE: Duration = Duration::from_secs(1);

/// The loopback web, and the time that its clients waited for it.
struct OpenWeb {
    server: EngineServer,
    waited: Arc<Mutex<Waited>>,
}

#[derive(Default)]
struct Waited {
    /// For answers, and between robots.txt and the page, as is polite.
    time: Duration,
    /// When hosts gave their robots.txt to who is going to ask for a page.
    robots: HashMap<String, Instant>,
}

impl Waited {
    /// Notes a request that came at `start` and is answered now.
    fn note(&mut self, asked: &Asked, start: Instant) {
        let host = asked.header("host").unwrap_or_default();
        if asked.target == "/robots.txt" {
            self.robots.insert(host.into(), Instant::now());
        } else if let Some(robots) = self.robots.remove(host) {
            self.time += start.duration_since(robots).min(PAUSE);
        }
        self.time += start.elapsed();
    }
}

impl OpenWeb {
    /// Serves demo-web's pages as HTML, on all their hosts, and an engine that knows them.
    fn start() -> OpenWeb {
        let pages: HashMap<String, Value> = demo_web(&[])
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .map(|page: Value| (page["url"].as_str().unwrap().to_owned(), page))
            .collect();
        let waited = Arc::<Mutex<Waited>>::default();
        let log = Arc::clone(&waited);
        let server = EngineServer::start(move |asked, _| {
            let start = Instant::now();
            let answer = answer(asked, &pages);
            log.lock().unwrap().note(asked, start);
            answer
        });
        OpenWeb { server, waited }
    }

    /// Arguments of a pipeline that goes to this web.
    fn args(&self) -> [String; 4] {
        let address = &self.server.address;
        let host = address.strip_prefix("http://").unwrap();
        ["--engine".into(), format!("searxng:{address}"), "--connect-to".into(), host.into()]
    }
}

fn answer(asked: &Asked, pages: &HashMap<String, Value>) -> Answer {
    let host = asked.header("host").unwrap_or_default();
    match asked.target.split_once("/search?") {
        Some(("", parameters)) if host.starts_with("127.0.0.1") => {
            Answer::ok(results(parameters, pages).to_string()).with("Content-Type", "application/json")
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
    let escape = |text: &Value| text.as_str().unwrap_or_default().replace('&', "&amp;").replace('<', "&lt;");
    let (title, text) = (escape(&page["title"]), escape(&page["text"]));
    let paragraphs: String = text.lines().map(|line| format!("<p>{line}</p>\n")).collect();
    format!(
        "<!DOCTYPE html><html><head><title>{title}</title></head><body><article>{paragraphs}</article></body></html>"
    )
}

fn feed(results: &Value) -> String {
    let urls = results["results"].as_array().unwrap().iter().filter_map(|result| result["url"].as_str());
    let items: String = urls.map(|url| format!("<item><link>{url}</link></item>")).collect();
    format!("<rss><channel>{items}</channel></rss>")
}

/// A page of SearXNG's results, by the embedded index.
fn results(parameters: &str, pages: &HashMap<String, Value>) -> Value {
    let parameter = |name: &str| {
        let found = parameters.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        decode(found.unwrap_or_default())
    };
    let (query, page) = (parameter("q"), parameter("pageno").parse::<usize>().unwrap());
    let (mut include, mut exclude) = (Vec::new(), Vec::new());
    for term in query.split(' ').map(|term| term.replace('"', "")) {
        match term.strip_prefix('-') {
            Some(term) => exclude.push(term.to_owned()),
            None => include.push(term),
        }
    }
    let engine = format!("index:{}", web().join("index").display());
    let query = json!({"query": {"include": include, "exclude": exclude}}).to_string();
    let hits = run("search", ["--engine", &engine, "--top", &(page * 10).to_string()], query).exits(0).records();
    let urls = hits.iter().filter_map(|hit| hit["url"].as_str()).skip((page - 1) * 10);
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

/// The addresses and texts of a run's corpus.
fn corpus(out: &Path) -> BTreeSet<(String, String)> {
    let text = std::fs::read_to_string(out.join("corpus/slv.jsonl")).unwrap();
    let part = |record: &Value, key: &str| record[key].as_str().unwrap().to_owned();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.map(|record| (part(&record, "url"), part(&record, "text"))).collect()
}

#[test]
fn a_run_over_http_and_an_engine_ends_with_the_corpus_of_one_over_the_index() {
    let (dir, open) = (folder(), OpenWeb::start());
    let [by_index, by_http] = ["index", "http"].map(|name| dir.path().join(name));
    done(new_run(&by_index, &["--docs", "25"])).exits(0);
    let args = open.args();
    let args: Vec<&str> = args.iter().map(String::as_str).chain(["--docs", "25"]).collect();
    let said = done(new_run(&by_http, &args)).exits(0).stderr;
    let (expected, found) = (corpus(&by_index), corpus(&by_http));
    assert!(expected.len() >= 22);
    assert_eq!(found, expected, "{said}");
    let errors: Vec<Value> = journal(&by_http).into_iter().filter(|record| !record["error"].is_null()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn a_run_over_an_engine_that_cannot_exclude_says_so_once_and_loses_nothing() {
    let (dir, open) = (folder(), OpenWeb::start());
    let [_, _, connect, host] = open.args();
    let out = dir.path().join("run");
    let spec = format!("description:{}/osd.xml", open.server.address);
    let how = ["--engine", &spec, &connect, &host, "--batch", "5"];
    let said = done(new_run(&out, &[&how[..], &["--docs", "15"]].concat())).exits(0).stderr;
    assert_eq!(said.matches("can't be asked to exclude").count(), 1, "{said}");
    let journal = journal(&out);
    assert_eq!(documents(&journal).len(), 15);
    assert!(journal.iter().any(|record| record["query"]["exclude"].as_array().is_some_and(|terms| !terms.is_empty())));
    let other = dir.path().join("other");
    let refused = done(new_run(&other, &[&how[..4], &["--until-coverage", "0.9"]].concat())).exits(2).stderr;
    assert!(refused.contains("can't be asked to exclude") && !other.exists(), "{refused}");
}

#[test]
fn a_run_whose_engine_has_no_quota_left_stops_with_its_reason_and_can_be_gone_on_with() {
    let (dir, open) = (folder(), OpenWeb::start());
    let spent = EngineServer::start(|_, _| Answer::status("402 Payment Required", ""));
    let [flag, engine, connect, host] = open.args();
    let out = dir.path().join("run");
    let spec = format!("searxng:{}", spent.address);
    let stopped = done(new_run(&out, &["--engine", &spec, &connect, &host, "--docs", "3"])).exits(2).stderr;
    assert!(stopped.contains("402, the quota is used up") && stopped.contains("the engine refuses"), "{stopped}");
    done(resume(&out, &[&flag, &engine])).exits(0);
    assert_eq!(documents(&journal(&out)).len(), 3);
}

/// `cargo test --release -p forage-tests --test open_web -- --ignored --nocapture` measures it for BENCHMARKS.md.
#[test]
#[ignore = "a measurement, for the release build"]
fn what_the_loop_takes_beside_waiting() {
    let (dir, open) = (folder(), OpenWeb::start());
    web();
    let out = dir.path().join("run");
    let args = open.args();
    let args: Vec<&str> = args.iter().map(String::as_str).chain(["--docs", "50", "--quiet"]).collect();
    let start = Instant::now();
    done(new_run(&out, &args)).exits(0);
    let (took, waited) = (start.elapsed(), open.waited.lock().unwrap().time);
    let journal = journal(&out);
    let documents = documents(&journal).len();
    println!(
        "{documents} documents in {} steps and {} calls: {:.1} s, of which {:.1} s waiting; {:.0} ms a document beside it",
        steps(&journal).len(),
        calls(&journal),
        took.as_secs_f64(),
        waited.as_secs_f64(),
        (took - waited).as_secs_f64() * 1e3 / documents as f64
    );
}
