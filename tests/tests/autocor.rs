//! autocor: several languages in one run, its own classifier, and initial documents in rounds.
#![cfg(target_os = "linux")]

use forage_tests::closed_web::{
    pipeline_command, read_journal, read_run_files, retrieved_documents, run_pipeline, web_folder,
};
use forage_tests::kills::assert_survives_kills;
use forage_tests::open_web::OpenWeb;
use forage_tests::write_faults::assert_survives_write_faults;
use forage_tests::{run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The classes of the runs here: two targets and another language.
const CLASSES: [&str; 3] = ["slv", "ces", "eng"];

/// Returns the command of a new run. Each class has five initial documents.
fn new_run_command(out: &Path, extra_args: &[&str]) -> Command {
    let folder = out.parent().unwrap();
    for class in CLASSES {
        let path = folder.join(format!("{class}.jsonl"));
        fs::write(&path, initial_documents(class)).unwrap();
    }
    run_command_with(out, folder, "jsonl", extra_args)
}

/// Returns the command of a new run with an initial file of each class from a folder. The engine is
/// the embedded index, if the arguments name no other.
fn run_command_with(out: &Path, folder: &Path, extension: &str, extra_args: &[&str]) -> Command {
    let engine = format!("index:{}", web_folder().join("index").display());
    let out = out.to_str().unwrap();
    let options = ["--targets", "slv,ces", "--others", "eng", "--out", out];
    let mut command = pipeline_command("autocor", &options);
    command.arg("-q");
    if !extra_args.contains(&"--engine") {
        command.args(["--engine", &engine]);
    }
    for class in CLASSES {
        let path = folder.join(format!("{class}.{extension}"));
        command.args(["--init", &format!("{class}={}", path.display())]);
    }
    command.args(extra_args);
    command
}

/// Returns the initial text of a class as five records.
fn initial_documents(class: &str) -> String {
    let text = fs::read_to_string(web_folder().join(format!("{class}.txt"))).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .chunks(words.len().div_ceil(5))
        .map(|words| format!("{}\n", json!({ "text": words.join(" ") })))
        .collect()
}

fn resume_command(out: &Path, extra_args: &[&str]) -> Command {
    let out = out.to_str().unwrap();
    pipeline_command("autocor", &[&["--resume", out], extra_args].concat())
}

/// Returns the part of a journal that is complete before a step, with initial documents of later
/// steps left out.
fn journal_before(journal: &[Value], step: u64) -> Vec<&Value> {
    let is_earlier = |record: &&Value| match record["step"]["number"].as_u64() {
        Some(number) => number < step,
        None => record["from_step"].as_u64().unwrap_or(0) <= step,
    };
    journal.iter().filter(is_earlier).collect()
}

/// Returns `langid` of a text, by profiles that ngram-profile learns from the documents of each
/// class.
fn identify_by_profiles(records: &[&Value], text: &Value, folder: &Path) -> Value {
    let path = |name: &str| folder.join(name).display().to_string();
    for class in CLASSES {
        let documents: String = records
            .iter()
            .filter(|record| record["label"] == class && is_new(record))
            .map(|record| format!("{record}\n"))
            .collect();
        let profile = path(&format!("{class}.profile"));
        let args = ["--lang", class, "--out", &profile, "--quiet"];
        run_tool("ngram-profile", args, documents).expect_exit(0);
    }
    let (folder, model) = (path("."), path("model"));
    let args = ["--pack", &folder, "--out", &model, "--quiet"];
    run_tool("ngram-profile", args, "").expect_exit(0);
    let args = ["--model", &model, "--method", "out-of-place"];
    let output = run_tool("langid", args, json!({ "text": text }).to_string()).expect_exit(0);
    output.records()[0]["langid"].clone()
}

fn is_new(record: &Value) -> bool {
    record["dedup"].is_null() || record["dedup"]["status"] == "new"
}

#[test]
fn the_classifier_of_a_run_learns_from_all_earlier_steps() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let mut command = new_run_command(&out, &["--classifier", "run:0", "--seeds-per-round", "2"]);
    command.args(["--queries", "12", "--batch", "3", "--page-size", "3"]);
    run_pipeline(command).expect_exit(0);
    let journal = read_journal(&out);
    let documents = retrieved_documents(&journal);
    let last = documents.len() - 1;
    assert!(last > 8, "{last}");
    for number in [0, last / 2, last] {
        let document = documents[number];
        let step = document["step"]["number"].as_u64().unwrap();
        let folder = temp_folder();
        let earlier = journal_before(&journal, step);
        let expected = identify_by_profiles(&earlier, &document["text"], folder.path());
        assert_eq!(document["langid"], expected, "step {step}");
        assert_eq!(document["label"], expected["code"]);
    }
}

