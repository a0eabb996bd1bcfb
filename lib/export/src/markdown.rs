//! Markdown with the metadata of each document in YAML before its text.

use crate::document::Document;
use crate::sentences::paragraphs;
use crate::writer::CorpusWriter;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes all documents to one file: each begins with its metadata between lines `---`, which no
/// text has.
#[derive(Debug, Default)]
pub(crate) struct MarkdownWriter {
    has_document: bool,
}

impl CorpusWriter for MarkdownWriter {
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.has_document, true) {
            out.write_all(b"\n")?;
        }
        out.write_all(document_markdown(document).as_bytes())
    }

    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// Returns a document as Markdown. Signs that would be markup are escaped.
pub fn document_markdown(document: &Document) -> String {
    let mut markdown = String::with_capacity(document.text.len() + 500);
    markdown.push_str("---\n");
    for (name, value) in document.columns() {
        if value.is_empty() {
            continue;
        }
        let _ = match name {
            "score" | "margin" => writeln!(markdown, "{name}: {value}"),
            // A string of JSON is one of YAML.
            _ => writeln!(markdown, "{name}: {}", serde_json::Value::from(&*value)),
        };
    }
    markdown.push_str("---\n");
    for paragraph in paragraphs(&document.text) {
        markdown.push('\n');
        push_escaped(paragraph, &mut markdown);
        markdown.push('\n');
    }
    markdown
}

/// Appends a paragraph with a backslash before each sign that CommonMark would interpret.
fn push_escaped(paragraph: &str, markdown: &mut String) {
    let digits = paragraph.bytes().take_while(u8::is_ascii_digit).count();
    for (at, c) in paragraph.char_indices() {
        let is_markup = match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '&' | '~' | '|' => true,
            '#' | '>' | '-' | '+' | '=' | ':' => at == 0,
            '.' | ')' => at > 0 && at == digits,
            _ => false,
        };
        if is_markup {
            markdown.push('\\');
        }
        markdown.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::MarkdownWriter;
    use crate::document::tests::with_document;
    use crate::writer::CorpusWriter;

    #[test]
    fn metadata_precedes_the_text_whose_signs_are_escaped() {
        let (mut writer, mut out) = (MarkdownWriter::default(), Vec::new());
        let json =
            r##"{"id":"x","title":"A: \"b\"\n#","text":"# a_b\n---\n1. c - d\nhttp://a.test/"}"##;
        with_document(json, |document| writer.add(document, &mut out).unwrap());
        with_document(
            r#"{"id":"y","text":"e","langid":{"code":"slv","score":0.5,"margin":1}}"#,
            |document| {
                writer.add(document, &mut out).unwrap();
            },
        );
        let expected = "---\nid: \"x\"\ntitle: \"A: \\\"b\\\"\\n#\"\n---\n\n\\# a\\_b\n\n\\---\n\n1\\. c - d\n\n\
            http://a.test/\n\n---\nid: \"y\"\nscore: 0.5\nmargin: 1\n---\n\ne\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
