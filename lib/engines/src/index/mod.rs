//! The embedded index: a search engine in a folder, over Tantivy.
//!
//! It is cut into terms as everything in Forage is ([`forage_text::terms`]), so that a term learned
//! from a document finds that document. Documents match by a boolean query of required and excluded
//! terms, built from the terms and never by a query parser; they are ranked by BM25, equal scores
//! by URL. Documents that are like one of the index are those that have some of its most telling
//! words, ranked in the same way. The ranking depends on the documents in the index alone, not on
//! the order in which they came or on how the index lies on disk.
//!
//! [`Index`] reads, [`Writer`] adds. Reading takes no lock and writes nothing, so many can read at
//! once, from a read-only folder too, while one writes.

mod boolean;
mod like;
mod ranking;
mod reader;
mod schema;
mod segment;
mod tokenizer;
mod writer;

pub(crate) use reader::ABILITIES;
pub use reader::Index;
pub use writer::{Writer, is_addable};

use std::path::PathBuf;

/// Why the embedded index can't be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is no such folder.
    #[error("{}: there is no index; `search --engine index:DIR --add` makes one", .0.display())]
    Missing(PathBuf),
    /// The folder holds something else, or an index of another program.
    #[error("{}: is not an index of Forage; it was left as it is", .0.display())]
    Foreign(PathBuf),
    /// Somebody else adds to it.
    #[error("{}: another `search --add` is under way", .0.display())]
    Busy(PathBuf),
    /// Reading or writing it failed, for this reason.
    #[error("{}: {}", .0.display(), .1)]
    Failed(PathBuf, String),
}

#[cfg(test)]
mod tests;
