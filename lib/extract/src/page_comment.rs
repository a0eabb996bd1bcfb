//! A comment of a reader, whether the page declares it or extraction finds it.

use crate::flat_scan::scan_flat;
use crate::paragraphs::{tidy_line, tidy_text};
use forage_record::Comment;
use std::borrow::Cow;

/// Largest size of an author or a date, in characters. Set by judgement;
/// `tests/bench/extraction/constants.tsv` has the effect of half and twice the value.
const MAX_LABEL_CHARS: usize = 100;

/// Returns a comment tidied: in NFC, without control characters, author and date on one line.
/// Returns `None` if its text has no letter or digit, or is a number without author and date, such
/// as a count of comments. An author or a date that is empty or too long is left out.
pub(crate) fn tidy_comment(comment: Comment) -> Option<Comment> {
    let text = tidy_text(&comment.text);
    let author = comment.author.and_then(|author| tidy_label(&author));
    let date = comment.date.and_then(|date| tidy_label(&date));
    let is_comment = match author.is_some() || date.is_some() {
        true => text.chars().any(char::is_alphanumeric),
        false => text.chars().any(char::is_alphabetic),
    };
    is_comment.then_some(Comment { text, author, date })
}

/// Returns the tidied text of a string that may have tags and character references, which may be
/// escaped once more. Its line breaks separate paragraphs.
pub(crate) fn text_of_markup(text: &str) -> String {
    let has_markup = |text: &str| text.contains("</") || text.contains("<br") || text.contains('&');
    let mut text = Cow::Borrowed(text);
    for _ in 0..2 {
        if has_markup(&text) {
            text = Cow::Owned(scan_flat(&text.replace('\n', "<br>"), None).text);
        }
    }
    tidy_text(&text)
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

#[cfg(test)]
mod tests {
    use super::text_of_markup;

    #[test]
    fn markup_may_be_escaped_twice() {
        for markup in [
            "<p>č &amp; b</p><p>c",
            "&lt;p&gt;&ccaron; &amp;amp; b&lt;/p&gt;&lt;p&gt;c",
            "č &amp; b\nc",
            "č & b\nc",
        ] {
            assert_eq!(text_of_markup(markup), "č & b\nc", "{markup}");
        }
        assert_eq!(text_of_markup("1 < 2"), "1 < 2");
    }
}
