//! How much of what an engine can reach is collected (ALGORITHMS §5, "Coverage").
//!
//! Queries that are learned bring what is easy to find, so that repeated hits say too little of what is not. Here the
//! run asks *probes* beside them: words drawn uniformly from a pool of middling rare words, each asked to its end. A
//! document is found by a probe with probability proportional to the number of pool words that it has, w(d); each new
//! document of a probe so stands for |pool|/w(d) unseen ones (Broder et al. 2006, "Estimating corpus size via
//! queries", after Horvitz & Thompson 1952). With the documents that were known before, that is the population.
//!
//! * `estimate.rs` is the estimator and its interval, pure; `pool.rs` reads the pool, `load.rs` the probes.
//! * [`turn`] says when a probe is due, and when a run is done; `probe.rs` puts its query together.
//! * [`recapture`] has the estimates from repeated runs and hits, Chapman's and Chao's; [`growth`] how the vocabulary
//!   grows. Both are pure.

mod estimate;
pub mod growth;
mod load;
mod pool;
mod probe;
pub mod recapture;
mod turn;

pub use estimate::{Coverage, Estimate, Probe, estimate};
pub use load::coverage;
pub use turn::{Turn, Wanted, turn};
