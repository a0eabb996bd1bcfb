//! Engines that have no hit for any query: they fail, but say that there is nothing.

use forage_tests::closed_web::{
    new_run_command, read_journal, read_run_files, resume_command, run_pipeline,
};
use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::open_web::{EngineFault, OpenWeb};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::path::Path;

const NOTHING: &str = r#"{"results":[],"unresponsive_engines":[]}"#;

fn start_silent_engine() -> EngineServer {
    EngineServer::start(|request, _| match request.target.contains("known") {
        true => EngineResponse::ok(r#"{"results":[{"url":"http://1.test/"}]}"#),
        false => EngineResponse::ok(NOTHING),
    })
}

/// Returns the kind of error of a record, or its outcome.
fn outcome(record: &Value) -> &str {
    let error = record["error"]["kind"].as_str();
    error.or(record["hit"]["outcome"].as_str()).unwrap()
}

#[test]
fn a_run_is_stopped_with_advice_and_can_be_resumed() {
    let open_web = OpenWeb::start();
    for learner in [&[][..], &["--learn", "auto"], &["--include", "or:5"]] {
        let dir = temp_folder();
        let silent = start_silent_engine();
        let out = dir.path().join("run");
        let [flag, engine, fetch @ ..] = open_web.args();
        let fetch = fetch.each_ref().map(String::as_str);
        let spec = format!("searxng:{}", silent.address);
        let args = [&[&*flag, &spec], &fetch[..], learner, &["--docs", "3"]].concat();
        let stderr = run_pipeline(new_run_command(&out, &args))
            .expect_exit(2)
            .stderr;
        let calls = silent.requests().len();
        assert!((20..=40).contains(&calls), "{learner:?}: {calls}");
        for message in [
            format!("no hit for any of {calls} different queries"),
            format!("search --engine {spec} --engines canary"),
        ] {
            assert!(stderr.contains(&message), "{stderr}");
        }
        let journal = read_journal(&out);
        assert_eq!(outcome(journal.last().unwrap()), "no-hits");
        // The engine is tested by the last query and a common word, and the run is stopped again.
        let stderr = run_pipeline(resume_command(&out, &["--quiet"]))
            .expect_exit(2)
            .stderr;
        assert!(stderr.contains("still has no hits"), "{stderr}");
        assert_eq!(silent.requests().len(), calls + 2);
        let other = ["--docs", "3", &*flag, &*engine];
        run_pipeline(resume_command(&out, &other)).expect_exit(0);
    }
}

/// Sends a query for these inclusion terms in a step, with `--max-empty 4`.
fn search_step(server: &EngineServer, hits: &Path, include: &[&str], step: u64) -> ToolOutput {
    let spec = format!("searxng:{}", server.address);
    let hits = hits.to_str().unwrap();
    let query = json!({"step": {"number": step}, "query": {"include": include}});
    let step = step.to_string();
    let args = ["--engine", &spec, "--hits", hits, "--from-step", &step];
    let limits = ["--max-empty", "4", "--rate", "1000"];
    run_tool("search", [&args[..], &limits].concat(), query.to_string()).expect_exit(0)
}

/// Sends one query per step, for these inclusion terms.
fn search_steps(server: &EngineServer, hits: &Path, queries: &[&[&str]]) -> Vec<ToolOutput> {
    let steps = queries.iter().zip(1..);
    steps
        .map(|(include, step)| search_step(server, hits, include, step))
        .collect()
}

fn outcomes(outputs: &[ToolOutput]) -> String {
    let outcomes: Vec<String> = outputs
        .iter()
        .map(|output| outcome(&output.records()[0]).to_owned())
        .collect();
    outcomes.join(" ")
}

#[test]
fn an_engine_is_given_up_after_enough_different_queries() {
    let server = start_silent_engine();
    let dir = temp_folder();
    let short: [&[&str]; 5] = [&["a1"], &["a1"], &["b1"], &["c1", "a1"], &["d1"]];
    let hits = dir.path().join("short.db");
    let outputs = search_steps(&server, &hits, &short);
    assert_eq!(outcomes(&outputs), "empty empty empty empty no-hits");
    assert_eq!(server.requests().len(), 4);
    let record = &outputs[4].records()[0];
    assert_eq!(record["hit"]["calls"], 1);
    // A repeated step gives the same records without a call.
    let repeated = search_step(&server, &hits, short[4], 5);
    assert_eq!(repeated.stdout, outputs[4].stdout);
    assert_eq!(server.requests().len(), 4);

    let long = ["a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1"].map(|word| [word, "x1"]);
    let long: Vec<&[&str]> = long.iter().map(|terms| &terms[..]).collect();
    let hits = dir.path().join("long.db");
    let outputs = search_steps(&server, &hits, &long);
    assert!(outcomes(&outputs).ends_with("empty empty no-hits"));

    let known = [&[&["known"][..]], &short[..], &long].concat();
    let hits = dir.path().join("known.db");
    let outputs = search_steps(&server, &hits, &known);
    assert!(!outcomes(&outputs).contains("no-hits"));
}

/// Returns the arguments of a run on this web, with these in addition.
fn run_args<'a>(web: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    web.iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect()
}

