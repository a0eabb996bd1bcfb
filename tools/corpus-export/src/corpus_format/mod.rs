//! Formats of corpora, one writer each.
//!
//! A [`CorpusWriter`] turns [`Document`]s into bytes, one after another: no format needs the corpus
//! in memory. A [`Format`] is declared here, with its help, its extension and its writer. Formats
//! with tokens share `sentences.rs`; word lists and n-grams are counted in `postings.rs`, on disk
//! if need be. [`DataCard`] collects the facts about a corpus for the file that goes with it.
//! Nothing here opens an output.

mod card;
mod conllu;
mod counts;
mod document;
mod json;
mod licence;
mod markdown;
#[cfg(feature = "parquet")]
mod parquet_file;
mod pieces;
mod postings;
mod sentences;
mod split;
mod table;
mod tei;
mod tei_body;
mod text;
mod unique;
mod vertical;
mod writer;
mod xml;

pub use card::{CardContext, DataCard};
pub use document::{COLUMN_NAMES, Document};
pub use licence::LicenceFilter;
pub use markdown::document_markdown;
pub use split::{Part, Split};
pub use table::write_row;
pub use text::document_text;
pub use unique::{UniqueNames, file_name_of};
pub use vertical::registry;
pub use writer::{CorpusWriter, FieldNames, FormatOptions};

use conllu::ConlluWriter;
use counts::{CountWriter, Counted};
use json::JsonWriter;
use markdown::MarkdownWriter;
#[cfg(feature = "parquet")]
use parquet_file::ParquetWriter;
use std::io;
use table::TableWriter;
use tei::TeiWriter;
use text::TextWriter;
use vertical::VerticalWriter;

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

/// Returns the writer of a format.
///
/// # Errors
/// Fails if the program was built without the format.
pub fn corpus_writer(format: Format, options: &FormatOptions) -> io::Result<Box<dyn CorpusWriter>> {
    Ok(match format {
        Format::Jsonl => Box::new(JsonWriter::new(options.names)),
        Format::Text => Box::<TextWriter>::default(),
        Format::Csv => Box::new(TableWriter::new(b',')),
        Format::Tsv => Box::new(TableWriter::new(b'\t')),
        Format::Markdown => Box::<MarkdownWriter>::default(),
        Format::Vertical => Box::<VerticalWriter>::default(),
        Format::Tei => Box::new(TeiWriter::new(&options.title)),
        Format::Conllu => Box::<ConlluWriter>::default(),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => {
            let cause = "this corpus-export was built without Parquet; build it with `make`";
            return Err(io::Error::new(io::ErrorKind::Unsupported, cause));
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::<ParquetWriter>::default(),
        Format::Wordlist => Box::new(CountWriter::new(Counted::Words, options)),
        Format::Ngrams => Box::new(CountWriter::new(Counted::Ngrams(options.order), options)),
    })
}
