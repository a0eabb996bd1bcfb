//! The command line of a pipeline.

use crate::pipeline::{INITIAL, PAPER, Pipeline, PrintedOption, RUN, is_list, name_of};
use crate::settings::{Settings, check_storable};
use anyhow::{Result, bail, ensure};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the user gave.
pub struct CommandLine {
    pub script: PathBuf,
    /// The folder of the run; empty if none is given.
    pub folder: String,
    pub is_resumed: bool,
    /// The options that are settings of the run.
    pub settings: Settings,
    /// All options.
    given: Settings,
}

impl CommandLine {
    /// Returns whether a flag is given.
    pub fn has(&self, flag: &str) -> bool {
        self.given.is_set(flag)
    }

    /// Returns the value of an option; empty if it is not given.
    pub fn value(&self, option: &str) -> &str {
        self.given.get(option)
    }

    /// Returns the values of an option.
    pub fn values(&self, option: &str) -> &[String] {
        self.given.list(option)
    }

    /// Reads the arguments of a pipeline.
    ///
    /// # Errors
    /// Fails if a run is both started and resumed, or has an option of a new run and is resumed.
    pub fn new(pipeline: &Pipeline, script: &Path, matches: &ArgMatches) -> Result<CommandLine> {
        let given = read(pipeline, matches)?;
        let mut line = CommandLine {
            script: script.into(),
            folder: folder_of(&given),
            is_resumed: given.is_set("resume"),
            settings: Settings::default(),
            given,
        };
        if line.is_resumed && line.has("out") {
            bail!("--out starts a run, and --resume continues one; give one of them");
        }
        if line.has("resume-if-there") {
            ensure!(line.has("out"), "--resume-if-there belongs to --out RUN");
            line.is_resumed = Path::new(&line.folder).join("run.conf").exists();
        }
        let is_given = |name: &&str| line.has(name) || !line.values(name).is_empty();
        let initial = INITIAL.split(' ').find(is_given);
        if let Some(name) = initial.filter(|_| line.has("resume")) {
            let run = line.value("resume");
            bail!("--{name} belongs to a new run; {run} has its own");
        }
        if !line.is_resumed {
            set_printed(pipeline, &mut line.given);
        }
        line.settings = line.given.clone();
        line.settings.retain(|name| pipeline.is_setting(name));
        Ok(line)
    }
}

/// Returns the options that are given, as text; of a flag `yes`.
fn read(pipeline: &Pipeline, matches: &ArgMatches) -> Result<Settings> {
    let mut given = Settings::default();
    let command = pipeline.command(pipeline.name);
    let is_given = |arg: &&Arg| {
        matches.try_contains_id(arg.get_id().as_str()).is_ok()
            && matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    for arg in command.get_arguments().filter(is_given) {
        let (name, id) = (name_of(arg), arg.get_id().as_str());
        if matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::Count) {
            given.set(name, "yes");
            continue;
        }
        let values = matches.get_raw(id).into_iter().flatten();
        let values: Vec<String> = values.map(|value| value.to_string_lossy().into()).collect();
        for value in values.iter().filter(|_| !arg.is_positional()) {
            check_storable(name, value)?;
        }
        match is_list(arg) {
            true => *given.list_mut(name) = values,
            false => given.set(name, &values.join(",")),
        }
    }
    Ok(given)
}

/// Sets the options of `--paper`, if it is given.
pub fn set_printed(pipeline: &Pipeline, given: &mut Settings) {
    if !given.is_set(PAPER) {
        return;
    }
    let user = given.clone();
    let applies = |option: &&PrintedOption| {
        let mut others = option.unless.iter().chain([&option.name]);
        !others.any(|other| user.is_set(other))
    };
    for option in pipeline.printed.iter().filter(applies) {
        given.set(option.name, option.value);
    }
}

fn folder_of(given: &Settings) -> String {
    let folder = ["out", "resume", RUN]
        .map(|option| given.get(option))
        .concat();
    let folder = match folder.trim_end_matches('/') {
        "" if folder.starts_with('/') => "/",
        folder => folder,
    };
    // Tools would take the name for an option.
    let prefix = if folder.starts_with('-') { "./" } else { "" };
    format!("{prefix}{folder}")
}

/// Returns the options with one value that are given several times.
pub fn repeated_options(command: &Command, args: &[OsString]) -> Vec<String> {
    let is_given = |arg: &OsString, name: &str| {
        let arg = arg.to_string_lossy();
        let option = arg
            .strip_prefix("--")
            .and_then(|option| option.strip_prefix(name));
        option.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let single = command.get_arguments();
    let single = single.filter(|arg| matches!(arg.get_action(), ArgAction::Set));
    single
        .filter_map(Arg::get_long)
        .filter(|name| args.iter().filter(|arg| is_given(arg, name)).count() > 1)
        .map(str::to_owned)
        .collect()
}
