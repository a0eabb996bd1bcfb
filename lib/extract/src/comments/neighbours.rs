//! Authors and dates of comments that are sequences of siblings: `<dt>` author, `<dd>` text, `<dd>`
//! date.

use super::dates::date_in;
use super::labels::{find_author, find_date};
use super::parts::{CommentParts, Label, is_name};
use super::roles::has_digit;
use super::set_off::{SetOff, element_set_off};
use super::thread_tree::{CommentItems, ThreadTree};
use std::collections::{BTreeSet, HashMap};

/// Most nodes between two comments that are searched.
const MAX_NODES: usize = 200;
/// Smallest share of the comments that have a name or a date without a mark beside them.
const MIN_SHARE: f32 = 0.75;

/// The siblings between two comments: the range of their nodes.
type Gap = std::ops::Range<usize>;

/// Adds the author and the date in the siblings of each comment without one. They precede the
/// comments if the first comment is preceded by one, and follow them if the last one is followed by
/// one.
pub(super) fn add_labels_of_neighbours(items: &CommentItems, parts: &mut [CommentParts]) {
    let tree = items.tree;
    let mut by_parent: HashMap<usize, Vec<usize>> = HashMap::new();
    let outermost: Vec<usize> = items
        .numbers
        .iter()
        .map(|&item| outermost_around(items, item))
        .collect();
    for (index, &item) in outermost.iter().enumerate() {
        by_parent
            .entry(tree.nodes[item].parent)
            .or_default()
            .push(index);
    }
    let mut families: Vec<_> = by_parent.into_iter().collect();
    families.sort_unstable();
    for (parent, members) in families {
        // What is around a reply is that of another comment, unless it is a list of replies.
        if !tree.nodes[parent].is_reply_list && is_in_item(items, parent) {
            continue;
        }
        let gaps = sibling_gaps(tree, parent, &members, &outermost);
        let with_author = |&&index: &&usize| parts[index].author.is_some();
        if members.iter().filter(with_author).count() * 2 < members.len() {
            let find = |gap: &[usize]| find_author(tree, gap, &BTreeSet::new());
            let authors = neighbour_labels(items, &gaps, find);
            let authors = match authors.is_empty() {
                true => labels_in_most(items, &gaps, |gap| find_author_set_off(tree, gap)),
                false => authors,
            };
            for (&index, author) in members.iter().zip(authors) {
                parts[index].author = author.or(parts[index].author.take());
            }
        }
        let with_date = |&&index: &&usize| parts[index].date.is_some();
        if members.iter().filter(with_date).count() * 2 < members.len() {
            let dates = neighbour_labels(items, &gaps, |gap| find_date(tree, gap));
            let dates = match dates.is_empty() {
                true => labels_in_most(items, &gaps, |gap| find_date_text(tree, gap)),
                false => dates,
            };
            for (&index, date) in members.iter().zip(dates) {
                parts[index].date = date.or(parts[index].date.take());
            }
        }
    }
}

/// Returns the labels of comments between gaps, if nearly all gaps before or after them have one,
/// and these are not the same.
fn labels_in_most(
    items: &CommentItems,
    gaps: &[Gap],
    find: impl Fn(&[usize]) -> Option<Label>,
) -> Vec<Option<Label>> {
    let labels = neighbour_labels(items, gaps, find);
    let found: Vec<&str> = labels.iter().flatten().map(|label| &*label.text).collect();
    let different: BTreeSet<&str> = found.iter().copied().collect();
    let is_most = found.len() as f32 >= MIN_SHARE * labels.len() as f32;
    match is_most && different.len() > 1 {
        true => labels,
        false => Vec::new(),
    }
}

/// Returns the first name that is set off among nodes, and not in a heading.
fn find_author_set_off(tree: &ThreadTree, nodes: &[usize]) -> Option<Label> {
    nodes.iter().find_map(|&number| {
        let is_text = tree.nodes[number].tag.is_empty();
        let (element, by) = is_text.then(|| element_set_off(tree, number))??;
        let text = tree.text_on_one_line(element);
        let is_author = is_name(&text) && !has_digit(&text) && by != SetOff::Heading;
        is_author.then_some(Label {
            is_set_off: true,
            ..Label::new(element, text)
        })
    })
}

/// Returns the first text among nodes that looks like a date.
fn find_date_text(tree: &ThreadTree, nodes: &[usize]) -> Option<Label> {
    nodes.iter().find_map(|&number| {
        let date = date_in(&tree.nodes[number].text)?;
        Some(Label::new(number, date))
    })
}

/// Returns `true` if a node is a comment, or in one.
fn is_in_item(items: &CommentItems, number: usize) -> bool {
    let mut number = number;
    while number > 0 && !items.is_item[number] {
        number = items.tree.nodes[number].parent;
    }
    items.is_item[number]
}

/// Returns the outermost element with no other text than that of a comment, lists of replies aside.
fn outermost_around(items: &CommentItems, item: usize) -> usize {
    let tree = items.tree;
    let mut outermost = item;
    loop {
        let parent = tree.nodes[outermost].parent;
        let around = &tree.nodes[parent];
        let has_other_text = around.size > tree.nodes[outermost].size + around.replies_size;
        if parent == 0 || items.is_item[parent] || around.is_reply_list || has_other_text {
            return outermost;
        }
        outermost = parent;
    }
}

/// Returns the siblings before the first of these comments, between them, and after the last one.
fn sibling_gaps(
    tree: &ThreadTree,
    parent: usize,
    members: &[usize],
    outermost: &[usize],
) -> Vec<Gap> {
    let mut start = parent + 1;
    let mut gaps = Vec::with_capacity(members.len() + 1);
    for &index in members {
        let item = outermost[index];
        gaps.push(start..item);
        start = tree.nodes[item].end;
    }
    gaps.push(start..tree.nodes[parent].end);
    gaps
}

/// Returns the label of each comment, between gaps: in the nearest sibling before it, or after it.
fn neighbour_labels(
    items: &CommentItems,
    gaps: &[Gap],
    find: impl Fn(&[usize]) -> Option<Label>,
) -> Vec<Option<Label>> {
    let tree = items.tree;
    let find_in = |gap: &Gap, is_before: bool| {
        let gap = match is_before {
            true => gap.start.max(gap.end.saturating_sub(MAX_NODES))..gap.end,
            false => gap.start..gap.end.min(gap.start + MAX_NODES),
        };
        let mut nodes = Vec::new();
        let mut next = gap.start;
        while next < gap.end {
            if tree.nodes[next].is_reply_list {
                next = tree.nodes[next].end;
                continue;
            }
            nodes.extend(Some(next).filter(|&number| !items.is_item[number]));
            next += 1;
        }
        find(&nodes)
    };
    let (Some(first), Some(last)) = (gaps.first(), gaps.last()) else {
        return Vec::new();
    };
    if find_in(first, true).is_some() {
        let before = gaps.iter().take(gaps.len() - 1);
        return before.map(|gap| find_in(gap, true)).collect();
    }
    if find_in(last, false).is_some() {
        return gaps.iter().skip(1).map(|gap| find_in(gap, false)).collect();
    }
    Vec::new()
}
