//! One line on a terminal that shows the progress, and that the next replaces.
//!
//! The cursor stays at its beginning, so that the next message takes its place. The tools of a
//! pipeline learn of it by the variable [`STATUS_LINE`].

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable by which a pipeline says that the cursor on its terminal is at the beginning of a
/// line with its progress, which the next message replaces.
pub const STATUS_LINE: &str = "FORAGE_STATUS_LINE";

/// True after this program has shown a line.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Returns whether standard error is a terminal that can replace a line.
pub fn can_replace_line() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Returns whether the cursor may be at the beginning of a line that the next message replaces.
pub(crate) fn is_at_status_line() -> bool {
    let is_shown = IS_SHOWN.load(Ordering::Relaxed) || std::env::var_os(STATUS_LINE).is_some();
    is_shown && std::io::stderr().is_terminal()
}

/// Replaces the line of the cursor; an empty text clears it.
pub fn show_status(text: &str) {
    IS_SHOWN.store(true, Ordering::Relaxed);
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
