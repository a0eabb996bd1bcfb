//! The text of a document in pieces of one line, each with the parts of the structure around it.
//!
//! Formats need no tree: a writer compares the parts around a piece with those around the one
//! before, closes what has ended and opens what has begun.

use crate::corpus_format::document::Document;
pub(crate) use forage_record::PartKind as Kind;
use forage_record::StructurePart;
use forage_text::paragraphs;

/// Depth below which parts are ignored: no text needs more.
const MAX_DEPTH: usize = 32;

/// Returns `true` if a part can contain others. What is in a paragraph or in code is its text.
fn has_parts(kind: Kind) -> bool {
    kind.has_paragraphs() || matches!(kind, Kind::Item | Kind::Cell)
}

/// A part of the structure that contains a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenPart {
    pub kind: Kind,
    /// The level of a heading, 1 to 6.
    pub level: u8,
    /// Its number in the document: greater than those of the parts that begin before it.
    pub number: usize,
}

/// A line of the text without blanks at its ends; of code, all lines as they are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece<'a> {
    pub text: &'a str,
    /// The parts around it, the outermost first. The last one is a paragraph if no other part can
    /// contain text.
    pub around: Vec<OpenPart>,
}

/// Returns the pieces of the text of a document: by its structure if that fits the text, else its
/// lines as paragraphs.
pub(crate) fn pieces<'a>(document: &'a Document) -> Vec<Piece<'a>> {
    let text = &*document.text;
    let structured = Splitter::new(text).split(&document.structure);
    structured.unwrap_or_else(|| {
        let mut splitter = Splitter::new(text);
        splitter.add_lines(text);
        splitter.pieces
    })
}

/// Cuts a text at the ends of parts.
struct Splitter<'a> {
    text: &'a str,
    /// The bytes at which the characters begin, and that at which the text ends.
    offsets: Vec<usize>,
    /// The character up to which the text has been cut.
    position: usize,
    /// The parts around it, with their ends.
    open: Vec<(OpenPart, usize)>,
    pieces: Vec<Piece<'a>>,
    /// The number of parts so far.
    count: usize,
}

impl<'a> Splitter<'a> {
    fn new(text: &'a str) -> Self {
        Splitter {
            text,
            offsets: Vec::new(),
            position: 0,
            open: Vec::new(),
            pieces: Vec::new(),
            count: 0,
        }
    }

    /// Returns the pieces; `None` if the parts are not in order and within each other, or go beyond
    /// the text.
    fn split(mut self, structure: &[StructurePart]) -> Option<Vec<Piece<'a>>> {
        if structure.is_empty() {
            return None;
        }
        let offsets = self.text.char_indices().map(|(at, _)| at);
        self.offsets = offsets.chain([self.text.len()]).collect();
        let last = self.offsets.len() - 1;
        let mut start = 0;
        for part in structure {
            let is_ordered = start <= part.start && part.start <= part.end && part.end <= last;
            start = part.start;
            self.close_until(start);
            let end_around = self.open.last().map_or(last, |(_, end)| *end);
            if !is_ordered || part.end > end_around {
                return None;
            }
            let kind = Some(part.kind).filter(|kind| *kind != Kind::Other);
            let can_have_parts = self
                .open
                .last()
                .is_none_or(|(part, _)| has_parts(part.kind));
            if let Some(kind) = kind.filter(|_| can_have_parts && self.open.len() < MAX_DEPTH) {
                self.advance(start);
                let level = part.level.unwrap_or(1).clamp(1, 6);
                let part_around = self.new_part(kind, level);
                self.open.push((part_around, part.end));
            }
        }
        self.close_until(usize::MAX);
        self.advance(last);
        Some(self.pieces)
    }

    fn new_part(&mut self, kind: Kind, level: u8) -> OpenPart {
        self.count += 1;
        OpenPart {
            kind,
            level,
            number: self.count,
        }
    }

    /// Closes the parts that end at a character or before it.
    fn close_until(&mut self, position: usize) {
        while let Some((_, end)) = self.open.last().filter(|(_, end)| *end <= position) {
            self.advance(*end);
            self.open.pop();
        }
    }

    /// Adds the text up to a character.
    fn advance(&mut self, end: usize) {
        let start = std::mem::replace(&mut self.position, end);
        let text = &self.text[self.offsets[start]..self.offsets[end]];
        self.add_lines(text);
    }

    fn add_lines(&mut self, text: &'a str) {
        let around: Vec<OpenPart> = self.open.iter().map(|(part, _)| *part).collect();
        let innermost = around.last().map(|part| part.kind);
        if innermost == Some(Kind::Code) {
            let text = text.trim_matches('\n');
            if !text.trim().is_empty() {
                self.pieces.push(Piece { text, around });
            }
            return;
        }
        for line in paragraphs(text) {
            let mut around = around.clone();
            if innermost.is_none_or(Kind::has_paragraphs) {
                around.push(self.new_part(Kind::Paragraph, 1));
            }
            self.pieces.push(Piece { text: line, around });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pieces;
    use crate::corpus_format::document::tests::with_document;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// Returns each piece with the kinds of the parts around it.
    fn described(text: &str, structure: &Value) -> Vec<String> {
        let record = json!({"text": text, "structure": structure}).to_string();
        with_document(&record, |document| {
            let describe = |piece: super::Piece| {
                let kinds = piece.around.iter().map(|part| format!("{:?}", part.kind));
                format!("{}: {}", kinds.collect::<Vec<_>>().join(" "), piece.text)
            };
            pieces(document).into_iter().map(describe).collect()
        })
    }

    fn part(kind: &str, start: usize, end: usize) -> Value {
        json!({"kind": kind, "start": start, "end": end})
    }

    #[test]
    fn pieces_are_cut_at_the_ends_of_parts() {
        let text = " Čas\nena\ndve\ntri\n  x =\n 1\nkonec";
        let structure = json!([
            part("heading", 1, 4),
            part("list", 5, 16),
            part("item", 5, 12),
            part("list", 9, 12),
            part("item", 9, 12),
            part("unknown", 13, 16),
            part("code", 17, 25)
        ]);
        let expected = [
            "Heading: Čas",
            "List Item: ena",
            "List Item List Item: dve",
            "List Paragraph: tri",
            "Code:   x =\n 1",
            "Paragraph: konec",
        ];
        assert_eq!(described(text, &structure), expected);
    }

    #[test]
    fn a_structure_that_does_not_fit_is_ignored() {
        let lines = ["Paragraph: ena", "Paragraph: dve"];
        for structure in [
            json!([]),
            json!("x"),
            json!([part("list", 0, 8)]),
            json!([part("list", 4, 3)]),
            json!([part("list", 4, 7), part("quote", 0, 3)]),
            json!([part("list", 0, 5), part("item", 4, 7)]),
        ] {
            assert_eq!(described("ena\ndve", &structure), lines, "{structure}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_lost_and_none_repeated(
            text in r"(č|a|\.| |\n){0,20}", places in prop::collection::vec((0..9_usize, 0..22_usize, 0..22_usize), 0..8)
        ) {
            let kinds = ["paragraph", "heading", "list", "item", "quote", "table", "row", "cell", "code"];
            let parts = places.iter().map(|&(kind, start, end)| part(kinds[kind], start, end));
            let structure = Value::Array(parts.collect());
            let record = json!({"text": text, "structure": structure}).to_string();
            let joined: String = with_document(&record, |document| {
                pieces(document).iter().map(|piece| piece.text).collect()
            });
            let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(ink(&joined), ink(&text));
        }
    }
}
