//! The harness of the integration tests, which run the built tools in real pipes.
//!
//! A package cannot refer to the binaries of another package on stable Cargo (cargo#15010), so the
//! harness builds the tools before the first use, and no test runs a stale one.

pub mod archives;
pub mod browser;
pub mod closed_web;
mod co_process;
pub mod engine_server;
pub mod events;
pub mod faults;
mod filters;
pub mod gzip;
#[cfg(target_os = "linux")]
pub mod kills;
pub mod linked_web;
pub mod open_web;
pub mod searx;
pub mod server;
pub mod subject_web;
#[cfg(target_os = "linux")]
pub mod write_faults;

pub use co_process::CoProcess;
pub use filters::{FILTERS, Filter, UNKNOWN_FIELDS, for_each_filter};

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The output and exit code of a finished command.
#[derive(Debug, Clone)]
pub struct ToolOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit code; -1 if a signal ended the command.
    pub exit_code: i32,
}

impl ToolOutput {
    /// Parses the records on standard output.
    pub fn records(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect()
    }

    /// Returns the numbers `n` of the records.
    pub fn numbers(&self) -> Vec<u64> {
        let records = self.records();
        let numbers = records.iter().filter_map(|record| record["n"].as_u64());
        numbers.collect()
    }

    /// Asserts the exit code, and returns the output. A failed assertion shows the output.
    #[track_caller]
    pub fn expect_exit(self, exit_code: i32) -> ToolOutput {
        assert_eq!(
            self.exit_code, exit_code,
            "stderr: {}\nstdout: {:.2000}",
            self.stderr, self.stdout
        );
        self
    }
}

/// Returns the folder of the tools, for the Cargo profile of the tests.
pub fn tool_folder() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test");
    test.ancestors()
        .nth(2)
        .expect("target/PROFILE/deps/TEST")
        .to_path_buf()
}

/// Returns whether a program that a test needs is on the path. If not, says so.
pub fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).exists());
    if !found {
        eprintln!("NOT TESTED: {program} is not installed; see tests/install-needs");
    }
    found
}

/// Returns the path of a tool, built from the current sources.
///
/// The first call builds all tools of the workspace. A single package would be built with fewer
/// features, and its dependencies compiled again.
pub fn tool_path(tool: &str) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(project_root()).args([
            "build",
            "--quiet",
            "--locked",
            "--workspace",
            "--bins",
        ]);
        // The variables that `cargo test` sets for a test would cause the build script of ring to
        // run again, and all crates that depend on it to be compiled again.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| {
                name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
            }) {
                cargo.env_remove(name);
            }
        }
        if tool_folder().ends_with("release") {
            cargo.arg("--release");
        }
        assert!(
            cargo.status().expect("cargo runs").success(),
            "the tools do not build"
        );
    });
    tool_folder().join(tool)
}

/// Returns the root folder of the project.
pub fn project_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the parent of tests/")
        .to_path_buf()
}

/// The tools that are installed, without demo-web.
pub const TOOLS: [&str; 18] = [
    "concordance",
    "quality",
    "corpus-export",
    "corpus-report",
    "ngram-profile",
    "keywords",
    "langid",
    "gen-query",
    "search",
    "fetch-extract",
    "dedup",
    "topic-profile",
    "topic-filter",
    "frontier",
    "sample",
    "review-page",
    "take-down",
    "update-stats",
];

/// The pipelines that run-steps runs, whose man pages are named after them.
pub const PIPELINES: [&str; 8] = [
    "autocor",
    "cluster",
    "corpus-builder",
    "dedup-at-scale",
    "focused-crawl",
    "review",
    "sites",
    "special-domain",
];

/// The tools of the laboratory (`tests/lab`), which are not installed.
pub const LAB_TOOLS: [&str; 4] = [
    "draw-documents",
    "simulate-run",
    "measure-run",
    "report-runs",
];

/// Returns the tools that are installed and those of the laboratory.
pub fn all_tools() -> impl Iterator<Item = &'static str> {
    TOOLS.into_iter().chain(LAB_TOOLS)
}

/// Returns the path of a pipeline. `experiment` is in the laboratory, all others are installed.
pub fn pipeline_path(name: &str) -> PathBuf {
    let folder = if name == "experiment" {
        "tests/lab"
    } else {
        "pipelines"
    };
    project_root().join(folder).join(name)
}

/// Runs a tool with the given standard input, and waits for its end.
pub fn run_tool<A: AsRef<OsStr>>(
    tool: &str,
    args: impl IntoIterator<Item = A>,
    stdin: impl AsRef<[u8]>,
) -> ToolOutput {
    let mut command = Command::new(tool_path(tool));
    command.args(args);
    run_command(command, stdin)
}

/// Runs a bash script with the tools in PATH and the given standard input, and waits for its end.
pub fn run_bash(script: &str, stdin: impl AsRef<[u8]>) -> ToolOutput {
    for tool in all_tools() {
        tool_path(tool);
    }
    let mut command = Command::new("bash");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(tool_folder()).chain(std::env::split_paths(&path)))
            .expect("a PATH");
    command
        .args(["-o", "pipefail", "-c", script])
        .env("PATH", path)
        .current_dir(project_root());
    run_command(command, stdin)
}

/// Runs a command with the given standard input, and waits for its end.
pub fn run_command(mut command: Command, stdin: impl AsRef<[u8]>) -> ToolOutput {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut child_stdin = child.stdin.take().expect("a pipe");
    let input = stdin.as_ref().to_vec();
    // A tool that stops early closes the pipe, which is no failure of the test.
    let writer = std::thread::spawn(move || drop(child_stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the input was written");
    ToolOutput {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        exit_code: output.status.code().unwrap_or(-1),
    }
}

/// Asserts that a generated file under version control is current. A failed assertion shows the
/// first different line. The environment variable `UPDATE=1` rewrites the file.
#[track_caller]
pub fn assert_file_is_current(path: &str, expected: &str) {
    let file = project_root().join(path);
    let update_command = "UPDATE=1 cargo test -p forage-tests --test programs generated";
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(file.parent().expect("the folder of the file"))
            .expect("the folder is created");
        std::fs::write(&file, expected).expect("the file is written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    if found == expected {
        return;
    }
    let equal_lines = found
        .lines()
        .zip(expected.lines())
        .take_while(|(a, b)| a == b)
        .count();
    let [found, expected] =
        [found.as_str(), expected].map(|text| text.lines().nth(equal_lines).unwrap_or("(nothing)"));
    panic!(
        "{path}:{}: is stale; update it with `{update_command}`\n  found:    {found}\n  \
         expected: {expected}",
        equal_lines + 1
    );
}

/// Creates a temporary folder, which is removed at the end of the test.
pub fn temp_folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Returns a port of loopback on which nothing listens, for a program that cannot choose one itself.
///
/// No other test gets it before the program listens: it is below the ports that the kernel assigns,
/// and the search for it goes on where that of the same process ended.
pub fn unused_port() -> u16 {
    const PORTS: Range<u16> = 10_000..32_768;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = std::process::id().wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = PORTS.start + (number % PORTS.len() as u32) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Replaces the folder `to`, if there is one, by a copy of the folder `from`.
pub fn copy_folder(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    let copied = Command::new("cp").arg("-r").args([from, to]).status();
    assert!(copied.expect("cp runs").success());
}
