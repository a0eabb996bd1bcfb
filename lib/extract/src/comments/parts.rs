//! The text, the author and the date of a comment.

use super::PageComment;
use super::bylines::add_authors_of_bylines;
use super::credibility::credible_items;
use super::dates::{add_dates_in_lines, looks_like_date};
use super::neighbours::add_labels_of_neighbours;
use super::roles::has_digit;
use super::set_off::{SetOff, add_authors_set_off};
use super::text_reader::{MAX_REST_SIZE, TextReader};
use super::thread_tree::ThreadTree;
use super::tidy::{remove_repeated_lines, tidy_authors, tidy_dates};
use crate::element_kind::ElementKind;
use crate::outline::text_size;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Largest size of an element that is named for authors or dates and is one. Set by judgement, not
/// measured.
pub(super) const MAX_LABEL_SIZE: usize = 60;
/// Smallest number of words with a digit by which a text is a date rather than a name. Set by
/// judgement, not measured.
const MIN_NUMBERS_OF_DATE: usize = 2;
/// Smallest share of the comments, and smallest number, that have the same author if that is no
/// name. Set by judgement, not measured.
const MIN_LABEL_SHARE: f32 = 0.8;
pub(super) const MIN_LABELS: usize = 3;
/// Smallest share of the text of a comment in the element that is named for it. Set by judgement,
/// not measured.
const MIN_BODY_SHARE: f32 = 0.25;

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

