//! Tools with a state file that is foreign, newer or unwritable.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use std::fs;
use std::path::{Path, PathBuf};

/// The tools with state: their name, other required arguments, and the flag of the state file.
const STATEFUL: [(&str, &[&str], &str); 7] = [
    ("dedup", &[], "--index"),
    ("topic-filter", &[], "--state"),
    ("langid", &["--rebuild", "-"], "--state"),
    ("frontier", &[], "--state"),
    ("update-stats", &[], "--stats"),
    (
        "gen-query",
        &[
            "--target",
            "slv",
            "--include",
            "or:1",
            "--exclude",
            "or:1",
            "--step",
            "1",
        ],
        "--stats",
    ),
    (
        "search",
        &["--engine", "searxng:http://127.0.0.1:9"],
        "--hits",
    ),
];

fn run_with_state(tool: &str, args: &[&str], flag: &str, file: &Path) -> ToolOutput {
    run_tool(
        tool,
        args.iter().copied().chain([flag, file.to_str().unwrap()]),
        r#"{"text":"a b c d e f","label":"slv"}"#,
    )
}

#[test]
fn a_foreign_state_file_is_refused_and_left_unchanged() {
    for (tool, args, flag) in STATEFUL {
        let dir = temp_folder();
        let file = dir.path().join("letter.txt");
        let letter = "this is no database\n".repeat(500);
        fs::write(&file, &letter).unwrap();
        let output = run_with_state(tool, args, flag, &file).expect_exit(2);
        assert!(
            output.stderr.contains(file.to_str().unwrap()),
            "{tool}: {}",
            output.stderr
        );
        assert!(
            output.stdout.is_empty() && fs::read_to_string(&file).unwrap() == letter,
            "{tool}"
        );
    }
}

#[test]
fn state_files_of_other_tools_and_newer_versions_are_refused() {
    for (tool, args, flag) in STATEFUL {
        let dir = temp_folder();
        let file = dir.path().join("state.db");
        let owner = if tool == "gen-query" {
            ("update-stats", [].as_slice(), "--stats")
        } else {
            (tool, args, flag)
        };
        run_with_state(owner.0, owner.1, owner.2, &file).expect_exit(0);
        let other = if tool == "dedup" {
            ("update-stats", "--stats")
        } else {
            ("dedup", "--index")
        };
        let output = run_with_state(other.0, &[], other.1, &file).expect_exit(2);
        assert!(
            output.stderr.contains("is not a"),
            "{}: {}",
            other.0,
            output.stderr
        );
        let db = rusqlite::Connection::open(&file).unwrap();
        db.pragma_update(None, "user_version", 1_000_000).unwrap();
        drop(db);
        let output = run_with_state(tool, args, flag, &file).expect_exit(2);
        assert!(
            output.stderr.contains("newer") && output.stdout.is_empty(),
            "{tool}: {}",
            output.stderr
        );
    }
}

/// Arguments that make `gen-query` compose a query of one term.
const ONE_TERM: [&str; 8] = [
    "--target",
    "slv",
    "--include",
    "tf:1",
    "--exclude",
    "tf:0",
    "--step",
    "1",
];

#[test]
fn statistics_of_another_segmentation_version_are_refused_or_rebuilt_from_the_journal() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (stats, journal) = (path("stats.db"), path("journal.jsonl"));
    let run = |tool, args: &[&str]| run_tool(tool, args.iter().chain(&["--stats", &stats]), "");
    fs::write(path("slv.txt"), "dober dan, lep dan").unwrap();
    let seed = format!("slv={}", path("slv.txt"));
    run("update-stats", &["--journal", &journal, "--init", &seed]).expect_exit(0);
    let repair = || run("update-stats", &["--journal", &journal, "--next-step"]).expect_exit(0);
    let tally = repair().stdout;
    let query = run("gen-query", &ONE_TERM).expect_exit(0).stdout;
    let make_earlier = || {
        let db = rusqlite::Connection::open(&stats).unwrap();
        db.pragma_update(None, "user_version", 801).unwrap();
        drop(db);
        fs::read(&stats).unwrap()
    };
    let before = make_earlier();
    for (tool, args) in [
        ("gen-query", &ONE_TERM[..]),
        ("update-stats", &[]),
        ("update-stats", &["--report"]),
    ] {
        let output = run(tool, args).expect_exit(2);
        let start = format!("{tool}: {stats}: has terms of segmentation version 1, but ");
        assert!(output.stderr.starts_with(&start), "{}", output.stderr);
        assert!(output.stdout.is_empty() && fs::read(&stats).unwrap() == before);
    }
    let output = repair();
    assert_eq!(output.stdout, tally);
    assert!(output.stderr.contains("rebuilt from"), "{}", output.stderr);
    assert_eq!(run("gen-query", &ONE_TERM).expect_exit(0).stdout, query);
    make_earlier();
    run("update-stats", &["--rebuild", &journal]).expect_exit(0);
    assert_eq!(run("gen-query", &ONE_TERM).expect_exit(0).stdout, query);
}

