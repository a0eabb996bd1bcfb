//! The vertical format of (No)Sketch Engine and CWB: a token or a tag per line.

use crate::corpus_format::document::Document;
use crate::corpus_format::pieces::{Kind, OpenPart, Piece, pieces};
use crate::corpus_format::sentences::{sentences, tokens};
use crate::corpus_format::writer::CorpusWriter;
use crate::corpus_format::xml::one_line;
use forage_text::{Spelling, paragraphs};
use quick_xml::escape::escape;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The elements around sentences, besides `doc` and `p`: those of a text whose structure is known.
const STRUCTURES: [&str; 6] = ["head", "list", "item", "quote", "table", "cell"];

/// The attributes of `doc`.
const ATTRIBUTES: [&str; 10] = [
    "id", "url", "title", "label", "language", "date", "licence", "host", "margin", "query",
];

/// The longest token or value in bytes: cwb-encode cuts longer ones, and stops at a line of 65,534
/// (CWB 3.5).
const LONGEST: usize = 4095;

/// Writes the vertical format.
#[derive(Debug, Default)]
pub(crate) struct VerticalWriter {
    buffer: String,
    /// The number of tokens that were split, and of values that were cut.
    long: u64,
}

impl CorpusWriter for VerticalWriter {
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        let lines = &mut self.buffer;
        lines.clear();
        lines.push_str("<doc");
        let columns = document.columns();
        for name in ATTRIBUTES {
            let column = columns.iter().find(|(column, _)| *column == name);
            let value = column.map_or(document.language(), |(_, value)| value);
            let line = one_line(value);
            let mut value = escape(&line);
            if value.len() > LONGEST {
                // A character has six bytes at most when it is escaped.
                value = escape(&line[..line.floor_char_boundary(LONGEST / 6)]);
                self.long += 1;
            }
            // Every document has every attribute, as an index of structures expects.
            let _ = write!(lines, " {name}=\"{value}\"");
        }
        lines.push_str(">\n");
        let mut open = OpenElements::default();
        let spelling = Spelling::of_text(&document.text);
        for piece in pieces(document) {
            for line in paragraphs(piece.text) {
                self.long += push_line(line, &spelling, &piece, &mut open, lines);
            }
        }
        open.close(lines);
        lines.push_str("</doc>\n");
        out.write_all(lines.as_bytes())
    }

    fn long_values(&self) -> u64 {
        self.long
    }
}

