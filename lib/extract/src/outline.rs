//! The outline of a page: its blocks of text, and the block elements that contain them.
//!
//! The outline is built in one walk over the parsed tree. A *block* is a run of text between two
//! boundaries of block elements. A block element is described by its tag, its names, and the text
//! in it. The content of scripts and styles is not text.

use crate::attributes::{
    attribute_value, element_hints, is_comment_anchor, is_json_ld, is_text_section, tag_class_hash,
};
use crate::blanks::is_gap_a_blank;
use crate::element_kind::ElementKind;
use crate::hints::MarkupHints;
use crate::inline_marks::{InlineMark, InlineMarker, MarkedText};
use crate::metadata::PageMetadata;
use crate::note_marks::is_note_mark;
use crate::paragraphs::{SOURCE_LINE_BREAK, tidy_text};
use crate::visual_order::logical_text;
use dom_query::{Document, Element, NodeData, NodeId, NodeRef};
use html5ever::Attribute;

/// A run of text.
#[derive(Debug, Default)]
pub(crate) struct TextBlock {
    /// Tidied text; a `<br>` and a line break in `<pre>` become line feeds.
    pub text: String,
    /// Size of the text (see [`text_size`]).
    pub size: usize,
    /// Number of the innermost block element around it.
    pub element: usize,
    /// Size of the text in links.
    pub linked: usize,
    /// Number of links that begin in it.
    pub links: usize,
    /// Hints from inline elements at its beginning.
    pub hints: MarkupHints,
    /// The text with the marks of inline elements, if these are wanted.
    pub marked: Option<MarkedText>,
}

/// A block element.
#[derive(Debug)]
pub(crate) struct BlockElement {
    pub kind: ElementKind,
    /// 1 to 6 for a heading, else 0.
    pub heading_level: u8,
    /// True for `<dt>`.
    pub is_term: bool,
    /// True for `<ol>`.
    pub is_ordered: bool,
    /// Number of the block element around it; the first element is its own parent.
    pub parent: usize,
    pub depth: usize,
    pub hints: MarkupHints,
    /// Its own hints and those of its ancestors.
    pub inherited_hints: MarkupHints,
    /// Its own kind and those of its ancestors, as a set of bits.
    pub kinds_around: u32,
    /// A hash of tag and class, which similar siblings share.
    pub tag_class_hash: u64,
    /// Size of all text in it.
    pub size: usize,
    /// Size of all linked text in it.
    pub linked: usize,
    /// Number of the first block in it or, if it has none, after it.
    pub first_block: usize,
    /// Number of the first block after it.
    pub end_block: usize,
}

/// The blocks and block elements of a page, in document order.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub blocks: Vec<TextBlock>,
    pub elements: Vec<BlockElement>,
    /// Nodes of the tree that are block elements, with their numbers.
    pub nodes: Vec<(NodeId, usize)>,
    /// The targets of links to the comments of readers: the number of the first block after each,
    /// and of the block element around it.
    pub comment_anchors: Vec<(usize, usize)>,
    /// Marks of comments, in document order: forms, and elements that are named for comments,
    /// authors or dates.
    pub comment_marks: Vec<CommentMark>,
    /// Those of them that are forms, or named for comments of readers or for messages of a forum.
    pub strong_comment_marks: Vec<CommentMark>,
    /// Numbers of the elements that are named for comments but may be sections of the text.
    pub comment_sections: Vec<usize>,
}

/// Where a mark of comments is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommentMark {
    /// Number of the first block in it or, if it has none, after it.
    pub block: usize,
    /// Its number or, if it is an inline element, the number of the next block element.
    pub element: usize,
}

impl Outline {
    /// Returns the level and the text of each heading, from `<h1>` to `<h4>`, in document order.
    pub fn headings(&self) -> impl Iterator<Item = (u8, &str)> {
        self.blocks.iter().filter_map(|block| {
            let level = self.elements[block.element].heading_level;
            (1..=4)
                .contains(&level)
                .then_some((level, block.text.as_str()))
        })
    }
}

/// Builds the outline of a page.
pub(crate) fn build_outline(document: &Document, metadata: &mut PageMetadata) -> Outline {
    build(document, metadata, None)
}

/// Builds the outline of a page as [`build_outline()`] does, with the marks of inline elements.
pub(crate) fn build_marked_outline(document: &Document, metadata: &mut PageMetadata) -> Outline {
    build(document, metadata, Some(InlineMarker::default()))
}

