//! CoNLL-U without annotation: documents, paragraphs, sentences and tokens, for parsers to fill in.

use crate::corpus_format::document::Document;
use crate::corpus_format::sentences::{sentences, tokens};
use crate::corpus_format::unique::UniqueNames;
use crate::corpus_format::writer::CorpusWriter;
use crate::corpus_format::xml::one_line;
use forage_text::{Spelling, paragraphs};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes CoNLL-U.
#[derive(Debug, Default)]
pub(crate) struct ConlluWriter {
    names: UniqueNames,
    buffer: String,
}

impl CorpusWriter for ConlluWriter {
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        // The ids of sentences must be unique, and have no blank.
        let id = self.names.name(&one_line(&document.id).replace(' ', "_"));
        // A slash is reserved in them (CoNLL-U, "Sentence Boundaries and Comments"): udapi 0.5.2
        // takes what follows it for the zone of a bundle, and refuses the file.
        let sentence_id = id.replace('/', "%2F");
        let lines = &mut self.buffer;
        lines.clear();
        let mut number = 0;
        let spelling = Spelling::of_text(&document.text);
        for paragraph in paragraphs(&document.text) {
            let mut is_first_of_paragraph = true;
            for sentence in sentences(paragraph) {
                let tokens = tokens(sentence, &spelling);
                if tokens.is_empty() {
                    continue;
                }
                if number == 0 {
                    push_metadata(document, &id, lines);
                }
                if std::mem::take(&mut is_first_of_paragraph) {
                    lines.push_str("# newpar\n");
                }
                number += 1;
                let _ = writeln!(lines, "# sent_id = {sentence_id}-{number}");
                push_tokens(&tokens, lines);
            }
        }
        out.write_all(lines.as_bytes())
    }
}

fn push_metadata(document: &Document, id: &str, lines: &mut String) {
    let _ = writeln!(lines, "# newdoc id = {id}");
    for (name, value) in document.columns().into_iter().skip(1) {
        if !value.is_empty() {
            let _ = writeln!(lines, "# {name} = {}", one_line(&value));
        }
    }
}

/// Appends the text of a sentence and its tokens. The text is that of the tokens, with one blank
/// where the document has blanks, as validators compare them.
fn push_tokens(tokens: &[(&str, bool)], lines: &mut String) {
    lines.push_str("# text = ");
    for (index, (token, is_joined)) in tokens.iter().enumerate() {
        if index > 0 && !is_joined {
            lines.push(' ');
        }
        lines.push_str(token);
    }
    lines.push('\n');
    for (index, (token, _)) in tokens.iter().enumerate() {
        let is_joined = tokens
            .get(index + 1)
            .is_some_and(|(_, is_joined)| *is_joined);
        let misc = if is_joined { "SpaceAfter=No" } else { "_" };
        let _ = writeln!(lines, "{}\t{token}\t_\t_\t_\t_\t_\t_\t_\t{misc}", index + 1);
    }
    lines.push('\n');
}

#[cfg(test)]
mod tests {
    use super::ConlluWriter;
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;

    #[test]
    fn documents_paragraphs_and_sentences_are_marked() {
        let mut out = Vec::new();
        let mut writer = ConlluWriter::default();
        let json = r#"{"id":"a b","url":"http://a.test/","text":"Lep  dan. Res!\nDa"}"#;
        for _ in 0..2 {
            with_document(json, |document| writer.add(document, &mut out).unwrap());
        }
        let text = String::from_utf8(out).unwrap();
        let expected = "# newdoc id = a_b\n# url = http://a.test/\n# host = a.test\n# newpar\n\
            # sent_id = a_b-1\n# text = Lep dan.\n\
            1\tLep\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdan\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\
            3\t.\t_\t_\t_\t_\t_\t_\t_\t_\n\n# sent_id = a_b-2\n# text = Res!\n";
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(text.matches("# newpar").count(), 4);
        assert!(text.contains("# newdoc id = a_b-2\n"), "{text}");
    }

    #[test]
    fn a_document_without_a_token_is_left_out() {
        let mut out = Vec::new();
        with_document(r#"{"text":"\u200b"}"#, |document| {
            ConlluWriter::default().add(document, &mut out).unwrap();
        });
        assert!(out.is_empty());
    }
}
