//! Plain text: documents separated by an empty line.
//!
//! No document has an empty line, so every empty line is the end of one.

use crate::corpus_format::document::Document;
use crate::corpus_format::writer::CorpusWriter;
use forage_text::paragraphs;
use std::io::{self, Write};

/// Writes plain text.
#[derive(Debug, Default)]
pub(crate) struct TextWriter {
    has_document: bool,
}

impl CorpusWriter for TextWriter {
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        let text = document_text(document);
        if text.is_empty() {
            return Ok(());
        }
        if std::mem::replace(&mut self.has_document, true) {
            out.write_all(b"\n")?;
        }
        out.write_all(text.as_bytes())
    }
}

/// Returns the text of a document: a line per paragraph.
pub fn document_text(document: &Document) -> String {
    let mut text = String::with_capacity(document.text.len() + 1);
    for paragraph in paragraphs(&document.text) {
        text.push_str(paragraph);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::TextWriter;
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;

    #[test]
    fn only_the_end_of_a_document_is_an_empty_line() {
        let mut out = Vec::new();
        let mut writer = TextWriter::default();
        for json in [
            r#"{"text":"\na\n\n \nb\r\nc\n"}"#,
            r#"{"text":" \n"}"#,
            r#"{"text":"d"}"#,
        ] {
            with_document(json, |document| writer.add(document, &mut out).unwrap());
        }
        assert_eq!(out, b"a\nb\nc\n\nd\n");
    }
}
