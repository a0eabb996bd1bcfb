//! What every tool with a state file does with one that is not its own, is newer, or cannot be
//! written.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use std::fs;
use std::path::Path;

/// Tools with state: the flag that names the file, and what else they need.
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

fn with_state(tool: &str, args: &[&str], flag: &str, file: &Path) -> ToolOutput {
    run_tool(
        tool,
        args.iter().copied().chain([flag, file.to_str().unwrap()]),
        r#"{"text":"a b c d e f","label":"slv"}"#,
    )
}

#[test]
fn a_foreign_state_file_is_refused_and_left_as_it_is() {
    for (tool, args, flag) in STATEFUL {
        let dir = temp_folder();
        let file = dir.path().join("letter.txt");
        let letter = "this is no database\n".repeat(500);
        fs::write(&file, &letter).unwrap();
        let done = with_state(tool, args, flag, &file).expect_exit(2);
        assert!(
            done.stderr.contains(file.to_str().unwrap()),
            "{tool}: {}",
            done.stderr
        );
        assert!(
            done.stdout.is_empty() && fs::read_to_string(&file).unwrap() == letter,
            "{tool}"
        );
    }
}

#[test]
fn another_tools_state_and_that_of_a_newer_version_are_refused() {
    for (tool, args, flag) in STATEFUL {
        let dir = temp_folder();
        let file = dir.path().join("state.db");
        let owner = if tool == "gen-query" {
            ("update-stats", [].as_slice(), "--stats")
        } else {
            (tool, args, flag)
        };
        with_state(owner.0, owner.1, owner.2, &file).expect_exit(0);
        let other = if tool == "dedup" {
            ("update-stats", "--stats")
        } else {
            ("dedup", "--index")
        };
        let done = with_state(other.0, &[], other.1, &file).expect_exit(2);
        assert!(
            done.stderr.contains("is not a"),
            "{}: {}",
            other.0,
            done.stderr
        );
        let db = rusqlite::Connection::open(&file).unwrap();
        db.pragma_update(None, "user_version", 1_000_000).unwrap();
        drop(db);
        let done = with_state(tool, args, flag, &file).expect_exit(2);
        assert!(
            done.stderr.contains("newer") && done.stdout.is_empty(),
            "{tool}: {}",
            done.stderr
        );
    }
}

#[test]
fn a_state_file_that_can_not_be_written_is_told() {
    for (tool, args, flag) in STATEFUL {
        for place in [
            "/no/such/folder/state.db",
            "/proc/state.db",
            "/dev/full",
            "/",
        ] {
            let done = with_state(tool, args, flag, Path::new(place)).expect_exit(2);
            assert!(
                done.stderr.starts_with(&format!("{tool}: {place}: ")),
                "{tool}: {}",
                done.stderr
            );
            assert!(done.stdout.is_empty(), "{tool} {place}");
        }
    }
}
