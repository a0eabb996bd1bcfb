//! The formats, and what their writers have in common.

use crate::corpus_format::document::Document;
use std::io::{self, Write};
use std::path::PathBuf;

/// A format of a corpus. The texts of its values are those of `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Format {
    /// The records as they are
    Jsonl,
    /// The texts
    Text,
    /// A table for spreadsheets, with commas
    Csv,
    /// A table for spreadsheets, with tabs
    Tsv,
    /// The texts with metadata in YAML
    Markdown,
    /// A token per line, for Sketch Engine and CWB
    Vertical,
    /// TEI P5
    Tei,
    /// CoNLL-U without annotation
    Conllu,
    /// Apache Parquet
    Parquet,
    /// Words with their frequencies
    Wordlist,
    /// Sequences of words with their frequencies
    Ngrams,
}

impl Format {
    /// Returns the extension of files in this format.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Text => "txt",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Markdown => "md",
            Format::Vertical => "vert",
            Format::Tei => "xml",
            Format::Conllu => "conllu",
            Format::Parquet => "parquet",
            Format::Wordlist => "words.tsv",
            Format::Ngrams => "ngrams.tsv",
        }
    }

    /// Returns `true` for a format that can have a file per document.
    pub fn has_file_per_document(self) -> bool {
        matches!(self, Format::Text | Format::Markdown)
    }
}

/// The names of fields of JSON lines: those of the records, of HPLT 2 (de Gibert et al. 2024), or of
/// FineWeb 2 (Penedo et al. 2025).
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
    /// The names of the fields of [`Format::Jsonl`].
    pub names: FieldNames,
    /// The number of words of [`Format::Ngrams`].
    pub order: usize,
    /// The lowest frequency of [`Format::Wordlist`] and [`Format::Ngrams`].
    pub min_frequency: u64,
    /// The folder of temporary files.
    pub temporary: PathBuf,
    /// The title of the corpus.
    pub title: String,
}

/// Writes a corpus in one format. What it writes before the end depends on the documents alone, so a
/// corpus of any size needs little memory.
pub trait CorpusWriter: std::fmt::Debug {
    /// Writes a document.
    ///
    /// # Errors
    /// Fails if `out` or a temporary file cannot be written.
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what follows the last document.
    ///
    /// # Errors
    /// Fails if `out` cannot be written, or a temporary file cannot be read.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()>;
}
