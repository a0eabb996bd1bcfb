//! The files of an embedded index: who can read them, and what is said to those who cannot.
#![cfg(unix)]

use forage_tests::{run_command, run_tool, temp_folder, tool_path};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    fs::set_permissions(index.join("meta.json"), Permissions::from_mode(0o600)).unwrap();
    second.args(["--engine", &spec]);
    let stderr = run_command(second, QUERY).expect_exit(2).stderr;
    assert_eq!(
        stderr,
        format!("search: {spec}: cannot be read: permission denied (owned by root)\n")
    );
}