/// Makes an index one with terms of another segmentation version, and returns the file that says so.
pub(crate) fn set_segmentation_version(index: &Path, version: u32) -> PathBuf {
    let manifest = index.join("forage-index.json");
    let mut json: serde_json::Value =
        serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    json["segmentation"] = version.into();
    fs::write(&manifest, json.to_string()).unwrap();
    manifest
}

#[test]
fn an_index_of_another_segmentation_version_is_refused_and_its_documents_are_dumped() {
    let dir = temp_folder();
    let folder = dir.path().join("web");
    let engine = format!("index:{}", folder.display());
    let documents = "{\"url\":\"http://a.test/\",\"id\":\"1\",\"title\":\"A\",\"text\":\"lep dan\"}\n\
                     {\"url\":\"http://b.test/\",\"id\":\"2\",\"text\":\"noč\"}\n";
    run_tool("search", ["--engine", &engine, "--add"], documents).expect_exit(0);
    let manifest = set_segmentation_version(&folder, 1);
    let earlier = fs::read(&manifest).unwrap();
    let query = r#"{"query":{"include":["dan"]}}"#;
    for (args, input) in [(["--top", "1"].as_slice(), query), (&["--add"], documents)] {
        let args = ["--engine", &engine]
            .into_iter()
            .chain(args.iter().copied());
        let output = run_tool("search", args, input).expect_exit(2);
        assert!(
            output
                .stderr
                .contains("has terms of segmentation version 1, but")
                && output.stderr.contains("--dump"),
            "{}",
            output.stderr
        );
        assert!(output.stdout.is_empty() && fs::read(&manifest).unwrap() == earlier);
    }
    let dumped = run_tool("search", ["--engine", &engine, "--dump"], "").expect_exit(0);
    assert_eq!(dumped.stdout, documents);
}

#[test]
fn an_unwritable_state_file_is_reported() {
    for (tool, args, flag) in STATEFUL {
        for path in [
            "/no/such/folder/state.db",
            "/proc/state.db",
            "/dev/full",
            "/",
        ] {
            let output = run_with_state(tool, args, flag, Path::new(path)).expect_exit(2);
            assert!(
                output.stderr.starts_with(&format!("{tool}: {path}: ")),
                "{tool}: {}",
                output.stderr
            );
            assert!(output.stdout.is_empty(), "{tool} {path}");
        }
    }
}

#[test]
fn a_state_file_that_cannot_be_opened_is_named_once_with_the_cause() {
    let dir = temp_folder();
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let lost = dir.path().join("none/state.db");
    for (tool, args, flag) in STATEFUL {
        for (file, cause) in [
            (folder.as_path(), "is a folder"),
            (lost.as_path(), "no"),
            (Path::new("/dev/full"), ""),
        ] {
            let output = run_with_state(tool, args, flag, file).expect_exit(2);
            let name = file.to_str().unwrap();
            let rest = output
                .stderr
                .strip_prefix(&format!("{tool}: {name}: "))
                .unwrap_or_else(|| panic!("{tool}: {}", output.stderr));
            assert!(
                output.stderr.lines().count() == 1 && rest.contains(cause) && !rest.contains(name),
                "{}",
                output.stderr
            );
        }
    }
}
