//! The messages of `corpus-builder --check` on an engine: its own failure, no hits, or hits that
//! allow no conclusion on exclusion.

use forage_tests::closed_web::{new_run_command, run_pipeline};
use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::{ToolOutput, temp_folder};

/// Runs `--check` with an instance of SearXNG that gives each query this response.
fn check(status: &'static str, results: &'static str) -> (String, ToolOutput) {
    let server = EngineServer::start(move |_: &EngineRequest, _| {
        let body = format!("{{\"results\":[{results}],\"unresponsive_engines\":[]}}");
        EngineResponse::status(status, body)
    });
    let dir = temp_folder();
    let engine = format!("searxng:{}", server.address);
    let args = ["--engine", &engine, "--contact", "a@b.test", "--check"];
    let output = run_pipeline(new_run_command(&dir.path().join("run"), &args));
    (engine, output)
}

/// Whether a line starts so: the first one says that `--engine` is given twice.
fn has_line(stderr: &str, start: &str) -> bool {
    stderr.lines().any(|line| line.starts_with(start))
}

#[test]
fn the_failure_of_an_engine_is_shown_in_its_own_words() {
    let (engine, output) = check("403 Forbidden", "");
    let stderr = output.expect_exit(2).stderr;
    let expected = format!("corpus-builder: {engine}: the engine cannot be used: ");
    assert!(has_line(&stderr, &expected), "{stderr}");
    assert!(stderr.contains("403"), "{stderr}");
}

#[test]
fn an_engine_without_hits_is_told_from_one_that_fails() {
    let (engine, output) = check("200 OK", "");
    let stderr = output.expect_exit(2).stderr;
    let expected = format!("corpus-builder: --engine {engine}: answers, but has 0 hits for `leta`");
    assert!(has_line(&stderr, &expected), "{stderr}");
}

#[test]
fn an_engine_whose_exclusion_cannot_be_tested_can_be_used() {
    let result = r#"{"url":"http://a.test/","title":"internet","content":"","engine":"x"}"#;
    let (engine, output) = check("200 OK", result);
    let stdout = output.expect_exit(0).stdout;
    let expected = format!("engine: {engine} answers; its exclusion could not be tested: no word");
    assert!(stdout.contains(&expected), "{stdout}");
}
