//! `--generate man|bash|zsh|fish`: man page and completions, from the one definition of the arguments.
//!
//! The flag is hidden and looked for before the arguments are parsed, as it needs none of the others. The sections
//! after the options come from the long help: a line in capitals opens one.

use crate::exit::Exit;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, Write};

/// Writes what was asked for, if it was.
pub(crate) fn asked(command: &mut Command) -> Option<Exit> {
    let mut args = std::env::args().skip(1);
    if args.next()? != "--generate" {
        return None;
    }
    let form = args.next().unwrap_or_default();
    let mut text = Vec::new();
    let made = match form.as_str() {
        "man" => man(command, &mut text),
        "bash" => complete(Shell::Bash, command, &mut text),
        "zsh" => complete(Shell::Zsh, command, &mut text),
        "fish" => complete(Shell::Fish, command, &mut text),
        _ => Err(io::Error::other("--generate takes man, bash, zsh or fish")),
    };
    match made.and_then(|()| io::stdout().lock().write_all(&text)) {
        Ok(()) => Some(Exit::Answered),
        Err(e) => {
            let _ = writeln!(io::stderr(), "{}: {e}", command.get_name());
            Some(Exit::Stopped)
        }
    }
}

fn complete(shell: Shell, command: &mut Command, to: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, command, name, to);
    Ok(())
}

fn man(command: &Command, to: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_name().to_uppercase();
    let sections = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let page = Man::new(command.clone()).title(name).section("1").manual("Forage").source("Forage").date("");
    page.render_title(to)?;
    page.render_name_section(to)?;
    page.render_synopsis_section(to)?;
    page.render_description_section(to)?;
    page.render_options_section(to)?;
    render_sections(&sections, to)
}

/// Sections of plain text. Indented lines are kept as they are, others are filled.
fn render_sections(text: &str, to: &mut Vec<u8>) -> io::Result<()> {
    let mut roff = Roff::new();
    let mut is_kept = false;
    for line in text.lines() {
        let is_heading = !line.is_empty() && !line.starts_with(' ') && !line.chars().any(char::is_lowercase);
        let keeps = line.starts_with("  ") || (is_kept && line.is_empty());
        if keeps != is_kept {
            roff.control(if keeps { "nf" } else { "fi" }, []);
            is_kept = keeps;
        }
        if is_heading {
            roff.control("SH", [line]);
        } else if line.is_empty() {
            roff.control("PP", []);
        } else if keeps && line.trim_start().starts_with("$ ") {
            roff.text([bold(line)]);
        } else {
            roff.text([roman(line)]);
        }
    }
    if is_kept {
        roff.control("fi", []);
    }
    roff.to_writer(to)
}
