//! `--learn ml|lta|ltm|fm`: CorpusBuilder's learners of the four query parameters (Ghani, Jones &
//! Mladenić 2001, 2005). See `docs/algorithms.md`, "Learned query parameters".
//!
//! The parameters are the selection methods and the lengths of the two sides of a query. The
//! learner keeps a distribution for each. Each step draws a value from each distribution, and the
//! result of the query updates all four. The parameters are taken to be independent, as in the
//! paper; only the length models `di` and `dd` make a length depend on its method.
//!
//! * `rules.rs`, `gamma.rs`: the update rules of the paper, and its Gamma model of lengths, without
//!   I/O.
//! * [`LearnerSpec`]: which rule and which lengths. [`ParameterDistribution`]: one parameter.
//!   [`LearnerScores`]: all parameters of one target.
//! * `projection.rs` updates the scores from the journal.
//! * [`draw_sides`] draws the two sides of the next query; `strategy.rs` composes it.

mod distribution;
mod draw;
pub mod gamma;
mod projection;
mod report;
pub mod rules;
mod scores;
mod spec;
mod strategy;
#[cfg(test)]
mod tests;

pub use distribution::ParameterDistribution;
pub use draw::{DrawAttempt, draw_sides};
pub use projection::{LearnedChoice, StepProgress};
pub(crate) use projection::{LearnerProjection, SCHEMA};
pub(crate) use report::{LearnerReport, report_learners};
pub use scores::{LearnerScores, QueryParameter};
pub use spec::{LearnerSpec, LengthModel, UpdateRule};
pub(super) use strategy::LearnedStrategy;

use crate::select::SelectionMethod;

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "learned";

/// The methods that are learned, in the order of Ghani, Jones & Mladenić (2001).
pub const METHODS: [SelectionMethod; 4] = [
    SelectionMethod::Tf,
    SelectionMethod::Ptf,
    SelectionMethod::Or,
    SelectionMethod::Por,
];

/// The number of lengths: 0 to 10.
pub const LENGTHS: usize = 11;
