//! Text that XML 1.0 can have.

use forage_text::normalise;
use std::borrow::Cow;

/// Returns `true` if XML 1.0 has the character (its section 2.2), and it is no control of C1.
fn is_allowed(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        _ => !c.is_control(),
    }
}

/// Returns `text` without the characters that XML 1.0 does not have.
pub(crate) fn xml_text(text: &str) -> Cow<'_, str> {
    match text.contains(|c| !is_allowed(c)) {
        true => Cow::Owned(text.chars().filter(|&c| is_allowed(c)).collect()),
        false => Cow::Borrowed(text),
    }
}

/// Returns `text` as the value of an attribute or a comment on one line: in NFC, with one blank for
/// a sequence of blanks, and without other controls.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    // Some controls are blanks.
    for word in text.split_whitespace().map(xml_text) {
        if !line.is_empty() && !word.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    normalise(&line).into_owned()
}
