//! Formats of corpora, one writer each.
//!
//! A [`CorpusWriter`] turns [`Document`]s into bytes, one after another: no format needs the corpus in
//! memory. [`corpus_writer`] returns that of a [`Format`]. Formats with tokens share `sentences.rs`;
//! word lists and n-grams are counted in `postings.rs`, on disk if need be. [`DataCard`] collects the
//! facts about a corpus for the file that goes with it. Nothing here opens an output.

mod card;
mod conllu;
mod counts;
mod document;
mod formats;
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
pub use formats::corpus_writer;
pub use licence::LicenceFilter;
pub use markdown::document_markdown;
pub use split::{Part, Split};
pub use table::write_row;
pub use text::document_text;
pub use unique::{UniqueNames, file_name_of};
pub use vertical::registry;
pub use writer::{CorpusWriter, FieldNames, Format, FormatOptions};
