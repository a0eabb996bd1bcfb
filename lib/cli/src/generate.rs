//! `--generate man|bash|zsh|fish`: the man page and shell completions, generated from the
//! definitions of the arguments.
//!
//! The flag is hidden. It is recognised before the arguments are parsed, because the required ones
//! are missing in such a call. `man_sections` converts the help text after the options to sections
//! of the page.

use crate::args::Jobs;
use crate::exit_code::STOPPED;
use crate::input::Input;
use crate::man_sections;
use crate::messages::{Messages, Verbosity};
use crate::output::exit_after_writing;
use crate::record_format::RecordOutput;
use crate::shared_options::Seed;
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

/// The version of the tool and that of the record schema.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (records 4)");
/// The same with the commit and the model of a program that is installed.
static VERSION_OF_BUILD: OnceLock<String> = OnceLock::new();

/// Adds to the answer to `--version` what the program is built from: its commit and its model.
pub fn set_build(build: &str) {
    VERSION_OF_BUILD.get_or_init(|| VERSION.replace(')', &format!("; {build})")));
}

/// The answer to `--version`.
pub(crate) fn version() -> &'static str {
    VERSION_OF_BUILD.get().map_or(VERSION, String::as_str)
}

/// If the first argument after the name is `--generate`, writes the man page or the completions,
/// and returns the exit code.
pub(crate) fn run_if_requested(
    command: &mut Command,
    name: &'static str,
    args: &[OsString],
) -> Option<ExitCode> {
    let mut args = args.iter().skip(1);
    if args.next()? != "--generate" {
        return None;
    }
    let format = args
        .next()
        .map_or("", |format| format.to_str().unwrap_or_default());
    let generated = match format {
        "man" => man_page(command),
        "bash" => Ok(completions(Shell::Bash, command, name)),
        "zsh" => Ok(completions(Shell::Zsh, command, name)),
        "fish" => Ok(completions(Shell::Fish, command, name)),
        _ => Err(io::Error::other("--generate takes man, bash, zsh or fish")),
    };
    let text = match generated {
        Ok(text) => text,
        Err(e) => {
            Messages::new(name, &Verbosity::default()).error(e);
            return Some(ExitCode::from(STOPPED));
        }
    };
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(&text).and_then(|()| stdout.flush());
    Some(exit_after_writing(written, name))
}

fn completions(shell: Shell, command: &Command, name: &'static str) -> Vec<u8> {
    // clap_complete offers hidden arguments too, so they are removed.
    let visible = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set())
        .cloned();
    // The text itself is not used, but if there is one, clap's description of `-h` refers to it.
    let after = command.get_after_long_help().cloned().unwrap_or_default();
    let mut completed = Command::new(name)
        .version(version())
        .after_long_help(after)
        .args(visible);
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut completed, name, &mut text);
    text
}

/// Renders the man page. It has no date, so that equal sources give equal pages.
fn man_page(command: &mut Command) -> io::Result<Vec<u8>> {
    let name = command.get_name().to_owned();
    let usage = command.render_usage().to_string();
    let after = command
        .get_after_long_help()
        .or(command.get_after_help())
        .map(ToString::to_string)
        .unwrap_or_default();
    let shared = shared_options();
    let is_shared = |arg: &Arg| is_same_option(arg, &shared);
    // It would leave out the help of options that `-h` does not show.
    let page = Man::new(command.clone().mut_args(|arg| {
        let is_of_all = matches!(arg.get_id().as_str(), "help" | "version");
        let is_hidden = arg.is_hide_set() || is_of_all || is_shared(&arg);
        arg.hide_short_help(false).hide(is_hidden)
    }));
    let title = name.to_uppercase();
    let version = env!("CARGO_PKG_VERSION");
    let mut bytes = format!(".TH {title} 1 \"\" \"Forage {version}\" Forage\n").into_bytes();
    page.render_name_section(&mut bytes)?;
    synopsis(&name, &usage).to_writer(&mut bytes)?;
    page.render_description_section(&mut bytes)?;
    page.render_options_section(&mut bytes)?;
    let names = command.get_arguments().filter(|arg| is_shared(arg));
    shared_section(names.filter_map(Arg::get_long)).to_writer(&mut bytes)?;
    man_sections::render_sections(&after).to_writer(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    let text = text
        .replace(".SH INPUT", ".SS Input")
        .replace(".SH MESSAGES", ".SS Messages");
    // Replaces the apostrophe macro of clap_mangen, which UTF-8 output does not need, by `\(aq`,
    // and removes spaces at the ends of lines.
    let is_apostrophe_definition =
        |line: &str| line.starts_with(".ie \\n(.g") || line.starts_with(".el .ds Aq");
    let lines = text
        .lines()
        .filter(|line| !is_apostrophe_definition(line))
        .map(|line| line.trim_end().replace("\\*(Aq", "\\(aq") + "\n");
    Ok(lines.collect::<String>().into_bytes())
}

/// The options that tools share, which forage(7) describes once.
fn shared_options() -> Command {
    let command = Verbosity::augment_args(Input::augment_args(Command::new("")));
    let command = RecordOutput::augment_args(Jobs::augment_args(command));
    Seed::augment_args(command)
}

/// Returns whether an argument is an option of `shared`, and not another one of this name.
fn is_same_option(arg: &Arg, shared: &Command) -> bool {
    let mut shared = shared.get_arguments().filter(|arg| !arg.is_positional());
    shared.any(|other| other.get_id() == arg.get_id() && other.get_help() == arg.get_help())
}

/// Renders the names of shared options.
fn shared_section<'a>(names: impl Iterator<Item = &'a str>) -> Roff {
    let names = names
        .chain(["help", "version"])
        .map(|name| format!("--{name}"));
    let mut roff = Roff::new();
    roff.control("SH", ["COMMON OPTIONS"]);
    roff.text([roman(format!(
        "{}: see OPTIONS in forage(7).",
        names.collect::<Vec<_>>().join(", ")
    ))]);
    roff
}

/// Renders the usage line of `--help`, which is shorter than clap_mangen's list of all options.
fn synopsis(name: &str, usage: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    let usage = usage.trim_start_matches("Usage:");
    for (index, line) in usage.trim().lines().map(str::trim).enumerate() {
        match line.strip_prefix(name) {
            Some(arguments) => {
                if index > 0 {
                    roff.control("br", []);
                }
                roff.text([bold(name), roman(arguments)]);
            }
            // The usage before continues.
            None => drop(roff.text([roman(line)])),
        }
    }
    roff
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_names_the_schema_of_the_records() {
        assert!(super::VERSION.ends_with(&format!("(records {})", forage_record::SCHEMA_VERSION)));
    }
}
