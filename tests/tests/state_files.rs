//! Tools with a state file that is foreign, newer or unwritable.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use std::fs;
use std::path::Path;

/// The tools with state: their name, other required arguments, and the flag of the state file.
const STATEFUL: [(&str, &[&str], &str); 4] = [
    ("dedup", &[], "--index"),
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
