//! Calls of the tools.

use crate::child;
use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

pub use crate::child::Reported;

/// A command and its arguments.
pub type Line = Vec<String>;

/// Returns the words of a command line: those of a template, with a value in place of each `{}`. A
/// value may have blanks.
pub fn line<const N: usize>(template: &str, values: [&str; N]) -> Line {
    let mut values = values.into_iter();
    let fill = |word: &str| match word.contains("{}") {
        true => word.replacen("{}", values.next().unwrap_or_default(), 1),
        false => word.to_owned(),
    };
    template.split_whitespace().map(fill).collect()
}

fn command(line: &[String]) -> Command {
    let mut words = line.iter();
    let mut command = Command::new(words.next().map_or("", String::as_str));
    command.args(words).stdout(Stdio::piped());
    command
}

/// Runs a command without input.
///
/// # Errors
/// Fails if it cannot be run.
pub fn run(line: &[String]) -> Result<(ExitStatus, String)> {
    let (status, output) = child::run(&mut command(line), b"")?;
    ensure!(!child::is_interrupted() || status.success(), Reported);
    Ok((status, String::from_utf8_lossy(&output).into_owned()))
}

/// Runs a command without input, and returns its output.
///
/// # Errors
/// Fails if the command does; it has printed the cause.
pub fn output(line: &[String]) -> Result<String> {
    let (status, output) = run(line)?;
    ensure!(status.success(), Reported);
    Ok(output)
}

/// Runs a command without input, and writes its output, which may be large, to a file or device.
///
/// # Errors
/// Fails if it cannot be run, or the file cannot be created.
pub fn run_to(path: &Path, line: &[String]) -> Result<ExitStatus> {
    let file = File::create(path).with_context(|| path.display().to_string())?;
    Ok(child::run(command(line).stdout(file), b"")?.0)
}

/// Runs a command without input; returns its exit code, its output, and its messages.
///
/// # Errors
/// Fails if it cannot be run.
pub fn run_silently(line: &[String]) -> Result<(i32, String, String)> {
    let (status, output, printed) = child::run_silently(&mut command(line))?;
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok((status.code().unwrap_or(2), output, printed))
}

/// Checks that tools, whose names are separated by blanks, are on the PATH.
pub fn require(tools: &str) -> Result<()> {
    for tool in tools.split(' ') {
        if find(tool).is_none() {
            bail!("{tool}: is not on the PATH; build the tools with `make`");
        }
    }
    Ok(())
}

/// Returns the path of a program that is on the PATH.
pub fn find(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join(tool));
    programs.find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Runs a command with `input`, and returns its output.
///
/// # Errors
/// Fails if the command does; it has printed the cause.
pub fn filter(line: &[String], input: &[u8]) -> Result<Vec<u8>> {
    let (status, output) = child::run(&mut command(line), input)?;
    ensure!(status.success(), Reported);
    Ok(output)
}
