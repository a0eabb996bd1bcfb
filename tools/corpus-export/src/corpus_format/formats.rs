//! The writer of each format.

use crate::corpus_format::conllu::ConlluWriter;
use crate::corpus_format::counts::{CountWriter, Counted};
use crate::corpus_format::json::JsonWriter;
use crate::corpus_format::markdown::MarkdownWriter;
#[cfg(feature = "parquet")]
use crate::corpus_format::parquet_file::ParquetWriter;
use crate::corpus_format::table::TableWriter;
use crate::corpus_format::tei::TeiWriter;
use crate::corpus_format::text::TextWriter;
use crate::corpus_format::vertical::VerticalWriter;
use crate::corpus_format::writer::{CorpusWriter, Format, FormatOptions};
use std::io;

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
