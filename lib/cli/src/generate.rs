//! `--generate man|bash|zsh|fish`: man page and completions, from the one definition of the
//! arguments.
//!
//! The flag is hidden and looked for before the arguments are parsed, as it needs none of the
//! others. How the text after the options becomes sections of the page is told in `sections`.

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
        "man" => man(command),
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
    let shown = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set())
        .cloned();
    // What follows the options is not completed, but `-h` points to it.
    let after = command.get_after_long_help().cloned().unwrap_or_default();
    let mut shown = Command::new(name)
        .version(VERSION)
        .after_long_help(after)
        .args(shown);
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut shown, name, &mut text);
    text
}

/// The man page. It has no date, as equal sources give equal pages.
fn man(command: &mut Command) -> io::Result<Vec<u8>> {
    let name = command.get_name().to_owned();
    let usage = command.render_usage().to_string();
    let after = command
        .get_after_long_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let page = Man::new(command.clone());
    let (title, version) = (name.to_uppercase(), env!("CARGO_PKG_VERSION"));
    let mut bytes = format!(".TH {title} 1 \"\" \"Forage {version}\" Forage\n").into_bytes();
    page.render_name_section(&mut bytes)?;
    synopsis(&name, &usage).to_writer(&mut bytes)?;
    page.render_description_section(&mut bytes)?;
    page.render_options_section(&mut bytes)?;
    sections::render(&after).to_writer(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    let text = text
        .replace(".SH INPUT", ".SS Input")
        .replace(".SH MESSAGES", ".SS Messages");
    // The definition of the apostrophe is left out (a page is read in UTF-8, and as plain text it
    // looks the same), and so are blanks at the ends of lines.
    let is_kept = |line: &&str| !line.starts_with(".ie \\n(.g") && !line.starts_with(".el .ds Aq");
    let lines = text
        .lines()
        .filter(is_kept)
        .map(|line| line.trim_end().replace("\\*(Aq", "\\(aq") + "\n");
    Ok(lines.collect::<String>().into_bytes())
}

/// As `--help` has it, which is shorter than a list of all options and tells what they take.
fn synopsis(name: &str, usage: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    let arguments = usage
        .trim_start_matches("Usage:")
        .trim()
        .trim_start_matches(name)
        .to_owned();
    roff.text([bold(name), roman(arguments)]);
    roff
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_names_the_schema_of_the_records() {
        assert!(super::VERSION.ends_with(&format!("(records {})", forage_record::SCHEMA_VERSION)));
    }
}
