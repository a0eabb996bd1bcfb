//! The writer of each format.

use crate::conllu::ConlluWriter;
use crate::counts::{CountWriter, Counted};
use crate::json::JsonWriter;
use crate::markdown::MarkdownWriter;
use crate::parquet_file::ParquetWriter;
use crate::table::TableWriter;
use crate::tei::TeiWriter;
use crate::text::TextWriter;
use crate::vertical::VerticalWriter;
use crate::writer::{CorpusWriter, Format, FormatOptions};

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
