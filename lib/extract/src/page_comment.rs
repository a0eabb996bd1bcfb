//! A comment of a reader, whether the page declares it or extraction finds it.

use crate::flat_scan::scan_flat;
use crate::paragraphs::{tidy_line, tidy_text};

/// A comment of a reader. Strings are in NFC, without control characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageComment {
    /// The text, paragraphs separated by one line feed; never empty.
    pub text: String,
    /// The name of the author, on one line.
    pub author: Option<String>,
    /// The date or time as on the page, on one line, preferably in its form for machines.
    pub date: Option<String>,
}

/// Largest size of an author or a date, in characters. Set by judgement;
/// `tests/bench/extraction/constants.tsv` has the effect of half and twice the value.
const MAX_LABEL_CHARS: usize = 100;

impl PageComment {
    /// Returns the comment with these parts, tidied, or `None` if the text has no letter or digit, or
    /// is a number without author and date, such as a count of comments. An author or a date that is
    /// empty or too long is left out.
    pub(crate) fn from_raw(
        text: &str,
        author: Option<String>,
        date: Option<String>,
    ) -> Option<PageComment> {
        let text = tidy_text(text);
        let author = author.and_then(|author| tidy_label(&author));
        let date = date.and_then(|date| tidy_label(&date));
        let is_comment = match author.is_some() || date.is_some() {
            true => text.chars().any(char::is_alphanumeric),
            false => text.chars().any(char::is_alphabetic),
        };
        is_comment.then_some(PageComment { text, author, date })
    }

    /// Returns the comment with a text that may have tags and character references, as
    /// [`PageComment::from_raw()`] does.
    pub(crate) fn from_markup(
        text: &str,
        author: Option<String>,
        date: Option<String>,
    ) -> Option<PageComment> {
        if text.contains("</") || text.contains("<br") || text.contains('&') {
            let lines = text.replace('\n', "<br>");
            return PageComment::from_raw(&scan_flat(&lines, None).text, author, date);
        }
        PageComment::from_raw(text, author, date)
    }
}

/// Returns the text of a label on one line, without punctuation that separates it from what
/// follows, or `None` if it is empty or too long.
fn tidy_label(text: &str) -> Option<String> {
    let is_separator =
        |c: char| c.is_whitespace() || matches!(c, ':' | ',' | '|' | '·' | '•' | '：');
    let text = tidy_line(text);
    let text = text.trim_matches(is_separator);
    let is_label =
        text.chars().any(char::is_alphanumeric) && text.chars().nth(MAX_LABEL_CHARS).is_none();
    is_label.then(|| text.to_owned())
}
