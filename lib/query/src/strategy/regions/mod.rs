//! `--learn auto`: asks for one region of the target's documents after the other, so that no call
//! is spent twice.
//!
//! An engine shows the first few pages of a query's hits, and calls are what it sells (ALGORITHMS
//! §5, "Calls as money"). Most calls of a loop that selects terms by themselves are lost to hits
//! that an earlier query brought. Here the documents of the target are cut into regions that share
//! none: a region is a list of signed words (`+ki −tudi +pri`), the two sides of a word are two
//! smaller regions, and one that is small enough to be shown whole is asked for as it stands: its
//! `+` words are the inclusion terms, its `−` words the exclusion terms.
//!
//! 1. **Scouting.** A page each of a dozen single words that tell the target best, so that the
//!    documents that everything is estimated from come from many places.
//! 2. **Regions.** How large one is follows from the words' shares in documents that were found
//!    without asking for them, corrected by the true sizes of regions that were asked to their end
//!    (`tree.rs`). The region that promises most new documents a call is cut until it is small
//!    enough, by the word that halves it best; where too many documents of other classes are in it,
//!    by the word that tells them best (`choose.rs`).
//! 3. **Going on.** A query is asked for its next page as long as the last one brought enough; else
//!    it waits until nothing better is left.
//! 4. **At random.** When no region is left that promises the target almost alone, regions are
//!    drawn at random (`draw.rs`, [`crate::coverage`]): a first look that was one-sided may have
//!    missed much. Mixed regions come last.
//!
//! All of it follows from what was collected and asked: nothing is remembered but the journal's
//! fold.

mod choose;
mod compose;
mod draw;
pub(crate) mod load;
mod sample;
mod set;
#[cfg(test)]
mod tests;
mod tree;

pub(super) use compose::{Regions, region_query};
pub(crate) use draw::Drawn;
pub(crate) use sample::Sample;
pub use sample::{Asked, Document, Known, Signed};
