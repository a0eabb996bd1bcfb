//! The elements of a thread that are comments.

use super::labels::has_author_or_date;
use super::sequences::find_sequences;
use super::thread_tree::{CommentItems, ThreadTree};
use crate::element_kind::ElementKind;
use std::collections::HashMap;

/// Most groups of elements, those with most text, that are compared with one another, which bounds
/// the time.
const MAX_GROUPS: usize = 24;
/// Smallest mean number of members of another group in a member of a group that contains comments,
/// and smallest share of its text in them.
const MIN_MEMBERS_INSIDE: f32 = 1.5;
const MIN_SHARE_INSIDE: f32 = 0.5;

/// Number of elements with a name up to which they may contain the comments.
const MAX_FEW: usize = 2;
/// Smallest share of the text of comments in the elements that are named for their texts.
const MIN_SHARE_OF_TEXTS: f32 = 0.25;

/// Elements with something in common, in document order.
#[derive(Debug, Clone, Default)]
struct ElementGroup {
    members: Vec<usize>,
    /// Size of all text in its members.
    size: usize,
    /// Number of the first node after the members, those in other members aside.
    end: usize,
    /// Number of members whose id has a number.
    numbered: usize,
    /// True if at least half of the members tell an author or a date.
    tells: bool,
}

/// Returns the elements that are comments, in document order. Comments that are sequences of
/// siblings get elements in the tree, and lists of replies are marked.
pub(super) fn find_items(mut tree: ThreadTree) -> (ThreadTree, Vec<usize>) {
    let declared: Vec<usize> = (1..tree.nodes.len())
        .filter(|&number| tree.nodes[number].roles.is_comment)
        .collect();
    let mut members = if declared.is_empty() {
        find_group(&tree)
    } else {
        declared
    };
    if members.len() > 1 {
        members = elements_around(&tree, &members).unwrap_or(members);
    } else {
        let ranges = find_sequences(&tree);
        if !ranges.is_empty() {
            (tree, members) = tree.wrap(&ranges);
        }
    }
    tree.mark_reply_lists(&members);
    (tree, members)
}

/// Returns the siblings with one of these elements in each, if these have much of their text: the
/// name for comments may be that of their texts only, with authors and dates beside them.
fn elements_around(tree: &ThreadTree, members: &[usize]) -> Option<Vec<usize>> {
    let (&first, &last) = (members.first()?, members.last()?);
    let path = |number: usize| {
        let parent = |&number: &usize| Some(tree.nodes[number].parent).filter(|_| number > 0);
        std::iter::successors(Some(number), parent)
    };
    let parent = path(first).find(|&number| tree.nodes[number].end > last && number < first)?;
    let child_with = |member: usize| path(member).find(|&node| tree.nodes[node].parent == parent);
    let around: Vec<usize> = members
        .iter()
        .map(|&member| child_with(member))
        .collect::<Option<_>>()?;
    let size_of = |numbers: &[usize]| -> usize {
        numbers.iter().map(|&number| tree.nodes[number].size).sum()
    };
    let tag = &tree.nodes[*around.first()?].tag;
    let are_alike = around.windows(2).all(|pair| pair[0] < pair[1])
        && around.iter().all(|&number| &tree.nodes[number].tag == tag);
    let have_text = size_of(members) as f32 >= MIN_SHARE_OF_TEXTS * size_of(&around) as f32;
    (are_alike && have_text).then_some(around)
}

/// Returns the elements that are comments by their names, or because they repeat. More siblings
/// that repeat are preferred to one or two elements with a name; a single one must tell an author
/// or a date.
fn find_group(tree: &ThreadTree) -> Vec<usize> {
    let named = find_named_group(tree).unwrap_or_default();
    let count = named.members.len();
    if count > MAX_FEW {
        return named.members;
    }
    let is_preferred = |siblings: &ElementGroup| {
        let is_large = |size: usize| size as f32 >= MIN_SHARE_INSIDE * named.size as f32;
        let are_in_named = || is_large(siblings.part_inside(tree, &named).1);
        siblings.members.len() > count && is_large(siblings.size) && (count < 2 || are_in_named())
    };
    find_repeated_siblings(tree, is_preferred)
        .or(Some(named.clone()).filter(|_| count > 1 || named.tells || named.numbered > 0))
        .unwrap_or_default()
        .members
}