fn build(
    document: &Document,
    metadata: &mut PageMetadata,
    marker: Option<InlineMarker>,
) -> Outline {
    let mut builder = OutlineBuilder {
        marker,
        outline: Outline::default(),
        metadata,
        open: Vec::new(),
        run: TextBlock::default(),
        context: InlineContext::default(),
    };
    builder.open_element(ElementKind::Other, "", MarkupHints::default(), 0);
    builder.walk(document);
    builder.close_run();
    builder.close_element();
    let mut outline = builder.outline;
    sum_text_sizes(&mut outline);
    outline
}

struct OutlineBuilder<'a> {
    outline: Outline,
    metadata: &'a mut PageMetadata,
    /// Numbers of the open block elements.
    open: Vec<usize>,
    /// The current run of text.
    run: TextBlock,
    context: InlineContext,
    /// Collects the marks of inline elements, if these are wanted.
    marker: Option<InlineMarker>,
}

/// The state that determines how text is handled.
#[derive(Debug, Default)]
struct InlineContext {
    /// Open links.
    links: usize,
    /// Open `<pre>` elements.
    preformatted: usize,
    /// True after an element that separates words.
    is_after_gap: bool,
    target: TextTarget,
}

/// The destination of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TextTarget {
    #[default]
    Block,
    Title,
    JsonLd,
}

/// The action at the end of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndAction {
    CloseBlockElement,
    CloseLink,
    CloseMark,
    AddGap,
    CloseTitleOrScript,
    Nothing,
}

