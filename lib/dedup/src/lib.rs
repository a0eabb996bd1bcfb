//! Detection of duplicates: documents whose text is equal or similar to that of an earlier
//! document.
//!
//! Two texts are *exact* duplicates if they are equal except for Unicode normalisation and white
//! space (`digest`). They are *near-duplicates* if their [`ShingleSet`]s, the sets of their
//! sequences of five words, have a resemblance of at least a [`ResemblanceThreshold`] (Broder
//! 1997). On request, documents are also duplicates if their titles are the same (`title`).
//!
//! A [`DuplicateIndex`] stores every new document in one SQLite file. It finds candidates by
//! bands of min-hashes (locality-sensitive hashing), and then compares their shingle sets. So a
//! near-duplicate is missed in rare cases, but a reported resemblance is exact, not estimated.

mod annotation;
mod banding;
mod coding;
mod digest;
mod index;
mod projection;
mod shingles;
mod store;
mod title;

pub use banding::{InvalidThreshold, ResemblanceThreshold};
pub use index::{DedupDocument, DuplicateIndex, DuplicateIndexError, DuplicateStatus};
pub use shingles::ShingleSet;
