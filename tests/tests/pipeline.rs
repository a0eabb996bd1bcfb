//! The pipelines on a small closed web: limits, results, and errors.

use forage_tests::closed_web::{
    assert_same_files, count_calls, new_run_command, pipeline_command, read_journal, read_report,
    read_run_files, resume_command, retrieved_documents, run_demo_web, run_pipeline, step_numbers,
    unknown_language, unknown_page, web_folder,
};
use forage_tests::{pipeline_path, run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn finds_slovenian_among_other_languages() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let output = run_pipeline(new_run_command(&out, &["--docs", "40"])).expect_exit(0);
    let truth = run_demo_web(&["truth"]);
    let truth: HashMap<&str, &str> = truth
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let journal = read_journal(&out);
    let documents = retrieved_documents(&journal);
    assert_eq!(documents.len(), 40);
    let urls: BTreeSet<&str> = documents
        .iter()
        .filter_map(|document| document["url"].as_str())
        .collect();
    let relevant = urls.iter().filter(|url| truth[*url] == "slv").count();
    assert!(
        relevant >= 36,
        "{relevant} of 40 are Slovenian\n{}",
        output.stderr
    );
    let corpus = fs::read_to_string(out.join("corpus/slv.jsonl")).unwrap();
    let labelled = documents
        .iter()
        .filter(|document| document["label"] == "slv")
        .count();
    assert_eq!(corpus.lines().count(), labelled);
    assert!(
        fs::read_to_string(out.join("corpus/slv.txt"))
            .unwrap()
            .split("\n\n")
            .count()
            >= labelled
    );
}

#[test]
fn ends_exactly_at_each_limit() {
    let dir = temp_folder();
    let run_to_limit = |flag: &str, limit: u64| {
        let out = dir.path().join(flag);
        run_pipeline(new_run_command(&out, &[flag, &limit.to_string()])).expect_exit(0);
        (read_journal(&out), read_report(&out))
    };
    let (journal, report) = run_to_limit("--docs", 7);
    assert_eq!(
        (retrieved_documents(&journal).len(), &report["documents"]),
        (7, &7.into())
    );
    let (journal, report) = run_to_limit("--queries", 5);
    assert_eq!(
        (step_numbers(&journal).len(), &report["steps"]),
        (5, &5.into())
    );
    let (journal, report) = run_to_limit("--calls", 3);
    assert_eq!((count_calls(&journal), &report["calls"]), (3, &3.into()));
}

#[test]
fn a_batch_retrieves_several_documents_per_step_within_the_limit() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "12", "--batch", "5"])).expect_exit(0);
    let journal = read_journal(&out);
    let mut per_step: BTreeMap<u64, usize> = BTreeMap::new();
    for document in retrieved_documents(&journal) {
        *per_step
            .entry(document["step"]["number"].as_u64().unwrap())
            .or_default() += 1;
    }
    assert_eq!(per_step.values().sum::<usize>(), 12);
    assert!(
        per_step.values().all(|&n| n <= 5) && per_step.values().any(|&n| n > 1),
        "{per_step:?}"
    );
}

#[test]
fn a_run_is_determined_by_its_seed() {
    let dir = temp_folder();
    let run_with_seed = |name: &str, seed: &str| {
        let out = dir.path().join(name);
        run_pipeline(new_run_command(
            &out,
            &[
                "--docs",
                "6",
                "--seed",
                seed,
                "--include",
                "ptf:2",
                "--exclude",
                "un:1",
            ],
        ))
        .expect_exit(0);
        read_run_files(&out)
    };
    let once = run_with_seed("once", "7");
    assert_same_files(&run_with_seed("again", "7"), &once, "the same seed");
    assert_ne!(
        run_with_seed("other", "8")["journal.jsonl"],
        once["journal.jsonl"]
    );
}

#[test]
fn a_resumed_run_equals_one_with_the_final_limit() {
    let dir = temp_folder();
    let [whole, parts] = ["whole", "parts"].map(|name| dir.path().join(name));
    run_pipeline(new_run_command(&whole, &["--docs", "9"])).expect_exit(0);
    run_pipeline(new_run_command(&parts, &["--docs", "4"])).expect_exit(0);
    run_pipeline(resume_command(&parts, &["--docs", "9"])).expect_exit(0);
    assert_same_files(
        &read_run_files(&parts),
        &read_run_files(&whole),
        "in two parts",
    );
    run_pipeline(resume_command(&parts, &[])).expect_exit(0);
    assert_same_files(
        &read_run_files(&parts),
        &read_run_files(&whole),
        "resumed at its end",
    );
}

#[test]
fn a_folder_with_a_run_is_not_overwritten() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(0);
    let files_before = read_run_files(&out);
    let output = run_pipeline(new_run_command(&out, &["--docs", "2"])).expect_exit(2);
    assert!(output.stderr.contains("use --resume"), "{}", output.stderr);
    assert_same_files(&read_run_files(&out), &files_before, "it is unchanged");
}

