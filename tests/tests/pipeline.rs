//! The pipelines on a small closed web: where a run ends, what it finds, and what it says of what
//! is missing or wrong.

use forage_tests::closed_web::{
    assert_same_files, count_calls, new_run_command, pipeline_command, read_journal, read_report,
    read_run_files, resume_command, retrieved_documents, run_demo_web, run_pipeline, step_numbers,
    unknown_language, unknown_page, web_folder,
};
use forage_tests::{project_root, run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn finds_slovenian_where_it_is_rare() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let done = run_pipeline(new_run_command(&out, &["--docs", "40"])).expect_exit(0);
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
        done.stderr
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
    let run_to = |flag: &str, limit: u64| {
        let out = dir.path().join(flag);
        run_pipeline(new_run_command(&out, &[flag, &limit.to_string()])).expect_exit(0);
        (read_journal(&out), read_report(&out))
    };
    let (docs, reported) = run_to("--docs", 7);
    assert_eq!(
        (retrieved_documents(&docs).len(), &reported["documents"]),
        (7, &7.into())
    );
    let (queries, reported) = run_to("--queries", 5);
    assert_eq!(
        (step_numbers(&queries).len(), &reported["steps"]),
        (5, &5.into())
    );
    let (asked, reported) = run_to("--calls", 3);
    assert_eq!((count_calls(&asked), &reported["calls"]), (3, &3.into()));
}

#[test]
fn a_batch_takes_several_documents_a_step_and_exceeds_no_limit() {
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
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let dir = temp_folder();
    let go = |name: &str, seed: &str| {
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
    let once = go("once", "7");
    assert_same_files(&go("again", "7"), &once, "the same seed");
    assert_ne!(go("other", "8")["journal.jsonl"], once["journal.jsonl"]);
}

#[test]
fn resume_goes_further_than_was_first_asked_as_if_it_had_been_asked_at_once() {
    let dir = temp_folder();
    let (whole, parts) = (dir.path().join("whole"), dir.path().join("parts"));
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
fn a_folder_with_a_run_is_not_started_afresh() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(0);
    let before = read_run_files(&out);
    let refused = run_pipeline(new_run_command(&out, &["--docs", "2"])).expect_exit(2);
    assert!(
        refused.stderr.contains("use --resume"),
        "{}",
        refused.stderr
    );
    assert_same_files(&read_run_files(&out), &before, "it is left as it was");
}

#[test]
fn a_run_without_its_settings_is_not_started_afresh_either() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(0);
    fs::remove_file(out.join("run.conf")).unwrap();
    let before = read_run_files(&out);
    let refused = run_pipeline(new_run_command(&out, &["--docs", "2"])).expect_exit(2);
    assert!(
        refused.stderr.contains("but no run.conf"),
        "{}",
        refused.stderr
    );
    fs::remove_file(out.join("stats.db")).unwrap();
    run_pipeline(new_run_command(&out, &["--docs", "2"])).expect_exit(2);
    assert_same_files(&read_run_files(&out), &before, "nothing is forgotten");
    let (stats, journal) = (dir.path().join("new.db"), out.join("journal.jsonl"));
    let forget = [
        "--stats",
        stats.to_str().unwrap(),
        "--journal",
        journal.to_str().unwrap(),
        "--from-step",
        "0",
    ];
    let refused = run_tool("update-stats", forget, "").expect_exit(2);
    assert!(
        refused.stderr.contains("has steps that"),
        "{}",
        refused.stderr
    );
    fs::write(&journal, "notes without a line feed").unwrap();
    run_tool("update-stats", forget, "").expect_exit(2);
    assert_eq!(
        fs::read_to_string(&journal).unwrap(),
        "notes without a line feed"
    );
}

