//! Twins: documents whose text was seen before, or nearly so.
//!
//! Two texts are *exact* twins when they are the same but for Unicode normalisation and white space
//! (`digest.rs`). They are *near* twins when their [`Shingles`], the sets of five words in a row,
//! resemble each other at least as much as a [`Threshold`] says (Broder 1997). An [`Index`]
//! remembers every new document in one SQLite file. It finds candidates by bands of minimal hashes
//! (locality-sensitive hashing) and then compares the shingle sets themselves, so that a twin may
//! rarely be missed, but a resemblance that is told is the true one.

mod bands;
mod coding;
mod digest;
mod index;
mod projection;
mod shingles;
mod store;

pub use bands::{BadThreshold, Threshold};
pub use index::{Document, Index, IndexError, Verdict};
pub use shingles::Shingles;