#[test]
fn a_run_without_its_settings_is_not_overwritten() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(0);
    fs::remove_file(out.join("run.conf")).unwrap();
    let files_before = read_run_files(&out);
    let output = run_pipeline(new_run_command(&out, &["--docs", "2"])).expect_exit(2);
    assert!(
        output.stderr.contains("but no run.conf"),
        "{}",
        output.stderr
    );
    fs::remove_file(out.join("stats.db")).unwrap();
    run_pipeline(new_run_command(&out, &["--docs", "2"])).expect_exit(2);
    assert_same_files(&read_run_files(&out), &files_before, "no step is removed");
    let stats = dir.path().join("new.db");
    let journal = out.join("journal.jsonl");
    let args = [
        "--stats",
        stats.to_str().unwrap(),
        "--journal",
        journal.to_str().unwrap(),
        "--from-step",
        "0",
    ];
    let output = run_tool("update-stats", args, "").expect_exit(2);
    assert!(
        output.stderr.contains("has steps that"),
        "{}",
        output.stderr
    );
    fs::write(&journal, "notes without a line feed").unwrap();
    run_tool("update-stats", args, "").expect_exit(2);
    assert_eq!(
        fs::read_to_string(&journal).unwrap(),
        "notes without a line feed"
    );
}

#[test]
fn a_refused_pipeline_does_not_change_the_folder_of_a_running_one() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    fs::create_dir_all(out.join("init")).unwrap();
    fs::write(out.join("init/0-slv.txt"), "beseda").unwrap();
    let lock = fs::File::create(out.join("lock")).unwrap();
    lock.lock().unwrap();
    let output = run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(2);
    assert!(
        output.stderr.contains("is in use by another pipeline"),
        "{}",
        output.stderr
    );
    assert_eq!(
        fs::read_to_string(out.join("init/0-slv.txt")).unwrap(),
        "beseda"
    );
    drop(lock);
    run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(0);
    fs::write(out.join("run.conf"), "target=slv\n\n").unwrap();
    let output = run_pipeline(resume_command(&out, &[])).expect_exit(2);
    assert!(
        output.stderr.contains("run.conf:2: is not a setting"),
        "{}",
        output.stderr
    );
}

#[test]
fn missing_and_invalid_arguments_are_refused_before_a_run() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let out_path = out.to_str().unwrap();
    let seed = web_folder().join("slv.txt");
    let duplicate = format!("hrv={}", seed.display());
    let seed = format!("slv={}", seed.display());
    let cases: [(&[&str], &str); 14] = [
        (&[], "--out RUN is required"),
        (&["--out", out_path], "--target, --engine are required"),
        (
            &["--out", out_path, "--target", "slv"],
            "corpus-builder: --engine is required",
        ),
        (
            &["--out", out_path, "--target", "slv", "--engine", "index:x"],
            "--init slv=FILE is required",
        ),
        (
            &[
                "--out", out_path, "--target", "hrv", "--engine", "index:x", "--init", &seed,
            ],
            "--init hrv=FILE is required",
        ),
        (
            &[
                "--out",
                out_path,
                "--target",
                "slv",
                "--engine",
                "index:x",
                "--init",
                "slv=/no/file",
            ],
            "/no/file",
        ),
        (
            &[
                "--out", out_path, "--target", "slv", "--engine", "index:x", "--init", &seed,
                "--docs", "x",
            ],
            "'x' for '--docs <N>': is not a number",
        ),
        (
            &["--out", out_path, "--colour", "red"],
            "unexpected argument '--colour'",
        ),
        (
            &["--out", out_path, "--folder", "/"],
            "unexpected argument '--folder'",
        ),
        (
            &["--out", out_path, "--resume", out_path],
            "give one of them",
        ),
        (
            &[
                "--out", out_path, "--target", "slv,,ces", "--engine", "index:x", "--init", &seed,
            ],
            "expected classes",
        ),
        (
            &[
                "--out", out_path, "--target", "slv", "--engine", "index:x", "--init", &seed,
                "--init", &duplicate,
            ],
            "two classes cannot have the same text",
        ),
        (
            &[
                "--out", out_path, "--target", "slv", "--engine", "index:x", "--init", &seed,
                "--check", "--learn", "x",
            ],
            "'x'",
        ),
        (&["--resume", out_path], "no such folder"),
    ];
    for (args, message) in cases {
        let output = run_pipeline(pipeline_command("corpus-builder", args)).expect_exit(2);
        assert!(
            output.stderr.contains(message),
            "{args:?}: {}",
            output.stderr
        );
        assert!(!out.join("run.conf").exists(), "{args:?}");
    }
}