#[test]
fn a_pipeline_that_is_refused_changes_nothing_of_the_one_at_work() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    fs::create_dir_all(out.join("init")).unwrap();
    fs::write(out.join("init/0-slv.txt"), "beseda").unwrap();
    let lock = fs::File::create(out.join("lock")).unwrap();
    lock.lock().unwrap();
    let refused = run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(2);
    assert!(
        refused.stderr.contains("is in use by another pipeline"),
        "{}",
        refused.stderr
    );
    assert_eq!(
        fs::read_to_string(out.join("init/0-slv.txt")).unwrap(),
        "beseda"
    );
    drop(lock);
    run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(0);
    fs::write(out.join("run.conf"), "target=slv\n\n").unwrap();
    let refused = run_pipeline(resume_command(&out, &[])).expect_exit(2);
    assert!(
        refused.stderr.contains("run.conf:2: is not a setting"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_is_missing_or_wrong_is_told_before_anything_is_made() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let place = out.to_str().unwrap();
    let seed = web_folder().join("slv.txt");
    let twin = format!("hrv={}", seed.display());
    let seed = format!("slv={}", seed.display());
    let cases: [(&[&str], &str); 14] = [
        (&[], "--out RUN is needed"),
        (&["--out", place], "--target and --engine are needed"),
        (
            &["--out", place, "--target", "slv"],
            "--target and --engine are needed",
        ),
        (
            &["--out", place, "--target", "slv", "--engine", "index:x"],
            "--init slv=FILE is needed",
        ),
        (
            &[
                "--out", place, "--target", "hrv", "--engine", "index:x", "--init", &seed,
            ],
            "--init hrv=FILE is needed",
        ),
        (
            &[
                "--out",
                place,
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
                "--out", place, "--target", "slv", "--engine", "index:x", "--init", &seed,
                "--docs", "x",
            ],
            "--docs x",
        ),
        (&["--out", place, "--colour", "red"], "no option --colour"),
        (&["--out", place, "--folder", "/"], "no option --folder"),
        (&["--out", place, "--resume", place], "one of them, once"),
        (
            &[
                "--out", place, "--target", "slv,,ces", "--engine", "index:x", "--init", &seed,
            ],
            "expected classes",
        ),
        (
            &[
                "--out", place, "--target", "slv", "--engine", "index:x", "--init", &seed,
                "--init", &twin,
            ],
            "two classes cannot have the same text",
        ),
        (
            &[
                "--out", place, "--target", "slv", "--engine", "index:x", "--init", &seed,
                "--check", "--learn", "x",
            ],
            "'x'",
        ),
        (&["--resume", place], "is not a run folder"),
    ];
    for (args, told) in cases {
        let refused = run_pipeline(pipeline_command("corpus-builder", args)).expect_exit(2);
        assert!(
            refused.stderr.contains(told),
            "{args:?}: {}",
            refused.stderr
        );
        assert!(!out.join("run.conf").exists(), "{args:?}");
    }
}

#[test]
fn a_language_that_langid_does_not_know_is_learned_from_its_first_document() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (pages, truth) = (run_demo_web(&[]), run_demo_web(&["truth"]));
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
fn any_command_that_puts_a_label_is_a_filter() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let filter = r#"jq -c 'if .text then .label = (if (.text | test("\\bje\\b")) then "slv" else "other" end) else . end'"#;
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
fn a_document_that_the_filter_leaves_without_a_label_was_retrieved() {
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
fn a_run_whose_hits_are_lost_takes_no_page_twice() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "5"])).expect_exit(0);
    fs::remove_file(out.join("hits.db")).unwrap();
    let told = run_pipeline(resume_command(&out, &["--docs", "10"]))
        .expect_exit(0)
        .stderr;
    assert!(told.contains("hits.db: lacks steps of"), "{told}");
    let journal = read_journal(&out);
    let urls: BTreeSet<&str> = retrieved_documents(&journal)
        .iter()
        .filter_map(|document| document["url"].as_str())
        .collect();
    assert_eq!(urls.len(), 10);
}

