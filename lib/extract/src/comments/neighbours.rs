//! Authors and dates of comments that are sequences of siblings: `<dt>` author, `<dd>` text, `<dd>`
//! date.

use super::parts::{CommentParts, Label, find_author, find_date};
use super::thread_tree::ThreadTree;
use std::collections::{BTreeSet, HashMap};

/// Most nodes between two comments that are searched. Set by judgement, not measured.
const MAX_NODES: usize = 200;

/// The siblings between two comments: the range of their nodes.
type Gap = std::ops::Range<usize>;

/// Adds the author and the date in the siblings of each comment without one. They precede the
/// comments if the first comment is preceded by one, and follow them if the last one is followed by
/// one.
pub(super) fn add_labels_of_neighbours(
    tree: &ThreadTree,
    items: &[usize],
    is_item: &[bool],
    parts: &mut [CommentParts],
) {
    let mut by_parent: HashMap<usize, Vec<usize>> = HashMap::new();
    let items: Vec<usize> = items
        .iter()
        .map(|&item| outermost_around(tree, item))
        .collect();
    for (index, &item) in items.iter().enumerate() {
        by_parent
            .entry(tree.nodes[item].parent)
            .or_default()
            .push(index);
    }
    let mut families: Vec<_> = by_parent.into_iter().collect();
    families.sort_unstable();
    for (parent, members) in families {
        // What is around a reply is that of another comment.
        if is_in_item(tree, parent, is_item) {
            continue;
        }
        let gaps = sibling_gaps(tree, parent, &members, &items);
        let with_author = |&&index: &&usize| parts[index].author.is_some();
        if members.iter().filter(with_author).count() * 2 < members.len() {
            let authors = neighbour_labels(
                &gaps,
                |gap| find_author(tree, gap, &BTreeSet::new()),
                is_item,
            );
            for (&index, author) in members.iter().zip(authors) {
                parts[index].author = author.or(parts[index].author.take());
            }
        }
        let with_date = |&&index: &&usize| parts[index].date.is_some();
        if members.iter().filter(with_date).count() * 2 < members.len() {
            let dates = neighbour_labels(&gaps, |gap| find_date(tree, gap), is_item);
            for (&index, date) in members.iter().zip(dates) {
                parts[index].date = date.or(parts[index].date.take());
            }
        }
    }
}

/// Returns `true` if a node is a comment, or in one.
fn is_in_item(tree: &ThreadTree, number: usize, is_item: &[bool]) -> bool {
    let mut number = number;
    while number > 0 && !is_item[number] {
        number = tree.nodes[number].parent;
    }
    is_item[number]
}

/// Returns the outermost element with no other text than that of an element.
fn outermost_around(tree: &ThreadTree, element: usize) -> usize {
    let mut outermost = element;
    loop {
        let parent = tree.nodes[outermost].parent;
        if parent == 0 || tree.nodes[parent].size > tree.nodes[element].size {
            return outermost;
        }
        outermost = parent;
    }
}

/// Returns the siblings before the first of these comments, between them, and after the last one.
fn sibling_gaps(tree: &ThreadTree, parent: usize, members: &[usize], items: &[usize]) -> Vec<Gap> {
    let mut start = parent + 1;
    let mut gaps = Vec::with_capacity(members.len() + 1);
    for &index in members {
        let item = items[index];
        gaps.push(start..item);
        start = tree.nodes[item].end;
    }
    gaps.push(start..tree.nodes[parent].end);
    gaps
}

/// Returns the label of each comment, between gaps: in the nearest sibling before it, or after it.
fn neighbour_labels(
    gaps: &[Gap],
    find: impl Fn(&[usize]) -> Option<Label>,
    is_item: &[bool],
) -> Vec<Option<Label>> {
    let find_in = |gap: &Gap, is_before: bool| {
        let gap = match is_before {
            true => gap.start.max(gap.end.saturating_sub(MAX_NODES))..gap.end,
            false => gap.start..gap.end.min(gap.start + MAX_NODES),
        };
        let nodes: Vec<usize> = gap.filter(|&number| !is_item[number]).collect();
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
