//! A private SearXNG: the script sets it up, once its arguments are checked.

use crate::cli::{ACTION, CommandLine};
use crate::tools;
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The settings of an instance, unless the user has others.
const SETTINGS: &str = include_str!("../../../pipelines/searxng.yml");

/// Becomes a function of the script: signals reach it, and a kill leaves no process behind but that
/// of SearXNG.
///
/// # Errors
/// Fails if there is no folder, and if bash cannot be run.
pub fn run(line: &CommandLine) -> Result<ExitCode> {
    if line.value(ACTION) == "check" {
        tools::require(&["search"])?;
    }
    let folder = folder(line.value("dir"))?;
    if line.value(ACTION) == "up" {
        set_settings(&folder, line.value("settings"))?;
    }
    let scope = match line.value("language") {
        "" => String::new(),
        language => format!("&language={language}"),
    };
    let error = Command::new("bash")
        .arg(&line.script)
        .arg(line.value(ACTION))
        .env("RUN", folder)
        .env("PORT", line.value("port"))
        .env("FROM", line.value("from"))
        .env("SCOPE", scope)
        .env("QUIET", if line.has("quiet") { "1" } else { "" })
        .exec();
    Err(error).context("bash")
}

/// Makes the folder with the settings that are given, those of the last time, or ours.
fn set_settings(folder: &Path, given: &str) -> Result<()> {
    let own = folder.join("settings.yml");
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    if !given.is_empty() {
        fs::copy(given, &own).with_context(|| format!("--settings {given}"))?;
    } else if !own.exists() {
        fs::write(&own, SETTINGS).with_context(|| own.display().to_string())?;
    }
    Ok(())
}

/// Returns the folder of `--dir`, or that of the data of the user.
fn folder(given: &str) -> Result<PathBuf> {
    if !given.is_empty() {
        return Ok(given.into());
    }
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let data = variable("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".local/share")));
    Ok(data
        .context("--dir is required without a home")?
        .join("forage/searxng"))
}
