//! The command line of a pipeline.

use crate::printed::{self, PAPER};
use crate::settings::Settings;
use crate::spec::{Arity, OptionSpec, PipelineSpec};
use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The positional argument of a review.
const RUN: &str = "RUN";

/// The positional argument of a command over shards.
pub const COMMAND: &str = "COMMAND";

/// The positional argument of a private SearXNG.
pub const ACTION: &str = "ACTION";

/// What the user gave: settings, and options that are none.
pub struct CommandLine {
    pub script: PathBuf,
    /// The folder of the run; empty if none is given.
    pub folder: String,
    pub is_resumed: bool,
    pub settings: Settings,
    /// The options that `--paper` sets, with their values.
    printed: Vec<(&'static str, &'static str)>,
    matches: ArgMatches,
}

impl CommandLine {
    /// Returns whether a flag is given.
    pub fn has(&self, flag: &str) -> bool {
        self.matches.try_get_one::<bool>(flag).ok().flatten() == Some(&true)
    }

    /// Returns the value of an option that is no setting; empty if it is not given.
    pub fn value(&self, option: &str) -> &str {
        if let Some((_, value)) = self.printed.iter().find(|(name, _)| *name == option) {
            return value;
        }
        let value = self.matches.try_get_one::<String>(option).ok().flatten();
        value.map_or("", String::as_str)
    }

    /// Returns the values of an option that is no setting.
    pub fn values(&self, option: &str) -> Vec<String> {
        let values = self.matches.try_get_many::<String>(option).ok().flatten();
        values.into_iter().flatten().cloned().collect()
    }

    /// Reads the arguments of a pipeline.
    ///
    /// # Errors
    /// Fails if a run is both started and resumed, or has an option of a new run and is resumed.
    pub fn new(spec: &PipelineSpec, script: &Path, matches: ArgMatches) -> Result<CommandLine> {
        let mut settings = Settings::default();
        for option in spec.options().filter(|option| option.is_stored) {
            let id = option.name;
            match option.arity {
                Arity::Flag if matches.get_flag(id) => settings.set(id, "yes"),
                Arity::Flag => {}
                Arity::Value => {
                    if let Some(value) = matches.get_one::<String>(id) {
                        settings.set(id, value);
                    }
                }
                Arity::Repeated | Arity::Many => {
                    let values = matches.get_many::<String>(id).into_iter().flatten();
                    *settings.list_mut(id) = values.cloned().collect();
                }
            }
        }
        let mut line = CommandLine {
            script: script.into(),
            folder: String::new(),
            is_resumed: false,
            settings,
            printed: Vec::new(),
            matches,
        };
        line.is_resumed = !line.value("resume").is_empty();
        if line.is_resumed && !line.value("out").is_empty() {
            bail!("--out starts a run, and --resume continues one; give one of them");
        }
        if line.has("resume-if-there") {
            return line.resume_if_there(spec);
        }
        let is_given =
            |option: &str| line.matches.value_source(option) == Some(ValueSource::CommandLine);
        let initial = spec
            .options()
            .find(|option| option.is_initial && is_given(option.name));
        if let Some(option) = initial.filter(|_| line.is_resumed) {
            let run = line.value("resume");
            bail!("--{} belongs to a new run; {run} has its own", option.name);
        }
        line.set_folder();
        line.set_printed(spec);
        Ok(line)
    }

    /// Sets the options of `--paper`.
    fn set_printed(&mut self, spec: &PipelineSpec) {
        if self.is_resumed || !self.has(PAPER) {
            return;
        }
        let is_given = |option: &str| {
            self.matches.try_contains_id(option).is_ok()
                && self.matches.value_source(option) == Some(ValueSource::CommandLine)
        };
        let options = printed::options_of(spec.kind).iter();
        self.printed = options
            .filter(|option| option.applies(is_given))
            .map(|option| (option.name, option.value))
            .collect();
        for (name, value) in &self.printed {
            if spec.setting(name).is_some() {
                self.settings.set(name, value);
            }
        }
    }

    fn set_folder(&mut self) {
        let folder = ["out", "resume", RUN]
            .map(|option| self.value(option))
            .concat();
        let folder = match folder.trim_end_matches('/') {
            "" if folder.starts_with('/') => "/",
            folder => folder,
        };
        // Tools would take the name for an option.
        let prefix = if folder.starts_with('-') { "./" } else { "" };
        self.folder = format!("{prefix}{folder}");
    }

    /// Resumes the run in the folder of `--out`, if there is one. It has the settings that it was
    /// started with, so the same command can be given each time.
    fn resume_if_there(mut self, spec: &PipelineSpec) -> Result<CommandLine> {
        if self.is_resumed || self.value("out").is_empty() {
            bail!("--resume-if-there belongs to --out RUN");
        }
        self.set_folder();
        self.is_resumed = Path::new(&self.folder).join("run.conf").exists();
        if self.is_resumed {
            self.settings = Settings::default();
        }
        self.set_printed(spec);
        Ok(self)
    }
}

