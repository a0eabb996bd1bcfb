//! Messages on standard error, in four levels: errors, warnings, information, and details for `-v`.
//!
//! Every message is one line: `tool: message`, or `tool: file:line: what is wrong` for a place in
//! the input. No level is written between the tool and the place, so that editors and `grep` find
//! the place where they expect it.

use crate::status_line::is_at_status_line;
use clap::ArgAction;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;

/// Arguments of every tool: how much it writes to standard error.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Messages")]
pub struct Verbosity {
    /// Report fatal errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Report details
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

/// Writes messages to standard error, down to the level that the user requested.
#[derive(Debug, Clone)]
pub struct Messages {
    tool: &'static str,
    verbosity: Verbosity,
}

impl Messages {
    /// Creates the messages of `tool`.
    pub fn new(tool: &'static str, verbosity: &Verbosity) -> Self {
        Messages {
            tool,
            verbosity: verbosity.clone(),
        }
    }

    /// The name of the tool, which starts each message.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Writes an error, which stops the tool; also with `--quiet`.
    pub fn error(&self, message: impl Display) {
        self.write_message(message);
    }

    /// Writes a warning: something is wrong, and the tool continues.
    pub fn warn(&self, message: impl Display) {
        if !self.verbosity.quiet {
            self.write_message(message);
        }
    }

    /// Writes a result or the progress of the work.
    pub fn info(&self, message: impl Display) {
        if !self.verbosity.quiet {
            self.write_message(message);
        }
    }

    /// Writes a detail of the work, with `-v` only.
    pub fn debug(&self, message: impl Display) {
        if self.is_verbose() {
            self.write_message(message);
        }
    }

    /// Returns `true` if `-v` was given.
    pub fn is_verbose(&self) -> bool {
        self.verbosity.verbose >= 1
    }

    /// Writes information without the name of the tool, as a part of the display of a run.
    pub fn info_unprefixed(&self, text: impl Display) {
        if !self.verbosity.quiet {
            write_stderr(&format!(
                "{}\n",
                escape_control_characters(&text.to_string())
            ));
        }
    }

    fn write_message(&self, message: impl Display) {
        write_stderr(&format!(
            "{}: {}\n",
            self.tool,
            escape_control_characters(&message.to_string())
        ));
    }
}

/// Escapes all characters that a terminal interprets, line feeds and bidirectional controls
/// included, so that the result is one harmless line.
///
/// Messages contain URLs and titles from the web.
pub(crate) fn escape_control_characters(text: &str) -> Cow<'_, str> {
    if !text.contains(is_interpreted) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_interpreted(c) {
            escaped.extend(c.escape_default());
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// Returns `true` for control characters, line and paragraph separators, and bidirectional controls
/// (Unicode Standard Annex #9, section 2).
fn is_interpreted(c: char) -> bool {
    let is_separator_or_bidi = matches!(
        c,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}'
    );
    c.is_control() || is_separator_or_bidi
}

/// Writes `text` in one call, so that messages of the tools of a pipeline do not mix. A closed
/// standard error is ignored.
fn write_stderr(text: &str) {
    let clear = if is_at_status_line() { "\x1b[K" } else { "" };
    let _ = std::io::stderr()
        .lock()
        .write_all(format!("{clear}{text}").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::escape_control_characters;

    #[test]
    fn escapes_characters_that_a_terminal_interprets() {
        assert_eq!(
            escape_control_characters("a\u{1b}]0;x\u{7}\nb\u{202e}č"),
            "a\\u{1b}]0;x\\u{7}\\nb\\u{202e}č"
        );
        assert_eq!(escape_control_characters("+pa −ti → žar"), "+pa −ti → žar");
    }
}