#[test]
fn profiles_rebuilt_from_the_journal_give_the_same_labels() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(
        &out,
        &["--classifier", "run", "--queries", "9"],
    ))
    .expect_exit(0);
    let state = dir.path().join("profiles.db").display().to_string();
    let journal = out.join("journal.jsonl").display().to_string();
    let args = ["--state", &state, "--rebuild", &journal];
    run_tool("langid", args, "").expect_exit(0);
    let text = fs::read_to_string(web_folder().join("ces.txt")).unwrap();
    let steps = read_journal(&out);
    let step = 1 + steps.last().unwrap()["step"]["number"].as_u64().unwrap();
    let record = json!({ "text": text, "step": { "number": step, "target": "ces" } }).to_string();
    let step = step.to_string();
    let identify = |state: &str| {
        let args = ["--state", state, "--from-step", &step];
        run_tool("langid", args, &*record).expect_exit(0).records()
    };
    let labelled = identify(&state);
    assert_eq!(labelled[0]["label"], "ces");
    assert_eq!(
        labelled,
        identify(out.join("profiles.db").to_str().unwrap())
    );
    // The step is repeated; earlier steps are already part of the profiles.
    assert_eq!(labelled, identify(&state));
    let args = ["--state", &state, "--from-step", "5"];
    let output = run_tool("langid", args, record).expect_exit(2);
    assert!(output.stderr.contains("use --rebuild"), "{}", output.stderr);
}

#[test]
fn documents_with_a_small_margin_do_not_change_the_profiles() {
    let dir = temp_folder();
    let read_counts = |margin: &str| -> i64 {
        let out = dir.path().join(margin);
        let mut command = new_run_command(&out, &["--queries", "6", "--batch", "4"]);
        command.args(["--classifier", &format!("run:{margin}")]);
        run_pipeline(command).expect_exit(0);
        let db = rusqlite::Connection::open(out.join("profiles.db")).unwrap();
        db.query_row("SELECT sum(documents) FROM profile", [], |row| row.get(0))
            .unwrap()
    };
    let initial = 5 * CLASSES.len() as i64;
    assert_eq!(read_counts("1"), initial);
    assert!(read_counts("0") > initial);
}

#[test]
fn initial_documents_are_counted_round_by_round() {
    let dir = temp_folder();
    let run = |name: &str, seed: &str| {
        let out = dir.path().join(name);
        let mut command = new_run_command(&out, &["--seeds-per-round", "2", "--queries", "6"]);
        command.args(["--seed", seed]);
        run_pipeline(command).expect_exit(0);
        out
    };
    let out = run("a", "1");
    let from_steps = |out: &Path| -> Vec<Option<u64>> {
        read_journal(out)
            .iter()
            .take_while(|record| record["step"].is_null())
            .map(|record| record["from_step"].as_u64())
            .collect()
    };
    let rounds = from_steps(&out);
    for class in rounds.chunks(5) {
        let mut sorted = class.to_vec();
        sorted.sort();
        assert_eq!(
            sorted,
            [None, None, Some(3), Some(3), Some(5)],
            "{rounds:?}"
        );
    }
    assert_eq!(rounds, from_steps(&run("b", "1")));
    assert_ne!(rounds, from_steps(&run("c", "2")));
    // The statistics of a class without retrieved documents contain the initial ones of the step.
    let count = |steps: u64| -> (i64, i64) {
        let journal = fs::read_to_string(out.join("journal.jsonl")).unwrap();
        let is_kept = |line: &&str| {
            let record: Value = serde_json::from_str(line).unwrap();
            record["step"]["number"].as_u64().unwrap_or(0) <= steps
        };
        let lines: String = journal
            .lines()
            .filter(is_kept)
            .map(|line| format!("{line}\n"))
            .collect();
        let (part, stats) = (dir.path().join("part.jsonl"), dir.path().join("part.db"));
        fs::write(&part, lines).unwrap();
        let args = [
            "--stats",
            stats.to_str().unwrap(),
            "--rebuild",
            part.to_str().unwrap(),
        ];
        run_tool("update-stats", args, "").expect_exit(0);
        let db = rusqlite::Connection::open(stats).unwrap();
        let read = |sql: &str| db.query_row(sql, [], |row| row.get(0)).unwrap();
        (
            read("SELECT documents FROM class WHERE name = 'eng'"),
            read("SELECT count(*) FROM waiting_document"),
        )
    };
    assert_eq!(
        [0, 1, 2, 3, 4].map(count),
        [(2, 9), (2, 9), (4, 3), (4, 3), (5, 0)]
    );
}