/// Wraps a usage line for a terminal of 80 columns, after `Usage: `.
fn wrap_usage(name: &str, usage: &str) -> String {
    let indentation = "Usage: ".len() + name.len();
    let mut wrapped = name.to_owned();
    let mut column = indentation;
    // An option and its value stay on one line.
    for part in usage.replace(" --", "\n--").replace(" [", "\n[").lines() {
        if column + 1 + part.len() > 80 {
            wrapped += &format!("\n{}", " ".repeat(indentation));
            column = indentation;
        }
        wrapped += &format!(" {part}");
        column += 1 + part.len();
    }
    wrapped
}

/// The definition of the command line, for the help as well.
pub fn command(spec: &'static PipelineSpec, name: &'static str) -> Command {
    let usage: Vec<String> = spec
        .usage
        .lines()
        .map(|usage| wrap_usage(name, usage))
        .collect();
    let mut command = Command::new(name)
        .about(spec.about)
        .override_usage(usage.join("\n       "))
        .after_help(spec.notes.trim_end())
        // A script may replace an option of the command that it builds.
        .args_override_self(true);
    if spec.kind == "review" {
        let run = Arg::new(RUN).value_hint(ValueHint::DirPath);
        command = command.arg(run.required(true).help("folder of a run"));
    }
    if spec.kind == "searxng" {
        let action = Arg::new(ACTION).required(true).help("what to do");
        command = command.arg(action.value_parser(["up", "down", "check"]));
    }
    if spec.kind == "cluster" {
        command = command.arg(
            Arg::new(COMMAND)
                .required(true)
                .last(true)
                .action(ArgAction::Append)
                .num_args(1..)
                .help("what bash runs for each shard"),
        );
    }
    command.args(spec.options().map(argument))
}

/// The definition for `-h`: the options that a first call needs, with the first clause of their help.
pub fn short_command(spec: &'static PipelineSpec, name: &'static str) -> Command {
    command(spec, name)
        .after_help("--help has all options, notes and examples")
        .mut_args(|arg| {
            let id = arg.get_id().as_str().to_owned();
            let Some(option) = spec.options().find(|option| option.name == id) else {
                return arg;
            };
            let clause = option.help.split("; ").next().unwrap_or_default();
            arg.help(clause.to_owned())
                .help_heading(None)
                .hide(!option.is_common)
        })
}

fn argument(option: &'static OptionSpec) -> Arg {
    let arg = Arg::new(option.name)
        .long(option.name)
        .help_heading(option.heading);
    // The settings have the default, so that one that is given can be told from it.
    let default = match option.default {
        "" => String::new(),
        default => format!(" [default: {default}]"),
    };
    let mut arg = arg.help(format!("{}{default}", option.help));
    match option.name {
        "quiet" => arg = arg.short('q'),
        "verbose" => arg = arg.short('v').conflicts_with("quiet"),
        _ => {}
    }
    arg = match option.arity {
        Arity::Flag => return arg.action(ArgAction::SetTrue),
        Arity::Value => arg.action(ArgAction::Set),
        Arity::Repeated => arg.action(ArgAction::Append),
        Arity::Many => arg.action(ArgAction::Append).num_args(1..),
    };
    arg.value_name(option.value)
        .value_hint(hint_of(option.value))
        .value_parser(|value: &str| option.check_value(value))
}

/// Returns what shells complete for a placeholder.
fn hint_of(value: &str) -> ValueHint {
    match value {
        "RUN" | "DIR" => ValueHint::DirPath,
        "FILE" => ValueHint::FilePath,
        "COMMAND" => ValueHint::CommandString,
        // As in slv=FILE and index:DIR, which shells complete as files.
        "CLASS=FILE" | "SPEC" | "FILE|URL" | "GLOB" => ValueHint::AnyPath,
        _ => ValueHint::Other,
    }
}

/// Returns the options with one value that are given several times.
pub fn repeated_options(spec: &PipelineSpec, args: &[OsString]) -> Vec<&'static str> {
    let is_given = |arg: &OsString, name: &str| {
        let arg = arg.to_string_lossy();
        let option = arg
            .strip_prefix("--")
            .and_then(|option| option.strip_prefix(name));
        option.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let is_repeated = |option: &&OptionSpec| {
        let count = args.iter().filter(|arg| is_given(arg, option.name)).count();
        option.arity == Arity::Value && count > 1
    };
    spec.options()
        .filter(is_repeated)
        .map(|option| option.name)
        .collect()
}

/// The definition of the own command line, which users read to write a pipeline.
pub fn own_command() -> Command {
    Command::new("run-steps")
        .about("Repeat the steps of a pipeline until a limit is reached, and resume them")
        .override_usage("run-steps [KIND] --of SCRIPT [arguments of the pipeline]")
        .arg(Arg::new("kind").value_name("KIND").help(
            "corpus, autocor, news, crawl, review, cluster, dedup-at-scale or searxng: the kind \
             of the pipeline, and so its options [default: corpus]",
        ))
        .arg(
            Arg::new("of")
                .long("of")
                .value_name("SCRIPT")
                .help("the pipeline, with its functions"),
        )
        .after_long_help(include_str!("help.txt"))
}
