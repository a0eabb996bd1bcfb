//! Failing writes: runs of a pipeline in which one write or sync fails, as on a full or a broken
//! disk. The resumed runs are compared with an undisturbed one.

use crate::closed_web::{assert_same_files, read_run_files, run_pipeline};
use crate::{project_root, run_command, temp_folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a pipeline with a fault in each of some writes, resumes it, and compares the files with
/// those of an undisturbed run. The faults are spread over the run: `trials` of them, or the number
/// in the environment variable `FAULTS`.
///
/// # Panics
/// Panics if a faulty run crashes, ends without a message, or has not the files of the undisturbed
/// one when it is resumed.
pub fn assert_survives_write_faults(
    trials: u64,
    new_command: &dyn Fn(&Path) -> Command,
    resume_command: &dyn Fn(&Path) -> Command,
) {
    let trials = std::env::var("FAULTS").map_or(trials, |number| number.parse().expect("a number"));
    let dir = temp_folder();
    let library = build_library(dir.path());
    let whole = dir.path().join("whole");
    let counter = dir.path().join("counter");
    run_with_fault(new_command(&whole), &library, &counter, None);
    let expected = read_run_files(&whole);
    let writes = read_counter(&counter);
    assert!(writes > trials, "{writes} writes");
    let mut stopped = 0;
    for trial in 0..trials {
        // Each place in the run is as likely as another, and the last write is among them.
        let fault = 1 + (trial * writes + writes / 2) / trials;
        let out = dir.path().join(format!("trial-{trial}"));
        let context = format!("write {fault} of {writes}");
        let output = run_with_fault(new_command(&out), &library, &counter, Some(fault));
        assert!(
            [0, 2, 3].contains(&output.exit_code) && !output.stderr.contains("internal error"),
            "{context}: {output:?}"
        );
        stopped += u64::from(output.exit_code != 0);
        assert!(
            output.exit_code == 0 || !output.stderr.is_empty(),
            "{context}"
        );
        let command = match out.join("run.conf").exists() {
            true => resume_command(&out),
            false => new_command(&out),
        };
        let resumed = run_pipeline(command);
        assert_eq!(
            resumed.exit_code, 0,
            "{context}: {}\nresumed: {}",
            output.stderr, resumed.stderr
        );
        assert_same_files(&read_run_files(&out), &expected, &context);
        fs::remove_dir_all(&out).expect("the folder is removed");
    }
    eprintln!("{trials} of {writes} writes failed, {stopped} runs stopped");
}

/// Compiles the library that makes a write fail.
fn build_library(folder: &Path) -> PathBuf {
    let library = folder.join("write_faults.so");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(project_root().join("tests/src/write_faults.c"))
        .arg("-ldl")
        .status()
        .expect("a C compiler");
    assert!(status.success(), "the library does not compile");
    library
}

fn run_with_fault(
    mut command: Command,
    library: &Path,
    counter: &Path,
    fault: Option<u64>,
) -> crate::ToolOutput {
    fs::write(counter, [0; 8]).expect("the counter is written");
    command
        .env("LD_PRELOAD", library)
        .env("FAULT_COUNTER", counter);
    if let Some(fault) = fault {
        command.env("FAULT_AT", fault.to_string());
    }
    run_command(command, "")
}

fn read_counter(counter: &Path) -> u64 {
    let bytes = fs::read(counter).expect("the counter is read");
    u64::from_ne_bytes(bytes.try_into().expect("8 bytes"))
}
