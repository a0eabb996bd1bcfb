//! Reads the comments from the elements that contain them.

use super::bylines::add_authors_of_bylines;
use super::credibility::credible_items;
use super::dates::add_dates_in_lines;
use super::labels::{read_labels, repeated_author};
use super::neighbours::add_labels_of_neighbours;
use super::parts::CommentParts;
use super::set_off::{SetOff, add_authors_set_off};
use super::text_reader::TextReader;
use super::thread_tree::CommentItems;
use super::tidy::{remove_repeated_lines, tidy_authors, tidy_dates};
use crate::page_comment::tidy_comment;
use forage_record::Comment;
use std::collections::BTreeSet;

/// Smallest share of the text of a comment in the element that is named for it.
const MIN_BODY_SHARE: f32 = 0.25;

/// Returns the comments, in document order.
pub(super) fn read_items(items: &CommentItems) -> Vec<Comment> {
    let read_all = |labels: &BTreeSet<String>| {
        let parts = items.numbers.iter().map(|&item| CommentParts {
            body: find_body(items, item),
            ..read_labels(items, item, labels)
        });
        parts.collect::<Vec<_>>()
    };
    let mut labels = BTreeSet::new();
    let mut parts = read_all(&labels);
    if let Some(label) = repeated_author(&parts) {
        labels.insert(label);
        parts = read_all(&labels);
    }
    // The surest marks first: each step only adds what the steps before it have not found.
    add_labels_of_neighbours(items, &mut parts);
    add_authors_set_off(items, &mut parts, SetOff::Citation);
    add_authors_of_bylines(items, &mut parts);
    add_authors_set_off(items, &mut parts, SetOff::LinkOrEmphasis);
    add_authors_of_bylines(items, &mut parts);
    add_dates_in_lines(items, &mut parts);
    add_authors_set_off(items, &mut parts, SetOff::Heading);
    tidy_dates(&mut parts);
    tidy_authors(&mut parts);
    let mut texts: Vec<String> = items
        .numbers
        .iter()
        .zip(&parts)
        .map(|(&item, parts)| read_text(items, item, parts))
        .collect();
    remove_repeated_lines(&mut texts);
    let is_comment = credible_items(items, &parts, &texts);
    let comments = texts.iter().zip(parts).zip(is_comment);
    let comments = comments.filter(|(_, is_comment)| *is_comment);
    let comments = comments.filter_map(|((text, parts), _)| {
        tidy_comment(Comment {
            text: text.clone(),
            author: parts.author.map(|label| label.text),
            date: parts.date.map(|label| label.text),
        })
    });
    comments.collect()
}

/// Returns the text of a comment without its author, its date, and what is around the text.
fn read_text(items: &CommentItems, item: usize, parts: &CommentParts) -> String {
    let text_of = |element: usize| TextReader::new(items, parts, element).read();
    let text = parts.body.map(text_of).unwrap_or_default();
    let text = if text.is_empty() { text_of(item) } else { text };
    if !text.is_empty() || parts.label_nodes.is_empty() {
        return text;
    }
    // The text is in the line with the author.
    let other_parts = CommentParts {
        label_nodes: Vec::new(),
        ..parts.clone()
    };
    without_labels(&read_text(items, item, &other_parts), parts)
}

/// Returns a text without an author and a date at its beginning.
fn without_labels(text: &str, parts: &CommentParts) -> String {
    let mut text = text.trim();
    for label in [&parts.author, &parts.date, &parts.author]
        .into_iter()
        .flatten()
    {
        let rest = text.strip_prefix(&label.text);
        if let Some(rest) = rest.filter(|rest| !rest.starts_with(char::is_alphanumeric)) {
            text = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        }
    }
    text.to_owned()
}

/// Returns the element that is named for the text of a comment and has most of it, if that is at
/// least a quarter of the comment. The text of a reply is not that of its comment.
fn find_body(items: &CommentItems, item: usize) -> Option<usize> {
    let tree = items.tree;
    let is_named = |&number: &usize| {
        let node = &tree.nodes[number];
        let may_be_body = node.kind.set_bit() != 0 || node.tag == "span";
        node.roles.is_body && may_be_body && node.size > 0
    };
    let named: Vec<usize> = items.own_nodes(item).filter(is_named).collect();
    let is_reply = |number: &&usize| tree.nodes[**number].roles.is_reply;
    let in_replies: usize = named
        .iter()
        .filter(is_reply)
        .map(|&reply| tree.nodes[reply].size)
        .sum();
    let has_other = named.iter().any(|number| !is_reply(&number));
    let own_size = match has_other {
        true => items.own_size(item).saturating_sub(in_replies),
        false => items.own_size(item),
    };
    let is_large = |number: &usize| {
        let is_large = |size: usize| size as f32 >= MIN_BODY_SHARE * own_size as f32;
        is_large(tree.nodes[*number].size) && is_large(items.own_size(*number))
    };
    // An element that has all of the text of an earlier one is in it.
    let mut bodies = named
        .into_iter()
        .filter(|number| !has_other || !is_reply(&number));
    bodies.rfind(is_large)
}
