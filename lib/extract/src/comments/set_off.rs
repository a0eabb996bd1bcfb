//! Authors whose name is set off in a line beside the text: a link, a citation, a heading, or
//! emphasis.

use super::bylines::is_number;
use super::dates::{date_in, has_numbers_of_date, has_year_and_time, looks_like_date};
use super::label_lines::{LabelLine, find_label_lines};
use super::parts::{CommentParts, Label, MAX_LABEL_SIZE, is_name};
use super::text_reader::MAX_REST_SIZE;
use super::thread_tree::{CommentItems, ThreadTree};
use crate::element_kind::ElementKind;
use crate::outline::text_size;
use std::collections::{BTreeMap, BTreeSet};

/// Smallest share of the comments without an author that have such a name: beside their texts, and
/// in lines that may be part of them.
const MIN_SHARE: f32 = 0.5;
const MIN_SHARE_IN_TEXT: f32 = 0.75;
/// Smallest number of citations that are names although text follows them in their lines.
const MIN_CITATIONS: usize = 3;

/// What sets a name off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetOff {
    Citation,
    /// A link or emphasis.
    LinkOrEmphasis,
    /// A heading, which may be that of the comment.
    Heading,
}

/// Smallest share of the names by which a text is a label, and most labels that are looked for.
const MIN_LABEL_SHARE: f32 = 0.8;
const MAX_LABELS: usize = 3;

/// Most nodes of an element that sets a name off.
const MAX_NODES: usize = 16;

/// A name, and the line that it is in.
struct NameInLine<'a> {
    author: Label,
    line: &'a LabelLine,
    /// The letters of the line besides the name and the date, if they are few.
    rest: Option<String>,
}

/// Adds authors whose name is set off, if enough of the comments without an author have one. A
/// heading may be that of the comment, so that it is an author only in comments with a date.
pub(super) fn add_authors_set_off(
    items: &CommentItems,
    parts: &mut [CommentParts],
    set_off: SetOff,
) {
    let tree = items.tree;
    for is_in_text in [false, true] {
        let missing: Vec<usize> = (0..items.numbers.len())
            .filter(|&index| parts[index].author.is_none())
            .filter(|&index| set_off != SetOff::Heading || parts[index].date.is_some())
            .collect();
        let lines_of = |&index: &usize| CommentLines {
            lines: lines_by_date(items, items.numbers[index], &parts[index], is_in_text),
            date: parts[index].date.as_ref().map(|date| date.element),
        };
        let comments: Vec<CommentLines> = missing.iter().map(lines_of).collect();
        let names = NameFinder::new(tree, set_off).find_names(&comments);
        if !is_enough(&names, &comments, is_in_text) {
            continue;
        }
        for (index, name) in missing.into_iter().zip(names) {
            if let Some(NameInLine { author, line, rest }) = name {
                if line.is_in_text && rest.is_some() {
                    parts[index].label_nodes.extend(&line.nodes);
                }
                parts[index].author = Some(author);
            }
        }
    }
}

/// The lines of a comment that may have its author.
struct CommentLines {
    lines: Vec<LabelLine>,
    /// The element of its date.
    date: Option<usize>,
}

/// Returns the lines of a comment that may be part of its text, or are not. Those with a date are
/// first, since the author is there, and a title may be in another one.
fn lines_by_date(
    items: &CommentItems,
    item: usize,
    parts: &CommentParts,
    is_in_text: bool,
) -> Vec<LabelLine> {
    let mut lines = find_label_lines(items, item, parts);
    lines.retain(|line| line.is_in_text == is_in_text);
    lines.sort_by_key(|line| !has_numbers_of_date(&line.text));
    lines
}

/// Removes the names in lines without a date, if most names are in lines with one: a comment
/// without a name there is anonymous.
fn drop_names_of_other_lines(names: &mut [Option<NameInLine>]) {
    let has_date = |name: &NameInLine| has_numbers_of_date(&name.line.text);
    let found = names.iter().flatten();
    let count = found.clone().count();
    if found.filter(|name| has_date(name)).count() * 2 > count {
        for name in names {
            *name = name.take().filter(has_date);
        }
    }
}