#[test]
fn a_run_whose_engine_has_no_hits_any_more_stops_and_goes_on_as_if_nothing_had_been() {
    let web = OpenWeb::start();
    let args = web.args();
    // By regions, and with a query that no other follows if it has no hit.
    let fixed = ["--include", "or:1", "--recovery", "none", "--batch", "10"];
    for strategy in [&[][..], &fixed] {
        let dir = temp_folder();
        let whole = dir.path().join("whole");
        let [first, second] = [["--docs", "10"], ["--docs", "20"]];
        let new_run = |out: &Path| {
            let more = [&first[..], strategy].concat();
            run_pipeline(new_run_command(out, &run_args(&args, &more))).expect_exit(0);
        };
        new_run(&whole);
        run_pipeline(resume_command(&whole, &second)).expect_exit(0);

        let out = dir.path().join("run");
        new_run(&out);
        web.set_fault(Some(EngineFault::Empty));
        let stderr = run_pipeline(resume_command(&out, &second))
            .expect_exit(3)
            .stderr;
        let message = "the engine seems to fail (no hit for the last";
        assert!(stderr.contains(message), "{strategy:?}: {stderr}");
        let calls = web.count_calls();
        run_pipeline(resume_command(&out, &[])).expect_exit(3);
        assert!(web.count_calls() <= calls + 2, "{strategy:?}");
        web.set_fault(None);
        run_pipeline(resume_command(&out, &[])).expect_exit(0);
        assert_eq!(read_run_files(&out), read_run_files(&whole), "{strategy:?}");
    }
}

#[test]
fn a_run_that_an_outage_has_stopped_goes_on_as_if_nothing_had_been() {
    let web = OpenWeb::start();
    let args = web.args();
    let dir = temp_folder();
    let [first, second] = [["--docs", "10"], ["--docs", "20"]];
    let new_run = |name: &str| {
        let out = dir.path().join(name);
        let more = [&first[..], &["--patience", "0"]].concat();
        run_pipeline(new_run_command(&out, &run_args(&args, &more))).expect_exit(0);
        out
    };
    let whole = new_run("whole");
    run_pipeline(resume_command(&whole, &second)).expect_exit(0);
    for fault in [EngineFault::Down, EngineFault::AllSilent] {
        let out = new_run(&format!("{fault:?}"));
        web.set_fault(Some(fault));
        for _ in 0..2 {
            run_pipeline(resume_command(&out, &second)).expect_exit(3);
        }
        let failed = read_journal(&out).pop().unwrap();
        assert_eq!(failed["error"]["tool"], "search", "{fault:?}: {failed}");
        web.set_fault(None);
        run_pipeline(resume_command(&out, &[])).expect_exit(0);
        assert_eq!(read_run_files(&out), read_run_files(&whole), "{fault:?}");
    }
}

#[test]
fn a_target_that_is_exhausted_is_told_from_an_engine_that_fails() {
    let web = OpenWeb::start();
    let args = web.args();
    let dir = temp_folder();
    let out = dir.path().join("run");
    // The last page has no hit.
    let more = ["--include", "or:3", "--recovery", "none", "--batch", "10"];
    let stderr = run_pipeline(new_run_command(&out, &run_args(&args, &more)))
        .expect_exit(0)
        .stderr;
    assert!(stderr.contains(": no query is left;"), "{stderr}");
}
