//! Comments of readers: their texts, authors and dates.
//!
//! `thread_tree` reads the comment threads of a page into a flat tree, with the roles (`roles`)
//! that names and attributes give to its elements. `items` decides which elements are comments, by
//! microdata, by names, or because they repeat; `sequences` finds comments that have no element of
//! their own. `comment_reader` reads the `parts` of each: its text, its author and its date.
//! `labels` finds author and date by names and attributes. Where these do not tell them,
//! `neighbours` finds them in elements beside the comment, `set_off` an author that is a link or a
//! citation in one of its `label_lines`, `bylines` an author in a line with the date, and `dates`
//! the date. `credibility` leaves out what is no comment, and `tidy` removes what remains of
//! labels. Nothing depends on the words of any language. See docs/algorithms.md, "Main text".
//!
//! The constants of these modules were set by judgement. `tests/bench/extraction/constants.tsv` has
//! the effect of half and twice the value of each: on how many comments have an author and a date,
//! and on which text is theirs. It does not tell if names and dates are right.

mod bylines;
mod comment_reader;
mod credibility;
mod dates;
mod items;
mod label_lines;
mod labels;
mod neighbours;
mod parts;
mod roles;
mod sequences;
mod set_off;
mod text_reader;
mod thread_tree;
mod tidy;

use crate::comment_threads::CommentThread;
use crate::outline::Outline;
use crate::page_comment::{text_of_markup, tidy_comment};
use crate::paragraphs::letters_and_digits;
use dom_query::Document;
use forage_record::Comment;
use std::collections::HashMap;
use thread_tree::{CommentItems, ThreadTree};

/// Returns the comments in the threads of a page with this outline, in document order.
pub(crate) fn read_threads(
    document: &Document,
    outline: &Outline,
    threads: &[CommentThread],
) -> Vec<Comment> {
    if threads.is_empty() {
        return Vec::new();
    }
    let tree = ThreadTree::new(document, outline, threads);
    let (tree, numbers) = items::find_items(tree);
    comment_reader::read_items(&CommentItems::new(&tree, numbers))
}

/// Adds the comments that a page declares as JSON-LD, whose texts may be markup. One with the
/// letters of a comment in the list completes it; others follow.
pub(crate) fn add_json_ld_comments(comments: &mut Vec<Comment>, declared: Vec<Comment>) {
    let mut by_letters: HashMap<String, usize> = HashMap::new();
    for (index, comment) in comments.iter().enumerate() {
        by_letters
            .entry(letters_and_digits(&comment.text))
            .or_insert(index);
    }
    let tidied = declared.into_iter().filter_map(|comment| {
        tidy_comment(Comment {
            text: text_of_markup(&comment.text),
            ..comment
        })
    });
    for comment in tidied {
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
