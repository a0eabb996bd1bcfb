//! Nothing is lost when a run is killed: it is gone on with, and ends as if it had not been.
#![cfg(target_os = "linux")]

use forage_tests::closed_web::{
    assert_same_files, new_run_command, read_run_files, resume_command, run_pipeline,
};
use forage_tests::events::{block_calls, running_processes, wait_for};
use forage_tests::temp_folder;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Kills whole runs and single processes of them, resumes, and compares with a run that was left in
/// peace.
///
/// When to kill is told by how far the journal has come, not by the clock: so it is the same on any
/// machine.
#[test]
fn a_run_that_is_killed_and_resumed_ends_as_if_it_had_not_been() {
    survives_kills(10, &["--docs", "14", "--quiet"]);
}

#[test]
fn so_does_one_that_learns_and_takes_several_documents_a_step() {
    survives_kills(
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
fn so_does_one_that_probes() {
    survives_kills(
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
fn so_does_one_that_learns_methods_and_lengths() {
    survives_kills(
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
fn so_does_a_bandit() {
    survives_kills(
        4,
        &[
            "--docs",
            "24",
            "--quiet",
            "--learn",
            "ucb",
            "--lengths",
            "di",
            "--batch",
            "3",
        ],
    );
}

#[test]
fn so_do_the_baselines() {
    survives_kills(
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
    survives_kills(
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

fn survives_kills(trials: u64, args: &[&str]) {
    let dir = temp_folder();
    let whole = dir.path().join("whole");
    run_pipeline(new_run_command(&whole, args)).expect_exit(0);
    let expected = read_run_files(&whole);
    let length = expected["journal.jsonl"].len() as f64;
    for trial in 0..trials {
        let out = dir.path().join(format!("trial-{trial}"));
        let resumed = || {
            if out.join("run.conf").exists() {
                resume_command(&out, &[])
            } else {
                new_run_command(&out, args)
            }
        };
        // Moments spread over the run; two kills in each trial, of a single process and of all in
        // turn.
        for kill in 0..2 {
            let journal = (length * 0.8 * (0.37 * (2 * trial + kill) as f64).fract()) as u64;
            let moment = Moment {
                journal,
                then: Duration::from_millis(trial * 7 % 40),
            };
            let mut command = resumed();
            // However late the kill comes, it meets the run: what counts records goes no further
            // than this.
            let condition = format!(
                r#"[ "$(cat '{}' 2>/dev/null | wc -c)" -ge {} ]"#,
                out.join("journal.jsonl").display(),
                (length * 0.9) as u64
            );
            block_calls(
                &mut command,
                &dir.path().join("bin"),
                "update-stats",
                &condition,
            );
            let met = kill_at(
                command,
                &out,
                &moment,
                (trial + kill) % 2 == 0,
                trial as usize,
            );
            assert!(
                met,
                "trial {trial}: the run ended before its journal had {journal} of {length} bytes"
            );
        }
        run_pipeline(resumed()).expect_exit(0);
        assert_same_files(&read_run_files(&out), &expected, &format!("trial {trial}"));
    }
}

/// When a run is killed: a while after its journal has come to a number of bytes. How far the run
/// comes in that while is all the same; it only makes the moments different.
struct Moment {
    journal: u64,
    then: Duration,
}

/// Starts a command in a group of its own and kills one process of it, or all; what lives on goes a
/// little later, however much it has done by then. False when the command had ended before.
fn kill_at(
    mut command: Command,
    run: &Path,
    moment: &Moment,
    only_one: bool,
    choice: usize,
) -> bool {
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = quiet.process_group(0).spawn().unwrap();
    let group = child.id();
    let written = || fs::metadata(run.join("journal.jsonl")).map_or(0, |file| file.len());
    wait_for("the run is in its middle", || {
        written() >= moment.journal || child.try_wait().unwrap().is_some()
    });
    std::thread::sleep(moment.then);
    let runs = child.try_wait().unwrap().is_none();
    let members = running_processes(group);
    if runs && only_one && !members.is_empty() {
        send_kill(&members[choice % members.len()].to_string());
        std::thread::sleep(Duration::from_millis(80));
    }
    send_kill(&format!("-{group}"));
    child.wait().unwrap();
    wait_for("all processes are gone", || {
        running_processes(group).is_empty()
    });
    runs
}

fn send_kill(to: &str) {
    // It may be gone by now.
    let _ = Command::new("kill")
        .args(["-9", "--", to])
        .stderr(Stdio::null())
        .status();
}