/// Returns the name that nearly all of the comments with a name have, if it is that of several.
fn repeated_name(names: &[Option<NameInLine>]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names.iter().flatten() {
        *counts.entry(&name.author.text).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let (text, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let is_repeated = count > 1 && count as f32 >= MIN_LABEL_SHARE * all as f32;
    is_repeated.then(|| text.to_owned())
}

/// Returns `true` if enough comments have a name. Those in lines of the text must be different,
/// with the same words beside them; an only comment must have a date.
fn is_enough(names: &[Option<NameInLine>], comments: &[CommentLines], is_in_text: bool) -> bool {
    let found: Vec<&NameInLine> = names.iter().flatten().collect();
    let is_share = |count: usize, share: f32| count as f32 >= share * names.len() as f32;
    if !is_in_text {
        return is_share(found.len(), MIN_SHARE);
    }
    if let [comment] = comments {
        let has_date = |line: &LabelLine| has_year_and_time(&line.text);
        let is_beside_date = comment.date.is_some() || comment.lines.iter().any(has_date);
        return is_beside_date && found.iter().any(|name| name.rest.is_some());
    }
    let different: BTreeSet<&str> = found.iter().map(|name| &*name.author.text).collect();
    let mut rests: BTreeMap<&str, usize> = BTreeMap::new();
    for rest in found.iter().filter_map(|name| name.rest.as_deref()) {
        *rests.entry(rest).or_default() += 1;
    }
    let same_rests = rests.into_values().max().unwrap_or_default();
    let citations = found.iter().filter(|name| name.author.is_citation).count();
    let are_citations = citations >= MIN_CITATIONS && is_share(citations, MIN_SHARE_IN_TEXT);
    let are_names = is_share(found.len(), MIN_SHARE_IN_TEXT) && is_share(same_rests, MIN_SHARE);
    different.len() > 1 && (are_names || are_citations)
}

/// Finds the names of authors in lines.
struct NameFinder<'a> {
    tree: &'a ThreadTree,
    set_off: SetOff,
    may_have_digits: bool,
    /// Texts that are no names, since most comments have them: "Reply".
    labels: BTreeSet<String>,
}

impl NameFinder<'_> {
    fn new(tree: &ThreadTree, set_off: SetOff) -> NameFinder<'_> {
        NameFinder {
            tree,
            set_off,
            may_have_digits: false,
            labels: BTreeSet::new(),
        }
    }

    /// Returns the name in the lines of each comment.
    fn find_names<'l>(mut self, comments: &'l [CommentLines]) -> Vec<Option<NameInLine<'l>>> {
        let find_in = |finder: &NameFinder, comment: &'l CommentLines| {
            let mut lines = comment.lines.iter();
            lines.find_map(|line| finder.find(line, comment.date))
        };
        let find_all = |finder: &NameFinder| -> Vec<_> {
            comments
                .iter()
                .map(|comment| find_in(finder, comment))
                .collect()
        };
        let mut names = find_all(&self);
        for _ in 0..MAX_LABELS {
            let Some(label) = repeated_name(&names) else {
                break;
            };
            self.labels.insert(label);
            names = find_all(&self);
        }
        if names.iter().flatten().count() * 2 >= names.len() {
            self.may_have_digits = true;
            for (name, comment) in names.iter_mut().zip(comments) {
                *name = name.take().or_else(|| find_in(&self, comment));
            }
        }
        drop_names_of_other_lines(&mut names);
        names
    }

    /// Returns the first name that is set off in a line.
    fn find<'l>(&self, line: &'l LabelLine, date: Option<usize>) -> Option<NameInLine<'l>> {
        line.nodes.iter().find_map(|&text| {
            let (element, by) = element_set_off(self.tree, text)?;
            if by != self.set_off || self.is_around(element, date) {
                return None;
            }
            let name = without_number(&self.tree.text_on_one_line(element));
            let is_author = is_name(&name)
                && !looks_like_date(&name)
                && (self.may_have_digits || !name.split_whitespace().any(is_number))
                && !self.labels.contains(&name);
            let rest = self.rest_of_line(line, element, date);
            let may_be_text = rest.is_none() && by != SetOff::Citation;
            if !is_author || line.is_in_text && may_be_text {
                return None;
            }
            let author = Label {
                is_citation: by == SetOff::Citation,
                is_set_off: true,
                ..Label::new(element, name)
            };
            Some(NameInLine { author, line, rest })
        })
    }

    fn is_around(&self, element: usize, date: Option<usize>) -> bool {
        let end = self.tree.nodes[element].end;
        date.is_some_and(|date| element <= date && date < end)
    }

    /// Returns the letters of a line besides the author, the date and links, or `None` if they are
    /// more than those of a word such as "said": the line may be text.
    fn rest_of_line(&self, line: &LabelLine, author: usize, date: Option<usize>) -> Option<String> {
        let end = self.tree.nodes[author].end;
        let before = line.text_in(self.tree, 0..author, false);
        let after = line.text_in(self.tree, end..usize::MAX, false);
        let mut rest = format!("{before} {after}");
        let date = date
            .map(|date| self.tree.text_on_one_line(date))
            .filter(|date| rest.contains(date))
            .or_else(|| date_in(&rest));
        if let Some(date) = date {
            rest = rest.replacen(&date, "", 1);
        }
        let letters = rest.chars().filter(|c| c.is_alphabetic()).collect();
        (text_size(&rest) <= MAX_REST_SIZE).then_some(letters)
    }
}

/// Returns a name without the number of the author in parentheses after it.
fn without_number(name: &str) -> String {
    let number = |name: &str| {
        let (name, number) = name.strip_suffix(')')?.rsplit_once('(')?;
        let is_number = !number.is_empty() && number.chars().all(char::is_numeric);
        is_number.then(|| name.trim().to_owned())
    };
    number(name).unwrap_or_else(|| name.to_owned())
}

/// Returns the innermost element around a text, within its line, that sets it off: a link to
/// another page, emphasis, a citation, or a heading, if it is small; and which of them is around
/// it.
pub(super) fn element_set_off(tree: &ThreadTree, text: usize) -> Option<(usize, SetOff)> {
    let mut found = None;
    let mut element = tree.nodes[text].parent;
    while element > 0 {
        let node = &tree.nodes[element];
        if node.size > MAX_LABEL_SIZE || node.end - element > MAX_NODES {
            break;
        }
        if node.tag == "a" && node.roles.is_inner_link {
            return None;
        }
        if node.kind == ElementKind::Heading {
            return Some((found.unwrap_or(element), SetOff::Heading));
        }
        if node.tag == "cite" {
            return Some((found.unwrap_or(element), SetOff::Citation));
        }
        if matches!(node.tag.as_str(), "a" | "b" | "strong") {
            found = found.or(Some(element));
        }
        let is_block = node.kind.set_bit() != 0;
        if is_block {
            break;
        }
        element = node.parent;
    }
    found.map(|element| (element, SetOff::LinkOrEmphasis))
}
