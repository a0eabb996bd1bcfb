//! The harness of the integration tests: runs the built tools in real pipes.
//!
//! A package can't name another package's binaries on stable Cargo (cargo#15010), so the harness
//! asks Cargo to build a tool before its first use: no test ever meets a stale one.

pub mod archives;
pub mod closed_web;
pub mod engine_server;
pub mod events;
pub mod faults;
mod filters;
pub mod gzip;
pub mod open_web;
pub mod server;

pub use filters::{FILTERS, Filter, UNKNOWN, each};

use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What a finished tool left.
#[derive(Debug, Clone)]
pub struct Done {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit code; -1 where a signal ended it.
    pub code: i32,
}

impl Done {
    /// The records on standard output.
    pub fn records(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect()
    }

    /// This, after checking the exit code; shows what the tool said when it is another.
    #[track_caller]
    pub fn exits(self, code: i32) -> Done {
        assert_eq!(
            self.code, code,
            "stderr: {}\nstdout: {:.2000}",
            self.stderr, self.stdout
        );
        self
    }
}

/// The folder with the tools' binaries, of the profile that the tests are built in.
pub fn bin_dir() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    test.ancestors()
        .nth(2)
        .expect("target/PROFILE/deps/TEST")
        .to_path_buf()
}

/// The path of a tool, built from the sources as they are now.
///
/// All are built at once: a package by itself would have its dependencies compiled anew, with fewer
/// features.
pub fn bin(tool: &str) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .current_dir(root())
            .args(["build", "--quiet", "--locked", "--workspace", "--bins"]);
        // What `cargo test` tells a test of its package would have ring's build script run again,
        // and all that needs TLS be compiled anew.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| {
                name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
            }) {
                cargo.env_remove(name);
            }
        }
        if bin_dir().ends_with("release") {
            cargo.arg("--release");
        }
        assert!(
            cargo.status().expect("cargo runs").success(),
            "the tools do not build"
        );
    });
    bin_dir().join(tool)
}

/// The project's root folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the root")
        .to_path_buf()
}

/// The tools that are installed: the seven of the feedback loop, and the two that measure it.
pub const TOOLS: [&str; 11] = [
    "corpus-export",
    "draw-documents",
    "ngram-profile",
    "langid",
    "gen-query",
    "search",
    "fetch-extract",
    "dedup",
    "update-stats",
    "measure-run",
    "report-runs",
];

/// Runs a tool to its end.
pub fn run<A: AsRef<OsStr>>(
    tool: &str,
    args: impl IntoIterator<Item = A>,
    stdin: impl AsRef<[u8]>,
) -> Done {
    let mut command = Command::new(bin(tool));
    command.args(args);
    finish(command, stdin)
}

/// Runs a line of bash, with the tools on the path, to its end.
pub fn bash(script: &str, stdin: impl AsRef<[u8]>) -> Done {
    for tool in TOOLS {
        bin(tool);
    }
    let mut command = Command::new("bash");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin_dir()).chain(std::env::split_paths(&path)))
        .expect("a PATH");
    command
        .args(["-o", "pipefail", "-c", script])
        .env("PATH", path)
        .current_dir(root());
    finish(command, stdin)
}

/// Feeds a command and waits for its end.
pub fn finish(mut command: Command, stdin: impl AsRef<[u8]>) -> Done {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut to_child = child.stdin.take().expect("a pipe");
    let input = stdin.as_ref().to_vec();
    // A tool that stops early closes its end; that is no failure of the test.
    let feeder = std::thread::spawn(move || drop(to_child.write_all(&input)));
    let output = child.wait_with_output().expect("the command ends");
    feeder.join().expect("the input was written");
    Done {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap_or(-1),
    }
}

/// Compares with a file that is kept under version control, and shows where they part. `UPDATE=1`
/// rewrites the file.
#[track_caller]
pub fn check_file(path: &str, now: &str) {
    let file = root().join(path);
    let refresh = "UPDATE=1 cargo test -p forage-tests --test generated";
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(file.parent().expect("a file lies in a folder"))
            .expect("the folder can be made");
        std::fs::write(&file, now).expect("the file can be written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    if let Some(line) = (kept != now).then(|| {
        kept.lines()
            .zip(now.lines())
            .take_while(|(a, b)| a == b)
            .count()
    }) {
        let [kept, now] = [&kept, now].map(|text| text.lines().nth(line).unwrap_or("(nothing)"));
        panic!(
            "{path}:{}: is stale; refresh it with `{refresh}`\n  there: {kept}\n  now:   {now}",
            line + 1
        );
    }
}

/// A folder that goes when the test ends.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}
