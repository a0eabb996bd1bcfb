//! Comments of readers: their texts, authors and dates.
//!
//! `thread_tree` reads the comment threads of a page into a flat tree, with the roles (`roles`) that
//! names and attributes give to its elements. `items` decides which elements are comments, by
//! microdata, by names, or because they repeat; `sequences` finds comments that have no element of
//! their own. `parts` reads the text, the author and the date of each. Where names and attributes do
//! not tell them, `neighbours` finds the author and the date in elements beside the comment,
//! `set_off` an author that is a link or a citation in one of its `label_lines`, `bylines` an author
//! in a line with the date, and `dates` the date. `credibility` leaves out what is no comment, and
//! `tidy` removes what remains of labels. Nothing depends on the words of any language. See
//! docs/algorithms.md, "Main text".

mod bylines;
mod credibility;
mod dates;
mod items;
mod label_lines;
mod neighbours;
mod parts;
mod roles;
mod sequences;
mod set_off;
mod text_reader;
mod thread_tree;
mod tidy;

use crate::comment_threads::CommentThread;
use crate::features::letters_and_digits;
use crate::flat_scan::scan_flat;
use crate::outline::Outline;
use crate::paragraphs::tidy_text;
use crate::tree_limits::parse_within_limits;
use std::collections::HashMap;
use thread_tree::ThreadTree;

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

/// Largest size of an author or a date, in characters. Set by judgement, not measured.
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
    let text = tidy_text(&text.replace('\n', " "));
    let text = text.trim_matches(is_separator);
    let is_label =
        text.chars().any(char::is_alphanumeric) && text.chars().nth(MAX_LABEL_CHARS).is_none();
    is_label.then(|| text.to_owned())
}

/// Returns the comments in the threads of a page with this outline, in document order. The page is
/// parsed again, because extraction has consumed its tree.
pub(crate) fn read_threads(
    html: &str,
    outline: &Outline,
    threads: &[CommentThread],
) -> Vec<PageComment> {
    if threads.is_empty() {
        return Vec::new();
    }
    let Some(document) = parse_within_limits(html) else {
        return Vec::new();
    };
    let tree = ThreadTree::new(&document, outline, threads);
    let (tree, is_item) = items::find_items(tree);
    parts::read_items(&tree, &is_item)
}

/// Adds the comments that a page declares as JSON-LD. One with the letters of a comment in the list
/// completes it; others follow.
pub(crate) fn add_json_ld_comments(comments: &mut Vec<PageComment>, declared: Vec<PageComment>) {
    let mut by_letters: HashMap<String, usize> = HashMap::new();
    for (index, comment) in comments.iter().enumerate() {
        by_letters
            .entry(letters_and_digits(&comment.text))
            .or_insert(index);
    }
    for comment in declared {
        match by_letters.get(&letters_and_digits(&comment.text)) {
            Some(&index) => {
                let known = &mut comments[index];
                known.author = known.author.take().or(comment.author);
                known.date = known.date.take().or(comment.date);
            }
            None => {
                by_letters.insert(letters_and_digits(&comment.text), comments.len());
                comments.push(comment);
            }
        }
    }
}

#[cfg(test)]
mod label_tests;
#[cfg(test)]
mod tests;
