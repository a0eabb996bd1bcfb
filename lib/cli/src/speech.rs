//! Standard error, in four levels: errors, warnings, information, and notes for `-v`.
//!
//! A message of any level is `tool: message`, and one about a place in the input `tool: file:line:
//! what is wrong`: no level stands between the tool and the place, so that editors and `grep` find
//! the place where it is documented.

use crate::args::Verbosity;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;

/// Writes messages to standard error, down to the level that the user asked for.
#[derive(Debug, Clone)]
pub struct Messages {
    tool: &'static str,
    verbosity: Verbosity,
}

impl Messages {
    /// A speaker for `tool`.
    pub fn new(tool: &'static str, verbosity: &Verbosity) -> Self {
        Messages {
            tool,
            verbosity: verbosity.clone(),
        }
    }

    /// The tool's name, which precedes each message.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// An error, which stops the tool; written even with `--quiet`.
    pub fn error(&self, message: impl Display) {
        self.line(message);
    }

    /// What is wrong with the arguments, on several lines.
    pub(crate) fn usage(&self, text: &str) {
        let lines: Vec<_> = text.lines().map(escape_control_characters).collect();
        put(&format!("{}: {}\n", self.tool, lines.join("\n")));
    }

    /// A warning: something is wrong, and the tool continues.
    pub fn warn(&self, message: impl Display) {
        if !self.verbosity.quiet {
            self.line(message);
        }
    }

    /// Information: a result, or the progress of the work. Nothing is wrong.
    pub fn info(&self, message: impl Display) {
        if !self.verbosity.quiet {
            self.line(message);
        }
    }

    /// A detail of the work, for `-v`.
    pub fn debug(&self, message: impl Display) {
        if self.is_verbose() {
            self.line(message);
        }
    }

    /// Whether `-v` was given.
    pub fn is_verbose(&self) -> bool {
        self.verbosity.verbose >= 1
    }

    /// Information as the display of a run shows it: without the tool's name.
    pub fn info_unprefixed(&self, text: impl Display) {
        if !self.verbosity.quiet {
            put(&format!(
                "{}\n",
                escape_control_characters(&text.to_string())
            ));
        }
    }

    fn line(&self, message: impl Display) {
        put(&format!(
            "{}: {}\n",
            self.tool,
            escape_control_characters(&message.to_string())
        ));
    }
}

/// The text on one line, with nothing in it that a terminal obeys: URLs, titles and messages come
/// from strangers.
pub(crate) fn escape_control_characters(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().flat_map(|c| {
        let (kept, escaped) = if is_obeyed(c) {
            (None, Some(c.escape_default()))
        } else {
            (Some(c), None)
        };
        kept.into_iter().chain(escaped.into_iter().flatten())
    });
    Cow::Owned(escaped.collect())
}

/// One write a message, so that messages of the tools of a pipe don't mix; a closed stderr is
/// nobody's concern.
fn put(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::escape_control_characters;

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        assert_eq!(
            escape_control_characters("a\u{1b}]0;x\u{7}\nb\u{202e}č"),
            "a\\u{1b}]0;x\\u{7}\\nb\\u{202e}č"
        );
        assert_eq!(escape_control_characters("+pa −ti → žar"), "+pa −ti → žar");
    }
}
