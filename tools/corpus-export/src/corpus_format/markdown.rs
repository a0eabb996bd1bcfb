//! Markdown with the metadata of each document in YAML before its text.

use crate::corpus_format::document::Document;
use crate::corpus_format::pieces::{Kind, Piece, pieces};
use crate::corpus_format::writer::CorpusWriter;
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
    let mut last_item = 0;
    for piece in pieces(document) {
        markdown.push('\n');
        push_piece(&piece, &mut last_item, &mut markdown);
    }
    markdown
}

/// Appends a piece after the marks of the parts around it. Cells of tables are paragraphs.
/// `last_item` is the number of the last item of a list that has begun.
fn push_piece(piece: &Piece, last_item: &mut usize, markdown: &mut String) {
    let (mut indent, mut mark) = (String::new(), String::new());
    for part in &piece.around {
        match part.kind {
            Kind::Quote => indent.push_str("> "),
            Kind::Item => {
                mark = format!("{indent}- ");
                indent.push_str("  ");
            }
            _ => {}
        }
    }
    let item = piece.around.iter().rfind(|part| part.kind == Kind::Item);
    match item.filter(|item| item.number > *last_item) {
        Some(item) => *last_item = item.number,
        None => mark.clone_from(&indent),
    }
    let innermost = piece.around.last();
    if innermost.is_some_and(|part| part.kind == Kind::Code) {
        let fence = code_fence(piece.text);
        let _ = writeln!(markdown, "{mark}{fence}");
        for line in piece.text.lines().chain([&*fence]) {
            let _ = writeln!(markdown, "{indent}{line}");
        }
        return;
    }
    markdown.push_str(&mark);
    if let Some(heading) = innermost.filter(|part| part.kind == Kind::Heading) {
        markdown.push_str(&"#".repeat(usize::from(heading.level)));
        markdown.push(' ');
    }
    push_escaped(piece.text, markdown);
    markdown.push('\n');
}

/// Returns a fence that no line of the code is.
fn code_fence(code: &str) -> String {
    let runs = code.split(|c| c != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or(0).max(2) + 1)
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
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;
    use serde_json::json;

    #[test]
    fn parts_of_the_text_have_marks() {
        let part = |kind: &str, start: usize, end: usize| json!({"kind": kind, "level": 2, "start": start, "end": end});
        let record = json!({"text": "Čas\nena\ndve\nše\nx\n```\n- d", "structure": [
            part("heading", 0, 3), part("list", 4, 14), part("item", 4, 14), part("list", 8, 11), part("item", 8, 11),
            part("code", 15, 20), part("quote", 21, 24)]});
        let mut out = Vec::new();
        with_document(&record.to_string(), |document| {
            MarkdownWriter::default().add(document, &mut out).unwrap()
        });
        let text = String::from_utf8(out).unwrap();
        let (_, text) = text.split_once("\n---\n").unwrap();
        let expected = "\n## Čas\n\n- ena\n\n  - dve\n\n  še\n\n````\nx\n```\n````\n\n> \\- d\n";
        assert_eq!(text, expected);
    }

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
