//! Authors and dates by the names and attributes of their elements.

use super::dates::looks_like_date;
use super::parts::{CommentParts, Label, MAX_LABEL_SIZE, MIN_LABEL_SHARE, MIN_LABELS, is_name};
use super::roles::has_digit;
use super::text_reader::MAX_REST_SIZE;
use super::thread_tree::{CommentItems, ThreadTree};
use crate::element_kind::ElementKind;
use crate::outline::text_size;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the author that nearly all comments have.
pub(super) fn repeated_author(parts: &[CommentParts]) -> Option<String> {
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
pub(super) fn has_author_or_date(items: &CommentItems, item: usize) -> bool {
    let parts = read_labels(items, item, &BTreeSet::new());
    parts.author.is_some() || parts.date.is_some()
}

/// Returns the author and the date in a comment.
pub(super) fn read_labels(
    items: &CommentItems,
    item: usize,
    labels: &BTreeSet<String>,
) -> CommentParts {
    let tree = items.tree;
    let own: Vec<usize> = items.own_nodes(item).collect();
    let author = find_author(tree, &own, labels);
    let mut date = find_date(tree, &own);
    if let (Some(author), Some(date)) = (&author, &mut date)
        && tree.nodes[date.element].roles.machine_date.is_none()
    {
        let end = tree.nodes[date.element].end;
        if (date.element + 1..end).contains(&author.element) {
            // The date is in a line with the author.
            let author_end = tree.nodes[author.element].end;
            let before = tree.nodes_on_one_line(date.element..author.element);
            let after = tree.nodes_on_one_line(author_end..end);
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
            None if node.size <= MAX_LABEL_SIZE => tree.text_on_one_line(name),
            None => return None,
        };
        let rest = tree.nodes_on_one_line(tree.nodes[name].end..tree.nodes[element].end);
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
        is_emphasis
            && tree
                .text_on_one_line(number)
                .chars()
                .any(char::is_alphabetic)
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
        let text = is_short.then(|| tree.text_on_one_line(element))?;
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
