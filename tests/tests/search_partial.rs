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
    // The engine has returned hits without the missing one: this is its answer, not a failure.
    assert_eq!(summarize(&step(4, "nothing")), json!(["empty", 1]));
    assert_eq!(summarize(&step(5, "nothing")), json!(["empty", 0]));
    // The fourth call is answered by all engines.
    assert_eq!(
        summarize(&step(6, "sonce")),
        json!(["http://2.test/", 1, 1])
    );
    assert_eq!(server.requests().len(), 4);
    let first = step(7, "nothing");
    assert_eq!(summarize(&first), json!(["empty", 1]));
    // A repeated step gives the same record, without a call.
    assert_eq!(step(7, "nothing").stdout, first.stdout);
    assert_eq!(summarize(&step(8, "nothing")), json!(["empty", 0]));
    // The pages of the other queries were requested while the engine was missing, too.
    assert_eq!(summarize(&step(9, "dan")), json!(["exhausted", 1]));
    assert_eq!(summarize(&step(10, "dan")), json!(["exhausted", 0]));
    assert_eq!(summarize(&step(11, "lep")), json!(["exhausted", 1]));
    assert_eq!(server.requests().len(), 7);
}

/// Starts a SearXNG that has a hit for `internet` only, without its engine `brave`, and nothing at
/// all if `is_dead`.
fn start_instance_without_hits(is_dead: bool) -> EngineServer {
    EngineServer::start(move |request, _| {
        let has_hit = !is_dead && request.target.contains("internet");
        let hits = if has_hit {
            json!([{"url": "http://1.test/"}])
        } else {
            json!([])
        };
        let missing = json!([["brave", "timeout"]]);
        EngineResponse::ok(json!({"results": hits, "unresponsive_engines": missing}).to_string())
    })
}

#[test]
fn a_silent_part_is_a_failure_only_if_a_common_word_has_no_hit_either() {
    let dir = temp_folder();
    for (is_dead, expected, calls) in [
        (false, [json!(["empty", 1]), json!(["empty", 1])], 4),
        (
            true,
            [json!(["engine-down", 0]), json!(["engine-down", 0])],
            4,
        ),
    ] {
        let server = start_instance_without_hits(is_dead);
        let hits = dir.path().join(format!("{is_dead}.db"));
        let outputs =
            [(1, "dan"), (2, "lep")].map(|(n, word)| search_step(&server, &hits, n, word));
        assert_eq!(outputs.each_ref().map(summarize), expected);
        assert_eq!(server.requests().len(), calls);
    }
}

#[test]
fn a_page_after_the_last_hit_ends_the_query_also_if_all_parts_are_silent() {
    let server = EngineServer::start(|request, _| {
        let response = match request.target.contains("pageno=1") {
            true => json!({"results": [{"url": "http://1.test/"}]}),
            false => json!({"results": [], "unresponsive_engines": [["brave", "CAPTCHA"]]}),
        };
        EngineResponse::ok(response.to_string())
    });
    let dir = temp_folder();
    let hits = dir.path().join("hits.db").display().to_string();
    let spec = format!("searxng:{}", server.address);
    let args = [
        "--engine", &spec, "--hits", &hits, "--rate", "1000", "--next", "5",
    ];
    let query = json!({"query": {"include": ["dan"]}}).to_string();
    let find = || run_tool("search", args, query.clone()).expect_exit(0);
    assert_eq!(summarize(&find()), json!(["http://1.test/", 1, 2]));
    assert_eq!(summarize(&find()), json!(["exhausted", 0]));
}

#[test]
fn a_page_that_all_parts_failed_for_is_requested_again_when_they_answer() {
    // The second call is for the second page of a query, the fifth for the first page of another.
    let server = EngineServer::start(|request, previous| {
        let is_outage = [1, 4].contains(&previous);
        let host = match request.target.contains("pageno=1") {
            true if request.target.contains("lep") => "lep",
            true => "dan",
            false if request.target.contains("pageno=2") => "dan2",
            false => "",
        };
        let hits = match is_outage || host.is_empty() {
            true => json!([]),
            false => json!([{"url": format!("http://{host}.test/")}]),
        };
        let missing = if is_outage {
            json!([["brave", "CAPTCHA"]])
        } else {
            json!([])
        };
        EngineResponse::ok(json!({"results": hits, "unresponsive_engines": missing}).to_string())
    });
    let dir = temp_folder();
    let hits = dir.path().join("hits.db").display().to_string();
    let spec = format!("searxng:{}", server.address);
    let find = |word: &str, next: &str| {
        let args = [
            "--engine", &spec, "--hits", &hits, "--rate", "1000", "--next", next,
        ];
        let query = json!({"query": {"include": [word]}}).to_string();
        summarize(&run_tool("search", args, query).expect_exit(0))
    };
    assert_eq!(find("first", "1"), json!(["http://dan.test/", 1, 1]));
    // Calls 2 to 4: the second page, the probe, the second page again.
    assert_eq!(find("first", "1"), json!(["http://dan2.test/", 2, 1]));
    assert_eq!(find("lep", "1"), json!(["http://lep.test/", 1, 1]));
    assert_eq!(server.requests().len(), 7);
}

#[test]
fn a_web_page_in_place_of_an_engine_is_waited_for_only_if_the_engine_has_answered_before() {
    let server = EngineServer::start(|_, previous| match previous {
        1 => EngineResponse::ok(r#"{"results":[]}"#),
        _ => EngineResponse::ok("<html>Welcome to nginx!</html>"),
    });
    let dir = temp_folder();
    let hits = dir.path().join("hits.db");
    let step = |number, word| summarize(&search_step(&server, &hits, number, word));
    assert_eq!(step(1, "dan"), json!(["refused", 0]));
    assert_eq!(step(2, "dan"), json!(["empty", 1]));
    assert_eq!(step(3, "lep"), json!(["engine-down", 0]));
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
