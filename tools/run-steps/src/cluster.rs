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
    let more: &[&str] = match spec.kind {
        "cluster" => &[COMMAND],
        _ => &["threshold", "titles", "drop"],
    };
    let error = Command::new("bash")
        .arg(&line.script)
        .args(["run", line.value("on"), line.value("in"), &line.folder])
        .arg(line.value("partitions"))
        .args(more.iter().map(|name| line.value(name)))
        .env("RUN", &line.folder)
        .env("QUIET", if line.has("quiet") { "1" } else { "" })
        .exec();
    Err(error).context("bash")
}
