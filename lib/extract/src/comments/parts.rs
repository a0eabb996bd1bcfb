//! The text, the author and the date of a comment.

use super::PageComment;
use super::bylines::add_authors_of_bylines;
use super::neighbours::add_labels_of_neighbours;
use super::roles::has_digit;
use super::thread_tree::ThreadTree;
use crate::element_kind::ElementKind;
use crate::outline::text_size;
use std::ops::Range;

/// Largest size of an element that is named for authors or dates and is one. Set by judgement, not
/// measured.
pub(super) const MAX_LABEL_SIZE: usize = 60;
/// Smallest share of the text of a comment in the element that is named for it. Set by judgement,
/// not measured.
const MIN_BODY_SHARE: f32 = 0.5;
/// Size up to which the rest of a line with an author or a date is left out, such as "says:". Set by
/// judgement, not measured.
const MAX_REST_SIZE: usize = 24;

/// An author or a date, and its element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub element: usize,
    pub text: String,
}

/// The parts of a comment.
#[derive(Debug, Clone, Default)]
pub(super) struct CommentParts {
    pub author: Option<Label>,
    pub date: Option<Label>,
}

/// Returns the comments, in document order.
pub(super) fn read_items(tree: &ThreadTree, is_item: &[bool]) -> Vec<PageComment> {
    let items: Vec<usize> = (0..is_item.len())
        .filter(|&number| is_item[number])
        .collect();
    let mut parts: Vec<CommentParts> = items
        .iter()
        .map(|&item| read_labels(tree, item, is_item))
        .collect();
    add_labels_of_neighbours(tree, &items, is_item, &mut parts);
    add_authors_of_bylines(tree, &items, &mut parts);
    let comments = items.iter().zip(parts).filter_map(|(&item, parts)| {
        let text = read_text(tree, item, is_item, &parts);
        let author = parts.author.map(|label| label.text);
        PageComment::from_raw(&text, author, parts.date.map(|label| label.text))
    });
    comments.collect()
}

/// Returns `true` if a comment tells an author or a date.
pub(super) fn has_author_or_date(tree: &ThreadTree, item: usize, is_item: &[bool]) -> bool {
    let parts = read_labels(tree, item, is_item);
    parts.author.is_some() || parts.date.is_some()
}

/// Returns the author and the date in a comment.
fn read_labels(tree: &ThreadTree, item: usize, is_item: &[bool]) -> CommentParts {
    let own: Vec<usize> = tree.own_nodes(item, is_item).collect();
    let author = find_author(tree, &own);
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
    CommentParts { author, date }
}

/// Returns the first author among nodes that are in document order: by microdata or a microformat,
/// otherwise by its name.
pub(super) fn find_author(tree: &ThreadTree, nodes: &[usize]) -> Option<Label> {
    let declared = |&number: &usize| tree.nodes[number].roles.is_author;
    let named = |&number: &usize| tree.nodes[number].roles.is_named_author;
    let label = |element: usize| {
        let name = find_name(tree, element);
        let text = tree.nodes[name].roles.content.clone();
        let text = text.unwrap_or_else(|| one_line(tree, name));
        let is_author = text.chars().any(char::is_alphabetic) && text_size(&text) <= MAX_LABEL_SIZE;
        is_author.then_some(Label {
            element: name,
            text,
        })
    };
    let mut declared = nodes.iter().copied().filter(declared).filter_map(label);
    let mut named = nodes.iter().copied().filter(named).filter_map(label);
    declared.next().or_else(|| named.next())
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
    let name = inner().filter(is_name).last();
    let is_small = tree.nodes[author].size <= 2 * MAX_LABEL_SIZE;
    name.or_else(|| inner().filter(|_| is_small).find(is_set_off))
        .unwrap_or(author)
}

/// Returns the first date among nodes that are in document order: one for machines, otherwise a
/// text with a digit in an element that is named for dates.
pub(super) fn find_date(tree: &ThreadTree, nodes: &[usize]) -> Option<Label> {
    let for_machines = nodes.iter().find_map(|&element| {
        let text = tree.nodes[element].roles.machine_date.clone()?;
        Some(Label { element, text })
    });
    let label = |element: usize| {
        let text = one_line(tree, element);
        let is_date = tree.nodes[element].size <= MAX_LABEL_SIZE && has_digit(&text);
        is_date.then_some(Label { element, text })
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
        margins.flat_map(links).find_map(label)
    };
    for_machines.or_else(named).or_else(in_margin)
}

