//! Limits of corpus-builder by the size of the corpus, its checks before a run, and the reason that
//! it ends.

use forage_tests::closed_web::{
    assert_same_files, new_run_command, pipeline_command, read_report, read_run_files,
    resume_command, run_pipeline, web_folder,
};
use forage_tests::temp_folder;
use std::fs;
use std::path::Path;

fn count_lines(file: &Path) -> usize {
    fs::read_to_string(file).unwrap().lines().count()
}

/// Returns the reason in the last message of a run, which starts with the time of day and the
/// duration.
fn end_reason(stderr: &str) -> &str {
    let last = stderr.lines().last().unwrap();
    let (time, ended) = last
        .strip_prefix("corpus-builder: ")
        .and_then(|message| message.split_once(": ended after "))
        .unwrap_or_else(|| panic!("{stderr}"));
    let form: String = time
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(form, "00:00:00", "{last}");
    let (duration, reason) = ended.split_once(": ").unwrap();
    let (number, unit) = duration.split_once(' ').unwrap();
    assert!(number.parse::<u32>().is_ok() && ["s", "min", "h"].contains(&unit));
    reason
}

#[test]
fn relevant_documents_limit_a_run_exactly() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let limits = ["--relevant", "12", "--batch", "5"];
    let stderr = run_pipeline(new_run_command(&out, &limits))
        .expect_exit(0)
        .stderr;
    assert_eq!(count_lines(&out.join("corpus/slv.jsonl")), 12);
    assert!(
        end_reason(&stderr).starts_with("--relevant 12 is reached; continue with --resume"),
        "{stderr}"
    );
    let quiet = run_pipeline(resume_command(&out, &["--relevant", "14", "--quiet"]))
        .expect_exit(0)
        .stderr;
    let last = quiet.lines().last().unwrap();
    assert!(
        last.starts_with("corpus-builder: ended: --relevant 14 is reached"),
        "{last}"
    );
    assert_eq!(count_lines(&out.join("corpus/slv.jsonl")), 14);
}

#[test]
fn words_limit_a_run_and_are_those_of_the_corpus() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let output = run_pipeline(new_run_command(&out, &["--words", "2000"])).expect_exit(0);
    let words = read_report(&out)["words"].as_u64().unwrap();
    assert!((2000..2600).contains(&words), "{words}");
    assert!(
        output.stderr.contains(&format!("{words} words in")),
        "{}",
        output.stderr
    );
}

#[test]
fn the_last_batch_has_the_words_that_are_left_also_after_an_interruption() {
    let dir = temp_folder();
    let args = ["--words", "1500", "--batch", "10"];
    let run = |name: &str, queries: &str| {
        let out = dir.path().join(name);
        let args = [&args[..], &["--queries", queries]].concat();
        run_pipeline(new_run_command(&out, &args)).expect_exit(0);
        out
    };
    let whole = run("whole", "1000");
    let report = read_report(&whole);
    let words = report["words"].as_u64().unwrap();
    assert!((1500..1800).contains(&words), "{words}");
    let parts = run("parts", "1");
    assert!(read_report(&parts)["words"].as_u64() < Some(1500));
    run_pipeline(resume_command(&parts, &["--queries", "1000"])).expect_exit(0);
    assert_same_files(
        &read_run_files(&parts),
        &read_run_files(&whole),
        "in two parts",
    );
}

#[test]
fn an_exhausted_run_says_what_to_do() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let args = ["--learn", "auto", "--batch", "10", "--max-pages", "1"];
    let args = [&args[..], &["--until-coverage", "1"]].concat();
    let stderr = run_pipeline(new_run_command(&out, &args))
        .expect_exit(0)
        .stderr;
    assert!(
        end_reason(&stderr)
            .starts_with("no query is left; more initial documents, or another engine"),
        "{stderr}"
    );
}

#[test]
fn options_can_be_joined_to_their_values() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs=3", "--include=or:1"])).expect_exit(0);
    assert_eq!(read_report(&out)["documents"], 3);
}

#[test]
fn a_misspelt_engine_is_named_before_a_contact_is_asked_for() {
    let dir = temp_folder();
    let seed = format!("slv={}", web_folder().join("slv.txt").display());
    let out = dir.path().join("run").display().to_string();
    let args = [
        "--target", "slv", "--init", &seed, "--engine", "serxng:x", "--out", &out,
    ];
    let mut command = pipeline_command("corpus-builder", &args);
    command.env_remove("FORAGE_CONTACT");
    let stderr = run_pipeline(command).expect_exit(2).stderr;
    assert!(
        stderr.contains("serxng") && !stderr.contains("--contact"),
        "{stderr}"
    );
}

#[test]
fn a_dry_run_shows_the_first_query_and_leaves_nothing() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let shown = run_pipeline(new_run_command(&out, &["--dry-run"])).expect_exit(0);
    assert!(
        shown
            .stdout
            .contains("first query for slv:\nside\trank\tterm"),
        "{}",
        shown.stdout
    );
    assert!(!out.exists());
}

#[test]
fn a_check_tries_the_engine_and_the_initial_documents() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let report = run_pipeline(new_run_command(&out, &["--check"]))
        .expect_exit(0)
        .stdout;
    for part in [
        "disk: ",
        "tools: found",
        "target slv",
        "honours exclusion terms",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert!(!out.exists());
    let wrong = format!("slv={}", web_folder().join("eng.txt").display());
    let args = ["--check", "--init", &wrong];
    let mut command = new_run_command(&out, &args);
    command.args(["--versus", "hrv"]);
    let stderr = run_pipeline(command).expect_exit(2).stderr;
    assert!(
        stderr.contains("two classes cannot have the same text"),
        "{stderr}"
    );
}

#[test]
fn a_locked_folder_names_the_processes_that_lock_it() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "2"])).expect_exit(0);
    let lock = format!("exec 9>>'{}/lock'; flock 9; exec cat", out.display());
    let mut holder = std::process::Command::new("bash")
        .args(["-c", &lock])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The folder is locked when the process has become `cat`.
    let comm = format!("/proc/{}/comm", holder.id());
    while fs::read_to_string(&comm).unwrap().trim() != "cat" {
        std::thread::yield_now();
    }
    let stderr = run_pipeline(resume_command(&out, &["--docs", "4"]))
        .expect_exit(2)
        .stderr;
    drop(holder.stdin.take());
    holder.wait().unwrap();
    assert!(
        stderr.contains(&format!("process {} (cat)", holder.id())),
        "{stderr}"
    );
}
