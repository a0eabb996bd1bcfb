//! How much of what an engine can reach is collected (ALGORITHMS §5, "Coverage").
//!
//! Queries that are learned bring what is easy to find, so that repeated hits say too little of
//! what is not. Here the run asks *probes* beside them: regions of the target's documents that are
//! drawn at random, each with a probability that is known, and asked to its end. Each new document
//! of a probe so stands for one over that probability (Horvitz & Thompson 1952; for search
//! interfaces Dasgupta et al. 2010, "Unbiased estimation of size and other aggregates over hidden
//! web databases"). With the documents that were known before, that is the population.
//!
//! * `estimate.rs` is the estimator and its interval, pure; `load.rs` reads the probes.
//! * The probes are asked by a strategy of their own (`strategy/probed`).

mod estimate;
mod load;

pub use estimate::{Coverage, IntervalEstimate, Probe, estimate_from_probes};
pub use load::estimate_coverage;
pub(crate) use load::repeats;
