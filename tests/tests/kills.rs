//! A killed run is resumed and gives the same result as an undisturbed one.
#![cfg(target_os = "linux")]

use forage_tests::closed_web::{new_run_command, resume_command, run_pipeline};
use forage_tests::open_web::{EngineFault, OpenWeb};
use forage_tests::{kills, temp_folder};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_run_with_a_failed_write_gives_the_same_result() {
    let args = ["--docs", "8", "--batch", "2", "--quiet"];
    forage_tests::write_faults::assert_survives_write_faults(
        6,
        &|out| new_run_command(out, &args),
        &|out| resume_command(out, &["--quiet"]),
    );
}

#[test]
fn a_killed_run_gives_the_same_result() {
    assert_survives_kills(10, &["--docs", "14", "--quiet"]);
}

#[test]
fn a_killed_run_of_the_region_learner_gives_the_same_result() {
    assert_survives_kills(
        5,
        &[
            "--docs",
            "40",
            "--quiet",
            "--learn",
            "auto",
            "--batch",
            "4",
            "--page-size",
            "4",
        ],
    );
}

#[test]
fn a_killed_run_with_coverage_probes_gives_the_same_result() {
    assert_survives_kills(
        3,
        &[
            "--docs",
            "60",
            "--quiet",
            "--until-coverage",
            "0.9",
            "--batch",
            "4",
            "--page-size",
            "4",
        ],
    );
}

#[test]
fn a_killed_run_that_learns_methods_and_lengths_gives_the_same_result() {
    assert_survives_kills(
        5,
        &[
            "--docs",
            "14",
            "--quiet",
            "--learn",
            "ltm",
            "--lengths",
            "ii",
            "--no-result-penalty",
            "2",
        ],
    );
}

#[test]
fn killed_runs_of_the_baselines_give_the_same_result() {
    assert_survives_kills(
        3,
        &[
            "--docs",
            "30",
            "--quiet",
            "--learn",
            "like",
            "--batch",
            "3",
            "--page-size",
            "3",
        ],
    );
    assert_survives_kills(
        3,
        &[
            "--docs",
            "30",
            "--quiet",
            "--learn",
            "seedfinder",
            "--batch",
            "4",
            "--page-size",
            "4",
        ],
    );
}

/// Once the target is nearly exhausted, most records of the journal are attempts.
#[test]
fn a_killed_run_with_attempts_of_recovery_gives_the_same_result() {
    let args = ["--include", "or:3", "--exclude", "or:3", "--batch", "10"];
    assert_survives_kills(2, &[&args[..], &["--queries", "30"]].concat());
}

/// Kills and resumes runs that collect Slovenian documents, with these arguments.
fn assert_survives_kills(trials: u64, args: &[&str]) {
    kills::assert_survives_kills(trials, &|out| new_run_command(out, args), &|out| {
        resume_command(out, &[])
    });
}

#[test]
fn a_run_that_waits_for_an_engine_ends_at_a_signal_and_can_be_resumed() {
    let web = OpenWeb::start();
    let args = web.args();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    // Other signals may be ignored by whatever has started the tests.
    for signal in ["TERM"] {
        let dir = temp_folder();
        let out = dir.path().join("run");
        let args = [&args[..], &["--docs", "3"]].concat();
        web.set_fault(Some(EngineFault::Down));
        let calls = web.count_calls();
        let mut command = new_run_command(&out, &args);
        let pipeline = command.stderr(Stdio::piped()).spawn().unwrap();
        while web.count_calls() == calls {
            std::thread::sleep(Duration::from_millis(20));
        }
        let pid = pipeline.id().to_string();
        let killed = Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(killed.unwrap().success());
        // The engine would be waited for for an hour.
        let output = pipeline.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{stderr}");
        assert!(
            stderr.contains("interrupted; continue with --resume"),
            "{stderr}"
        );
        web.set_fault(None);
        run_pipeline(resume_command(&out, &["--quiet"])).expect_exit(0);
    }
}
