//! The embedded index: a search engine in a folder.
//!
//! Texts are split into the terms that all of Forage uses ([`forage_text::terms`]), so that a term
//! learned from a document finds that document. Documents match by a boolean query of inclusion and
//! exclusion terms, which is built from the terms and never parsed. They are ranked by BM25, equal
//! scores by URL. A more-like-this query finds the documents that share indicative words with a
//! document of the index, ranked in the same way. An in-link query finds the documents that link to
//! a page, in the order of their URLs. The ranking depends only on the documents in the index, not
//! on the order in which they were added or on the segments on disk.
//!
//! A folder has a manifest (`folder`) and immutable segments (`segment`). The manifest names the
//! version of the segmentation of text into terms. An index of another version is refused, because
//! its terms do not match, but its documents can be read, to index them again.
//!
//! [`EmbeddedIndex`] reads, [`EmbeddedIndexWriter`] adds. Reading hinders no writer and writes nothing,
//! so any number of processes can read, also from a read-only folder, while one writes.

mod batch;
mod boolean;
mod combine;
mod commit;
mod failure;
mod folder;
mod length;
mod links;
mod merge;
mod more_like_this;
mod postings;
mod ranking;
mod reader;
mod removal;
mod segment;
mod writer;

pub use links::link_targets;
pub use merge::{MergedIndex, merge_indexes};
pub(crate) use reader::CAPABILITIES;
pub use reader::EmbeddedIndex;
pub use removal::remove_documents;
pub use writer::{EmbeddedIndexWriter, is_indexable_url};

use forage_text::SEGMENTATION_VERSION;
use std::path::PathBuf;

/// The reason why the embedded index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedIndexError {
    /// The folder does not exist or is empty.
    #[error("{}: no index; create one with `search --engine index:DIR --add`", .0.display())]
    Missing(PathBuf),
    /// The folder holds something else, or an index of another program.
    #[error("{}: is not an index of Forage; nothing was changed", .0.display())]
    Foreign(PathBuf),
    /// The terms of the index were made by another version of the segmentation of text. Fields: the
    /// folder, the version.
    #[error(
        "{folder}: has terms of segmentation version {1}, but this program has version \
         {SEGMENTATION_VERSION}; make a new index of its documents: \
         `search --engine index:{folder} --dump | search --engine index:NEW --add`",
        folder = .0.display()
    )]
    OtherSegmentation(PathBuf, u32),
    /// An earlier version of Forage made the index, in the format of Tantivy.
    #[error(
        "{folder}: is an index of an earlier version of Forage, which this one cannot read; nothing \
         was changed; make a new index of the same records: `search --engine index:NEW --add`; if \
         they are lost, the earlier version writes them: `search --engine index:{folder} --dump`",
        folder = .0.display()
    )]
    EarlierFormat(PathBuf),
    /// Another process adds to the index.
    #[error("{}: in use by another `search --add`; wait until it ends", .0.display())]
    Busy(PathBuf),
    /// The user must not read or write the index.
    #[error("index:{}: cannot be {verb}: permission denied{owner}", .folder.display())]
    Denied {
        /// The folder.
        folder: PathBuf,
        /// `read` or `written`.
        verb: &'static str,
        /// The owner in parentheses, after a blank; empty if it is unknown.
        owner: String,
    },
    /// Reading or writing the index failed, for the given reason.
    #[error("{}: {}", .0.display(), .1)]
    Failed(PathBuf, String),
}

#[cfg(test)]
mod link_tests;
#[cfg(test)]
mod merge_tests;
#[cfg(test)]
mod tests;
