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
mod metadata;
#[cfg(feature = "parquet")]
mod parquet_file;
mod pieces;
mod postings;
mod sentence_table;
mod sentences;
mod sites;
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
pub use metadata::{DataFile, ReleasedFile};
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
use sentence_table::SentenceWriter;
use sites::SiteWriter;
use std::io;
use table::TableWriter;
use tei::TeiWriter;
use text::TextWriter;
use vertical::VerticalWriter;

/// A format of a corpus. The texts of its values are those of `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
#[allow(rustdoc::invalid_html_tags)] // as --help has them
pub enum Format {
    /// The records as they are; with --names, fields of other data sets
    Jsonl,
    /// Plain text, a line per paragraph. In a file, an empty line is the end of a document: no
    /// document has one
    Text,
    /// A table for spreadsheets, a row per document: id, url, title, label, score, margin, date,
    /// licence, host, query, text. UTF-8 with a byte-order mark; a cell that would be a formula has
    /// an apostrophe before it. (Excel cuts cells at 32,767 characters.)
    Csv,
    /// The table of csv, with the tabs and escapes of --tsv, and no byte-order mark
    Tsv,
    /// Each text after its metadata in YAML
    Markdown,
    /// A token per line, in <doc>, <p> and <s>, for (No)Sketch Engine and CWB; <g/> where no blank
    /// is between two tokens. Attributes are escaped as in XML, tokens are not. With structure also
    /// <head>, and <item> in <list>, <cell> in <table>, <quote>; of lists in lists the outermost
    Vertical,
    /// TEI P5, valid against tei_all: a header per document with source, licence, dates and the
    /// method of collection; <p> and <s>. With structure also <div> with <head>, <list>, <table>,
    /// <quote>, <eg>
    Tei,
    /// Documents, paragraphs, sentences and tokens of CoNLL-U, for parsers to fill in
    Conllu,
    /// Apache Parquet with zstd, a row per document
    Parquet,
    /// Words in small letters with their frequency, the number of their documents, and DP, the
    /// dispersion of Gries (2008) over documents: 0 is perfectly even
    Wordlist,
    /// Sequences of --order words within sentences
    Ngrams,
    /// A sentence per line with its source and licence, in the columns of Common Voice's bulk
    /// submission, which takes what is in the public domain: --licence CC0
    Sentences,
    /// A host and language per line: number of documents, share of the language in all documents of
    /// the host that are in the file, licence of most of them
    Sites,
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
            Format::Sentences => "sentences.tsv",
            Format::Sites => "sites.tsv",
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
        Format::Jsonl => Box::new(JsonWriter::new(options.names, options.is_release)),
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
        Format::Sentences => Box::<SentenceWriter>::default(),
        Format::Sites => Box::<SiteWriter>::default(),
    })
}
