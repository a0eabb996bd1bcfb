//! The files of an embedded index: who can read them, what is said to those who cannot, and what a
//! kill leaves.
#![cfg(unix)]

use forage_tests::events::wait_for;
use forage_tests::{run_command, run_tool, temp_folder, tool_path};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DOCUMENT: &str = "{\"url\":\"http://a.test/\",\"text\":\"lep dan\"}\n";
const QUERY: &str = "{\"query\":{\"include\":[\"dan\"]}}\n";

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// Returns the spec and the folder of a new index, which was added to twice.
fn build_index(folder: &Path) -> (String, PathBuf) {
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    let index = folder.join("index");
    let spec = format!("index:{}", index.display());
    for _ in 0..2 {
        run_tool("search", ["--engine", &spec, "--add"], DOCUMENT).expect_exit(0);
    }
    (spec, index)
}

#[test]
fn all_files_have_the_mode_of_new_files() {
    let folder = temp_folder();
    let (_, index) = build_index(folder.path());
    let new = folder.path().join("new");
    fs::write(&new, "").unwrap();
    for entry in fs::read_dir(index).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), mode(&new), "{}", path.display());
    }
}

/// Returns a command that runs `search` as a user without rights; `None` if there is no such user,
/// or `search` is in a folder that the user cannot read.
fn search_as_nobody() -> Option<Command> {
    let search = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(tool_path("search"));
        command
    };
    let version = search().arg("--version").output();
    version
        .is_ok_and(|output| output.status.success())
        .then(search)
}

#[test]
fn an_index_that_must_not_be_read_is_reported_in_plain_words() {
    let (Some(mut first), Some(mut second)) = (search_as_nobody(), search_as_nobody()) else {
        return;
    };
    let folder = temp_folder();
    let (spec, index) = build_index(folder.path());
    first.args(["--engine", &spec]);
    let output = run_command(first, QUERY).expect_exit(0);
    assert_eq!(output.records()[0]["url"], "http://a.test/");
    fs::set_permissions(
        index.join("forage-index.json"),
        Permissions::from_mode(0o600),
    )
    .unwrap();
    second.args(["--engine", &spec]);
    let stderr = run_command(second, QUERY).expect_exit(2).stderr;
    assert_eq!(
        stderr,
        format!("search: {spec}: cannot be read: permission denied (owned by root)\n")
    );
}

#[test]
fn a_killed_add_leaves_a_valid_index() {
    let folder = temp_folder();
    let (spec, index) = build_index(folder.path());
    let files = || {
        let files = fs::read_dir(&index).unwrap();
        BTreeSet::from_iter(files.map(|file| file.unwrap().file_name()))
    };
    let line = json!({"url": "http://new.test/", "text": "dan ".repeat(1000)});
    // The first kill comes while the tool reads, the second as soon as the index has a new file.
    for is_written in [false, true] {
        let before = files();
        let mut child = Command::new(tool_path("search"))
            .args(["--engine", &spec, "--add"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // More than the capacity of a pipe, so that the tool has read most of it.
        stdin
            .write_all(format!("{line}\n").repeat(50).as_bytes())
            .unwrap();
        if is_written {
            drop(stdin);
            wait_for("a new file in the index", || {
                files() != before || child.try_wait().unwrap().is_some()
            });
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let found = |query: &str| {
        let hits = run_tool("search", ["--engine", &spec], query).expect_exit(0);
        hits.records()[0]["url"].clone()
    };
    assert_eq!(found(QUERY), "http://a.test/");
    let new = line.to_string().replace("dan ", "nov ");
    run_tool("search", ["--engine", &spec, "--add"], new).expect_exit(0);
    assert_eq!(found(&QUERY.replace("dan", "nov")), "http://new.test/");
}
