//! The pipelines over the shards of a corpus: their scripts do it all, once the arguments are
//! checked.

use crate::pipeline::COMMAND;
use crate::run::{Run, require_options};
use anyhow::{Context, Result, bail};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Becomes the function `run` of the script: signals reach it, and a kill leaves no process behind.
///
/// # Errors
/// Fails without a required option, and if bash cannot be run.
pub fn run(run: &Run) -> Result<ExitCode> {
    let line = &run.line;
    let required = [("--on", "on"), ("--in", "in"), ("--out", "out")];
    require_options(&required.map(|(option, name)| (option, line.has(name))))?;
    let commands = line.values(COMMAND);
    if commands.len() >= 2 {
        bail!("COMMAND is one argument: quote it, as in -- 'langid | jq -c .'");
    }
    let flag = |name| if line.has(name) { "1" } else { "" };
    let more = match run.pipeline.name {
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
