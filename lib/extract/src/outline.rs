//! A page as a list of blocks of text, each in its place among the elements that hold it.
//!
//! One walk over the parsed tree. A *block* is a run of text between two borders of block elements;
//! a *frame* is a block element with what is known of it and of all text in it. Text of scripts and
//! styles is none.

use crate::attributes::{hints, is_data, kind, value};
use crate::facts::Facts;
use crate::hints::Hints;
use crate::paragraphs::tidy;
use crate::tags::Tag;
use dom_query::{Document, Element, NodeData, NodeRef};

/// The attribute that marks a frame's element, so that it is known again in what another extractor
/// leaves of the page.
pub(crate) const MARK: &str = "data-forage";

/// A run of text.
#[derive(Debug, Default)]
pub(crate) struct TextBlock {
    /// Tidy; a `<br>` and a line end in `<pre>` are line feeds.
    pub text: String,
    /// How much text it is (see [`size`]).
    pub size: usize,
    /// The frame that holds it.
    pub frame: usize,
    /// How much of it is in links.
    pub linked: usize,
    /// Links that begin in it.
    pub links: usize,
    /// Hints of inline elements at its beginning.
    pub hints: Hints,
}

/// A block element.
#[derive(Debug)]
pub(crate) struct BlockFrame {
    pub tag: Tag,
    /// The level of a heading, else 0.
    pub level: u8,
    /// The frame that holds it; the first one holds itself.
    pub parent: usize,
    pub depth: usize,
    pub hints: Hints,
    /// Hints of all that hold it, and its own.
    pub inherited: Hints,
    /// Tags of all that hold it, and its own, as a set.
    pub within: u32,
    /// Tells siblings of one kind: a hash of tag and class.
    pub kind: u64,
    /// How much text is in it, and how much linked text.
    pub size: usize,
    pub linked: usize,
    /// The first block in it or after it, and the first one after it.
    pub first: usize,
    pub end: usize,
}

/// The whole page.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub blocks: Vec<TextBlock>,
    pub frames: Vec<BlockFrame>,
}

impl Outline {
    /// The text of the first `<h1>`.
    pub fn heading(&self) -> Option<&str> {
        self.blocks
            .iter()
            .find(|block| self.frames[block.frame].level == 1)
            .map(|block| block.text.as_str())
    }
}

/// Walks over a page; each frame's element is marked with its number.
pub(crate) fn outline(document: &Document, facts: &mut Facts) -> Outline {
    let mut walk = Walk {
        outline: Outline::default(),
        facts,
        open: Vec::new(),
        run: TextBlock::default(),
        inline: Inline::default(),
    };
    walk.open_frame(Tag::Other, 0, Hints::default(), 0);
    walk.all(document);
    walk.close_run();
    walk.close_frame();
    let mut outline = walk.outline;
    sum_up(&mut outline);
    outline
}

struct Walk<'a> {
    outline: Outline,
    facts: &'a mut Facts,
    /// Frames that are open.
    open: Vec<usize>,
    run: TextBlock,
    inline: Inline,
}

/// What holds for text where the walk stands.
#[derive(Debug, Default)]
struct Inline {
    links: usize,
    preformatted: usize,
    aside: Aside,
}

/// Text that is none of the page's body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Aside {
    #[default]
    None,
    Title,
    Data,
}

/// What must be done when the walk leaves an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leave {
    BlockFrame,
    Link,
    Aside,
    Nothing,
}

