//! Detection of duplicates: documents whose text is equal or similar to that of an earlier
//! document.
//!
//! Two texts are *exact* duplicates if they are equal except for Unicode normalisation and white
//! space (`digest`). They are *near-duplicates* if their [`ShingleSet`]s, the sets of their
//! sequences of five words, have a resemblance of at least a [`ResemblanceThreshold`] (Broder
//! 1997). On request, documents are also duplicates if their titles are the same (`title`), and the
//! paragraphs of a document that repeat earlier text are marked (`paragraphs`).
//!
//! A [`DuplicateIndex`] stores every new document in an SQLite file, and finds candidates by bands
//! of min-hashes (locality-sensitive hashing) in a mapped table beside it (`key_table`). Then it
//! compares their shingle sets. So a near-duplicate is missed in rare cases, but a reported
//! resemblance is exact, not estimated.
//!
//! To compare the shards of a corpus in several processes, documents are reduced to signatures
//! (`signature`), and parted into groups that do not influence each other ([`DocumentGroups`]).

mod annotation;
mod banding;
mod digest;
mod document;
mod groups;
mod index;
mod key_table;
mod paragraphs;
mod projection;
mod shingles;
mod signature;
mod store;
mod title;

pub use annotation::has_document;
pub use banding::{InvalidThreshold, ResemblanceThreshold};
pub use document::{DedupDocument, DocumentComparer, DuplicateStatus, PreparedDocument};
pub use groups::DocumentGroups;
pub use index::{DuplicateIndex, DuplicateIndexError};
pub use paragraphs::RepeatedParagraphs;
pub use shingles::ShingleSet;
