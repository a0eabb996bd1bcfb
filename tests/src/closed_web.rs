//! Runs of the pipelines on a small closed web, and their files.

use crate::{ToolOutput, all_tools, pipeline_path, run_command, run_tool, tool_folder, tool_path};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The languages with an initial text.
const LANGUAGES: [&str; 5] = ["slv", "eng", "ces", "hrv", "srp"];

/// Creates an empty folder for the tests of one binary, which is kept for inspection.
pub fn shared_folder(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test");
    let test = test
        .file_name()
        .expect("the name of the test")
        .to_string_lossy()
        .into_owned();
    let dir = tool_folder()
        .with_file_name("tmp")
        .join(format!("{test}-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("the folder is created");
    dir
}

/// Returns a folder with an index of the pages of demo-web, and an initial text in each language.
pub fn web_folder() -> &'static Path {
    static WEB: OnceLock<PathBuf> = OnceLock::new();
    WEB.get_or_init(|| {
        let dir = shared_folder("closed-web");
        let engine = format!("index:{}", dir.join("index").display());
        run_tool("search", ["--engine", &engine, "--add"], run_demo_web(&[])).expect_exit(0);
        for language in LANGUAGES {
            fs::write(
                dir.join(format!("{language}.txt")),
                run_demo_web(&["seed", language]),
            )
            .unwrap();
        }
        dir
    })
}

/// Returns the output of demo-web.
pub fn run_demo_web(args: &[&str]) -> String {
    run_tool("demo-web", args, "").expect_exit(0).stdout
}

/// Converts a text to an unknown language: rotates each letter from a to z by thirteen places.
pub fn unknown_language(text: &str) -> String {
    let rotate = |c: char, first: u8| char::from((c as u8 - first + 13) % 26 + first);
    text.chars()
        .map(|c| match c {
            'a'..='z' => rotate(c, b'a'),
            'A'..='Z' => rotate(c, b'A'),
            _ => c,
        })
        .collect()
}

/// Converts a page of demo-web, given with its line of truth, to an unknown language if it is in
/// Slovenian. Returns its record as a line.
pub fn unknown_page((page, truth): (&str, &str)) -> String {
    let mut page: Value = serde_json::from_str(page).unwrap();
    if truth.ends_with("\tslv") {
        page["text"] = unknown_language(page["text"].as_str().unwrap()).into();
    }
    format!("{page}\n")
}

/// Returns the command of a pipeline, with the current tools in its PATH.
pub fn pipeline_command(name: &str, args: &[&str]) -> Command {
    all_tools().for_each(|tool| drop(tool_path(tool)));
    let mut command = Command::new(pipeline_path(name));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(tool_folder()).chain(std::env::split_paths(&path)))
            .unwrap();
    command.args(args).env("PATH", path);
    command
}

/// Returns the command of a new run that collects Slovenian documents of the closed web.
pub fn new_run_command(out: &Path, extra_args: &[&str]) -> Command {
    let web = web_folder();
    let engine = format!("index:{}", web.join("index").display());
    let mut command = pipeline_command(
        "corpus-builder",
        &[
            "--target",
            "slv",
            "--engine",
            &engine,
            "--out",
            out.to_str().unwrap(),
        ],
    );
    for language in LANGUAGES {
        command.args([
            "--init",
            &format!(
                "{language}={}",
                web.join(format!("{language}.txt")).display()
            ),
        ]);
    }
    command.args(extra_args);
    command
}

/// Returns the command that resumes a run.
pub fn resume_command(out: &Path, extra_args: &[&str]) -> Command {
    pipeline_command(
        "corpus-builder",
        &[&["--resume", out.to_str().unwrap()], extra_args].concat(),
    )
}

/// Runs a pipeline without input, and waits for its end.
pub fn run_pipeline(command: Command) -> ToolOutput {
    run_command(command, "")
}

/// Reads the journal of a run.
pub fn read_journal(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out.join("journal.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the URLs of the documents in the corpus of a run on a subject.
pub fn corpus_urls(out: &Path) -> Vec<String> {
    let corpus = fs::read_to_string(out.join("corpus/on-topic.jsonl")).unwrap();
    let url = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["url"].as_str().unwrap().to_owned()
    };
    corpus.lines().map(url).collect()
}

/// Reads the report of a run.
pub fn read_report(out: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(out.join("report.json")).unwrap()).unwrap()
}

/// Returns the documents that queries retrieved, without initial documents.
pub fn retrieved_documents(journal: &[Value]) -> Vec<&Value> {
    let is_document = |record: &&Value| {
        record["step"].is_object() && record["text"].is_string() && record["error"].is_null()
    };
    journal.iter().filter(is_document).collect()
}

/// Returns the numbers of all steps with records.
pub fn step_numbers(journal: &[Value]) -> BTreeSet<u64> {
    journal
        .iter()
        .filter_map(|record| record["step"]["number"].as_u64())
        .collect()
}

/// Returns the number of calls to the engine.
pub fn count_calls(journal: &[Value]) -> u64 {
    journal
        .iter()
        .filter_map(|record| record["hit"]["calls"].as_u64())
        .sum()
}

/// Reads the files of a run that must not depend on kills, by name: journal, report and corpora.
/// Fetched pages are without the time of their request and their place in the archive.
pub fn read_run_files(out: &Path) -> BTreeMap<String, String> {
    let read = |path: &Path| {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        match path.extension() {
            Some(extension) if extension == "jsonl" => remove_request_data(&text),
            _ => text,
        }
    };
    let mut files: BTreeMap<String, String> = ["journal.jsonl", "report.json"]
        .map(|name| (name.to_owned(), read(&out.join(name))))
        .into();
    for entry in fs::read_dir(out.join("corpus")).expect("a corpus") {
        let path = entry.unwrap().path();
        files.insert(
            path.file_name().unwrap().to_string_lossy().into_owned(),
            read(&path),
        );
    }
    files
}

/// Removes what differs between two requests for the same page.
fn remove_request_data(lines: &str) -> String {
    let remove = |line: &str| -> String {
        if !line.contains("\"fetch\":{") {
            return format!("{line}\n");
        }
        let mut record: Value = serde_json::from_str(line).expect("a record");
        let fetch = record["fetch"].as_object_mut().expect("an object");
        fetch.remove("at");
        fetch.remove("warc");
        format!("{record}\n")
    };
    lines.lines().map(remove).collect()
}

/// Asserts that the files of two runs are equal. A failed assertion shows the first different line.
#[track_caller]
pub fn assert_same_files(
    found: &BTreeMap<String, String>,
    expected: &BTreeMap<String, String>,
    context: &str,
) {
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected), "{context}");
    for (name, text) in expected {
        let equal_lines = text
            .lines()
            .zip(found[name].lines())
            .take_while(|(a, b)| a == b)
            .count();
        assert!(
            found[name] == *text,
            "{context}: {name} differs at line {}",
            equal_lines + 1
        );
    }
}
