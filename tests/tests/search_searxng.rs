//! `search` against a server on loopback that answers as SearXNG's documentation says, failures
//! included.

use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::events::block_forever;
use forage_tests::{ToolOutput, run_tool};
use serde_json::{Value, json};

/// An instance whose answer depends on the first part of the path.
fn instance() -> EngineServer {
    EngineServer::start(|asked: &EngineRequest, _| {
        let (status, body) = content(&asked.target);
        EngineResponse::status(status, body).with_header("Retry-After", "7")
    })
}

fn content(target: &str) -> (&'static str, String) {
    match target.split('/').nth(1).unwrap_or_default() {
        "forbidden" => ("403 Forbidden", String::new()),
        "throttled" => ("429 Too Many Requests", String::new()),
        "broken" => ("500 Internal Server Error", "oops".into()),
        "garbage" => ("200 OK", "<html>no JSON</html>".into()),
        "unresponsive" => (
            "200 OK",
            page(&[], &json!([["brave", "too many requests"]])),
        ),
        "nothing" => ("200 OK", page(&[], &json!([]))),
        "slow" => block_forever(),
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

const QUERY: &str = r#"{"step":{"number":1,"target":"slv"},"query":{"id":"q","include":["lep","dan"],"exclude":["the"]}}"#;

fn search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
    run_tool(
        "search",
        [&["--engine", &format!("searxng:{spec}")], args].concat(),
        queries,
    )
    .expect_exit(0)
}

/// The kind and message of the error of the only record, which must be the last of its step and no
/// outcome.
fn failure(spec: &str, args: &[&str]) -> (String, String) {
    let records = search(spec, args, QUERY).records();
    let [record] = records.as_slice() else {
        panic!("{records:?}")
    };
    assert_eq!(
        record["hit"],
        json!({"engine": format!("searxng:{spec}"), "calls": 0})
    );
    assert_eq!(
        (&record["error"]["tool"], &record["url"]),
        (&json!("search"), &Value::Null)
    );
    let text = |key: &str| record["error"][key].as_str().unwrap().to_owned();
    (text("kind"), text("message"))
}

fn check_failure(case: &str, kind: &str, message: &str) {
    // Only what never answers gets little time; the others have as much as a busy machine needs.
    let timeout = if case == "slow" { "1" } else { "300" };
    let args = ["--timeout", timeout, "--patience", "0"];
    let (found, said) = failure(&format!("{}/{case}", instance().address), &args);
    assert_eq!(found, kind, "{case}: {said}");
    assert!(said.contains(message), "{case}: {said}");
}

#[test]
fn hits_come_page_by_page_and_those_with_excluded_terms_are_skipped_which_is_said_once() {
    let server = instance();
    let spec = format!("{}/ok?language=sl", server.address);
    let done = search(&spec, &["--next", "5"], &format!("{QUERY}\n{QUERY}\n"));
    assert_eq!(done.stderr.matches("skipped").count(), 1, "{}", done.stderr);
    let records = done.records();
    assert_eq!(
        records[0]["hit"],
        json!({"engine": format!("searxng:{spec}"), "rank": 1, "title": "Page 1", "snippet": "lep dan", "calls": 3,
            "outcome": "hit"})
    );
    let urls: Vec<&Value> = records.iter().map(|record| &record["url"]).collect();
    assert_eq!(
        urls,
        [
            &json!("http://1.test/"),
            &json!("http://3.test/"),
            &Value::Null
        ]
    );
    assert_eq!(records[2]["hit"]["outcome"], "exhausted");
    let target = |page| {
        format!("/ok/search?language=sl&q=%22dan%22+%22lep%22+-the&format=json&pageno={page}")
    };
    let asked: Vec<String> = server
        .requests()
        .into_iter()
        .map(|asked| asked.target)
        .collect();
    assert_eq!(asked, [target(1), target(2), target(3)]);
}

#[test]
fn no_results_is_an_empty_answer() {
    let record = &search(&format!("{}/nothing", instance().address), &[], QUERY).records()[0];
    assert_eq!(
        (&record["hit"]["outcome"], &record["hit"]["calls"]),
        (&json!("empty"), &json!(1))
    );
}

#[test]
fn each_failure_is_told_by_its_kind() {
    check_failure("forbidden", "refused", "search.formats");
    check_failure("throttled", "throttled", "wait 7 s");
    check_failure("broken", "engine-down", "500");
    check_failure("garbage", "engine-down", "a web page");
    check_failure("unresponsive", "throttled", "brave: too many requests");
    check_failure("slow", "engine-down", "no response within 1 s");
}

#[test]
fn an_engine_that_refuses_the_connection_is_down() {
    let (kind, said) = failure("http://127.0.0.1:9", &[]);
    assert_eq!(kind, "engine-down");
    assert!(said.starts_with("no connection: "), "{said}");
}

#[test]
fn a_query_without_an_inclusion_term_is_refused_without_a_call() {
    let server = instance();
    let record = &search(
        &server.address,
        &[],
        r#"{"query":{"include":[],"exclude":["the"]}}"#,
    )
    .records()[0];
    assert_eq!(record["error"]["kind"], "refused");
    assert!(server.requests().is_empty());
}
