//! Killing runs of a pipeline and comparing the resumed runs with an undisturbed one.

use crate::closed_web::{assert_same_files, read_run_files, run_pipeline};
use crate::events::{block_calls, running_processes, wait_for};
use crate::temp_folder;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Kills whole runs and single processes of them, resumes them, and compares the files with those
/// of an undisturbed run: `trials` runs, or the number in the environment variable `KILLED_RUNS`,
/// with two kills each.
///
/// The moment of a kill depends on the size of the journal, not on the clock, so that it is the
/// same on any machine.
///
/// # Panics
/// Panics if the files of a resumed run differ, or a run cannot be started or resumed.
pub fn assert_survives_kills(
    trials: u64,
    new_command: &dyn Fn(&Path) -> Command,
    resume_command: &dyn Fn(&Path) -> Command,
) {
    let trials =
        std::env::var("KILLED_RUNS").map_or(trials, |number| number.parse().expect("a number"));
    let dir = temp_folder();
    let whole = dir.path().join("whole");
    run_pipeline(new_command(&whole)).expect_exit(0);
    let expected = read_run_files(&whole);
    let journal_bytes = expected["journal.jsonl"].len() as f64;
    for trial in 0..trials {
        let out = dir.path().join(format!("trial-{trial}"));
        let next_command = || {
            if out.join("run.conf").exists() {
                resume_command(&out)
            } else {
                new_command(&out)
            }
        };
        // The moments are spread over the run. Each trial has two kills, of a single process and of
        // all processes in turn.
        for kill in 0..2 {
            let kill_bytes =
                (journal_bytes * 0.8 * (0.37 * (2 * trial + kill) as f64).fract()) as u64;
            let moment = KillMoment {
                journal_bytes: kill_bytes,
                delay: Duration::from_millis(trial * 7 % 40),
            };
            let mut command = next_command();
            // update-stats blocks before the end of the journal, so that the run cannot end before
            // the kill.
            let condition = format!(
                r#"[ "$(cat '{}' 2>/dev/null | wc -c)" -ge {} ]"#,
                out.join("journal.jsonl").display(),
                (journal_bytes * 0.9) as u64
            );
            block_calls(
                &mut command,
                &dir.path().join("bin"),
                "update-stats",
                &condition,
            );
            let was_running = run_until_kill(
                command,
                &out,
                &moment,
                (trial + kill) % 2 == 0,
                trial as usize,
            );
            assert!(
                was_running,
                "trial {trial}: the run ended before its journal had {kill_bytes} of \
                 {journal_bytes} bytes"
            );
        }
        run_pipeline(next_command()).expect_exit(0);
        assert_same_files(&read_run_files(&out), &expected, &format!("trial {trial}"));
    }
    eprintln!("{trials} runs, each killed twice, have the same files");
}

/// The moment at which a run is killed.
struct KillMoment {
    /// Size of the journal in bytes.
    journal_bytes: u64,
    /// Delay after the journal has reached this size, which only varies the moments.
    delay: Duration,
}

/// Starts a command in its own process group, and kills a single process of it and the others a
/// little later, or all at the same time. Returns `false` if the command ended before the kill.
fn run_until_kill(
    mut command: Command,
    run: &Path,
    moment: &KillMoment,
    single_process: bool,
    choice: usize,
) -> bool {
    let silenced = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = silenced.process_group(0).spawn().expect("the process runs");
    let group = child.id();
    let journal_bytes = || fs::metadata(run.join("journal.jsonl")).map_or(0, |file| file.len());
    wait_for("the moment of the kill", || {
        journal_bytes() >= moment.journal_bytes
            || child.try_wait().expect("the process runs").is_some()
    });
    std::thread::sleep(moment.delay);
    let is_running = child.try_wait().expect("the process runs").is_none();
    let members = running_processes(group);
    if is_running && single_process && !members.is_empty() {
        send_kill(&members[choice % members.len()].to_string());
        std::thread::sleep(Duration::from_millis(80));
    }
    send_kill(&format!("-{group}"));
    child.wait().expect("the process runs");
    wait_for("the end of all processes", || {
        running_processes(group).is_empty()
    });
    is_running
}

fn send_kill(target: &str) {
    // The process may have ended already.
    let _ = Command::new("kill")
        .args(["-9", "--", target])
        .stderr(Stdio::null())
        .status();
}