/// Returns the text of an element on one line.
fn one_line(tree: &ThreadTree, element: usize) -> String {
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
    let own_size = tree.own_size(item, is_item);
    let body = find_body(tree, item, is_item, own_size);
    let text = TextReader::new(tree, is_item, parts, body.unwrap_or(item)).read();
    if text.is_empty() && body.is_some() {
        return TextReader::new(tree, is_item, parts, item).read();
    }
    text
}

/// Returns the element that is named for the text of a comment and has most of it, if that is at
/// least half of the comment.
fn find_body(tree: &ThreadTree, item: usize, is_item: &[bool], own_size: usize) -> Option<usize> {
    let mut best = None;
    for number in tree.own_nodes(item, is_item) {
        let node = &tree.nodes[number];
        if !node.roles.is_body || node.kind.set_bit() == 0 && node.tag != "span" {
            continue;
        }
        // An element that has all of the text of the best one is in it.
        let size = tree.own_size(number, is_item);
        let is_large = size as f32 >= MIN_BODY_SHARE * own_size as f32;
        if is_large {
            best = Some(number);
        }
    }
    best
}

/// A line of text that is being read.
#[derive(Debug, Default)]
struct TextLine {
    text: String,
    /// Number of its letters and digits in links within the page.
    linked: usize,
    /// True if an author or a date was left out.
    has_label: bool,
}

impl TextLine {
    fn has_unlinked_words(&self) -> bool {
        self.linked < count_letters_and_digits(&self.text)
    }
}

fn count_letters_and_digits(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Reads the text of an element line by line.
struct TextReader<'a> {
    tree: &'a ThreadTree,
    is_item: &'a [bool],
    parts: &'a CommentParts,
    element: usize,
    line: TextLine,
    lines: Vec<TextLine>,
}

impl<'a> TextReader<'a> {
    fn new(
        tree: &'a ThreadTree,
        is_item: &'a [bool],
        parts: &'a CommentParts,
        element: usize,
    ) -> TextReader<'a> {
        TextReader {
            tree,
            is_item,
            parts,
            element,
            line: TextLine::default(),
            lines: Vec::new(),
        }
    }

    /// Returns the text, one line per paragraph.
    fn read(mut self) -> String {
        let mut next = self.element + 1;
        let end = self.tree.nodes[self.element].end;
        // Ends of the open elements that end a line.
        let mut ends: Vec<usize> = Vec::new();
        while next < end {
            while ends.pop_if(|block_end| *block_end <= next).is_some() {
                self.end_line();
            }
            let node = &self.tree.nodes[next];
            if self.is_item[next] || self.is_left_out(next) {
                let is_block = node.kind.set_bit() != 0;
                if is_block {
                    self.end_line();
                }
                next = node.end;
                continue;
            }
            match node.kind {
                ElementKind::Inline | ElementKind::Link => self.add_text(next),
                ElementKind::Gap => self.line.text.push(' '),
                ElementKind::Break => self.end_line(),
                _ => {
                    self.end_line();
                    ends.push(node.end);
                }
            }
            next += 1;
        }
        self.end_line();
        self.join_lines()
    }

    /// Returns `true` for an author, a date, and an element around the text.
    fn is_left_out(&mut self, number: usize) -> bool {
        let labels = [&self.parts.author, &self.parts.date];
        let is_label = labels
            .into_iter()
            .flatten()
            .any(|label| label.element == number);
        self.line.has_label |= is_label;
        let node = &self.tree.nodes[number];
        let all = self.tree.nodes[self.element].size;
        is_label || node.roles.is_margin && !node.roles.is_body && node.size * 2 <= all
    }

    fn add_text(&mut self, number: usize) {
        let node = &self.tree.nodes[number];
        self.line.text.push_str(&node.text);
        let around = &self.tree.nodes[node.parent].roles;
        if around.is_inner_link {
            self.line.linked += count_letters_and_digits(&node.text);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.text.chars().any(|c| !c.is_whitespace()) {
            self.lines.push(line);
        }
    }

    /// Returns the lines without links that are alone, and without what remains of a line with an
    /// author or a date, unless that is all.
    fn join_lines(self) -> String {
        let is_text = |line: &&TextLine| {
            line.has_unlinked_words() && (!line.has_label || text_size(&line.text) > MAX_REST_SIZE)
        };
        let join = |lines: Vec<&TextLine>| {
            let lines: Vec<String> = lines
                .iter()
                .map(|line| line.text.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect();
            lines.join("\n")
        };
        let text = join(self.lines.iter().filter(is_text).collect());
        if text.is_empty() {
            let unlinked = |line: &&TextLine| line.has_unlinked_words();
            return join(self.lines.iter().filter(unlinked).collect());
        }
        text
    }
}
