//! run-steps and scripts of users: which phases it calls, with which variables, and what it does if
//! a script fails.

use forage_tests::closed_web::{
    assert_same_files, new_run_command, pipeline_command, read_run_files, run_pipeline,
};
use forage_tests::{ToolOutput, pipeline_path, temp_folder, tool_folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes a script, which is not executable, from that of corpus-builder.
fn write_script(dir: &Path, change: impl FnOnce(String) -> String) -> PathBuf {
    let script = fs::read_to_string(pipeline_path("corpus-builder")).unwrap();
    let path = dir.join("my-loop");
    fs::write(&path, change(script)).unwrap();
    path
}

/// Runs a script by `run-steps --of`, with the arguments of a run of Slovenian documents.
fn run_script(script: &Path, out: &Path, limit: [&str; 2]) -> ToolOutput {
    let mut command = Command::new(tool_folder().join("run-steps"));
    let run = new_run_command(out, &limit);
    let path = run
        .get_envs()
        .find_map(|(name, value)| (name == "PATH").then(|| value.unwrap().to_owned()));
    command.arg("--of").arg(script).args(run.get_args());
    command.env("PATH", path.unwrap());
    run_pipeline(command)
}

#[test]
fn a_changed_copy_of_a_pipeline_runs_and_is_named_in_messages() {
    let dir = temp_folder();
    let [plain, changed] = ["plain", "changed"].map(|name| dir.path().join(name));
    run_pipeline(new_run_command(&plain, &["--docs", "8"])).expect_exit(0);
    // A record that passes through another program is the same.
    let script = write_script(dir.path(), |script| {
        script.replace(
            "\n    \"${filter[@]}\"",
            "\n    cat |\n    \"${filter[@]}\"",
        )
    });
    let output = run_script(&script, &changed, ["--docs", "8"]).expect_exit(0);
    assert!(output.stderr.contains("my-loop: "), "{}", output.stderr);
    assert_same_files(&read_run_files(&changed), &read_run_files(&plain), "cat");
}

#[test]
fn phases_are_called_with_their_variables() {
    let dir = temp_folder();
    let calls = dir.path().join("calls");
    let log = format!(
        "echo \"$1 $STEP $TARGET $NEXT $DOCS $CALLS_LEFT\" >>'{}'\n\"$@\"\n",
        calls.display()
    );
    let script = write_script(dir.path(), |script| {
        script.strip_suffix("\"$@\"\n").unwrap().to_owned() + &log
    });
    run_script(&script, &dir.path().join("run"), ["--docs", "2"]).expect_exit(0);
    let calls = fs::read_to_string(calls).unwrap();
    let no_limit = "9000000000000000";
    let expected = [
        "init 0 slv 1 0",
        "query 1 slv 1 0", // tried before the run begins
        "query 1 slv 1 0",
        "step 1 slv 1 0",
        "query 2 slv 1 1",
        "step 2 slv 1 1",
    ];
    for (line, start) in calls.lines().zip(expected) {
        assert!(line.starts_with(start), "{calls}");
    }
    assert!(calls.lines().nth(1).unwrap().ends_with(no_limit), "{calls}");
    let last: Vec<&str> = calls.lines().rev().take(2).collect();
    assert!(
        last[0].starts_with("settle ") && last[1].starts_with("results "),
        "{calls}"
    );
}

#[test]
fn a_script_that_fails_or_writes_no_tally_stops_the_run() {
    for (function, message) in [
        (
            "step() {\n  cat >/dev/null; echo done; return\n",
            "the step has written no tally",
        ),
        (
            "step() {\n  cat >/dev/null; return\n",
            "the step has written no tally",
        ),
        (
            "step() {\n  cat >/dev/null; return 3\n",
            "step 1 is not complete",
        ),
        ("step() {\n  kill -9 $$\n", "step 1 is not complete"),
    ] {
        let dir = temp_folder();
        let out = dir.path().join("run");
        let script = write_script(dir.path(), |script| script.replace("step() {\n", function));
        let stderr = run_script(&script, &out, ["--docs", "2"])
            .expect_exit(2)
            .stderr;
        assert!(stderr.contains(message), "{function}: {stderr}");
        assert!(out.join("report.json").exists(), "{function}: {stderr}");
        // The step is repeated by a script without the fault.
        let resumed = ["--resume", out.to_str().unwrap()];
        run_pipeline(pipeline_command("corpus-builder", &resumed)).expect_exit(0);
    }
    // Before the first step, nothing is left.
    let dir = temp_folder();
    let out = dir.path().join("run");
    let script = write_script(dir.path(), |script| {
        script.replace("query() {\n", "query() {\n  echo broken >&2; return 1\n")
    });
    let stderr = run_script(&script, &out, ["--docs", "2"])
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("broken"), "{stderr}");
    assert!(!out.exists());
}