impl OutlineBuilder<'_> {
    /// Visits all nodes depth first, without recursion.
    fn walk(&mut self, document: &Document) {
        let root = document.root();
        let mut stack: Vec<(EndAction, Option<NodeRef>)> =
            vec![(EndAction::Nothing, root.first_child())];
        while let Some((_, next)) = stack.last_mut() {
            let Some(node) = next.take() else {
                if let Some((action, _)) = stack.pop() {
                    self.end_element(action);
                }
                continue;
            };
            *next = node.next_sibling();
            if let Some(action) = self.enter_node(&node) {
                stack.push((action, node.first_child()));
            }
        }
    }

    /// Adds a node. Returns the action at its end, or `None` if its children are not visited.
    fn enter_node(&mut self, node: &NodeRef) -> Option<EndAction> {
        if is_note_mark(node) {
            return None;
        }
        if node.has_name("textarea") && !is_text(&node.text()) {
            self.context.is_after_gap = true;
            return None;
        }
        let action = node.query_or(None, |inner| match &inner.data {
            NodeData::Text { contents } => {
                self.add_text(contents);
                None
            }
            NodeData::Element(element) => self.start_element(element),
            _ => None,
        });
        if action == Some(EndAction::CloseBlockElement)
            && let Some(&number) = self.open.last()
        {
            self.outline.nodes.push((node.id, number));
        }
        action
    }

    fn add_text(&mut self, text: &str) {
        match self.context.target {
            TextTarget::Block => {}
            TextTarget::Title => return self.metadata.add_title_text(text),
            TextTarget::JsonLd => return self.metadata.add_script_text(text),
        }
        self.add_blank_after_gap(text);
        if self.context.preformatted > 0 {
            self.push_text(text);
        } else {
            let mut parts = text.split('\n');
            self.push_text(parts.next().unwrap_or_default());
            for part in parts {
                self.push_text(SOURCE_LINE_BREAK.encode_utf8(&mut [0; 4]));
                self.push_text(part);
            }
        }
        if self.context.links > 0 {
            self.run.linked += text_size(text);
            self.metadata.add_link_text(text);
        }
    }

    /// Adds text to the run.
    fn push_text(&mut self, text: &str) {
        self.run.text.push_str(text);
        if let Some(marker) = &mut self.marker {
            marker.push_text(text);
        }
    }

    /// Adds the blank that an element between the run and this text stands for.
    fn add_blank_after_gap(&mut self, text: &str) {
        if self.context.is_after_gap && !text.is_empty() {
            self.context.is_after_gap = false;
            if is_gap_a_blank(&self.run.text, text) {
                self.push_text(" ");
                if self.context.links > 0 {
                    self.metadata.add_link_text(" ");
                }
            }
        }
    }

    fn start_element(&mut self, element: &Element) -> Option<EndAction> {
        let name: &str = &element.name.local;
        let kind = ElementKind::new(name, &element.attrs);
        if kind == ElementKind::Void && name == "a" {
            return None;
        }
        self.metadata
            .add_start_tag(name, |attribute| attribute_value(&element.attrs, attribute));
        match kind {
            ElementKind::Void => return None,
            ElementKind::Title => {
                self.context.target = TextTarget::Title;
                return Some(EndAction::CloseTitleOrScript);
            }
            ElementKind::Script => {
                let is_json_ld = is_json_ld(&element.attrs);
                self.context.target = if is_json_ld {
                    TextTarget::JsonLd
                } else {
                    TextTarget::Block
                };
                return is_json_ld.then_some(EndAction::CloseTitleOrScript);
            }
            ElementKind::Break => {
                self.break_line();
                return None;
            }
            ElementKind::Gap => {
                self.context.is_after_gap = true;
                return None;
            }
            _ => {}
        }
        let hints = element_hints(element);
        if kind == ElementKind::Link {
            if is_comment_anchor(element) {
                let around = self.open.last().copied().unwrap_or_default();
                let is_in_run = self.run.text.chars().any(char::is_alphanumeric);
                let next_block = self.outline.blocks.len() + usize::from(is_in_run);
                self.outline.comment_anchors.push((next_block, around));
            } else {
                self.add_comment_mark(name, hints);
            }
            self.context.links += 1;
            self.run.links += 1;
            self.begin_mark(name, &element.attrs);
            return Some(EndAction::CloseLink);
        }
        if matches!(kind, ElementKind::Inline | ElementKind::Apart) {
            self.add_comment_mark(name, hints);
            if self.run.text.trim().is_empty() {
                self.run.hints |= hints;
            }
            if kind == ElementKind::Inline {
                return Some(match self.begin_mark(name, &element.attrs) {
                    true => EndAction::CloseMark,
                    false => EndAction::Nothing,
                });
            }
            self.context.is_after_gap = true;
            return Some(EndAction::AddGap);
        }
        self.close_run();
        let heading_level = heading_level(kind, name);
        let is_section = hints.has_any(MarkupHints::COMMENT) && is_text_section(element);
        if is_section {
            let number = self.outline.elements.len();
            self.outline.comment_sections.push(number);
        } else if heading_level == 0 || hints.has_any(MarkupHints::BYLINE) {
            self.add_comment_mark(name, hints);
        }
        self.open_element(kind, name, hints, tag_class_hash(element));
        self.context.preformatted += usize::from(kind == ElementKind::Pre);
        Some(EndAction::CloseBlockElement)
    }

    /// Adds an element to the marks of comments if it is one. In code, names are of its syntax.
    fn add_comment_mark(&mut self, tag: &str, hints: MarkupHints) {
        let marks = MarkupHints::COMMENT | MarkupHints::BYLINE;
        let is_mark = matches!(tag, "form" | "time") || hints.has_any(marks);
        if is_mark && tag != "pre" && self.context.preformatted == 0 {
            let mark = CommentMark {
                block: self.outline.blocks.len(),
                element: self.outline.elements.len(),
            };
            self.outline.comment_marks.push(mark);
            let strong = MarkupHints::READER_COMMENT | MarkupHints::FORUM;
            if tag == "form" || hints.has_any(strong) {
                self.outline.strong_comment_marks.push(mark);
            }
        }
    }

    fn end_element(&mut self, action: EndAction) {
        match action {
            EndAction::Nothing => {}
            EndAction::AddGap => self.context.is_after_gap = true,
            EndAction::CloseTitleOrScript => {
                self.metadata.end_title_or_script();
                self.context.target = TextTarget::Block;
            }
            EndAction::CloseLink => {
                self.context.links = self.context.links.saturating_sub(1);
                self.metadata.end_link();
                self.end_mark();
            }
            EndAction::CloseMark => self.end_mark(),
            EndAction::CloseBlockElement => {
                self.close_run();
                self.close_element();
            }
        }
    }

    /// Begins the mark of an inline element. Returns `true` if it has one, and marks are wanted.
    fn begin_mark(&mut self, name: &str, attributes: &[Attribute]) -> bool {
        let (Some(marker), Some(mark)) = (&mut self.marker, InlineMark::from_name(name)) else {
            return false;
        };
        let href = attribute_value(attributes, "href").filter(|href| !href.starts_with('#'));
        let url = href.and_then(|href| self.metadata.resolve(href));
        marker.begin(mark, url.map(String::from).unwrap_or_default());
        true
    }

    fn end_mark(&mut self) {
        if let Some(marker) = &mut self.marker {
            marker.end();
        }
    }

    fn open_element(
        &mut self,
        kind: ElementKind,
        name: &str,
        hints: MarkupHints,
        tag_class_hash: u64,
    ) {
        let number = self.outline.elements.len();
        let parent = self.open.last().copied().unwrap_or(number);
        let around = self.outline.elements.get(parent);
        let first_block = self.outline.blocks.len();
        let element = BlockElement {
            kind,
            heading_level: heading_level(kind, name),
            is_term: name == "dt",
            is_ordered: name == "ol",
            parent,
            depth: around.map_or(0, |parent| parent.depth + 1),
            hints,
            inherited_hints: around.map_or(hints, |parent| parent.inherited_hints | hints),
            kinds_around: kind.set_bit() | around.map_or(0, |parent| parent.kinds_around),
            tag_class_hash,
            size: 0,
            linked: 0,
            first_block,
            end_block: first_block,
        };
        self.outline.elements.push(element);
        self.open.push(number);
    }

    fn close_element(&mut self) {
        if let Some(number) = self.open.pop() {
            let element = &mut self.outline.elements[number];
            element.end_block = self.outline.blocks.len();
            self.context.preformatted -= usize::from(element.kind == ElementKind::Pre);
        }
    }

    /// Ends a line. An empty line ends the block, as pages without `<p>` separate paragraphs.
    fn break_line(&mut self) {
        let is_empty = self
            .run
            .text
            .trim_end_matches([' ', '\t', SOURCE_LINE_BREAK])
            .ends_with('\n');
        self.push_text("\n");
        if is_empty && self.context.preformatted == 0 {
            self.close_run();
        }
    }

    /// Ends the run of text. It becomes a block if it has a letter or a digit.
    fn close_run(&mut self) {
        let mut run = std::mem::take(&mut self.run);
        self.context.is_after_gap = false;
        if self.metadata.is_visual {
            run.text = logical_text(&run.text);
        }
        run.text = tidy_text(&run.text);
        let is_preformatted = self.context.preformatted > 0;
        run.marked = self
            .marker
            .as_mut()
            .map(|marker| marker.take_run(is_preformatted));
        if run.text.chars().any(char::is_alphanumeric) {
            run.size = text_size(&run.text);
            run.element = self.open.last().copied().unwrap_or_default();
            self.outline.blocks.push(run);
        }
    }
}

