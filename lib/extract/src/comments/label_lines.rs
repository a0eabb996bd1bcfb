//! The lines of a comment that may tell its author or its date.

use super::parts::CommentParts;
use super::roles::has_digit;
use super::text_reader::TextReader;
use super::thread_tree::{CommentItems, ThreadTree};
use crate::outline::text_size;
use std::ops::Range;

/// Largest size of a line with author and date.
pub(super) const MAX_LINE_SIZE: usize = 120;
/// Most texts of such a line, and lines at either end of the text that may be one.
const MAX_NODES: usize = 64;
const MAX_LINES: usize = 2;

/// A line that may tell the author or the date of a comment.
#[derive(Debug)]
pub(super) struct LabelLine {
    /// Numbers of its texts, in document order.
    pub nodes: Vec<usize>,
    /// Its words, separated by spaces.
    pub text: String,
    /// True if it may be part of the text: not outside of the element that is named for the text,
    /// and not in one that is named for metadata.
    pub is_in_text: bool,
}

impl LabelLine {
    /// Returns `true` if a text of the line is in a range of nodes.
    pub fn is_in(&self, start: usize, end: usize) -> bool {
        self.nodes
            .iter()
            .any(|&number| (start..end).contains(&number))
    }

    /// Returns the text of the line in a range of nodes, with or without its links.
    pub fn text_in(&self, tree: &ThreadTree, range: Range<usize>, with_links: bool) -> String {
        let is_wanted = |&&number: &&usize| {
            range.contains(&number) && (with_links || !is_linked_label(tree, number))
        };
        let texts = self.nodes.iter().filter(is_wanted);
        let text: String = texts
            .map(|&number| tree.nodes[number].text.as_str())
            .collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the size of the text without its links.
    pub fn size_without_links(&self, tree: &ThreadTree) -> usize {
        text_size(&self.text_in(tree, 0..usize::MAX, false))
    }
}

/// Returns `true` for a text in a link, such as "Reply", unless it has a number, as a time has.
fn is_linked_label(tree: &ThreadTree, text: usize) -> bool {
    let mut element = tree.nodes[text].parent;
    while element > 0 && tree.nodes[element].kind.set_bit() == 0 {
        if tree.nodes[element].tag == "a" {
            return !has_digit(&tree.nodes[text].text);
        }
        element = tree.nodes[element].parent;
    }
    false
}

/// Returns the short lines of a comment outside of its body, of its metadata, and at either end of
/// the text.
pub(super) fn find_label_lines(
    items: &CommentItems,
    item: usize,
    parts: &CommentParts,
) -> Vec<LabelLine> {
    let tree = items.tree;
    let lines = TextReader::new(items, parts, item).all_lines(false);
    let count = lines.len();
    let body = parts.body.map(|body| body..tree.nodes[body].end);
    let is_outside = |number: usize| body.as_ref().is_some_and(|body| !body.contains(&number));
    let lines = lines.into_iter().enumerate().filter_map(|(index, line)| {
        let text = line.tidy();
        let is_beside_text = line
            .nodes
            .first()
            .is_some_and(|&number| is_outside(number) || is_in_metadata(tree, item, number));
        let is_at_end = index < MAX_LINES || index + MAX_LINES >= count;
        let is_short = text_size(&text) <= MAX_LINE_SIZE && line.nodes.len() <= MAX_NODES;
        (is_short && (is_beside_text || is_at_end)).then_some(LabelLine {
            nodes: line.nodes,
            text,
            is_in_text: !is_beside_text,
        })
    });
    lines.collect()
}

/// Returns `true` if a node of a comment is in an element that is named for its metadata.
fn is_in_metadata(tree: &ThreadTree, item: usize, number: usize) -> bool {
    let mut number = tree.nodes[number].parent;
    while number > item {
        if tree.nodes[number].roles.is_about_comment() {
            return true;
        }
        number = tree.nodes[number].parent;
    }
    false
}
