//! Marked content: what is hidden, and what states its text (ISO 32000-1, 14.6).

use super::glyph::Glyph;
use std::rc::Rc;

/// Greatest nesting. What is deeper has the properties of what contains it.
const MAX_DEPTH: usize = 1 << 12;

/// The sequences of marked content that have begun.
#[derive(Debug, Default)]
pub(super) struct MarkedContent {
    open: Vec<Sequence>,
}

#[derive(Debug)]
struct Sequence {
    is_hidden: bool,
    /// Replaces that of its glyphs.
    text: Option<String>,
    /// Number of glyphs before it.
    start: usize,
}

impl MarkedContent {
    pub fn begin(&mut self, is_hidden: bool, text: Option<String>, start: usize) {
        let is_hidden = is_hidden || self.is_hidden();
        // The outermost text counts.
        let text = text.filter(|_| self.open.iter().all(|outer| outer.text.is_none()));
        if self.open.len() < MAX_DEPTH {
            self.open.push(Sequence {
                is_hidden,
                text,
                start,
            });
        }
    }

    /// Ends the innermost sequence. If it states its text, that becomes the text of its glyphs.
    pub fn end(&mut self, glyphs: &mut Vec<Glyph>) {
        let Some(Sequence {
            text: Some(text),
            start,
            ..
        }) = self.open.pop()
        else {
            return;
        };
        let Some((first, last)) = glyphs.get(start).cloned().zip(glyphs.last()) else {
            return;
        };
        let end = last.origin + last.advance;
        let advance = (end - first.origin).dot(first.direction) * first.direction;
        glyphs.truncate(start);
        if !text.is_empty() {
            glyphs.push(Glyph {
                text: Rc::from(text),
                advance,
                ..first
            });
        }
    }

    pub fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|sequence| sequence.is_hidden)
    }

    pub fn depth(&self) -> usize {
        self.open.len()
    }
}

/// Returns the text of a text string (ISO 32000-1, 7.9.2.2, and 32000-2).
pub(super) fn decode_text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => {
            let units = rest
                .chunks(2)
                .map(|unit| u16::from_be_bytes([unit[0], *unit.get(1).unwrap_or(&0)]));
            String::from_utf16_lossy(&units.collect::<Vec<_>>())
        }
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // PDFDocEncoding differs from Latin-1 in few signs.
        bytes => bytes.iter().copied().map(char::from).collect(),
    }
}
