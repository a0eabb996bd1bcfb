//! `search` against a server on loopback that answers as SearXNG's documentation says, failures included.

use forage_tests::{Done, run};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What was asked, request target by request target.
type Asked = Arc<Mutex<Vec<String>>>;

/// An instance whose answer depends on the first part of the path; gives its address and what it is asked.
fn instance() -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let log = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let log = Arc::clone(&log);
            std::thread::spawn(move || answer(stream, &log));
        }
    });
    (address, asked)
}

fn answer(mut stream: TcpStream, asked: &Asked) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let Some(request) = lines.next() else { return };
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let (status, body) = content(&target);
    asked.lock().unwrap().push(target);
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nRetry-After: 7\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

fn content(target: &str) -> (&'static str, String) {
    match target.split('/').nth(1).unwrap_or_default() {
        "forbidden" => ("403 Forbidden", String::new()),
        "throttled" => ("429 Too Many Requests", String::new()),
        "broken" => ("500 Internal Server Error", "oops".into()),
        "garbage" => ("200 OK", "<html>no JSON</html>".into()),
        "unresponsive" => ("200 OK", page(&[], &json!([["brave", "too many requests"]]))),
        "nothing" => ("200 OK", page(&[], &json!([]))),
        "slow" => {
            std::thread::sleep(Duration::from_secs(3));
            ("200 OK", page(&[], &json!([])))
        }
        _ => ("200 OK", results(target)),
    }
}

/// Two pages of results and an empty third one.
fn results(target: &str) -> String {
    let result = |n: u8, content: &str| {
        json!({"url": format!("http://{n}.test/"), "title": format!("Page {n}"), "content": content, "engine": "x",
            "engines": ["x"], "positions": [n], "score": 1.0, "category": "general"})
    };
    match target.split("pageno=").nth(1) {
        Some("1") => page(&[result(1, "lep dan"), result(2, "the END")], &json!([])),
        Some("2") => page(&[result(3, "dan")], &json!([["y", "timeout"]])),
        _ => page(&[], &json!([])),
    }
}

fn page(results: &[Value], unresponsive: &Value) -> String {
    json!({"query": "q", "number_of_results": 0, "results": results, "answers": [], "corrections": [], "infoboxes": [],
        "suggestions": [], "unresponsive_engines": unresponsive})
    .to_string()
}

const QUERY: &str = r#"{"query":{"id":"q","step":1,"target":"slv","include":["lep","dan"],"exclude":["the"]}}"#;

fn search(spec: &str, args: &[&str], queries: &str) -> Done {
    run("search", [&["--engine", &format!("searxng:{spec}")], args].concat(), queries).exits(0)
}

/// The kind and message of the error of the only record, which must be the last of its step and no outcome.
fn failure(spec: &str, args: &[&str]) -> (String, String) {
    let records = search(spec, args, QUERY).records();
    let [record] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!(record["hit"], json!({"engine": format!("searxng:{spec}"), "calls": 0, "last": true}));
    assert_eq!((&record["error"]["tool"], &record["url"]), (&json!("search"), &Value::Null));
    let text = |key: &str| record["error"][key].as_str().unwrap().to_owned();
    (text("kind"), text("message"))
}

fn check_failure(case: &str, kind: &str, message: &str) {
    let (found, said) = failure(&format!("{}/{case}", instance().0), &["--timeout", "1"]);
    assert_eq!(found, kind, "{case}: {said}");
    assert!(said.contains(message), "{case}: {said}");
}

#[test]
fn hits_come_page_by_page_and_those_with_excluded_terms_are_skipped_which_is_said_once() {
    let (address, asked) = instance();
    let spec = format!("{address}/ok?language=sl");
    let done = search(&spec, &["--next", "5"], &format!("{QUERY}\n{QUERY}\n"));
    assert_eq!(done.stderr.matches("skipped").count(), 1, "{}", done.stderr);
    let records = done.records();
    assert_eq!(
        records[0]["hit"],
        json!({"engine": format!("searxng:{spec}"), "rank": 1, "title": "Page 1", "snippet": "lep dan", "calls": 3,
            "last": false, "outcome": "hit"})
    );
    let urls: Vec<&Value> = records.iter().map(|record| &record["url"]).collect();
    assert_eq!(urls, [&json!("http://1.test/"), &json!("http://3.test/"), &Value::Null]);
    assert_eq!(records[2]["hit"]["outcome"], "exhausted");
    let target = |page| format!("/ok/search?language=sl&q=%22dan%22+%22lep%22+-the&format=json&pageno={page}");
    assert_eq!(*asked.lock().unwrap(), [target(1), target(2), target(3)]);
}

#[test]
fn no_results_is_an_empty_answer() {
    let (address, _) = instance();
    let record = &search(&format!("{address}/nothing"), &[], QUERY).records()[0];
    assert_eq!((&record["hit"]["outcome"], &record["hit"]["calls"]), (&json!("empty"), &json!(1)));
}

#[test]
fn each_failure_is_told_by_its_kind() {
    check_failure("forbidden", "refused", "search.formats");
    check_failure("throttled", "throttled", "wait 7 s");
    check_failure("broken", "engine-down", "500");
    check_failure("garbage", "engine-down", "not SearXNG's JSON");
    check_failure("unresponsive", "engine-down", "brave: too many requests");
    check_failure("slow", "engine-down", "no answer within 1 s");
}

#[test]
fn an_engine_that_refuses_the_connection_is_down() {
    let (kind, said) = failure("http://127.0.0.1:9", &[]);
    assert_eq!(kind, "engine-down");
    assert!(said.starts_with("no connection: "), "{said}");
}

#[test]
fn a_query_without_an_inclusion_term_is_refused_without_a_call() {
    let (address, asked) = instance();
    let record = &search(&address, &[], r#"{"query":{"include":[],"exclude":["the"]}}"#).records()[0];
    assert_eq!(record["error"]["kind"], "refused");
    assert!(asked.lock().unwrap().is_empty());
}
