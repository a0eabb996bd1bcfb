//! Standard error: `tool: place: what is wrong`.

use crate::args::Speech;
use std::fmt::Display;
use std::io::Write;

/// Says things on standard error, as loudly as the user asked for.
#[derive(Debug, Clone)]
pub struct Speaker {
    tool: &'static str,
    speech: Speech,
}

impl Speaker {
    /// The voice of `tool`.
    pub fn new(tool: &'static str, speech: &Speech) -> Self {
        Speaker { tool, speech: speech.clone() }
    }

    /// The tool's name, as it stands before each message.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// What stops the tool; said even with `--quiet`.
    pub fn error(&self, message: impl Display) {
        self.line(message);
    }

    /// What the user should know though the tool goes on.
    pub fn warn(&self, message: impl Display) {
        if !self.speech.quiet {
            self.line(message);
        }
    }

    /// What is worth knowing once; said with `-v`.
    pub fn note(&self, message: impl Display) {
        if self.speech.verbose >= 1 {
            self.line(message);
        }
    }

    /// Whether `-v` was given, `level` times or more.
    pub fn is_verbose(&self, level: u8) -> bool {
        self.speech.verbose >= level
    }

    /// Text for a person that is the tool's purpose, without the tool's name before it.
    pub fn plain(&self, text: impl Display) {
        if !self.speech.quiet {
            put(&format!("{text}\n"));
        }
    }

    fn line(&self, message: impl Display) {
        put(&format!("{}: {message}\n", self.tool));
    }
}

/// One write a message, so that messages of the tools of a pipe don't mix; a closed stderr is nobody's concern.
fn put(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
