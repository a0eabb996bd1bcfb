//! The form of a document's text: NFC, letters rather than their presentation forms, one line per
//! paragraph, no control characters, no redundant white space.

use crate::blanks::is_line_break_a_blank;
use forage_text::{normalise, resolve_letter_forms};
use std::borrow::Cow;

/// A line break of the source within a paragraph, in texts before [`tidy_text()`].
pub(crate) const SOURCE_LINE_BREAK: char = '\r';

/// Normalises text. Each line of `raw` is a paragraph: white space within it becomes one space,
/// empty lines are removed, and so are control characters and byte-order marks. White space with a
/// `\r`, which is a line break of the source, becomes nothing between letters of scripts without
/// blanks.
///
/// Idempotent.
pub fn tidy_text(raw: &str) -> String {
    let visible = remove_invisible_characters(raw);
    let composed = normalise(&visible);
    let composed = resolve_letter_forms(&composed);
    let mut text = String::with_capacity(composed.len());
    for line in composed.split('\n') {
        let start = text.len();
        push_words(&mut text, line);
        if text.len() > start {
            text.push('\n');
        }
    }
    text.pop();
    text
}

/// Returns a text on one line, in the form of [`tidy_text()`].
pub(crate) fn tidy_line(raw: &str) -> String {
    tidy_text(&raw.replace('\n', "\r"))
}

/// Returns the letters and digits of a text in lower case, so that texts can be compared without
/// punctuation and white space.
pub(crate) fn letters_and_digits(text: &str) -> String {
    lower_letters_and_digits(text).collect()
}

/// Iterates over the letters and digits of a text in lower case.
pub(crate) fn lower_letters_and_digits(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

/// Returns the words of a text on one line. Its line breaks are those of the source.
pub(crate) fn join_words(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    push_words(&mut text, raw);
    text
}

/// Adds the words of a line with the blanks between them.
fn push_words(text: &mut String, line: &str) {
    let start = text.len();
    for segment in line.split(['\n', SOURCE_LINE_BREAK]) {
        for (index, word) in segment.split_whitespace().enumerate() {
            let is_after_line_break = || {
                let around = text.chars().next_back().zip(word.chars().next());
                around.is_some_and(|(before, after)| is_line_break_a_blank(before, after))
            };
            if text.len() > start && (index > 0 || is_after_line_break()) {
                text.push(' ');
            }
            text.push_str(word);
        }
    }
}

/// Removes invisible characters. Must precede composition, which they may prevent.
fn remove_invisible_characters(raw: &str) -> Cow<'_, str> {
    if raw.chars().any(is_invisible) {
        Cow::Owned(raw.chars().filter(|&c| !is_invisible(c)).collect())
    } else {
        Cow::Borrowed(raw)
    }
}

/// Returns `true` for invisible characters that may harm a terminal or split a word: control
/// characters, soft hyphens and byte-order marks; and for the noncharacters U+FFFE and U+FFFF.
fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{AD}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Maximum length of the lines of a text that is broken into lines by its layout, in characters.
/// Wider lines are not broken by typewriter or e-mail conventions (72 to 80 columns; RFC 5322,
/// section 2.1.1, requires less than 100).
const MAX_LAYOUT_LINE: usize = 100;

/// Returns the paragraphs of a plain text, one per line. If no line is longer than 100 characters,
/// those are the [`layout_paragraphs`]. Otherwise each line is a paragraph.
pub fn plain_text_paragraphs(raw: &str) -> String {
    let has_long_line = raw
        .lines()
        .any(|line| line.len() > MAX_LAYOUT_LINE && line.chars().count() > MAX_LAYOUT_LINE);
    if has_long_line {
        tidy_text(raw)
    } else {
        layout_paragraphs(raw)
    }
}

/// Returns the paragraphs of a text whose lines are those of a layout, one per line. Blank lines
/// separate them. If there are none, each line is a paragraph.
pub fn layout_paragraphs(raw: &str) -> String {
    if !raw.trim().lines().any(|line| line.trim().is_empty()) {
        return tidy_text(raw);
    }
    let mut joined = String::with_capacity(raw.len());
    for line in raw.lines().map(str::trim) {
        joined.push_str(if line.is_empty() { "\n" } else { line });
        joined.push(SOURCE_LINE_BREAK);
    }
    tidy_text(&joined)
}

#[cfg(test)]
mod tests {
    use super::{layout_paragraphs, plain_text_paragraphs, tidy_line, tidy_text};
    use proptest::prelude::*;

    #[test]
    fn paragraphs_are_lines_without_redundant_white_space() {
        assert_eq!(tidy_text("  a \t b\u{A0}c \n\n \n d\r\n"), "a b c\nd");
    }

    #[test]
    fn composes_text_and_removes_control_characters() {
        assert_eq!(
            tidy_text("c\u{30C}\u{0}e\u{1B}[1m \u{7} x\u{FEFF}"),
            "če[1m x"
        );
        assert_eq!(tidy_text("vele\u{AD}pod\u{AD}jetje"), "velepodjetje");
    }

    #[test]
    fn line_breaks_of_the_source_are_no_blanks_in_scripts_without_blanks() {
        for (raw, tidy) in [
            ("这条小溪，\r\n 推动着\r\t水磨", "这条小溪，\n推动着水磨"),
            ("流れ \r る", "流れる"),
            ("แม่\rน้ำ ไหล", "แม่น้ำ ไหล"),
            ("ទឹក\rហូរ", "ទឹកហូរ"),
            ("물이\r흐른다", "물이 흐른다"),
            ("voda\rteče", "voda teče"),
        ] {
            assert_eq!(tidy_text(raw), tidy);
        }
        assert_eq!(tidy_line("小\n溪 a\nb"), "小溪 a b");
        assert_eq!(plain_text_paragraphs("小\n溪\n\n流\n"), "小溪\n流");
    }

    proptest! {
        #[test]
        fn tidying_any_text_is_idempotent(raw in "[a一ทー，“ \\r\\n\u{200b}\u{301}]{0,40}") {
            let once = tidy_text(&raw);
            prop_assert_eq!(tidy_text(&once), once);
        }

        #[test]
        fn a_break_anywhere_in_chinese_changes_nothing(text in "[一-龥，。]{2,30}", at in 0_usize..30) {
            let at = text.char_indices().map(|(index, _)| index).nth(at).unwrap_or(0);
            let (start, end) = text.split_at(at);
            prop_assert_eq!(tidy_line(&format!("{start}\n  {end}")), tidy_text(&text));
        }
    }

    #[test]
    fn tidying_is_idempotent() {
        for raw in [
            "a\u{1}\u{30C} b",
            " \u{7}\n x \n",
            "e\u{301}\u{1}\u{316}",
            "\u{1}",
        ] {
            let once = tidy_text(raw);
            assert_eq!(tidy_text(&once), once);
        }
    }

    #[test]
    fn blank_lines_separate_paragraphs_of_plain_text() {
        assert_eq!(plain_text_paragraphs("\na\nb\n\nc\n"), "a b\nc");
        assert_eq!(plain_text_paragraphs("a\nb\n"), "a\nb");
        assert_eq!(plain_text_paragraphs(" \n"), "");
        let long = "a ".repeat(60);
        let paragraphs = format!("A title\n{long}\n\nb\n");
        assert_eq!(
            plain_text_paragraphs(&paragraphs),
            format!("A title\n{}\nb", long.trim())
        );
        // The lines of a page may have any width.
        assert_eq!(
            layout_paragraphs(&format!("{}\nb\n\nc", long.trim())),
            format!("{} b\nc", long.trim())
        );
    }
}