/// Returns the group with one tag and one name for comments that has most text, unless it contains
/// the comments, or is about them only.
fn find_named_group(tree: &ThreadTree) -> Option<ElementGroup> {
    let mut groups: HashMap<(&str, &str), ElementGroup> = HashMap::new();
    for (number, node) in tree.nodes.iter().enumerate() {
        let can_be_comment = node.kind.set_bit() != 0
            && !matches!(node.kind, ElementKind::Heading | ElementKind::Form)
            && node.size > 0
            && !node.roles.is_about_comment();
        if !can_be_comment {
            continue;
        }
        for name in &node.roles.comment_names {
            let group = groups
                .entry((node.tag.as_str(), name.as_str()))
                .or_default();
            group.add(tree, number);
        }
    }
    let groups = with_most_text(tree, groups.into_values());
    let items: Vec<&ElementGroup> = groups
        .iter()
        .filter(|group| !is_container(tree, group, &groups))
        .collect();
    let most = items.iter().map(|group| group.size).max()?;
    let numbered = items
        .iter()
        .find(|group| group.numbered == group.members.len() && group.size * 2 >= most);
    let best = numbered.or(items.first())?;
    Some((*best).clone())
}

/// Returns the groups with most text, the largest first, and the first one in the document of those
/// with the same size.
fn with_most_text(
    tree: &ThreadTree,
    groups: impl Iterator<Item = ElementGroup>,
) -> Vec<ElementGroup> {
    let mut groups: Vec<ElementGroup> = groups.collect();
    groups.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.members.cmp(&b.members)));
    // An element may have several names.
    groups.dedup_by(|later, first| {
        let is_same = later.members == first.members;
        first.numbered = first.numbered.max(if is_same { later.numbered } else { 0 });
        is_same
    });
    groups.truncate(MAX_GROUPS);
    for group in &mut groups {
        group.tells = group.tells_authors_or_dates(tree);
    }
    groups
}

impl ElementGroup {
    /// Adds an element that follows the other members or is in the last one.
    fn add(&mut self, tree: &ThreadTree, number: usize) {
        let node = &tree.nodes[number];
        if number >= self.end {
            self.size += node.size;
            self.end = node.end;
        }
        self.numbered += usize::from(node.roles.has_numbered_id);
        self.members.push(number);
    }

    /// Returns `true` if at least half of the members tell an author or a date.
    fn tells_authors_or_dates(&self, tree: &ThreadTree) -> bool {
        let items = CommentItems::new(tree, self.members.clone());
        let members = self.members.iter();
        let telling = members.filter(|&&member| has_author_or_date(&items, member));
        telling.count() * 2 >= self.members.len()
    }

    /// Returns the number of its members that are in members of another group, and the size of
    /// their text.
    fn part_inside(&self, tree: &ThreadTree, outer: &ElementGroup) -> (usize, usize) {
        let mut outer_members = outer.members.iter().copied().peekable();
        let (mut outer_end, mut counted_end) = (0, 0);
        let (mut count, mut size) = (0, 0);
        for &member in &self.members {
            while let Some(number) = outer_members.next_if(|&number| number < member) {
                outer_end = outer_end.max(tree.nodes[number].end);
            }
            if member >= outer_end {
                continue;
            }
            count += 1;
            if member >= counted_end {
                size += tree.nodes[member].size;
                counted_end = tree.nodes[member].end;
            }
        }
        (count, size)
    }
}

/// Returns `true` if the members of a group contain comments: several members of another group, or
/// a single one that tells its author or date.
fn is_container(tree: &ThreadTree, group: &ElementGroup, groups: &[ElementGroup]) -> bool {
    let is_single = group.members.len() == 1;
    let is_comment = group.numbered == group.members.len() || (group.tells && !is_single);
    let min_share = match is_single {
        true => MIN_SHARE_INSIDE / 2.0,
        false => MIN_SHARE_INSIDE,
    };
    groups.iter().any(|inner| {
        let (count, size) = inner.part_inside(tree, group);
        let has_text = size as f32 >= min_share * group.size as f32;
        let has_several = count as f32 >= MIN_MEMBERS_INSIDE * group.members.len() as f32;
        let is_only_one = is_single && count == 1 && inner.tells;
        has_text && (inner.tells || !is_comment) && (has_several || is_only_one)
    })
}

/// Returns the siblings with the same tag and class that have most text, of those of which at least
/// half tell an author or a date, and that are preferred.
fn find_repeated_siblings(
    tree: &ThreadTree,
    is_preferred: impl Fn(&ElementGroup) -> bool,
) -> Option<ElementGroup> {
    let mut groups: HashMap<(usize, u64), ElementGroup> = HashMap::new();
    for (number, node) in tree.nodes.iter().enumerate().skip(1) {
        if node.kind.set_bit() != 0 && node.kind != ElementKind::Heading && node.size > 0 {
            let group = groups
                .entry((node.parent, node.tag_class_hash))
                .or_default();
            group.add(tree, number);
        }
    }
    let repeated = groups.into_values().filter(|group| group.members.len() > 1);
    with_most_text(tree, repeated)
        .into_iter()
        .find(|group| group.tells && is_preferred(group))
}
