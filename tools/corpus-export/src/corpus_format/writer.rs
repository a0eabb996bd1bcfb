//! What the writers of formats have in common.

use crate::corpus_format::document::Document;
use std::io::{self, Write};
use std::path::PathBuf;

/// The names of fields of JSON lines: those of the records, of HPLT 2 (de Gibert et al. 2024), or
/// of FineWeb 2 (Penedo et al. 2025).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum FieldNames {
    /// The records as they are
    #[default]
    Forage,
    /// Those of the HPLT data sets
    Hplt,
    /// Those of FineWeb
    Fineweb,
}

/// What the formats can be told.
#[derive(Debug, Clone, Default)]
pub struct FormatOptions {
    /// The names of the fields of [`crate::corpus_format::Format::Jsonl`].
    pub names: FieldNames,
    /// True if the corpus is released, so that each line has all fields.
    pub is_release: bool,
    /// The number of words of [`crate::corpus_format::Format::Ngrams`].
    pub order: usize,
    /// The lowest frequency of [`crate::corpus_format::Format::Wordlist`] and
    /// [`crate::corpus_format::Format::Ngrams`].
    pub min_frequency: u64,
    /// The folder of temporary files.
    pub temporary: PathBuf,
    /// The title of the corpus.
    pub title: String,
}

/// Writes a corpus in one format. What it writes before the end depends on the documents alone, so
/// a corpus of any size needs little memory.
pub trait CorpusWriter: std::fmt::Debug {
    /// Writes a document.
    ///
    /// # Errors
    /// Fails if `out` or a temporary file cannot be written.
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()>;

    /// Returns the number of tokens and values that were too long for the programs that read the
    /// format, and were split or cut.
    fn long_values(&self) -> u64 {
        0
    }

    /// Writes what follows the last document.
    ///
    /// # Errors
    /// Fails if `out` cannot be written, or a temporary file cannot be read.
    fn finish(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
