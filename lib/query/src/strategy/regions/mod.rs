//! The regions strategy (`--learn auto`): collects the target's documents region by region, so that
//! no two calls to the engine pay for the same hits. See `docs/algorithms.md`, "Regions".
//!
//! An engine shows only the first pages of a query's hits. Each page costs a call, and calls are
//! what engines sell or ration. A strategy that chooses each query independently of the others
//! spends most of its calls on hits that earlier queries have returned (`BENCHMARKS.md`, "Documents
//! per call"). This strategy partitions the documents of the target instead.
//!
//! A *region* is a conjunction of literals: `+ki −tudi +pri` is the set of documents that contain
//! `ki` and `pri`, but not `tudi`. A *split* by a term divides a region into two disjoint halves,
//! the documents without the term and the documents with it. All splits together form a binary tree
//! whose leaves have no document in common. A leaf that is small enough to be shown whole becomes a
//! query: its `+` literals are the inclusion terms, its `−` literals the exclusion terms.
//!
//! A run has four phases. Phases 2 and 3 alternate, and phase 2 resumes when phase 4 has found new
//! documents.
//!
//! 1. **Exploration.** The first eight queries have a single term each, the most indicative one of
//!    the documents collected so far, and retrieve one page of hits. All later estimates rest on
//!    the collected documents, so these must come from many parts of the target.
//! 2. **Exploitation.** For each new query, the tree is rebuilt from the query log, and every leaf
//!    is given a value: the new relevant documents that the next call for it is expected to return,
//!    less the cost of the nonrelevant documents that come with them. The value depends on
//!    * the *size* of the region: the estimated population of the target, times the share of each
//!      literal's term in documents that were found without naming it, corrected by the true sizes
//!      of the exhausted regions around it;
//!    * its *precision*: the ratio of nonrelevant to relevant documents, from the documents
//!      collected in the region and from its literals;
//!    * its *novelty*: the part of its size that is not collected yet.
//!
//!    The leaf of the highest value is split, and its more valuable half split again, until the
//!    matches fill at most half of the pages that the engine shows. While too many nonrelevant
//!    documents are expected, the region is split by the most discriminative term; after that by
//!    the term that divides it most evenly (a balanced split).
//! 3. **Paging.** A query is continued with its next page as long as the last page was worth its
//!    call. After that, its next page competes with all other leaves by its expected value.
//! 4. **Random regions and last resort.** When no high-precision region is worth a call, regions
//!    are drawn at random, with the inclusion probabilities that [`crate::coverage`] needs. The
//!    first documents may have come from one part of the target only, and then all estimates miss
//!    the others. When random regions return nothing new either, regions in which the target is
//!    mixed with other classes are queried, as a last resort.
//!
//! Phases 1 to 3 and the last resort are in this module; `strategy/probed` decides when to draw at
//! random. The strategy has no state of its own: its choices follow from the term statistics, a
//! sample of the documents and the query log, all of which are projections of the journal.
//!
//! * `evidence.rs`: the sampled documents and the past queries, which `load.rs` reads.
//! * `sample_index.rs`: the sample, indexed by term, with the bit sets of `document_set.rs`.
//! * `region_tree.rs`: the tree, with the size and precision of each region.
//! * `choose.rs`: phases 1 to 3, without I/O; `compose.rs` converts a choice to a query record.
//! * `draw.rs`: a random region and its inclusion probability.

mod choose;
mod compose;
mod document_set;
mod draw;
mod evidence;
pub(crate) mod load;
mod region_tree;
mod sample_index;
#[cfg(test)]
mod tests;

pub(crate) use choose::unseen_hit_limit;
pub(super) use compose::{RegionsStrategy, compose_region};
pub(crate) use draw::DrawnRegion;
pub use evidence::{Evidence, Literal, PastQuery, SampledDocument};
pub(crate) use sample_index::SampleIndex;