impl Walk<'_> {
    /// Depth first, without recursion.
    fn all(&mut self, document: &Document) {
        let root = document.root();
        let mut left: Vec<(Leave, Option<NodeRef>)> = vec![(Leave::Nothing, root.first_child())];
        while let Some((_, next)) = left.last_mut() {
            let Some(node) = next.take() else {
                if let Some((leave, _)) = left.pop() {
                    self.leave(leave);
                }
                continue;
            };
            *next = node.next_sibling();
            if let Some(leave) = self.enter(&node) {
                left.push((leave, node.first_child()));
            }
        }
    }

    /// Takes a node in; `None` where nothing in it counts.
    fn enter(&mut self, node: &NodeRef) -> Option<Leave> {
        let leave = node.query_or(None, |inner| match &inner.data {
            NodeData::Text { contents } => {
                self.text(contents);
                None
            }
            NodeData::Element(element) => self.element(element),
            _ => None,
        });
        if leave == Some(Leave::BlockFrame)
            && let Some(frame) = self.open.last()
        {
            node.set_attr(MARK, &frame.to_string());
        }
        leave
    }

    fn text(&mut self, text: &str) {
        match self.inline.aside {
            Aside::None => {}
            Aside::Title => return self.facts.title_text(text),
            Aside::Data => return self.facts.data_text(text),
        }
        if self.inline.preformatted > 0 {
            self.run.text.push_str(text);
        } else {
            let mut parts = text.split(['\n', '\r']);
            self.run.text.push_str(parts.next().unwrap_or_default());
            for part in parts {
                self.run.text.push(' ');
                self.run.text.push_str(part);
            }
        }
        if self.inline.links > 0 {
            self.run.linked += size(text);
            self.facts.link_text(text);
        }
    }

    fn element(&mut self, element: &Element) -> Option<Leave> {
        let name: &str = &element.name.local;
        self.facts
            .element(name, |attribute| value(&element.attrs, attribute));
        let tag = Tag::from_name(name);
        match tag {
            Tag::Void => return None,
            Tag::Title => {
                self.inline.aside = Aside::Title;
                return Some(Leave::Aside);
            }
            Tag::Script => {
                let is_data = is_data(&element.attrs);
                self.inline.aside = if is_data { Aside::Data } else { Aside::None };
                return is_data.then_some(Leave::Aside);
            }
            Tag::Break => {
                self.break_line();
                return None;
            }
            Tag::Gap => {
                self.run.text.push(' ');
                return None;
            }
            _ => {}
        }
        let hints = hints(element);
        if tag == Tag::Link {
            self.inline.links += 1;
            self.run.links += 1;
            return Some(Leave::Link);
        }
        if tag == Tag::Inline {
            if self.run.text.trim().is_empty() {
                self.run.hints |= hints;
            }
            return Some(Leave::Nothing);
        }
        self.close_run();
        let level = if tag == Tag::Heading {
            name.as_bytes()[1] - b'0'
        } else {
            0
        };
        self.open_frame(tag, level, hints, kind(element));
        self.inline.preformatted += usize::from(tag == Tag::Pre);
        Some(Leave::BlockFrame)
    }

    fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Nothing => {}
            Leave::Aside => {
                self.facts.end_raw();
                self.inline.aside = Aside::None;
            }
            Leave::Link => {
                self.inline.links = self.inline.links.saturating_sub(1);
                self.facts.end_link();
            }
            Leave::BlockFrame => {
                self.close_run();
                self.close_frame();
            }
        }
    }

    fn open_frame(&mut self, tag: Tag, level: u8, hints: Hints, kind: u64) {
        let number = self.outline.frames.len();
        let parent = self.open.last().copied().unwrap_or(number);
        let around = self.outline.frames.get(parent);
        let first = self.outline.blocks.len();
        let frame = BlockFrame {
            tag,
            level,
            parent,
            depth: around.map_or(0, |frame| frame.depth + 1),
            hints,
            inherited: around.map_or(hints, |frame| frame.inherited | hints),
            within: tag.bit() | around.map_or(0, |frame| frame.within),
            kind,
            size: 0,
            linked: 0,
            first,
            end: first,
        };
        self.outline.frames.push(frame);
        self.open.push(number);
    }

    fn close_frame(&mut self) {
        if let Some(number) = self.open.pop() {
            let frame = &mut self.outline.frames[number];
            frame.end = self.outline.blocks.len();
            self.inline.preformatted -= usize::from(frame.tag == Tag::Pre);
        }
    }

    /// A line ends; where one is left empty a paragraph does, as pages without `<p>` write it.
    fn break_line(&mut self) {
        let is_empty = self.run.text.trim_end_matches([' ', '\t']).ends_with('\n');
        self.run.text.push('\n');
        if is_empty && self.inline.preformatted == 0 {
            self.close_run();
        }
    }

    /// Ends the run of text; one without a letter or digit is no block.
    fn close_run(&mut self) {
        let mut run = std::mem::take(&mut self.run);
        run.text = tidy(&run.text);
        if run.text.chars().any(char::is_alphanumeric) {
            run.size = size(&run.text);
            run.frame = self.open.last().copied().unwrap_or_default();
            self.outline.blocks.push(run);
        }
    }
}

