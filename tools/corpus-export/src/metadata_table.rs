//! Tables of the metadata of documents that are in files of text.

use crate::corpus_format::{COLUMN_NAMES, Document, document_text, write_row};
use forage_cli::PendingFile;
use std::path::Path;

/// The table of the documents of a file of plain text.
#[derive(Debug)]
pub struct LineTable {
    /// The file of the table.
    pub file: PendingFile,
    /// The line after the last one of the text.
    line: u64,
}

impl LineTable {
    /// Creates the table of a text at `path`, with its header.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn create(path: &Path, force: bool) -> anyhow::Result<Self> {
        let mut file = PendingFile::create(&path.with_extension("documents.tsv"), force)?;
        write_table_row("line", None, &mut file)?;
        Ok(LineTable { file, line: 1 })
    }

    /// Adds the document that was written last.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn add(&mut self, document: &Document) -> anyhow::Result<()> {
        let lines = document_text(document).matches('\n').count() as u64;
        if lines == 0 {
            return Ok(());
        }
        write_table_row(&self.line.to_string(), Some(document), &mut self.file)?;
        // An empty line follows.
        self.line += lines + 1;
        Ok(())
    }
}

/// Writes a row of a table of metadata: where the document is, and its columns; without a document
/// their names.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_table_row(
    place: &str,
    document: Option<&Document>,
    file: &mut PendingFile,
) -> anyhow::Result<()> {
    let written = match document {
        Some(document) => {
            let columns = document.columns();
            let cells = columns.iter().map(|(_, value)| value.as_ref());
            write_row(b'\t', std::iter::once(place).chain(cells), file)
        }
        None => write_row(b'\t', std::iter::once(place).chain(COLUMN_NAMES), file),
    };
    written.map_err(|e| file.to_error(e))
}
