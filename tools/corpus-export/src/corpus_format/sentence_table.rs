//! A table of sentences, for the bulk submission of Common Voice.
//!
//! Common Voice reads the columns by these names, tabs between them, without quotation marks or
//! escapes (its `tsvParser.ts`). `Domain` is a topic of its own list, which no page declares.

use crate::corpus_format::document::Document;
use crate::corpus_format::sentences::sentences;
use crate::corpus_format::writer::CorpusWriter;
use crate::corpus_format::xml::one_line;
use forage_text::paragraphs;
use std::io::{self, Write};

const HEADER: &str = "Sentence (mandatory)\tSource (mandatory)\tAdditional rationale for open \
    license (mandatory)\tSentence Quality Assurance Feedback: leave blank, for internal use\t\
    Domain (optional)";

/// Writes a sentence per line.
#[derive(Debug, Default)]
pub(crate) struct SentenceWriter {
    has_header: bool,
}

impl CorpusWriter for SentenceWriter {
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        if !std::mem::replace(&mut self.has_header, true) {
            writeln!(out, "{HEADER}")?;
        }
        let authors = document.fetch.author.join(", ");
        let address = match &*document.url {
            "" => &document.id,
            url => url,
        };
        let source = [&authors, &*document.title, address].map(one_line);
        let source: Vec<_> = source.into_iter().filter(|part| !part.is_empty()).collect();
        let (source, licence) = (source.join(", "), one_line(document.licence()));
        for sentence in paragraphs(&document.text).flat_map(sentences) {
            writeln!(out, "{}\t{source}\t{licence}\t\t", one_line(sentence))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{HEADER, SentenceWriter};
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;

    #[test]
    fn each_sentence_has_its_source_and_licence() {
        let (mut writer, mut out) = (SentenceWriter::default(), Vec::new());
        for json in [
            r#"{"url":"http://a.test/","title":"T","text":"\"Da,\" je\trekel. Ne.\n- Kaj?",
                "fetch":{"author":["A","B"],"licence":"CC0-1.0"}}"#,
            r#"{"id":"x.txt","text":"Res."}"#,
        ] {
            with_document(json, |document| writer.add(document, &mut out).unwrap());
        }
        let source = "A, B, T, http://a.test/\tCC0-1.0\t\t";
        let expected = format!(
            "{HEADER}\n\"Da,\" je rekel.\t{source}\nNe.\t{source}\n- Kaj?\t{source}\nRes.\tx.txt\t\t\t\n"
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