/// Returns `true` for a text in a form that is to be read, such as a poem, not a prompt or code to
/// embed.
fn is_text(text: &str) -> bool {
    /// Set by judgement, not measured.
    const MIN_SIZE: usize = 60;
    text_size(text) >= MIN_SIZE && !text.contains(['<', '{'])
}

/// Returns the level of a heading, or 0 for an element of another kind.
fn heading_level(kind: ElementKind, name: &str) -> u8 {
    match kind {
        ElementKind::Heading => name.as_bytes()[1] - b'0',
        _ => 0,
    }
}

/// Sets the text sizes of the block elements. An element precedes its descendants.
fn sum_text_sizes(outline: &mut Outline) {
    for block in &outline.blocks {
        let element = &mut outline.elements[block.element];
        element.size += block.size;
        element.linked += block.linked;
    }
    for number in (1..outline.elements.len()).rev() {
        let BlockElement {
            parent,
            size,
            linked,
            ..
        } = outline.elements[number];
        outline.elements[parent].size += size;
        outline.elements[parent].linked += linked;
    }
}

/// Returns the size of a text, comparable between scripts: the number of characters without white
/// space. An ideograph, a kana or a Hangul syllable counts as three, as it conveys about as much as
/// three letters.
pub(crate) fn text_size(text: &str) -> usize {
    // The weight of each character is that of its first byte in UTF-8.
    let weight = |byte: u8| match byte {
        0..=0x20 | 0x80..=0xBF => 0,
        0xE3..=0xED => 3,
        _ => 1,
    };
    text.bytes().map(weight).sum()
}

#[cfg(test)]
pub(crate) mod tests;
