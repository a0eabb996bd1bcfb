//! The text of an element of a thread, line by line.

use super::parts::CommentParts;
use super::roles::has_digit;
use super::thread_tree::{CommentItems, ThreadTree};
use crate::element_kind::ElementKind;
use crate::outline::text_size;
use crate::paragraphs::join_words;

/// Size up to which the rest of a line with an author or a date is left out, such as "says:".
pub(super) const MAX_REST_SIZE: usize = 24;

/// A line of text.
#[derive(Debug, Default)]
pub(super) struct TextLine {
    pub text: String,
    /// Numbers of its texts, in document order.
    pub nodes: Vec<usize>,
    /// Number of its letters and digits in links within the page.
    linked: usize,
    /// True if an author or a date was left out.
    has_label: bool,
}

impl TextLine {
    /// Returns its words, separated by spaces.
    pub fn tidy(&self) -> String {
        join_words(&self.text)
    }

    /// Returns its words, separated by spaces, without links within the page, such as "Reply",
    /// unless they have a digit, as a date has.
    pub fn without_inner_links(&self, tree: &ThreadTree) -> String {
        let is_wanted = |&&number: &&usize| {
            let node = &tree.nodes[number];
            !tree.nodes[node.parent].roles.is_inner_link || has_digit(&node.text)
        };
        let texts = self.nodes.iter().filter(is_wanted);
        let text: String = texts
            .map(|&number| tree.nodes[number].text.as_str())
            .collect();
        join_words(&text)
    }

    fn has_unlinked_words(&self) -> bool {
        self.linked < count_letters_and_digits(&self.text)
    }
}

fn count_letters_and_digits(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Reads the text of an element line by line.
pub(super) struct TextReader<'a> {
    items: &'a CommentItems<'a>,
    parts: &'a CommentParts,
    element: usize,
    /// True if nothing is left out but the skipped element.
    keeps_all: bool,
    skipped: Option<usize>,
    line: TextLine,
    lines: Vec<TextLine>,
}

impl<'a> TextReader<'a> {
    /// Returns a reader of an element of a comment with these parts.
    pub fn new(
        items: &'a CommentItems<'a>,
        parts: &'a CommentParts,
        element: usize,
    ) -> TextReader<'a> {
        TextReader {
            items,
            parts,
            element,
            keeps_all: false,
            skipped: None,
            line: TextLine::default(),
            lines: Vec::new(),
        }
    }

    /// Returns the text, one line per paragraph.
    pub fn read(mut self) -> String {
        self.read_lines();
        self.join_lines()
    }

    /// Returns all lines of the comment, or all outside its body.
    pub fn all_lines(mut self, is_outside_body: bool) -> Vec<TextLine> {
        self.keeps_all = true;
        self.skipped = self.parts.body.filter(|_| is_outside_body);
        self.read_lines();
        self.lines
    }

    fn read_lines(&mut self) {
        let mut next = self.element + 1;
        let end = self.items.tree.nodes[self.element].end;
        // Ends of the open elements that end a line.
        let mut ends: Vec<usize> = Vec::new();
        while next < end {
            while ends.pop_if(|block_end| *block_end <= next).is_some() {
                self.end_line();
            }
            let node = &self.items.tree.nodes[next];
            if self.items.is_item[next] || node.is_reply_list || self.is_left_out(next) {
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
    }

    /// Returns `true` for an author, a date, and an element around the text.
    fn is_left_out(&mut self, number: usize) -> bool {
        if self.keeps_all {
            return self.skipped == Some(number);
        }
        let labels = [&self.parts.author, &self.parts.date];
        let is_label = labels
            .into_iter()
            .flatten()
            .any(|label| label.element == number);
        self.line.has_label |= is_label;
        let node = &self.items.tree.nodes[number];
        let all = self.items.tree.nodes[self.element].size;
        let is_label = is_label || self.parts.label_nodes.contains(&number);
        is_label || node.roles.is_margin && !node.roles.is_body && node.size * 2 <= all
    }

    fn add_text(&mut self, number: usize) {
        let node = &self.items.tree.nodes[number];
        if node.text.is_empty() {
            return;
        }
        self.line.text.push_str(&node.text);
        self.line.nodes.push(number);
        let around = &self.items.tree.nodes[node.parent].roles;
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
        let byline = self.parts.byline.as_deref();
        let is_text = |line: &&TextLine| {
            let is_rest = line.has_label && text_size(&line.text) <= MAX_REST_SIZE;
            line.has_unlinked_words()
                && !is_rest
                && byline.is_none_or(|byline| line.without_inner_links(self.items.tree) != byline)
        };
        let join = |lines: Vec<&TextLine>| {
            let lines: Vec<String> = lines.into_iter().map(TextLine::tidy).collect();
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