/// Returns the comments, in document order.
pub(super) fn read_items(tree: &ThreadTree, is_item: &[bool]) -> Vec<PageComment> {
    let items: Vec<usize> = (0..is_item.len())
        .filter(|&number| is_item[number])
        .collect();
    let read_all = |labels: &BTreeSet<String>| {
        let parts = items.iter().map(|&item| CommentParts {
            body: find_body(tree, item, is_item),
            ..read_labels(tree, item, is_item, labels)
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
    add_labels_of_neighbours(tree, &items, is_item, &mut parts);
    add_authors_set_off(tree, &items, is_item, &mut parts, SetOff::Citation);
    add_authors_of_bylines(tree, &items, is_item, &mut parts);
    add_authors_set_off(tree, &items, is_item, &mut parts, SetOff::LinkOrEmphasis);
    add_authors_of_bylines(tree, &items, is_item, &mut parts);
    add_dates_in_lines(tree, &items, is_item, &mut parts);
    add_authors_set_off(tree, &items, is_item, &mut parts, SetOff::Heading);
    tidy_dates(&mut parts);
    tidy_authors(&mut parts);
    let mut texts: Vec<String> = items
        .iter()
        .zip(&parts)
        .map(|(&item, parts)| read_text(tree, item, is_item, parts))
        .collect();
    remove_repeated_lines(&mut texts);
    let is_comment = credible_items(tree, &items, is_item, &parts, &texts);
    let comments = texts.iter().zip(parts).zip(is_comment);
    let comments = comments.filter(|(_, is_comment)| *is_comment);
    let comments = comments.filter_map(|((text, parts), _)| {
        let author = parts.author.map(|label| label.text);
        PageComment::from_raw(text, author, parts.date.map(|label| label.text))
    });
    comments.collect()
}

/// Returns the author that nearly all comments have.
fn repeated_author(parts: &[CommentParts]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for author in parts.iter().filter_map(|part| part.author.as_ref()) {
        *counts.entry(&author.text).or_default() += 1;
    }
    let authors: usize = counts.values().sum();
    let (text, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let is_most = count as f32 >= MIN_LABEL_SHARE * authors as f32;
    (is_most && count >= MIN_LABELS).then(|| text.to_owned())
}

/// Returns `true` if a comment tells an author or a date.
pub(super) fn has_author_or_date(tree: &ThreadTree, item: usize, is_item: &[bool]) -> bool {
    let parts = read_labels(tree, item, is_item, &BTreeSet::new());
    parts.author.is_some() || parts.date.is_some()
}

/// Returns the author and the date in a comment.
fn read_labels(
    tree: &ThreadTree,
    item: usize,
    is_item: &[bool],
    labels: &BTreeSet<String>,
) -> CommentParts {
    let own: Vec<usize> = tree.own_nodes(item, is_item).collect();
    let author = find_author(tree, &own, labels);
    let mut date = find_date(tree, &own);
    if let (Some(author), Some(date)) = (&author, &mut date)
        && tree.nodes[date.element].roles.machine_date.is_none()
    {
        let end = tree.nodes[date.element].end;
        if (date.element + 1..end).contains(&author.element) {
            // The date is in a line with the author.
            let author_end = tree.nodes[author.element].end;
            let before = nodes_on_one_line(tree, date.element..author.element);
            let after = nodes_on_one_line(tree, author_end..end);
            date.text = if has_digit(&before) { before } else { after };
        }
    }
    CommentParts {
        author,
        date,
        ..CommentParts::default()
    }
}

/// Returns the first author among nodes that are in document order: by microdata or a microformat,
/// otherwise by its name. `labels` are texts that are no names, such as "Profile".
pub(super) fn find_author(
    tree: &ThreadTree,
    nodes: &[usize],
    labels: &BTreeSet<String>,
) -> Option<Label> {
    let declared = |&number: &usize| tree.nodes[number].roles.is_author;
    let named = |&number: &usize| tree.nodes[number].roles.is_named_author;
    let label = |element: usize| {
        let name = find_name(tree, element);
        let node = &tree.nodes[name];
        let text = match &node.roles.content {
            Some(content) => content.clone(),
            None if node.size <= MAX_LABEL_SIZE => one_line(tree, name),
            None => return None,
        };
        let rest = nodes_on_one_line(tree, tree.nodes[name].end..tree.nodes[element].end);
        let author = Label {
            element: name,
            text,
            rest: Some(rest).filter(|rest| is_rest(rest)),
            is_declared: tree.nodes[element].roles.is_author,
            ..Label::default()
        };
        let is_label = !author.is_declared && labels.contains(&author.text);
        (is_name(&author.text) && !is_label).then_some(author)
    };
    let mut declared = nodes.iter().copied().filter(declared).filter_map(label);
    let mut named = nodes.iter().copied().filter(named).filter_map(label);
    declared.next().or_else(|| named.next())
}

/// Returns `true` if a text may be the name of an author: it has a letter, is short, and is no date.
pub(super) fn is_name(text: &str) -> bool {
    let numbers = text.split_whitespace().filter(|word| has_digit(word));
    text.chars().any(char::is_alphabetic)
        && text_size(text) <= MAX_LABEL_SIZE
        && numbers.count() < MIN_NUMBERS_OF_DATE
}

/// Returns `true` if a text after a name is a word such as "said", and no date.
fn is_rest(text: &str) -> bool {
    text_size(text) <= MAX_REST_SIZE && text.chars().any(char::is_alphabetic) && !has_digit(text)
}

/// Returns the element in an author's element that is the name: by microdata or a microformat, or
/// the first link or emphasis with a letter.
fn find_name(tree: &ThreadTree, author: usize) -> usize {
    let inner = || author + 1..tree.nodes[author].end;
    let is_name = |&number: &usize| {
        let roles = &tree.nodes[number].roles;
        roles.is_name || roles.is_author
    };
    let is_set_off = |&number: &usize| {
        let node = &tree.nodes[number];
        let is_emphasis = matches!(node.tag.as_str(), "a" | "b" | "strong" | "cite");
        is_emphasis && one_line(tree, number).chars().any(char::is_alphabetic)
    };
    let name = inner().rfind(is_name);
    let is_small = tree.nodes[author].size <= 2 * MAX_LABEL_SIZE;
    name.or_else(|| inner().filter(|_| is_small).find(is_set_off))
        .unwrap_or(author)
}

/// Returns the first date among nodes that are in document order: one for machines, otherwise a
/// text with a digit in an element that is named for dates.
pub(super) fn find_date(tree: &ThreadTree, nodes: &[usize]) -> Option<Label> {
    let for_machines = nodes.iter().find_map(|&element| {
        let text = tree.nodes[element].roles.machine_date.clone()?;
        Some(Label::new(element, text))
    });
    let label = |element: usize| {
        let is_short = tree.nodes[element].size <= MAX_LABEL_SIZE;
        let text = is_short.then(|| one_line(tree, element))?;
        has_digit(&text).then_some(Label::new(element, text))
    };
    let named = || {
        let is_named = |&&number: &&usize| tree.nodes[number].roles.is_named_date;
        nodes
            .iter()
            .filter(is_named)
            .find_map(|&number| label(number))
    };
    let in_margin = || {
        let is_in_margin = |&&number: &&usize| tree.nodes[number].roles.is_margin;
        let links = |&number: &usize| {
            let end = tree.nodes[number].end;
            (number..end).filter(|&inner| tree.nodes[inner].kind == ElementKind::Link)
        };
        let margins = nodes.iter().filter(is_in_margin).filter(|&&number| {
            // Metadata, not a text with links.
            tree.nodes[number].size <= 2 * MAX_LABEL_SIZE
        });
        let linked = margins.flat_map(links).filter_map(label);
        let (dates, others): (Vec<Label>, Vec<Label>) =
            linked.partition(|label| looks_like_date(&label.text));
        dates.into_iter().chain(others).next()
    };
    for_machines.or_else(named).or_else(in_margin)
}

/// Returns the text of an element on one line.
pub(super) fn one_line(tree: &ThreadTree, element: usize) -> String {
    nodes_on_one_line(tree, element..tree.nodes[element].end)
}

/// Returns the text of nodes on one line.
fn nodes_on_one_line(tree: &ThreadTree, nodes: Range<usize>) -> String {
    let mut line = String::new();
    for node in &tree.nodes[nodes] {
        if node.kind != ElementKind::Inline && node.kind != ElementKind::Link {
            line.push(' ');
        }
        line.push_str(&node.text);
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text of a comment without its author, its date, and what is around the text.
fn read_text(tree: &ThreadTree, item: usize, is_item: &[bool], parts: &CommentParts) -> String {
    let text_of = |element: usize| TextReader::new(tree, is_item, parts, element).read();
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
    without_labels(&read_text(tree, item, is_item, &other_parts), parts)
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
fn find_body(tree: &ThreadTree, item: usize, is_item: &[bool]) -> Option<usize> {
    let is_named = |&number: &usize| {
        let node = &tree.nodes[number];
        let may_be_body = node.kind.set_bit() != 0 || node.tag == "span";
        node.roles.is_body && may_be_body && node.size > 0
    };
    let named: Vec<usize> = tree.own_nodes(item, is_item).filter(is_named).collect();
    let is_reply = |number: &&usize| tree.nodes[**number].roles.is_reply;
    let in_replies: usize = named
        .iter()
        .filter(is_reply)
        .map(|&reply| tree.nodes[reply].size)
        .sum();
    let has_other = named.iter().any(|number| !is_reply(&number));
    let own_size = match has_other {
        true => tree.own_size(item, is_item).saturating_sub(in_replies),
        false => tree.own_size(item, is_item),
    };
    let is_large = |number: &usize| {
        let is_large = |size: usize| size as f32 >= MIN_BODY_SHARE * own_size as f32;
        is_large(tree.nodes[*number].size) && is_large(tree.own_size(*number, is_item))
    };
    // An element that has all of the text of an earlier one is in it.
    let mut bodies = named
        .into_iter()
        .filter(|number| !has_other || !is_reply(&number));
    bodies.rfind(is_large)
}
