//! Tables for spreadsheets: CSV and TSV.
//!
//! CSV begins with a byte-order mark, by which spreadsheets know UTF-8. TSV is that of the option
//! `--tsv` of all tools, with escapes instead of quotation marks. A cell that a spreadsheet would
//! take for a formula gets an apostrophe before it (OWASP, "CSV Injection"), and in TSV one that
//! it would take for the start of a quotation.

use crate::corpus_format::document::{COLUMN_NAMES, Document};
use crate::corpus_format::writer::CorpusWriter;
use csv::{QuoteStyle, WriterBuilder};
use forage_cli::escape_tsv;
use std::borrow::Cow;
use std::io::{self, Write};

/// The last column.
const TEXT: &str = "text";

/// Writes a table with a row per document.
#[derive(Debug)]
pub(crate) struct TableWriter {
    delimiter: u8,
    has_header: bool,
}

impl TableWriter {
    pub(crate) fn new(delimiter: u8) -> Self {
        TableWriter {
            delimiter,
            has_header: false,
        }
    }

    fn write_header(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.has_header, true) {
            return Ok(());
        }
        if self.delimiter != b'\t' {
            out.write_all("\u{feff}".as_bytes())?;
        }
        write_row(self.delimiter, COLUMN_NAMES.into_iter().chain([TEXT]), out)
    }
}

impl CorpusWriter for TableWriter {
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        self.write_header(out)?;
        let columns = document.columns();
        let cells = columns.iter().map(|(_, value)| value.as_ref());
        write_row(self.delimiter, cells.chain([&*document.text]), out)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.write_header(out)
    }
}

/// Writes a row of a table.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write_row<'a>(
    delimiter: u8,
    cells: impl IntoIterator<Item = &'a str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if delimiter == b'\t' {
        let cells = cells.into_iter().map(|cell| match cell.starts_with('"') {
            true => escape_tsv(&format!("'{cell}")),
            false => escape_tsv(&defuse(cell)),
        });
        return writeln!(out, "{}", cells.collect::<Vec<_>>().join("\t"));
    }
    let mut row = WriterBuilder::new()
        .delimiter(delimiter)
        .quote_style(QuoteStyle::Necessary)
        .from_writer(out);
    for cell in cells {
        // Some spreadsheets read no NUL, for which CSV has no escape.
        row.write_field(defuse(&cell.replace('\0', "")).as_bytes())?;
    }
    row.write_record(None::<&[u8]>)?;
    row.flush()
}

/// Returns a cell that no spreadsheet executes.
fn defuse(cell: &str) -> Cow<'_, str> {
    let first = cell.trim_start().chars().next();
    match first.is_some_and(|c| "=+-@＝＋－＠".contains(c)) || cell.starts_with(['\t', '\r']) {
        true => Cow::Owned(format!("'{cell}")),
        false => Cow::Borrowed(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::{COLUMN_NAMES, TEXT, TableWriter};
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;
    use forage_text::normalise;
    use proptest::prelude::*;
    use serde_json::json;

    fn rows(delimiter: u8, records: &[String]) -> Vec<Vec<String>> {
        let (mut writer, mut out) = (TableWriter::new(delimiter), Vec::new());
        for record in records {
            with_document(record, |document| writer.add(document, &mut out).unwrap());
        }
        writer.finish(&mut out).unwrap();
        if delimiter == b'\t' {
            let lines = str::from_utf8(&out).unwrap().lines();
            return lines
                .map(|line| line.split('\t').map(unescape).collect())
                .collect();
        }
        let out = out.strip_prefix("\u{feff}".as_bytes()).unwrap();
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .from_reader(out);
        let rows = reader.records().map(Result::unwrap);
        rows.map(|row| row.iter().map(str::to_owned).collect())
            .collect()
    }

    /// Returns the value of a cell of TSV.
    fn unescape(cell: &str) -> String {
        let (mut value, mut rest) = (Vec::new(), cell.as_bytes());
        while let [byte, after @ ..] = rest {
            let (escaped, length) = match (byte, after) {
                (b'\\', [b't', ..]) => (b'\t', 2),
                (b'\\', [b'n', ..]) => (b'\n', 2),
                (b'\\', [b'r', ..]) => (b'\r', 2),
                (b'\\', [b'x', digits @ ..]) => {
                    let digits = str::from_utf8(&digits[..2]).unwrap();
                    (u8::from_str_radix(digits, 16).unwrap(), 4)
                }
                (b'\\', _) => (b'\\', 2),
                _ => (*byte, 1),
            };
            value.push(escaped);
            rest = &rest[length..];
        }
        String::from_utf8(value).unwrap()
    }

    #[test]
    fn tsv_has_escapes_and_no_quotation_marks() {
        let (mut writer, mut out) = (TableWriter::new(b'\t'), Vec::new());
        let record = json!({"id": "\"q", "title": "a\tb \"c\"", "text": "d\0\n\\e"}).to_string();
        with_document(&record, |document| writer.add(document, &mut out).unwrap());
        let out = String::from_utf8(out).unwrap();
        let (header, row) = out.split_once('\n').unwrap();
        assert!(header.starts_with("id\turl\ttitle\t"), "{header}");
        assert!(row.starts_with("'\"q\t\ta\\tb \"c\"\t"), "{row}");
        assert!(row.ends_with("\td\\x00\\n\\\\e\n"), "{row}");
    }

    #[test]
    fn a_table_without_documents_has_its_header() {
        assert_eq!(rows(b',', &[]), [[&COLUMN_NAMES[..], &[TEXT]].concat()]);
    }

    #[test]
    fn columns_of_documents_have_the_names_of_the_header() {
        with_document(r#"{"text":"a"}"#, |document| {
            let names = document.columns().map(|(name, _)| name);
            assert_eq!(names, COLUMN_NAMES);
        });
    }

    #[test]
    fn formulas_are_defused() {
        for title in [
            "=HYPERLINK(1)",
            "+1",
            "-2",
            "@x",
            "\t=1",
            "\r=1",
            "＝1",
            " =1",
        ] {
            let row = &rows(b',', &[json!({"text": "a", "title": title}).to_string()])[1];
            assert_eq!(row[2], format!("'{title}"));
        }
    }

    proptest! {
        #[test]
        fn cells_are_read_as_they_were_written_in_nfc(
            text in r#"(\PC|[,"\n\r\t;'=]){0,40}"#, title in any::<String>()
        ) {
            for delimiter in [b',', b'\t'] {
                let row = &rows(delimiter, &[json!({"text": text, "title": title}).to_string()])[1];
                let read = |cell: &str| cell.strip_prefix('\'').unwrap_or(cell).to_owned();
                let has_nul = delimiter == b'\t';
                let unquoted = |text: &str| {
                    read(&normalise(text).replace('\0', if has_nul { "\0" } else { "" }))
                };
                prop_assert_eq!(read(&row[10]), unquoted(text.trim()));
                prop_assert_eq!(read(&row[2]), unquoted(&title));
            }
        }
    }
}