#[test]
fn a_phase_can_be_called_by_hand() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "3"])).expect_exit(0);
    let mut query = pipeline_command("corpus-builder", &["query"]);
    query.env("RUN", &out).env("STEP", "4").env("TARGET", "slv");
    let stdout = run_pipeline(query).expect_exit(0).stdout;
    assert!(
        stdout.contains("\"step\":{\"number\":4,\"target\":\"slv\""),
        "{stdout}"
    );
}

#[test]
fn a_signal_between_two_phases_stops_the_run() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    // The query itself is not ended by the signal.
    let signal =
        "query() {\n  if ((STEP == 2)); then trap '' TERM; kill -TERM $PPID; sleep 1; fi\n";
    let script = write_script(dir.path(), |script| {
        script
            .replace("query() {\n", signal)
            .replace("step() {\n", "step() {\n  touch \"$RUN/step-$STEP\"\n")
    });
    let stderr = run_script(&script, &out, ["--docs", "4"])
        .expect_exit(3)
        .stderr;
    assert!(
        stderr.contains("interrupted; continue with --resume"),
        "{stderr}"
    );
    assert!(out.join("step-1").exists() && !out.join("step-2").exists());
    assert!(out.join("report.json").exists() && out.join("corpus/slv.txt").exists());
}

#[test]
fn an_option_that_is_given_several_times_is_reported() {
    let args = [
        "--docs",
        "5",
        "--engine=index:a",
        "--docs=6",
        "--engine",
        "index:b",
        "--init",
        "a",
    ];
    let stderr = run_pipeline(pipeline_command("corpus-builder", &args))
        .expect_exit(2)
        .stderr;
    let reported: Vec<&str> = stderr
        .lines()
        .filter_map(|line| line.strip_suffix(": is given several times; the last one counts"))
        .collect();
    let expected = ["corpus-builder: --engine", "corpus-builder: --docs"];
    assert_eq!(reported, expected, "{stderr}");
}

#[test]
fn a_run_of_another_pipeline_and_words_that_are_no_options_are_refused() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "2"])).expect_exit(0);
    let out = out.to_str().unwrap();
    for (pipeline, args, message) in [
        (
            "focused-crawl",
            vec!["--resume", out],
            "is a run of corpus-builder; resume it by corpus-builder --resume",
        ),
        ("corpus-builder", vec![out], "unexpected argument"),
        (
            "special-domain",
            vec!["results"],
            "unexpected argument 'results'",
        ),
    ] {
        let stderr = run_pipeline(pipeline_command(pipeline, &args))
            .expect_exit(2)
            .stderr;
        assert!(stderr.contains(message), "{stderr}");
    }
}

#[test]
fn a_run_whose_documents_all_have_another_label_or_none_fails() {
    let dir = temp_folder();
    for (name, label, exit, message) in [
        (
            "other",
            "\"hsb\"",
            1,
            "8 of 8 retrieved documents are hsb, the target is slv",
        ),
        (
            "number",
            "5",
            1,
            "8 of 8 retrieved documents are 5, the target is slv",
        ),
        (
            "object",
            "{}",
            2,
            "the filter must write a string or a number as `label`",
        ),
    ] {
        let filter = format!("sed -u 's/^{{/{{\"label\":{label},/'");
        let args = ["--docs", "8", "--filter", &filter];
        let output = run_pipeline(new_run_command(&dir.path().join(name), &args)).expect_exit(exit);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
}
