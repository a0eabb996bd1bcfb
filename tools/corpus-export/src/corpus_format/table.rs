//! Tables for spreadsheets: CSV and TSV.
//!
//! They begin with a byte-order mark, by which spreadsheets know UTF-8. A cell that a spreadsheet
//! would take for a formula gets an apostrophe before it (OWASP, "CSV Injection").

use crate::corpus_format::document::{COLUMN_NAMES, Document};
use crate::corpus_format::writer::CorpusWriter;
use csv::{QuoteStyle, WriterBuilder};
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
        out.write_all("\u{feff}".as_bytes())?;
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
    let mut row = WriterBuilder::new()
        .delimiter(delimiter)
        .quote_style(QuoteStyle::Necessary)
        .from_writer(out);
    for cell in cells {
        row.write_field(defuse(cell).as_bytes())?;
    }
    row.write_record(None::<&[u8]>)?;
    row.flush()
}

/// Returns a cell that no spreadsheet executes, without the NULs that some do not read.
fn defuse(cell: &str) -> Cow<'_, str> {
    let cell = match cell.contains('\0') {
        true => Cow::Owned(cell.replace('\0', "")),
        false => Cow::Borrowed(cell),
    };
    let first = cell.trim_start().chars().next();
    match first.is_some_and(|c| "=+-@＝＋－＠".contains(c)) || cell.starts_with(['\t', '\r']) {
        true => Cow::Owned(format!("'{cell}")),
        false => cell,
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
        let out = out.strip_prefix("\u{feff}".as_bytes()).unwrap();
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .from_reader(out);
        let rows = reader.records().map(Result::unwrap);
        rows.map(|row| row.iter().map(str::to_owned).collect())
            .collect()
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
                let unquoted = |text: &str| read(&normalise(text).replace('\0', ""));
                prop_assert_eq!(read(&row[10]), unquoted(text.trim()));
                prop_assert_eq!(read(&row[2]), unquoted(&title));
            }
        }
    }
}
