//! `search` with several engines, which are servers on loopback.

use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};

/// Returns a query of a step.
fn query(step: u64, word: &str) -> String {
    let step = json!({"number": step, "target": "gold", "last": true});
    format!("{}\n", json!({"step": step, "query": {"include": [word]}}))
}

/// Starts a SearXNG with these pages as the hits of every query, and none on the second page.
fn searxng(urls: &'static [&'static str]) -> EngineServer {
    EngineServer::start(move |request, _| {
        let is_first = request.target.ends_with("pageno=1");
        let hits: Vec<Value> = urls
            .iter()
            .filter(|_| is_first)
            .map(|url| json!({"url": url, "title": "A"}))
            .collect();
        EngineResponse::ok(json!({"results": hits}).to_string())
    })
}

fn failing(status: &'static str) -> EngineServer {
    EngineServer::start(move |_, _| EngineResponse::status(status, ""))
}

fn spec(server: &EngineServer) -> String {
    format!("searxng:{}", server.address)
}

fn search(engines: &[&EngineServer], args: &[&str], queries: &str) -> ToolOutput {
    let specs: Vec<String> = engines.iter().map(|server| spec(server)).collect();
    let engines = specs.iter().flat_map(|spec| ["--engine", spec]);
    let args = ["--rate", "1000"].iter().chain(args).copied();
    run_tool("search", engines.chain(args), queries)
}

/// Returns URL, rank, calls and `step.last` of each record, and the number of its engine; or the
/// kind of its error, or its outcome.
fn summarize(output: &ToolOutput, engines: &[&EngineServer]) -> Vec<Value> {
    let summary = |record: Value| {
        let hit = &record["hit"];
        let number = engines
            .iter()
            .position(|engine| hit["engine"] == json!(spec(engine)));
        let what = match (&record["url"], &record["error"]["kind"]) {
            (Value::String(url), _) => json!(url),
            (_, Value::String(kind)) => json!(kind),
            _ => hit["outcome"].clone(),
        };
        json!([
            what,
            number,
            hit["rank"],
            hit["calls"],
            record["step"]["last"]
        ])
    };
    output.records().into_iter().map(summary).collect()
}

#[test]
fn hits_of_two_engines_are_interleaved_and_cached() {
    let a = searxng(&["http://a.test/1", "http://both.test/", "http://a.test/3"]);
    let b = searxng(&["http://both.test/", "http://b.test/2"]);
    let engines = [&a, &b];
    let dir = temp_folder();
    let hits = dir.path().join("hits.db");
    let hits = ["--hits", hits.to_str().expect("a path in UTF-8")];
    let run = |args: &[&str], step| {
        let args = [&hits[..], args].concat();
        let output = search(&engines, &args, &query(step, "gold")).expect_exit(0);
        summarize(&output, &engines)
    };
    let expected = [
        json!(["http://a.test/1", 0, 1, 2, false]),
        json!(["http://both.test/", 1, 1, 0, false]),
        json!(["http://a.test/3", 0, 3, 0, true]),
    ];
    assert_eq!(run(&["--from-step", "1", "--next", "3"], 1), expected);
    // A repeated step is the same, without a request; the next one returns what is left.
    assert_eq!(run(&["--from-step", "1", "--next", "3"], 1), expected);
    assert_eq!((a.requests().len(), b.requests().len()), (1, 1));
    let next = run(&["--from-step", "2", "--next", "3"], 2);
    assert_eq!(next[0], json!(["http://b.test/2", 1, 2, 2, true]));
    assert_eq!(
        run(&["--next", "3"], 3),
        [json!(["exhausted", 0, null, 0, true])]
    );
}

#[test]
fn an_engine_that_fails_leaves_the_hits_of_the_others() {
    let works = searxng(&["http://a.test/1", "http://a.test/2"]);
    let down = failing("500 Internal Server Error");
    let refusing = failing("401 Unauthorized");
    let engines = [&down, &works, &refusing];
    let output = search(
        &engines,
        &["--top", "5"],
        &(query(1, "gold") + &query(2, "mine")),
    );
    let output = output.expect_exit(0);
    let of_step = [
        json!(["engine-down", 0, null, 0, false]),
        json!(["refused", 2, null, 0, false]),
        json!(["http://a.test/1", 1, 1, 2, false]),
        json!(["http://a.test/2", 1, 2, 0, true]),
    ];
    assert_eq!(
        summarize(&output, &engines),
        [&of_step[..], &of_step[..]].concat()
    );
    assert_eq!(
        output.stderr.matches("(reported once)").count(),
        2,
        "{}",
        output.stderr
    );
    // Without any answer, the last record of the step is an error, too.
    let engines = [&down, &refusing];
    let output = search(&engines, &[], &query(1, "gold")).expect_exit(0);
    assert_eq!(
        summarize(&output, &engines),
        [
            json!(["engine-down", 0, null, 0, false]),
            json!(["refused", 1, null, 0, true])
        ]
    );
    // A query without hits is empty if the others are down.
    let empty = searxng(&[]);
    let engines = [&empty, &down];
    let output = search(&engines, &[], &query(1, "gold")).expect_exit(0);
    assert_eq!(
        summarize(&output, &engines),
        [
            json!(["engine-down", 1, null, 0, false]),
            json!(["empty", 0, null, 1, true])
        ]
    );
}

#[test]
fn max_calls_limits_all_engines_together() {
    let a = searxng(&["http://a.test/1"]);
    let b = searxng(&["http://b.test/1"]);
    let engines = [&a, &b];
    for (max_calls, expected) in [
        ("2", vec!["http://a.test/1", "http://b.test/1", "budget"]),
        ("1", vec!["http://a.test/1", "budget"]),
        ("0", vec!["budget", "budget"]),
    ] {
        let queries = query(1, "gold") + &query(2, "mine");
        let before = a.requests().len() + b.requests().len();
        let output = search(&engines, &["--max-calls", max_calls, "--next=2"], &queries);
        let summary = summarize(&output.expect_exit(0), &engines);
        let what: Vec<_> = summary.iter().map(|record| record[0].clone()).collect();
        assert_eq!(what, expected);
        let requests = a.requests().len() + b.requests().len() - before;
        assert_eq!(requests.to_string(), max_calls);
    }
}

#[test]
fn some_tasks_take_one_engine_and_none_is_given_twice() {
    let stderr = |args: &[&str]| run_tool("search", args, "").expect_exit(2).stderr;
    let two = ["--engine", "index:x", "--engine", "index:y"];
    for task in ["--add", "--dump", "--engines=canary"] {
        let args = [&two[..], &[task]].concat();
        assert!(stderr(&args).contains("one --engine"), "{task}");
    }
    let twice = [
        "--engine",
        "gdelt:",
        "--engine",
        "gdelt:https://api.gdeltproject.org",
    ];
    assert!(stderr(&twice).contains("is given twice"));
}