/// Adds up what is in each frame; a frame comes before those in it.
fn sum_up(outline: &mut Outline) {
    for block in &outline.blocks {
        let frame = &mut outline.frames[block.frame];
        frame.size += block.size;
        frame.linked += block.linked;
    }
    for number in (1..outline.frames.len()).rev() {
        let BlockFrame {
            parent,
            size,
            linked,
            ..
        } = outline.frames[number];
        outline.frames[parent].size += size;
        outline.frames[parent].linked += linked;
    }
}

/// How much a text is, comparable between scripts: characters that are no white space, where an
/// ideograph, a kana or a syllable of Hangul counts thrice, as much as three letters say.
pub(crate) fn size(text: &str) -> usize {
    let weight = |byte: u8| match byte {
        0..=0x20 | 0x80..=0xBF => 0,
        0xE3..=0xED => 3,
        _ => 1,
    };
    text.bytes().map(weight).sum()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Outline, outline, size};
    use crate::facts::Facts;
    use crate::hints::Hints;
    use dom_query::Document;

    pub(crate) fn read(html: &str) -> Outline {
        outline(&Document::from(html), &mut Facts::default())
    }

    fn texts(html: &str) -> Vec<String> {
        read(html)
            .blocks
            .into_iter()
            .map(|block| block.text)
            .collect()
    }

    #[test]
    fn blocks_end_where_block_elements_do() {
        assert_eq!(
            texts("a<p>b\nc<i>d</i></p>e<br>f<table><tr><td>g<td>h"),
            ["a", "b cd", "e\nf", "g", "h"]
        );
        assert_eq!(texts("<pre>a\nb</pre><p>*</p>"), ["a\nb"]);
        assert_eq!(
            texts("a<br>b<br> <br>c<pre>d<br><br>e</pre>"),
            ["a\nb", "c", "d\ne"]
        );
    }

    #[test]
    fn words_stay_whole_and_are_read_once() {
        assert_eq!(
            texts("ri<wbr>ver<ruby>丘<rp>(</rp><rt>おか</rt><rp>)</rp></ruby>に"),
            ["river丘に"]
        );
    }

    #[test]
    fn scripts_and_titles_are_no_blocks() {
        let mut facts = Facts::default();
        let html = "<title>A &amp; B</title><script>x</script><style>y</style>\
                    <script type='application/ld+json'>{\"articleBody\": \"z\"}</script>c";
        let outline = outline(&Document::from(html), &mut facts);
        assert_eq!(
            outline
                .blocks
                .iter()
                .map(|block| block.text.as_str())
                .collect::<Vec<_>>(),
            ["c"]
        );
        assert_eq!(
            (facts.title.as_str(), facts.data.body.as_str()),
            ("A & B", "z")
        );
    }

    #[test]
    fn a_frame_knows_how_much_is_in_it_and_linked() {
        let page = read("<div class=sidebar><p>abcd <a href=x>ef</a><p>gh</div>");
        let frame = &page.frames[page.frames[page.blocks[0].frame].parent];
        assert_eq!(
            (frame.size, frame.linked, frame.end - frame.first),
            (8, 2, 2)
        );
        assert!(page.frames[page.blocks[1].frame].inherited.has(Hints::SIDE));
    }

    #[test]
    fn what_is_hidden_or_for_browsers_without_scripts_is_marked() {
        let page = read("<div style='display: none'>a</div><noscript><p>b</p></noscript>");
        let hints: Vec<Hints> = page
            .blocks
            .iter()
            .map(|block| page.frames[block.frame].inherited)
            .collect();
        assert!(hints[0].has(Hints::INVISIBLE) && hints[1].has(Hints::SCRIPTLESS));
    }

    #[test]
    fn an_ideograph_is_as_much_as_three_letters() {
        assert_eq!((size("ab č"), size("水"), size("ж ω")), (3, 3, 2));
    }
}
