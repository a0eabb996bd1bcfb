//! The formats, and what their writers have in common.

use crate::conllu::ConlluWriter;
use crate::counts::{CountWriter, Counted};
use crate::document::Document;
use crate::json::{JsonWriter, Names};
use crate::markdown::MarkdownWriter;
use crate::parquet_file::ParquetWriter;
use crate::table::TableWriter;
use crate::tei::TeiWriter;
use crate::text::TextWriter;
use crate::vertical::VerticalWriter;
use std::io::{self, Write};
use std::path::PathBuf;

/// A format of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Records, a line each.
    Jsonl,
    /// Plain text.
    Text,
    /// A table with commas between its columns.
    Csv,
    /// A table with tabs between its columns.
    Tsv,
    /// Markdown with metadata before each text.
    Markdown,
    /// A token per line.
    Vertical,
    /// TEI P5.
    Tei,
    /// CoNLL-U without annotation.
    Conllu,
    /// Apache Parquet.
    Parquet,
    /// Words with their frequencies.
    Wordlist,
    /// Sequences of words with their frequencies.
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

/// What the formats can be told.
#[derive(Debug, Clone, Default)]
pub struct FormatOptions {
    /// The names of the fields of [`Format::Jsonl`].
    pub names: Names,
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

/// Returns the writer of a format.
pub fn corpus_writer(format: Format, options: &FormatOptions) -> Box<dyn CorpusWriter> {
    match format {
        Format::Jsonl => Box::new(JsonWriter::new(options.names)),
        Format::Text => Box::<TextWriter>::default(),
        Format::Csv => Box::new(TableWriter::new(b',')),
        Format::Tsv => Box::new(TableWriter::new(b'\t')),
        Format::Markdown => Box::<MarkdownWriter>::default(),
        Format::Vertical => Box::<VerticalWriter>::default(),
        Format::Tei => Box::new(TeiWriter::new(&options.title)),
        Format::Conllu => Box::<ConlluWriter>::default(),
        Format::Parquet => Box::<ParquetWriter>::default(),
        Format::Wordlist => Box::new(CountWriter::new(Counted::Words, options)),
        Format::Ngrams => Box::new(CountWriter::new(Counted::Ngrams(options.order), options)),
    }
}
