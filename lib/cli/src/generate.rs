//! `--generate man|bash|zsh|fish`: man page and completions, from the one definition of the arguments.
//!
//! The flag is hidden and looked for before the arguments are parsed, as it needs none of the others. How the text
//! after the options becomes sections of the page is told in `sections`.

use crate::exit::STOPPED;
use crate::sections;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, Write};
use std::process::ExitCode;

/// The tool's version and that of the record schema.
pub(crate) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (records 2)");

/// Writes what was asked for, if it was.
pub(crate) fn asked(command: &mut Command, name: &'static str) -> Option<ExitCode> {
    // Not `args`, which panics at a file name that is not UTF-8.
    let mut args = std::env::args_os().skip(1);
    if args.next()? != "--generate" {
        return None;
    }
    let form = args.next().unwrap_or_default();
    let made = match form.to_str().unwrap_or_default() {
        "man" => man(command).map(String::into_bytes),
        "bash" => Ok(completions(Shell::Bash, command, name)),
        "zsh" => Ok(completions(Shell::Zsh, command, name)),
        "fish" => Ok(completions(Shell::Fish, command, name)),
        _ => Err(io::Error::other("--generate takes man, bash, zsh or fish")),
    };
    match made.and_then(|text| io::stdout().lock().write_all(&text)) {
        Ok(()) => Some(ExitCode::SUCCESS),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Some(ExitCode::SUCCESS),
        Err(e) => {
            let _ = writeln!(io::stderr(), "{}: {e}", command.get_name());
            Some(ExitCode::from(STOPPED))
        }
    }
}

fn completions(shell: Shell, command: &Command, name: &'static str) -> Vec<u8> {
    // The library offers hidden arguments, too. They are not for people.
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set()).cloned();
    // What follows the options is not completed, but `-h` points to it.
    let after = command.get_after_long_help().cloned().unwrap_or_default();
    let mut shown = Command::new(name).version(VERSION).after_long_help(after).args(shown);
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut shown, name, &mut text);
    text
}

/// The man page. It has no date, as equal sources give equal pages.
fn man(command: &mut Command) -> io::Result<String> {
    let name = command.get_name().to_owned();
    let usage = command.render_usage().to_string();
    let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let page = Man::new(command.clone());
    let mut text = format!(".TH {} 1 \"\" \"Forage {}\" Forage\n", name.to_uppercase(), env!("CARGO_PKG_VERSION"));
    text.push_str(&part(|to| page.render_name_section(to))?);
    text.push_str(&part(|to| synopsis(&name, &usage).to_writer(to))?);
    text.push_str(&part(|to| page.render_description_section(to))?);
    text.push_str(
        &part(|to| page.render_options_section(to))?
            .replace(".SH INPUT", ".SS Input")
            .replace(".SH MESSAGES", ".SS Messages"),
    );
    text.push_str(&part(|to| sections::render(&after).to_writer(to))?);
    Ok(text)
}

/// As `--help` has it, which is shorter than a list of all options and tells what they take.
fn synopsis(name: &str, usage: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    let arguments = usage.trim_start_matches("Usage:").trim().trim_start_matches(name).to_owned();
    roff.text([bold(name), roman(arguments)]);
    roff
}

/// What `render` writes, without the definition of the apostrophe before it (a page is read in UTF-8, and as plain
/// text it looks the same) and blanks at the ends of lines.
fn part(render: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> io::Result<String> {
    let mut bytes = Vec::new();
    render(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    let is_kept = |line: &&str| !line.starts_with(".ie \\n(.g") && !line.starts_with(".el .ds Aq");
    Ok(text.lines().filter(is_kept).map(|line| line.trim_end().replace("\\*(Aq", "\\(aq") + "\n").collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_names_the_schema_of_the_records() {
        assert!(super::VERSION.ends_with(&format!("(records {})", forage_record::SCHEMA_VERSION)));
    }
}
