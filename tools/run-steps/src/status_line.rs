//! The progress of a run on a terminal: one line, which each step replaces.
//!
//! The cursor stays at its beginning, so that the next message takes its place. Tools learn of it by
//! the variable [`forage_cli::STATUS_LINE`].

use std::io::{IsTerminal, Write};

/// Returns whether standard error is a terminal that can replace a line.
pub fn is_possible() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Replaces the line of the cursor; an empty text clears it.
pub fn show(text: &str) {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    let width = size.map_or(0, |size| usize::from(size.ws_col));
    let line = format!("\r\x1b[K{}\r", cut(text, width));
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// Cuts a text to fewer characters than a terminal has columns, since a line that fills them all
/// would be continued on the next.
fn cut(text: &str, width: usize) -> String {
    /// The width of a terminal that does not tell its own.
    const USUAL_WIDTH: usize = 80;
    let width = if width == 0 { USUAL_WIDTH } else { width };
    text.chars().take(width - 1).collect()
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_line_is_shorter_than_the_terminal() {
        assert_eq!(cut("40 words", 8), "40 word");
        assert_eq!(cut("č", 1), "");
        assert_eq!(cut("40 words", 0), "40 words");
    }
}
