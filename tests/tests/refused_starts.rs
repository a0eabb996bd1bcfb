//! The folder of a run whose start is refused: what the start has created is removed, and nothing
//! else.

use forage_tests::closed_web::{new_run_command, pipeline_command, run_pipeline, web_folder};
use forage_tests::temp_folder;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the command of a run whose initial documents are in each other's language, so that its
/// start is refused after they have been copied.
fn refused_command(out: &Path) -> Command {
    let web = web_folder();
    let init = |class: &str, file: &str| format!("{class}={}", web.join(file).display());
    let engine = format!("index:{}", web.join("index").display());
    let args = ["--target", "slv", "--engine", &engine, "--out"];
    let mut command = pipeline_command("corpus-builder", &args);
    command.arg(out).args([
        "--init",
        &init("slv", "eng.txt"),
        "--init",
        &init("eng", "slv.txt"),
    ]);
    command
}

fn file_names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().display().to_string())
        .collect()
}

#[test]
fn a_refused_start_leaves_no_folder() {
    let dir = temp_folder();
    run_pipeline(refused_command(&dir.path().join("new/nested/run"))).expect_exit(2);
    assert!(!dir.path().join("new").exists());
    let out = dir.path().join("run");
    let known = dir.path().join("no-records.txt");
    fs::write(&known, "danes je lep dan\n").unwrap();
    let mut command = new_run_command(&out, &["--known"]);
    command.arg(&known);
    run_pipeline(command).expect_exit(2);
    assert!(!out.exists());
    let page = dir.path().join("empty.html");
    fs::write(&page, "<p>the of and</p>").unwrap();
    let engine = format!("index:{}", web_folder().join("index").display());
    let mut command = pipeline_command("special-domain", &["--engine", &engine, "--sample"]);
    command.arg(&page).arg("--out").arg(&out);
    run_pipeline(command).expect_exit(2);
    assert!(!out.exists());
}

#[test]
fn a_folder_that_was_there_stays_with_its_files() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    fs::create_dir(&out).unwrap();
    run_pipeline(refused_command(&out)).expect_exit(2);
    assert_eq!(file_names(&out), BTreeSet::new());
    fs::write(out.join("notes.txt"), "ours").unwrap();
    for options in [&["--docs", "1"][..], &["--docs", "1", "--check"]] {
        let output = run_pipeline(new_run_command(&out, options)).expect_exit(2);
        assert!(
            output.stderr.contains("has `notes.txt`"),
            "{}",
            output.stderr
        );
    }
    run_pipeline(refused_command(&out)).expect_exit(2);
    assert_eq!(file_names(&out), ["notes.txt".to_owned()].into());
    // A start that was killed has left files, which a later start replaces.
    fs::create_dir(out.join("init")).unwrap();
    fs::write(out.join("lock"), "").unwrap();
    run_pipeline(refused_command(&out)).expect_exit(2);
    assert_eq!(
        file_names(&out),
        ["init", "lock", "notes.txt"].map(str::to_owned).into()
    );
    run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(0);
}

#[test]
fn a_run_that_is_there_is_not_changed_by_a_refused_start() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "2"])).expect_exit(0);
    let before = file_names(&out);
    run_pipeline(refused_command(&out)).expect_exit(2);
    fs::remove_file(out.join("run.conf")).unwrap();
    run_pipeline(refused_command(&out)).expect_exit(2);
    let mut expected = before;
    expected.remove("run.conf");
    assert_eq!(file_names(&out), expected);
}