#[test]
fn a_language_unknown_to_langid_is_learned_from_its_initial_document() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let pages = run_demo_web(&[]);
    let truth = run_demo_web(&["truth"]);
    let web: String = pages.lines().zip(truth.lines()).map(unknown_page).collect();
    let engine = format!("index:{}", path("web"));
    run_tool("search", ["--engine", &engine, "--add"], web).expect_exit(0);
    fs::write(
        path("qaa.txt"),
        unknown_language(&run_demo_web(&["seed", "slv"])),
    )
    .unwrap();
    fs::write(path("eng.txt"), run_demo_web(&["seed", "eng"])).unwrap();
    let inits = [
        format!("qaa={}", path("qaa.txt")),
        format!("eng={}", path("eng.txt")),
    ];
    let [out, limit] = [path("run"), "8".into()];
    let args = [
        "--target", "qaa", "--engine", &engine, "--init", &inits[0], "--init", &inits[1],
    ];
    run_pipeline(pipeline_command(
        "corpus-builder",
        &[&args, ["--docs", &limit, "--out", &out].as_slice()].concat(),
    ))
    .expect_exit(0);
    let journal = read_journal(Path::new(&out));
    let labels: Vec<&Value> = retrieved_documents(&journal)
        .into_iter()
        .map(|document| &document["label"])
        .collect();
    let relevant = labels.iter().filter(|label| **label == "qaa").count();
    assert!(labels.len() == 8 && relevant >= 7, "{labels:?}");
}

#[test]
fn any_command_that_sets_a_label_is_a_filter() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let filter = concat!(
        r#"jq -c 'if .text then .label = (if (.text | test("\\bje\\b")) "#,
        r#"then "slv" else "other" end) else . end'"#
    );
    run_pipeline(new_run_command(&out, &["--docs", "6", "--filter", filter])).expect_exit(0);
    let journal = read_journal(&out);
    for document in retrieved_documents(&journal) {
        let has_word = document["text"]
            .as_str()
            .unwrap()
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "je");
        assert_eq!(document["label"], if has_word { "slv" } else { "other" });
        assert!(document["langid"].is_null());
    }
}

#[test]
fn a_document_without_a_label_counts_as_retrieved() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "3", "--filter", "cat"])).expect_exit(0);
    let report = read_report(&out);
    assert_eq!(
        (&report["documents"], &report["relevant"]),
        (&3.into(), &0.into())
    );
}

#[test]
fn a_run_without_its_hits_retrieves_no_page_twice() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "5"])).expect_exit(0);
    fs::remove_file(out.join("hits.db")).unwrap();
    let stderr = run_pipeline(resume_command(&out, &["--docs", "10"]))
        .expect_exit(0)
        .stderr;
    assert!(stderr.contains("hits.db: lacks steps of"), "{stderr}");
    let journal = read_journal(&out);
    let urls: BTreeSet<&str> = retrieved_documents(&journal)
        .iter()
        .filter_map(|document| document["url"].as_str())
        .collect();
    assert_eq!(urls.len(), 10);
}

#[test]
fn foreign_files_in_the_run_folder_are_kept() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    fs::create_dir_all(out.join("init")).unwrap();
    let user_file = out.join("init/slv.txt");
    fs::copy(web_folder().join("slv.txt"), &user_file).unwrap();
    let output = run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(2);
    assert!(
        output
            .stderr
            .contains("has `init`, which is not from a run"),
        "{}",
        output.stderr
    );
    assert!(user_file.exists());
    let out = dir.path().join("journal");
    fs::create_dir(&out).unwrap();
    let journal = out.join("journal.jsonl");
    fs::write(&journal, "{\"text\":\"prva beseda\"}\n").unwrap();
    run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(2);
    assert_eq!(
        fs::read_to_string(journal).unwrap(),
        "{\"text\":\"prva beseda\"}\n"
    );
}

#[test]
fn a_filter_that_drops_records_stops_the_run() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let output =
        run_pipeline(new_run_command(&out, &["--docs", "3", "--filter", "true"])).expect_exit(2);
    assert!(
        output
            .stderr
            .contains("last record did not reach update-stats"),
        "{}",
        output.stderr
    );
    run_pipeline(resume_command(&out, &["--docs", "3"])).expect_exit(2);
}

#[test]
fn a_pipeline_can_be_run_through_a_symbolic_link() {
    let dir = temp_folder();
    for name in ["autocor", "corpus-builder", "experiment"] {
        let link = dir.path().join(name);
        std::os::unix::fs::symlink(pipeline_path(name), &link).unwrap();
        let mut command = Command::new(link);
        command.arg("--help").env("CDPATH", "/");
        assert!(
            run_pipeline(command)
                .expect_exit(0)
                .stdout
                .contains("--engine SPEC"),
            "{name}"
        );
    }
}

#[test]
fn the_help_lists_the_main_options() {
    let help = run_pipeline(pipeline_command("corpus-builder", &["--help"]))
        .expect_exit(0)
        .stdout;
    assert!(help.lines().all(|line| line.chars().count() <= 80));
    for option in [
        "--target",
        "--init",
        "--engine",
        "--out",
        "--resume",
        "--docs",
        "--queries",
        "--calls",
        "--batch",
    ] {
        assert!(help.contains(option), "{option}");
    }
}
