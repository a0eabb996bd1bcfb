//! A pipeline: its command line, and what becomes of its options.
//!
//! The options are structs of clap, and where a tool has them, too, that tool's. What the user
//! gives is text, which is stored and handed on as it is: the types of the structs only check it.

use clap::builder::Resettable;
use clap::{Arg, ArgAction, Command, Id, ValueHint};

/// A pipeline.
pub struct Pipeline {
    /// Its script, and the first argument of `run-steps`.
    pub name: &'static str,
    pub about: &'static str,
    /// Usage lines, with NAME for the script.
    pub usage: &'static str,
    /// Sections of `--help` after the options.
    pub sections: &'static str,
    /// Adds the options to a command.
    pub options: fn(Command) -> Command,
    /// Options that `-h` shows: what a first call needs.
    pub common: &'static [&'static str],
    /// Settings of a new run for which none are given.
    pub defaults: &'static [(&'static str, &'static str)],
    /// Settings that are no options.
    pub internal: &'static [&'static str],
    /// Settings of earlier versions, and their present names.
    pub renamed: &'static [(&'static str, &'static str)],
    /// What `--paper` sets.
    pub printed: &'static [PrintedOption],
    /// What `--paper` means for a tool.
    pub printed_for_tool: &'static str,
}

/// A pipeline without anything.
pub const PLAIN: Pipeline = Pipeline {
    name: "",
    about: "",
    usage: "",
    sections: "",
    options: |command| command,
    common: &[],
    defaults: &[],
    internal: &[],
    renamed: &[],
    printed: &[],
    printed_for_tool: "",
};

/// The positional argument of a review.
pub const RUN: &str = "RUN";

/// The positional argument of a command over shards.
pub const COMMAND: &str = "COMMAND";

/// The flag, and the setting, by which a pipeline is the system that its paper prints.
///
/// What is printed and is no option of a pipeline follows from the setting itself.
/// `docs/algorithms.md`, "Mechanisms of the papers", has what differs from the defaults.
pub const PAPER: &str = "paper";

/// An option that `--paper` sets when a run starts, unless it is given, or one that excludes it.
pub struct PrintedOption {
    pub name: &'static str,
    pub value: &'static str,
    pub unless: &'static [&'static str],
}

/// Returns an option of a printed system.
pub const fn printed(
    name: &'static str,
    value: &'static str,
    unless: &'static [&'static str],
) -> PrintedOption {
    PrintedOption {
        name,
        value,
        unless,
    }
}

/// Options that only a new run has, and that are no settings of it.
pub const INITIAL: &str = "contrast core no-prune others sample seeds sites targets text-field";

/// Settings that a resumed run may change; `batch` is one of a crawl only.
const CHANGEABLE: &str = "\
    batch calls connect-to contact delay docs engine in-links limit pages patience queries rate \
    refresh relevant threshold timeout until-coverage words";

/// Options that are never settings of a run.
const UNSTORED: &str = "\
    RUN COMMAND as check check-arguments dry-run force help in no-open no-page on out quiet resume \
    resume-if-there trust verbose version";

/// Returns whether a list of words separated by blanks has a word.
pub fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// The names of settings with one value, and of those with several.
pub struct SettingNames {
    pub single: Vec<String>,
    pub lists: Vec<String>,
}

impl Pipeline {
    /// Returns whether documents of classes are collected by queries.
    pub fn is_corpus(&self) -> bool {
        matches!(self.name, "corpus-builder" | "autocor")
    }

    /// Returns whether an option is a setting, which is stored in `run.conf`.
    pub fn is_setting(&self, option: &str) -> bool {
        !has_word(UNSTORED, option) && !has_word(INITIAL, option)
    }

    /// Returns whether a resumed run may change a setting.
    pub fn is_changeable(&self, setting: &str) -> bool {
        has_word(CHANGEABLE, setting) && (setting != "batch" || !self.is_corpus())
    }

    /// Returns the names of all settings.
    pub fn settings(&self) -> SettingNames {
        let command = self.command(self.name);
        let options = command.get_arguments().filter(|arg| !arg.is_positional());
        let (lists, single): (Vec<&Arg>, _) = options
            .filter(|arg| self.is_setting(name_of(arg)))
            .partition(|arg| is_list(arg));
        let names = |args: &[&Arg]| args.iter().map(|arg| name_of(arg).to_owned()).collect();
        let mut names = SettingNames {
            single: names(&single),
            lists: names(&lists),
        };
        let internal = self.internal.iter().map(|name| (*name).to_owned());
        names.single.extend(internal);
        names.lists.push("init".into());
        names
    }

    /// Returns the definition of the command line of a script, for the help as well.
    pub fn command(&self, name: &'static str) -> Command {
        let command = (self.options)(Command::new(name));
        let options = command.get_arguments().map(name_of);
        let changeable = options.filter(|option| self.is_changeable(option));
        let changeable: Vec<String> = changeable.map(|option| format!("--{option}")).collect();
        let changeable = format!("It accepts {}.", changeable.join(", "));
        command
            .about(self.about)
            .long_about(None)
            .override_usage(self.usage.replace("NAME", name))
            .after_help("--help has all options, notes and examples")
            .after_long_help(self.sections.trim_end())
            // A script may replace an option of the command that it builds.
            .args_override_self(true)
            .mut_args(|arg| self.adapt(arg, &changeable))
    }

    /// Returns an option of a tool, or of several pipelines, as one of this pipeline.
    fn adapt(&self, arg: Arg, changeable: &str) -> Arg {
        let name = name_of(&arg).to_owned();
        let mut arg = match &*name {
            "quiet" | "verbose" => arg,
            _ => without_rules(arg),
        };
        let values = arg.get_value_names().unwrap_or_default();
        let hint = values
            .first()
            .map_or(ValueHint::Other, |value| hint_of(value));
        arg = arg.value_hint(hint);
        if let Some((_, value)) = self.defaults.iter().find(|(default, _)| *default == name) {
            arg = arg.default_value(*value);
        }
        let more = match &*name {
            PAPER => self.describe_paper(),
            "resume" => changeable.into(),
            _ => String::new(),
        };
        if !more.is_empty() {
            let help = arg.get_long_help().or(arg.get_help());
            let help = help.map(ToString::to_string).unwrap_or_default();
            arg = arg.long_help(format!("{help}\n\n{more}"));
        }
        arg.hide_short_help(!self.common.contains(&&*name))
    }

    /// Returns what `--paper` sets, for its help.
    fn describe_paper(&self) -> String {
        let options = self.printed.iter();
        let options = options.map(|option| format!("--{} {}", option.name, option.value));
        let mut options: Vec<String> = options.collect();
        options.push(self.printed_for_tool.into());
        options.retain(|option| !option.is_empty());
        format!(
            "It sets, unless the option is given: {}.",
            options.join(", ")
        )
    }
}

/// Returns the name of an option, by which it is a setting; of a positional argument its
/// identifier.
pub fn name_of(arg: &Arg) -> &str {
    arg.get_long().unwrap_or(arg.get_id().as_str())
}

/// Returns whether an option has several values, each on its own.
pub fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append) && arg.get_value_delimiter().is_none()
}

/// Returns an option without the rules that tie it to others of its tool, which the pipeline may
/// not have. The tool is asked in any case.
fn without_rules(arg: Arg) -> Arg {
    let none = || Resettable::<Id>::Reset;
    let arg = match arg.get_value_delimiter() {
        // The last one counts.
        Some(_) => arg.action(ArgAction::Set),
        None => arg,
    };
    arg.conflicts_with(none())
        .requires(none())
        .required_unless_present(none())
        .group(none())
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
