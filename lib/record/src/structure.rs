//! The typed view of the structure of a text.

use serde::{Deserialize, Serialize};

/// A kind of part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// Text in no other part but lists, quotations and tables.
    Paragraph,
    /// A heading.
    Heading,
    /// A list.
    List,
    /// An item of a list.
    Item,
    /// A quotation.
    Quote,
    /// A table.
    Table,
    /// A row of a table.
    Row,
    /// A cell of a table.
    Cell,
    /// Preformatted text.
    Code,
    /// The caption of a table or a figure.
    Caption,
    /// A kind of another program.
    #[serde(other)]
    Other,
}

impl PartKind {
    /// Returns `true` if text directly in the part is a paragraph of its own.
    pub fn has_paragraphs(self) -> bool {
        use PartKind::{List, Quote, Row, Table};
        matches!(self, List | Quote | Table | Row)
    }
}

/// An item of `structure`: a part of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructurePart {
    /// Its kind.
    pub kind: PartKind,
    /// The level of a heading, or of a list and its items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Where it begins in the text, in Unicode characters.
    pub start: usize,
    /// Where it ends in the text, in Unicode characters.
    pub end: usize,
}
