//! Comments without elements of their own: each is a sequence of siblings that begins with the
//! target of a link to it (`<a id="c12">`), or begins or ends with a line that tells its date.

use super::label_lines::MAX_LINE_SIZE;
use super::roles::has_digit;
use super::thread_tree::ThreadTree;
use crate::element_kind::ElementKind;
use std::collections::HashMap;
use std::ops::Range;

/// A node that begins or ends a comment: its parent, and what it has in common with those of the
/// other comments.
type SeparatorKey = (usize, bool, u64);

/// Returns the sequences of siblings that are comments, in document order: those between the most
/// separators of one kind.
pub(super) fn find_sequences(tree: &ThreadTree) -> Vec<Range<usize>> {
    let mut groups: HashMap<SeparatorKey, Vec<usize>> = HashMap::new();
    for (number, node) in tree.nodes.iter().enumerate().skip(1) {
        let is_target = is_target(tree, number);
        if is_target || is_date_line(tree, number) {
            let key = (node.parent, is_target, node.tag_class_hash);
            groups.entry(key).or_default().push(number);
        }
    }
    let groups = groups.into_iter().filter(|(_, members)| members.len() > 1);
    // Targets are preferred to dates, and of the same kind those that are first.
    let best = groups.max_by_key(|((_, is_target, _), members)| {
        (*is_target, members.len(), std::cmp::Reverse(members[0]))
    });
    best.map(|((parent, is_target, _), separators)| split(tree, parent, is_target, &separators))
        .unwrap_or_default()
}

/// Returns `true` if a node is the target of a link to a comment, and has no text.
fn is_target(tree: &ThreadTree, number: usize) -> bool {
    let node = &tree.nodes[number];
    node.kind == ElementKind::Link && node.roles.has_numbered_id && node.size == 0
}

/// Returns `true` if a node is a block that is named for dates, or for metadata, and has a number.
fn is_date_line(tree: &ThreadTree, number: usize) -> bool {
    let node = &tree.nodes[number];
    let is_named = node.roles.is_named_date || node.roles.is_margin;
    is_named
        && node.kind.set_bit() != 0
        && (1..=MAX_LINE_SIZE).contains(&node.size)
        && tree.nodes[number..node.end]
            .iter()
            .any(|inner| has_digit(&inner.text))
}

/// Returns the sequences between separators with the same parent. A separator ends a comment if
/// there is text before the first one, and none after the last one.
fn split(
    tree: &ThreadTree,
    parent: usize,
    is_target: bool,
    separators: &[usize],
) -> Vec<Range<usize>> {
    let children: Vec<usize> = tree.children(parent).collect();
    let (Some(&first), Some(&last)) = (separators.first(), separators.last()) else {
        return Vec::new();
    };
    // A heading is no part of a comment.
    let is_heading = |&&child: &&usize| tree.nodes[child].kind == ElementKind::Heading;
    let mut before = children.iter().take_while(|&&child| child < first);
    let start = before
        .by_ref()
        .filter(is_heading)
        .last()
        .map_or(parent + 1, |&heading| tree.nodes[heading].end);
    let after = tree.nodes[last].end;
    let end = children
        .iter()
        .filter(|&&child| child >= after)
        .find(is_heading)
        .copied()
        .unwrap_or(tree.nodes[parent].end);
    let size_of = |range: Range<usize>| {
        let inside = children.iter().filter(|child| range.contains(child));
        inside.map(|&child| tree.nodes[child].size).sum::<usize>()
    };
    if !is_target && size_of(start..first) > 0 {
        let starts = [start].into_iter().chain(
            separators
                .iter()
                .map(|&separator| tree.nodes[separator].end),
        );
        let ends = separators
            .iter()
            .map(|&separator| tree.nodes[separator].end);
        return starts.zip(ends).map(|(start, end)| start..end).collect();
    }
    let ends = separators.iter().skip(1).copied().chain([end]);
    let ranges: Vec<Range<usize>> = separators
        .iter()
        .zip(ends)
        .map(|(&start, end)| start..end)
        .collect();
    cut_last(tree, &children, ranges)
}

/// Returns the sequences with the last one cut off after its first element with the tag and class
/// with which all others end, if they have such an element.
fn cut_last(
    tree: &ThreadTree,
    children: &[usize],
    mut ranges: Vec<Range<usize>>,
) -> Vec<Range<usize>> {
    let Some((last, others)) = ranges.split_last_mut() else {
        return ranges;
    };
    let with_text = |range: &Range<usize>| {
        let range = range.clone();
        let first = children.partition_point(|&child| child < range.start);
        let inside = children[first..].iter().copied();
        inside
            .take_while(move |child| range.contains(child))
            .filter(|&child| tree.nodes[child].size > 0)
    };
    let hash_of = |child: usize| tree.nodes[child].tag_class_hash;
    let mut endings = others
        .iter()
        .map(|range| with_text(range).last().map(hash_of));
    let Some(Some(ending)) = endings.next() else {
        return ranges;
    };
    if endings.all(|other| other == Some(ending)) {
        let end = with_text(last).find(|&child| hash_of(child) == ending);
        last.end = end.map_or(last.end, |child| tree.nodes[child].end);
    }
    ranges
}
