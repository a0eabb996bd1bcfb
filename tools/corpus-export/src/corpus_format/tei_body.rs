//! The body of a document in TEI: divisions, paragraphs, lists, tables, quotations and code by the
//! structure of the text, with sentences in them.

use crate::corpus_format::document::Document;
use crate::corpus_format::pieces::{Kind, OpenPart, Piece, pieces};
use crate::corpus_format::sentences::sentences;
use crate::corpus_format::xml::xml_text;
use forage_text::paragraphs;
use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesPI, BytesStart, BytesText, Event};
use std::io;

/// Maximum length of a text node or an attribute in bytes. libxml2 refuses a longer one than
/// `XML_MAX_TEXT_LENGTH`,
/// 10,000,000, if it is not told that documents are huge.
pub(crate) const MAX_NODE_BYTES: usize = 8_000_000;

/// Writes text, of which a node has at most [`MAX_NODE_BYTES`].
pub(crate) fn write_text(xml: &mut Writer<&mut Vec<u8>>, mut text: &str) -> io::Result<()> {
    while text.len() > MAX_NODE_BYTES {
        let node;
        (node, text) = text.split_at(text.floor_char_boundary(MAX_NODE_BYTES));
        xml.write_event(Event::Text(BytesText::new(node)))?;
        // An instruction may be anywhere, and is no part of the text.
        xml.write_event(Event::PI(BytesPI::new("continued")))?;
    }
    xml.write_event(Event::Text(BytesText::new(text)))
}

/// Writes the content of `body`.
pub(crate) fn write_body(xml: &mut Writer<&mut Vec<u8>>, document: &Document) -> io::Result<()> {
    let mut body = BodyWriter {
        xml,
        divisions: Vec::new(),
        open: Vec::new(),
        has_text: false,
        is_empty: true,
    };
    for piece in pieces(document) {
        body.write_piece(&piece)?;
    }
    body.finish()
}

struct BodyWriter<'a, 'b> {
    xml: &'a mut Writer<&'b mut Vec<u8>>,
    /// The levels of the headings of the open divisions.
    divisions: Vec<u8>,
    /// The open parts, with the elements that each of them has.
    open: Vec<(OpenPart, Vec<&'static str>)>,
    /// True if the innermost element ends with a sentence.
    has_text: bool,
    is_empty: bool,
}

impl BodyWriter<'_, '_> {
    fn write_piece(&mut self, piece: &Piece) -> io::Result<()> {
        let text = xml_text(piece.text);
        if text.trim().is_empty() {
            return Ok(());
        }
        let around = piece.around.iter().zip(&self.open);
        let same = around.take_while(|(part, (open, _))| part == &open).count();
        self.close_parts(same)?;
        for (depth, part) in piece.around.iter().enumerate().skip(same) {
            let outer = depth.checked_sub(1).map(|outer| piece.around[outer].kind);
            self.open_part(*part, outer)?;
        }
        if piece
            .around
            .last()
            .is_some_and(|part| part.kind == Kind::Code)
        {
            return write_text(self.xml, &text);
        }
        for line in paragraphs(&text) {
            self.write_sentences(line)?;
        }
        Ok(())
    }

    fn open_part(&mut self, part: OpenPart, outer: Option<Kind>) -> io::Result<()> {
        if outer.is_none() && part.kind == Kind::Heading {
            self.close_divisions(part.level)?;
            self.start("div")?;
            self.divisions.push(part.level);
        }
        let elements = elements_of(part.kind, outer);
        for name in &elements {
            self.start(name)?;
        }
        self.open.push((part, elements));
        Ok(())
    }

    /// Closes the parts from a depth on.
    fn close_parts(&mut self, depth: usize) -> io::Result<()> {
        for (_, elements) in self.open.split_off(depth).iter().rev() {
            for name in elements.iter().rev() {
                self.end(name)?;
            }
        }
        Ok(())
    }

    /// Closes the divisions whose headings are not above one of this level.
    fn close_divisions(&mut self, level: u8) -> io::Result<()> {
        while self.divisions.pop_if(|open| *open >= level).is_some() {
            self.end("div")?;
        }
        Ok(())
    }

    fn write_sentences(&mut self, line: &str) -> io::Result<()> {
        let mut end = 0;
        for sentence in sentences(line) {
            let start = sentence.as_ptr() as usize - line.as_ptr() as usize;
            if std::mem::replace(&mut self.has_text, true) && (end == 0 || start > end) {
                write_text(self.xml, " ")?;
            }
            end = start + sentence.len();
            self.start("s")?;
            write_text(self.xml, sentence)?;
            self.end("s")?;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.close_parts(0)?;
        self.close_divisions(0)?;
        if self.is_empty {
            self.xml.write_event(Event::Empty(BytesStart::new("p")))?;
        }
        Ok(())
    }

    fn start(&mut self, name: &str) -> io::Result<()> {
        (self.is_empty, self.has_text) = (false, false);
        self.xml.write_event(Event::Start(BytesStart::new(name)))
    }

    fn end(&mut self, name: &str) -> io::Result<()> {
        // A sentence that follows a nested element is after a blank.
        self.has_text = true;
        self.xml.write_event(Event::End(BytesEnd::new(name)))
    }
}

/// Returns the elements of a part, the outermost first: with those that the schema requires between
/// it and the part around it.
fn elements_of(kind: Kind, outer: Option<Kind>) -> Vec<&'static str> {
    use Kind::{Caption, Cell, Code, Heading, Item, List, Other, Paragraph, Quote, Row, Table};
    let (between, is_member): (&[_], bool) = match (outer, kind) {
        (Some(List), Item) | (Some(Table), Row) | (Some(Row), Cell) => (&[], true),
        (Some(Table), Cell) => (&["row"], true),
        (Some(List), _) => (&["item"], false),
        (Some(Table), _) => (&["row", "cell"], false),
        (Some(Row), _) => (&["cell"], false),
        _ => (&[], false),
    };
    let parents: &[_] = match kind {
        _ if is_member => &[],
        Item => &["list"],
        Row => &["table"],
        Cell => &["table", "row"],
        _ => &[],
    };
    let own = match kind {
        Heading if outer.is_none() => "head",
        Paragraph | Heading | Caption | Other => "p",
        List => "list",
        Item => "item",
        Quote => "quote",
        Table => "table",
        Row => "row",
        Cell => "cell",
        Code => "eg",
    };
    [between, parents, &[own]].concat()
}
