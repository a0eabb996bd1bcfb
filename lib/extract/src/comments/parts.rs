//! The author, the date and the body of a comment, as they are found.

use super::roles::has_digit;
use crate::outline::text_size;

/// Largest size of an element that is named for authors or dates and is one.
pub(super) const MAX_LABEL_SIZE: usize = 60;
/// Smallest number of words with a digit by which a text is a date rather than a name.
const MIN_NUMBERS_OF_DATE: usize = 2;
/// Smallest share of the comments, and smallest number, that have the same author if that is no
/// name.
pub(super) const MIN_LABEL_SHARE: f32 = 0.8;
pub(super) const MIN_LABELS: usize = 3;

/// An author or a date, and its element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Label {
    pub element: usize,
    pub text: String,
    /// The text that follows a name in the element that is named for authors.
    pub rest: Option<String>,
    /// True for an author by microdata or a microformat.
    pub is_declared: bool,
    /// True for an author who is known only because the name is set off.
    pub is_set_off: bool,
    /// True for one whose name is set off by a citation or a heading.
    pub is_citation: bool,
}

impl Label {
    pub fn new(element: usize, text: String) -> Label {
        Label {
            element,
            text,
            ..Label::default()
        }
    }
}

/// The parts of a comment.
#[derive(Debug, Clone, Default)]
pub(super) struct CommentParts {
    pub author: Option<Label>,
    pub date: Option<Label>,
    /// The element that is named for the text and has most of it.
    pub body: Option<usize>,
    /// A line with author and date that is not part of the text.
    pub byline: Option<String>,
    /// The texts of lines with the author or the date, which are not part of the text.
    pub label_nodes: Vec<usize>,
}

/// Returns `true` if a text may be the name of an author: it has a letter, is short, and is no
/// date.
pub(super) fn is_name(text: &str) -> bool {
    let numbers = text.split_whitespace().filter(|word| has_digit(word));
    text.chars().any(char::is_alphabetic)
        && text_size(text) <= MAX_LABEL_SIZE
        && numbers.count() < MIN_NUMBERS_OF_DATE
}
