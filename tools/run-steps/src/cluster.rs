//! A pipeline over the shards of a corpus: the script does it all, once its arguments are checked.

use crate::cli::{COMMAND, CommandLine};
use crate::run::require_options;
use crate::spec::PipelineSpec;
use anyhow::{Context, Result};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Becomes the function `run` of the script: signals reach it, and a kill leaves no process behind.
///
/// # Errors
/// Fails without a required option, and if bash cannot be run.
pub fn run(spec: &PipelineSpec, line: &CommandLine) -> Result<ExitCode> {
    let required = [("--on", "on"), ("--in", "in"), ("--out", "out")];
    require_options(&required.map(|(option, name)| (option, !line.value(name).is_empty())))?;
    let commands = line.values(COMMAND);
    anyhow::ensure!(
        commands.len() < 2,
        "COMMAND is one argument: quote it, as in -- 'langid | jq -c .'"
    );
    let flag = |name| if line.has(name) { "1" } else { "" };
    let more = match spec.kind {
        "cluster" => commands.iter().map(String::as_str).collect(),
        _ => vec![line.value("threshold"), flag("titles"), flag("drop")],
    };
    let error = Command::new("bash")
        .arg(&line.script)
        .args(["run", line.value("on"), line.value("in"), &line.folder])
        .arg(line.value("partitions"))
        .args(more)
        .env("RUN", &line.folder)
        .env("QUIET", flag("quiet"))
        .exec();
    Err(error).context("bash")
}
