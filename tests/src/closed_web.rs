//! Runs of the pipelines over a small closed web, and what they leave.

use crate::{Done, TOOLS, bin, bin_dir, finish, root, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const LANGUAGES: [&str; 5] = ["slv", "eng", "ces", "hrv", "srp"];

/// An empty folder that the tests of one binary share; it stays for whoever wants to look.
pub fn shared_folder(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let test = test
        .file_name()
        .expect("a test has a name")
        .to_string_lossy()
        .into_owned();
    let dir = bin_dir()
        .with_file_name("tmp")
        .join(format!("{test}-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("the folder can be made");
    dir
}

/// A folder with an index of demo-web's pages and a text to begin with in each language.
pub fn web() -> &'static Path {
    static WEB: OnceLock<PathBuf> = OnceLock::new();
    WEB.get_or_init(|| {
        let dir = shared_folder("closed-web");
        let engine = format!("index:{}", dir.join("index").display());
        run("search", ["--engine", &engine, "--add"], demo_web(&[])).exits(0);
        for language in LANGUAGES {
            fs::write(
                dir.join(format!("{language}.txt")),
                demo_web(&["seed", language]),
            )
            .unwrap();
        }
        dir
    })
}

/// What demo-web prints: its pages, or as it is told.
pub fn demo_web(args: &[&str]) -> String {
    run("demo-web", args, "").exits(0).stdout
}

/// A language that nobody knows: Slovenian with each letter of the alphabet thirteen places on.
pub fn unknown_language(text: &str) -> String {
    let turn = |c: char, first: u8| char::from((c as u8 - first + 13) % 26 + first);
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            _ => c,
        })
        .collect()
}

/// A page of demo-web with its line of truth; one in Slovenian is put into a language that nobody
/// knows.
pub fn unknown_page((page, truth): (&str, &str)) -> String {
    let mut page: Value = serde_json::from_str(page).unwrap();
    if truth.ends_with("\tslv") {
        page["text"] = unknown_language(page["text"].as_str().unwrap()).into();
    }
    format!("{page}\n")
}

/// A pipeline by its name, with the tools as they are built now.
pub fn pipeline(name: &str, args: &[&str]) -> Command {
    TOOLS.iter().for_each(|tool| drop(bin(tool)));
    let mut command = Command::new(root().join("pipelines").join(name));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin_dir()).chain(std::env::split_paths(&path)))
        .unwrap();
    command.args(args).env("PATH", path);
    command
}

/// A new run that looks for Slovenian in the web.
pub fn new_run(out: &Path, more: &[&str]) -> Command {
    let web = web();
    let engine = format!("index:{}", web.join("index").display());
    let mut command = pipeline(
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
    command.args(more);
    command
}

/// A run that goes on.
pub fn resume(out: &Path, more: &[&str]) -> Command {
    pipeline(
        "corpus-builder",
        &[&["--resume", out.to_str().unwrap()], more].concat(),
    )
}

/// Waits for its end.
pub fn done(command: Command) -> Done {
    finish(command, "")
}

/// The records of a run.
pub fn journal(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out.join("journal.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What a run came to.
pub fn report(out: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(out.join("report.json")).unwrap()).unwrap()
}

/// Documents that queries brought.
pub fn documents(journal: &[Value]) -> Vec<&Value> {
    let is_document = |record: &&Value| {
        record["step"].is_object() && record["text"].is_string() && record["error"].is_null()
    };
    journal.iter().filter(is_document).collect()
}

/// Steps that brought records.
pub fn steps(journal: &[Value]) -> BTreeSet<u64> {
    journal
        .iter()
        .filter_map(|record| record["step"]["number"].as_u64())
        .collect()
}

/// Calls that were made of the engine.
pub fn calls(journal: &[Value]) -> u64 {
    journal
        .iter()
        .filter_map(|record| record["hit"]["calls"].as_u64())
        .sum()
}

/// What a kill must not change.
pub fn outcome(out: &Path) -> BTreeMap<String, String> {
    let read = |path: &Path| {
        fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
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

/// Compares what two runs left, and shows where they part.
#[track_caller]
pub fn assert_same(
    found: &BTreeMap<String, String>,
    expected: &BTreeMap<String, String>,
    what: &str,
) {
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected), "{what}");
    for (name, text) in expected {
        let same = text
            .lines()
            .zip(found[name].lines())
            .take_while(|(a, b)| a == b)
            .count();
        assert!(
            found[name] == *text,
            "{what}: {name} differs from line {} on",
            same + 1
        );
    }
}
