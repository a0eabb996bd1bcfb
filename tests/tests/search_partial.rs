//! `search` with an engine of which a part does not answer, and warnings that are printed once per
//! run.

use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::path::Path;

/// Starts a SearXNG whose second engine fails for the first `failures` calls. Without it, a query has
/// one hit, with it two. There is one page of hits, and a query for `nothing` has none.
fn start_instance(failures: usize) -> EngineServer {
    EngineServer::start(move |request, previous| {
        let is_partial = previous < failures;
        let hit = |n: u8| json!({"url": format!("http://{n}.test/"), "content": "dan"});
        let mut hits = match is_partial {
            true => vec![hit(1)],
            false => vec![hit(2), hit(1)],
        };
        let has_hits = request.target.ends_with("pageno=1") && !request.target.contains("nothing");
        hits.retain(|_| has_hits);
        let missing = match is_partial {
            true => json!([["brave", "Suspended: CAPTCHA"]]),
            false => json!([]),
        };
        EngineResponse::ok(json!({"results": hits, "unresponsive_engines": missing}).to_string())
    })
}

/// Runs one step of a pipeline with a query for `word`.
fn search_step(server: &EngineServer, hits: &Path, step: u64, word: &str) -> ToolOutput {
    let query = json!({
        "step": {"number": step, "target": "slv"}, "query": {"include": [word], "exclude": ["end"]},
    });
    let spec = format!("searxng:{}", server.address);
    let step = step.to_string();
    let hits = hits.to_str().unwrap();
    let args = ["--engine", &spec, "--hits", hits, "--from-step", &step];
    let others = ["--rate", "1000", "--patience", "0", "--max-pages", "1"];
    run_tool("search", [&args[..], &others].concat(), query.to_string()).expect_exit(0)
}

/// Returns URL, rank and calls of the only record of a step; its outcome or the kind of its error if
/// there is no URL.
fn summarize(output: &ToolOutput) -> Value {
    let record = output.records().remove(0);
    let hit = &record["hit"];
    match (&record["url"], &record["error"]["kind"]) {
        (Value::Null, Value::Null) => json!([hit["outcome"], hit["calls"]]),
        (Value::Null, kind) => json!([kind, hit["calls"]]),
        (url, _) => json!([url, hit["rank"], hit["calls"]]),
    }
}

#[test]
fn a_page_that_lacks_hits_is_requested_once_more_when_the_missing_engine_answers_again() {
    let server = start_instance(3);
    let dir = temp_folder();
    let hits = dir.path().join("hits.db");
    let step = |number, word| search_step(&server, &hits, number, word);
    assert_eq!(summarize(&step(1, "dan")), json!(["http://1.test/", 1, 1]));
    // The missing engine has not answered since: the page is not requested again.
    assert_eq!(summarize(&step(2, "dan")), json!(["exhausted", 0]));
    assert_eq!(summarize(&step(3, "lep")), json!(["exhausted", 1]));
    assert_eq!(summarize(&step(4, "nothing")), json!(["throttled", 0]));
    // The fourth call is answered by all engines.
    assert_eq!(summarize(&step(5, "nothing")), json!(["empty", 1]));
    assert_eq!(server.requests().len(), 4);
    let expected = json!(["http://2.test/", 1, 1]);
    let first = step(6, "dan");
    assert_eq!(summarize(&first), expected);
    // A repeated step gives the same record, without a call.
    assert_eq!(step(6, "dan").stdout, first.stdout);
    assert_eq!(summarize(&step(7, "dan")), json!(["exhausted", 0]));
    // The page of the other query was requested while the engine was missing, too.
    assert_eq!(summarize(&step(8, "lep")), json!(["exhausted", 1]));
    assert_eq!(summarize(&step(9, "lep")), json!(["exhausted", 0]));
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn warnings_are_printed_once_per_run() {
    let server = start_instance(usize::MAX);
    let dir = temp_folder();
    let hits = dir.path().join("hits.db");
    let stderr: String = ["dan", "lep", "sonce"]
        .iter()
        .zip(1..)
        .map(|(word, step)| search_step(&server, &hits, step, word).stderr)
        .collect();
    let spec = format!("searxng:{}", server.address);
    assert_eq!(
        stderr,
        format!("search: {spec}: hits are missing: brave: Suspended: CAPTCHA (reported once)\n")
    );
}

#[test]
fn skipped_hits_are_reported_once_per_run() {
    let server = EngineServer::start(|_, _| {
        EngineResponse::ok(r#"{"results":[{"url":"http://1.test/","content":"the end"}]}"#)
    });
    let dir = temp_folder();
    let hits = dir.path().join("hits.db");
    let stderr: String = (1..4)
        .map(|step| search_step(&server, &hits, step, &format!("w{step}")).stderr)
        .collect();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(
        stderr.contains("they are skipped (reported once)"),
        "{stderr}"
    );
}
