//! `search` with a server on loopback that responds as the documentation of SearXNG specifies, with
//! hits and failures.

use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::events::block_forever;
use forage_tests::{ToolOutput, run_tool};
use serde_json::{Value, json};

/// Starts an instance whose response depends on the first segment of the path.
fn start_instance() -> EngineServer {
    EngineServer::start(|request: &EngineRequest, _| {
        let (status, body) = respond(&request.target);
        EngineResponse::status(status, body).with_header("Retry-After", "7")
    })
}

fn respond(target: &str) -> (&'static str, String) {
    match target.split('/').nth(1).unwrap_or_default() {
        "forbidden" => ("403 Forbidden", String::new()),
        "throttled" => ("429 Too Many Requests", String::new()),
        "broken" => ("500 Internal Server Error", "oops".into()),
        "garbage" => ("200 OK", "<html>no JSON</html>".into()),
        "unresponsive" => (
            "200 OK",
            results_page(&[], &json!([["brave", "too many requests"]])),
        ),
        "nothing" => ("200 OK", results_page(&[], &json!([]))),
        "slow" => block_forever(),
        _ => ("200 OK", respond_with_results(target)),
    }
}

/// Returns one of two pages of results, or an empty third one.
fn respond_with_results(target: &str) -> String {
    let result = |n: u8, content: &str| {
        json!({
            "url": format!("http://{n}.test/"), "title": format!("Page {n}"),
            "content": content, "engine": "x", "engines": ["x"], "positions": [n],
            "score": 1.0, "category": "general",
        })
    };
    match target.split("pageno=").nth(1) {
        Some("1") => results_page(&[result(1, "lep dan"), result(2, "the END")], &json!([])),
        Some("2") => results_page(&[result(3, "dan")], &json!([["y", "timeout"]])),
        _ => results_page(&[], &json!([])),
    }
}

fn results_page(results: &[Value], unresponsive: &Value) -> String {
    json!({
        "query": "q", "number_of_results": 0, "results": results, "answers": [],
        "corrections": [], "infoboxes": [], "suggestions": [],
        "unresponsive_engines": unresponsive,
    })
    .to_string()
}

const QUERY: &str = concat!(
    r#"{"step":{"number":1,"target":"slv"},"#,
    r#""query":{"id":"q","include":["lep","dan"],"exclude":["the"]}}"#
);

fn run_search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
    run_tool(
        "search",
        [
            &["--engine", &format!("searxng:{spec}"), "--rate", "1000"],
            args,
        ]
        .concat(),
        queries,
    )
    .expect_exit(0)
}

/// Runs a query that fails. Returns the kind and message of the error of the only record.
fn run_failure(spec: &str, args: &[&str]) -> (String, String) {
    let records = run_search(spec, args, QUERY).records();
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
    let error_field = |key: &str| record["error"][key].as_str().unwrap().to_owned();
    (error_field("kind"), error_field("message"))
}

fn assert_failure(case: &str, kind: &str, message: &str) {
    // Only the case without a response has a short timeout; the others allow for a busy machine.
    let timeout = if case == "slow" { "1" } else { "300" };
    let args = ["--timeout", timeout, "--patience", "0"];
    let (actual_kind, actual_message) =
        run_failure(&format!("{}/{case}", start_instance().address), &args);
    assert_eq!(actual_kind, kind, "{case}: {actual_message}");
    assert!(actual_message.contains(message), "{case}: {actual_message}");
}

#[test]
fn hits_are_paged_and_those_with_excluded_terms_are_skipped_and_reported_once() {
    let server = start_instance();
    let spec = format!("{}/ok?language=sl", server.address);
    let output = run_search(&spec, &["--next", "5"], &format!("{QUERY}\n{QUERY}\n"));
    assert_eq!(
        output.stderr.matches("skipped").count(),
        1,
        "{}",
        output.stderr
    );
    let records = output.records();
    assert_eq!(
        records[0]["hit"],
        json!({
            "engine": format!("searxng:{spec}"), "rank": 1, "title": "Page 1",
            "snippet": "lep dan", "calls": 3, "outcome": "hit",
        })
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
    let targets: Vec<String> = server
        .requests()
        .into_iter()
        .map(|request| request.target)
        .collect();
    // The second page lacks hits of an engine that answered the third one: the second time, when all
    // hits have been returned, it is requested again.
    assert_eq!(targets, [target(1), target(2), target(3), target(2)]);
    assert!(output.stderr.contains("hits are missing: y: timeout"));
}

#[test]
fn no_results_is_the_outcome_empty() {
    let record =
        &run_search(&format!("{}/nothing", start_instance().address), &[], QUERY).records()[0];
    assert_eq!(
        (&record["hit"]["outcome"], &record["hit"]["calls"]),
        (&json!("empty"), &json!(1))
    );
}

#[test]
fn each_failure_has_its_kind() {
    assert_failure("forbidden", "refused", "search.formats");
    assert_failure("throttled", "throttled", "wait 7 s");
    assert_failure("broken", "engine-down", "500");
    assert_failure("garbage", "refused", "a web page");
    assert_failure("unresponsive", "throttled", "brave: too many requests");
    assert_failure("slow", "engine-down", "no response within 1 s");
}

#[test]
fn an_engine_that_refuses_the_connection_is_down() {
    let (kind, message) = run_failure("http://127.0.0.1:9", &[]);
    assert_eq!(kind, "engine-down");
    assert!(message.starts_with("no connection: "), "{message}");
}

#[test]
fn a_query_without_an_inclusion_term_is_refused_without_a_call() {
    let server = start_instance();
    let record = &run_search(
        &server.address,
        &[],
        r#"{"query":{"include":[],"exclude":["the"]}}"#,
    )
    .records()[0];
    assert_eq!(record["error"]["kind"], "refused");
    assert!(server.requests().is_empty());
}
