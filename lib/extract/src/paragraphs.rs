//! The form of a document's text: NFC, one line for each paragraph, no control characters, no idle
//! white space.

use forage_text::normalise;
use std::borrow::Cow;

/// Brings text into its form. Each line of `raw` is a paragraph: white space within it becomes one
/// space, empty ones go, control characters and byte-order marks are dropped.
///
/// Idempotent.
pub(crate) fn tidy(raw: &str) -> String {
    let clean = without_noise(raw);
    let composed = normalise(&clean);
    let mut text = String::with_capacity(composed.len());
    for line in composed.split('\n') {
        let start = text.len();
        for word in line.split_whitespace() {
            if text.len() > start {
                text.push(' ');
            }
            text.push_str(word);
        }
        if text.len() > start {
            text.push('\n');
        }
    }
    text.pop();
    text
}

/// Drops noise; before composition, as what it kept apart may compose.
fn without_noise(raw: &str) -> Cow<'_, str> {
    if raw.chars().any(is_noise) {
        Cow::Owned(raw.chars().filter(|&c| !is_noise(c)).collect())
    } else {
        Cow::Borrowed(raw)
    }
}

/// Characters that no reader sees and that may harm a terminal or cut a word in two, as places
/// where it may be broken do; U+FFFE and U+FFFF are no characters at all.
fn is_noise(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{AD}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The paragraphs of a plain text. Where it has blank lines they separate paragraphs, and the other
/// line ends are the typist's; else each line is a paragraph.
pub fn plain_text_paragraphs(raw: &str) -> String {
    if !raw.trim().lines().any(|line| line.trim().is_empty()) {
        return tidy(raw);
    }
    let mut joined = String::with_capacity(raw.len());
    for line in raw.lines().map(str::trim) {
        joined.push_str(if line.is_empty() { "\n" } else { line });
        joined.push(' ');
    }
    tidy(&joined)
}

#[cfg(test)]
mod tests {
    use super::{plain_text_paragraphs, tidy};

    #[test]
    fn paragraphs_are_lines_without_idle_white_space() {
        assert_eq!(tidy("  a \t b\u{A0}c \n\n \n d\r\n"), "a b c\nd");
    }

    #[test]
    fn text_is_composed_and_without_control_characters() {
        assert_eq!(tidy("c\u{30C}\u{0}e\u{1B}[1m \u{7} x\u{FEFF}"), "če[1m x");
        assert_eq!(tidy("vele\u{AD}pod\u{AD}jetje"), "velepodjetje");
    }

    #[test]
    fn tidying_twice_changes_nothing() {
        for raw in [
            "a\u{1}\u{30C} b",
            " \u{7}\n x \n",
            "e\u{301}\u{1}\u{316}",
            "\u{1}",
        ] {
            let once = tidy(raw);
            assert_eq!(tidy(&once), once);
        }
    }

    #[test]
    fn blank_lines_separate_the_paragraphs_of_a_plain_text() {
        assert_eq!(plain_text_paragraphs("\na\nb\n\nc\n"), "a b\nc");
        assert_eq!(plain_text_paragraphs("a\nb\n"), "a\nb");
        assert_eq!(plain_text_paragraphs(" \n"), "");
    }
}