/// The elements around the sentence that was written last, with the part that each stands for. None
/// contains one of its own name, which indexes do not expect.
#[derive(Debug, Default)]
struct OpenElements {
    /// A list, a quotation or a table.
    container: Option<(&'static str, OpenPart)>,
    /// What contains the sentences.
    block: Option<(&'static str, OpenPart)>,
}

impl OpenElements {
    fn close_block(&mut self, lines: &mut String) {
        if let Some((name, _)) = self.block.take() {
            let _ = writeln!(lines, "</{name}>");
        }
    }

    fn close(&mut self, lines: &mut String) {
        self.close_block(lines);
        if let Some((name, _)) = self.container.take() {
            let _ = writeln!(lines, "</{name}>");
        }
    }

    /// Closes and opens elements, so that those around a piece are open.
    fn enter(&mut self, piece: &Piece, lines: &mut String) {
        let mut containers = piece.around.iter().filter_map(|part| match part.kind {
            Kind::List => Some(("list", *part)),
            Kind::Quote => Some(("quote", *part)),
            Kind::Table => Some(("table", *part)),
            _ => None,
        });
        let container = containers.next();
        let heading = piece.around.iter().find(|part| part.kind == Kind::Heading);
        let block = match (heading, piece.around.last()) {
            (Some(heading), _) => Some(("head", *heading)),
            (None, Some(part)) => Some((
                match part.kind {
                    Kind::Item => "item",
                    Kind::Cell => "cell",
                    _ => "p",
                },
                *part,
            )),
            (None, None) => None,
        };
        if self.container != container {
            self.close(lines);
        } else if self.block != block {
            self.close_block(lines);
        }
        if let Some((name, _)) = container.filter(|_| self.container.is_none()) {
            let _ = writeln!(lines, "<{name}>");
        }
        if let Some((name, _)) = block.filter(|_| self.block.is_none()) {
            let _ = writeln!(lines, "<{name}>");
        }
        (self.container, self.block) = (container, block);
    }
}

/// Appends a line with the elements around it, unless it has no token. Returns the number of tokens
/// that were split, into parts without blanks between them.
fn push_line(
    line: &str,
    spelling: &Spelling,
    piece: &Piece,
    open: &mut OpenElements,
    lines: &mut String,
) -> u64 {
    let mut split = 0;
    for sentence in sentences(line) {
        let tokens = tokens(sentence, spelling);
        if tokens.is_empty() {
            continue;
        }
        open.enter(piece, lines);
        lines.push_str("<s>\n");
        for (token, is_joined) in tokens {
            if is_joined {
                lines.push_str("<g/>\n");
            }
            let mut rest = token;
            while rest.len() > LONGEST {
                let (part, after) = rest.split_at(rest.floor_char_boundary(LONGEST));
                let _ = writeln!(lines, "{part}\n<g/>");
                rest = after;
            }
            split += u64::from(rest.len() < token.len());
            lines.push_str(rest);
            lines.push('\n');
        }
        lines.push_str("</s>\n");
    }
    split
}

/// Returns the registry file of a corpus, `name`, whose vertical file is `vertical`: what Manatee
/// reads, with the commands for it and for CWB as comments.
pub fn registry(name: &str, vertical: &str) -> String {
    let mut text = format!(
        "# (No)Sketch Engine: set PATH, then compilecorp --no-ske {name}.registry\n\
         # CWB: cwb-encode -xsB -c utf8 -d DATA -R REGISTRY/{lower} -f {vertical} -S doc:0+{attributes} \
         -S p:0 {structures}-S s:0 -0 g && cwb-make -r REGISTRY {upper}\n\
         NAME \"{name}\"\nPATH \"{name}-manatee\"\nVERTICAL \"{vertical}\"\nENCODING \"utf-8\"\n\
         INFO \"Exported by corpus-export of Forage\"\n\n\
         ATTRIBUTE word\n\
         ATTRIBUTE lc {{\n\tDYNAMIC utf8lowercase\n\tDYNLIB internal\n\tARG1 \"C\"\n\tFUNTYPE s\n\t\
         FROMATTR word\n\tTYPE index\n\tTRANSQUERY yes\n}}\n\n\
         STRUCTURE doc {{\n",
        lower = name.to_lowercase(),
        upper = name.to_uppercase(),
        attributes = ATTRIBUTES.join("+"),
        structures = STRUCTURES.map(|name| format!("-S {name}:0 ")).concat(),
    );
    for attribute in ATTRIBUTES {
        let _ = writeln!(text, "\tATTRIBUTE {attribute}");
    }
    text.push_str("}\nSTRUCTURE p\n");
    for name in STRUCTURES {
        let _ = writeln!(text, "STRUCTURE {name}");
    }
    text + "STRUCTURE s\nSTRUCTURE g {\n\tDISPLAYTAG 0\n\tDISPLAYBEGIN \"_EMPTY_\"\n}\n"
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, VerticalWriter};
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;
    use proptest::prelude::*;
    use serde_json::json;

    fn vertical(json: &str) -> String {
        let mut out = Vec::new();
        with_document(json, |document| {
            VerticalWriter::default().add(document, &mut out).unwrap();
        });
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_document_has_paragraphs_sentences_and_tokens() {
        let record = json!({"id": "x", "url": "http://a.test/?a&b", "title": "\"A\"\n <b>", "label": "slv",
            "text": "Lep dan. (Res!)\n\u{0}\nDa <b>."});
        let lines = vertical(&record.to_string());
        let expected = "<doc id=\"x\" url=\"http://a.test/?a&amp;b\" title=\"&quot;A&quot; &lt;b&gt;\" \
            label=\"slv\" language=\"slv\" date=\"\" licence=\"\" host=\"a.test\" margin=\"\" query=\"\">\n\
            <p>\n<s>\nLep\ndan\n<g/>\n.\n</s>\n<s>\n(\n<g/>\nRes\n<g/>\n!\n<g/>\n)\n</s>\n</p>\n\
            <p>\n<s>\nDa\n<\n<g/>\nb\n<g/>\n>\n<g/>\n.\n</s>\n</p>\n</doc>\n";
        assert_eq!(lines, expected);
    }

    #[test]
    fn headings_and_items_are_elements() {
        let part = |kind: &str, start: usize, end: usize| json!({"kind": kind, "start": start, "end": end});
        let record = json!({"text": "Čas\nena\ndve\ntri\nb", "structure": [
            part("heading", 0, 3), part("list", 4, 15), part("item", 4, 11), part("list", 8, 11),
            part("item", 8, 11), part("item", 12, 15)]});
        let lines = vertical(&record.to_string()).replace('\n', " ");
        let (_, text) = lines.split_once("query=\"\"> ").unwrap();
        let expected = "<head> <s> Čas </s> </head> <list> <item> <s> ena </s> </item> <item> <s> dve </s> </item> \
            <item> <s> tri </s> </item> </list> <p> <s> b </s> </p> </doc> ";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_too_long_for_cwb_is_split_or_cut_and_counted() {
        let (mut writer, mut out) = (VerticalWriter::default(), Vec::new());
        let title = "\"".repeat(LONGEST);
        let record = json!({"id": "x", "text": "č".repeat(5000), "title": title});
        with_document(&record.to_string(), |document| {
            writer.add(document, &mut out).unwrap()
        });
        let lines = String::from_utf8(out).unwrap();
        let token = format!("{}\n<g/>\n", "č".repeat(2047));
        assert_eq!(lines.matches(&token).count(), 2);
        assert_eq!(lines.matches('č').count(), 5000);
        assert!(lines.contains(&format!("title=\"{}\"", "&quot;".repeat(LONGEST / 6))));
        assert_eq!(writer.long_values(), 2);
    }

    proptest! {
        #[test]
        fn structures_are_nested_and_tokens_have_no_blanks(
            text in r"(\PC|[ \n\t<>&.!?a-z]|</s>|<doc>|[\u{0}-\u{1f}\u{80}-\u{9f}]){0,80}", title in any::<String>()
        ) {
            let lines = vertical(&json!({"text": text, "title": title}).to_string());
            let mut open = Vec::new();
            for line in lines.lines() {
                let closed = line.strip_prefix("</").and_then(|name| name.strip_suffix('>'));
                match (line, closed) {
                    (_, Some(name)) => prop_assert_eq!(open.pop(), Some(name.to_owned())),
                    ("<p>" | "<s>", _) => open.push(line[1..2].to_owned()),
                    ("<g/>", _) => {}
                    _ if line.starts_with("<doc ") => open.push("doc".into()),
                    _ => {
                        prop_assert_eq!(&open, &["doc", "p", "s"]);
                        prop_assert!(!line.is_empty() && !line.contains(char::is_whitespace));
                        prop_assert!(line == "<" || !line.starts_with('<'));
                    }
                }
            }
            prop_assert!(open.is_empty());
        }
    }
}
