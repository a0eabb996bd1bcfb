//! Coverage estimation: the share of the documents that the engine can return which a run has
//! collected.
//!
//! Queries that are chosen for their yield return what is easy to find, so repeated hits
//! underestimate the documents that are unseen. Therefore a run also sends *probes*: queries for
//! regions that are drawn at random, each with a known inclusion probability, and retrieved to the
//! end. A new document that a probe returns represents as many unseen documents as the inverse of
//! that probability (Horvitz & Thompson 1952). The estimator for search interfaces is that of
//! Dasgupta et al. (2010), "Unbiased estimation of size and other aggregates over hidden web
//! databases". Together with the documents that were known before, the estimate of the unseen ones
//! is the population. See `docs/algorithms.md`, "Coverage estimation".
//!
//! * `estimate.rs`: the estimator and its interval, without I/O.
//! * `load.rs`: reads the probes from the query log.
//!
//! Probes are sent by a strategy of their own (`strategy/probed`).

mod estimate;
mod load;

pub(crate) use estimate::MIN_PROBES;
pub use estimate::{Coverage, IntervalEstimate, ProbeResult, estimate_from_probes};
pub use load::estimate_coverage;
pub(crate) use load::{has_repeated_hits, has_unknown_region, is_undecided};