#[test]
fn a_killed_run_with_its_own_classifier_and_rounds_gives_the_same_result() {
    let options = ["--classifier", "run", "--seeds-per-round", "1"];
    let limits = ["--queries", "14", "--batch", "2", "--page-size", "4"];
    let args = [&options[..], &limits].concat();
    let resume = |out: &Path| resume_command(out, &["-q"]);
    assert_survives_kills(6, &|out| new_run_command(out, &args), &resume);
    assert_survives_write_faults(2, &|out| new_run_command(out, &args), &resume);
}

#[test]
fn kills_with_outages_in_between_change_no_corpus() {
    let web = OpenWeb::start();
    let mut args = web.args().to_vec();
    let limits = "--queries 14 --batch 2 --page-size 4 --patience 0";
    args.extend(limits.split(' ').map(String::from));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let resume = |out: &Path| resume_command(out, &["-q"]);
    assert_survives_kills(2, &|out| new_run_command(out, &args), &|out| {
        web.fail_pages_during(resume(out));
        resume(out)
    });
}

#[test]
fn autocor_collects_languages_in_turn_and_refuses_invalid_arguments() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let out_name = out.display().to_string();
    let limits = ["--queries", "20"];
    run_pipeline(run_command_with(&out, web_folder(), "txt", &limits)).expect_exit(0);
    let targets: Vec<String> = read_journal(&out)
        .iter()
        .filter(|record| record["step"]["last"] == true)
        .map(|record| record["step"]["target"].as_str().unwrap().into())
        .collect();
    // Attempts are no queries of --queries.
    assert!(targets.len() >= 20, "{targets:?}");
    assert_eq!(targets, ["slv", "ces"].repeat(targets.len() / 2));
    let count_documents = |name: &str| read_run_files(&out)[name].lines().count();
    assert!(
        count_documents("slv.jsonl") > 5 && count_documents("ces.jsonl") > 1,
        "{} and {}",
        count_documents("slv.jsonl"),
        count_documents("ces.jsonl")
    );
    run_pipeline(pipeline_command(
        "autocor",
        &["--resume", &out_name, "--queries", "22"],
    ))
    .expect_exit(0);
    let assert_refused = |args: &[&str], message: &str| {
        let stderr = run_pipeline(pipeline_command("autocor", args))
            .expect_exit(2)
            .stderr;
        assert!(stderr.contains(message), "{args:?}: {stderr}");
    };
    assert_refused(
        &["--targets", "slv", "hrv", "--others", "eng"],
        "unexpected argument 'hrv'",
    );
    assert_refused(
        &["--targets", "slv,hrv", "--others", "eng", "--target", "ces"],
        "unexpected argument '--target'",
    );
    assert_refused(
        &["--targets", "slv, hrv", "--others", "eng"],
        "separated by commas, without spaces",
    );
    assert_refused(
        &["--resume", "run", "--contrast", "others"],
        "--contrast belongs to a new run",
    );
    assert_refused(
        &["--targets", "slv,hrv", "--others", "eng,slv", "--out", "x"],
        "slv: is given twice",
    );
    let output = run_pipeline(pipeline_command(
        "autocor",
        &[
            "--targets",
            "slv",
            "--others",
            "hun",
            "--init",
            "slv=slv.txt",
            "--out",
            "x",
        ],
    ))
    .expect_exit(2);
    assert!(
        output.stderr.contains("--init hun=FILE is required"),
        "{}",
        output.stderr
    );
    for (args, message) in [
        (
            ["--classifier", "paper"],
            "expected builtin, run or run:MARGIN",
        ),
        (["--seeds-per-round", "0"], "0 is not in 1.."),
    ] {
        let output = run_pipeline(new_run_command(&dir.path().join("refused"), &args));
        let stderr = output.expect_exit(2).stderr;
        assert!(stderr.contains(message), "{args:?}: {stderr}");
    }
    let args = ["--classifier", "run", "--without", "hrv"];
    let output = run_pipeline(new_run_command(&dir.path().join("refused"), &args)).expect_exit(2);
    assert!(
        output
            .stderr
            .contains("cannot be combined with --classifier run")
    );
}
