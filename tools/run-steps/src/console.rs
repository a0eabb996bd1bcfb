//! Messages of a pipeline on standard error.

use forage_cli::{Messages, Verbosity};
use std::fmt::Display;
use std::io::Write;
use std::process::Command;

/// Writes messages under the name of the pipeline.
pub struct Console {
    messages: Messages,
    /// Without messages about single steps.
    pub is_quiet: bool,
    /// Whether one line of progress takes the place of messages about single steps.
    pub has_status_line: bool,
}

impl Console {
    /// Creates the messages of a pipeline.
    pub fn new(name: &'static str, is_quiet: bool) -> Console {
        // Its own messages are also for `--quiet`: they say how the run ends.
        let messages = Messages::new(name, &Verbosity::default());
        Console {
            messages,
            is_quiet,
            has_status_line: false,
        }
    }

    /// Shows the progress on one line, if it is wanted and the terminal can.
    pub fn with_status_line(self, is_wanted: bool) -> Console {
        Console {
            has_status_line: is_wanted && !self.is_quiet && forage_cli::can_replace_line(),
            ..self
        }
    }

    /// Shows the progress, if it is shown on one line; an empty text removes it.
    pub fn show_status(&self, text: &str) {
        if self.has_status_line {
            forage_cli::show_status(text);
        }
    }

    /// Writes a message.
    pub fn say(&self, message: impl Display) {
        self.show_status("");
        self.messages.error(message);
    }

    /// Writes a message, unless the run is quiet.
    pub fn inform(&self, message: impl Display) {
        if !self.is_quiet {
            self.say(message);
        }
    }

    /// Writes a message with the time of day, unless the run is quiet.
    pub fn say_timed(&self, message: impl Display) {
        if self.is_quiet {
            return self.say(message);
        }
        // The time zone is the system's business.
        let date = Command::new("date").arg("+%H:%M:%S").output();
        match date.map(|date| String::from_utf8_lossy(&date.stdout).trim().to_owned()) {
            Ok(time) if !time.is_empty() => self.say(format_args!("{time}: {message}")),
            _ => self.say(message),
        }
    }
}

/// Writes text to standard output. Its reader may have gone.
pub fn print_text(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Writes a line to standard output.
pub fn print_line(line: impl Display) {
    print_text(&format!("{line}\n"));
}

/// Passes on the messages of a tool.
pub fn print_error_text(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Writes a number of seconds in a unit that suits it.
pub fn format_duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h", (seconds + 1800) / 3600),
    }
}

/// Quotes a word for a shell, if that is needed.
pub fn shell_quote(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=,+%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::{format_duration, shell_quote};

    #[test]
    fn durations_have_a_suitable_unit() {
        let units = [0, 119, 120, 7199, 7200].map(format_duration);
        assert_eq!(units, ["0 s", "119 s", "2 min", "120 min", "2 h"]);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell_quote("runs/a-1"), "runs/a-1");
        assert_eq!(shell_quote("it's"), "'it'\\''s'");
    }
}