#[test]
fn what_is_not_the_runs_own_stays_in_its_folder() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    fs::create_dir_all(out.join("init")).unwrap();
    let mine = out.join("init/slv.txt");
    fs::copy(web_folder().join("slv.txt"), &mine).unwrap();
    let refused = run_pipeline(new_run_command(&out, &["--docs", "1"])).expect_exit(2);
    assert!(
        refused
            .stderr
            .contains("has `init`, which is not from a run"),
        "{}",
        refused.stderr
    );
    assert!(mine.exists());
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
    let stopped =
        run_pipeline(new_run_command(&out, &["--docs", "3", "--filter", "true"])).expect_exit(2);
    assert!(
        stopped
            .stderr
            .contains("last record did not reach update-stats"),
        "{}",
        stopped.stderr
    );
    run_pipeline(resume_command(&out, &["--docs", "3"])).expect_exit(2);
}

#[test]
fn a_pipeline_is_run_by_a_symbolic_link() {
    let dir = temp_folder();
    for name in ["autocor", "corpus-builder", "experiment"] {
        let link = dir.path().join(name);
        std::os::unix::fs::symlink(project_root().join("pipelines").join(name), &link).unwrap();
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
fn help_tells_how_to_begin() {
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

#[test]
fn autocor_collects_languages_in_turn_and_tells_what_is_missing() {
    let (web, dir) = (web_folder(), temp_folder());
    let out = dir.path().join("run");
    let (engine, out_name) = (
        format!("index:{}", web.join("index").display()),
        out.display().to_string(),
    );
    let inits: Vec<String> = ["slv", "ces", "eng"]
        .iter()
        .map(|l| format!("--init={l}={}", web.join(l).with_extension("txt").display()))
        .collect();
    let inits: Vec<&str> = inits.iter().flat_map(|init| init.splitn(2, '=')).collect();
    let how = [
        "--targets",
        "slv,ces",
        "--others",
        "eng",
        "--engine",
        &engine,
        "--out",
        &out_name,
        "--queries",
        "20",
    ];
    run_pipeline(pipeline_command("autocor", &[&how[..], &inits].concat())).expect_exit(0);
    let targets: Vec<String> = read_journal(&out)
        .iter()
        .filter(|record| record["step"]["last"] == true)
        .map(|record| record["step"]["target"].as_str().unwrap().into())
        .collect();
    assert_eq!(targets, ["slv", "ces"].repeat(10));
    let found = |name: &str| read_run_files(&out)[name].lines().count();
    assert!(
        found("slv.jsonl") > 5 && found("ces.jsonl") > 1,
        "{} and {}",
        found("slv.jsonl"),
        found("ces.jsonl")
    );
    run_pipeline(pipeline_command(
        "autocor",
        &["--resume", &out_name, "--queries", "22"],
    ))
    .expect_exit(0);
    let refused = |args: &[&str], why: &str| {
        let stderr = run_pipeline(pipeline_command("autocor", args))
            .expect_exit(2)
            .stderr;
        assert!(stderr.contains(why), "{args:?}: {stderr}");
    };
    refused(
        &["--targets", "slv", "hrv", "--others", "eng"],
        "hrv is not an option; classes are separated by commas",
    );
    refused(
        &["--targets", "slv,hrv", "--others", "eng", "--target", "ces"],
        "--target is an option of corpus-builder",
    );
    refused(
        &["--targets", "slv, hrv", "--others", "eng"],
        "separated by commas, without spaces",
    );
    refused(
        &["--targets", "slv,hrv", "--others", "eng,slv"],
        "slv: is given twice",
    );
    let missing = run_pipeline(pipeline_command(
        "autocor",
        &["--targets", "slv", "--others", "hun", inits[0], inits[1]],
    ))
    .expect_exit(2);
    assert!(
        missing.stderr.contains("--init hun=FILE is needed"),
        "{}",
        missing.stderr
    );
}
