//! `--learn ml|lta|ltm|fm`: CorpusBuilder's learners of the four query parameters (Ghani, Jones &
//! Mladenić 2001, 2005; ALGORITHMS §1.4); and `thompson`, `ucb`, `exp3`: bandits over the same
//! parameters (§5).
//!
//! The parameters are the methods and the lengths of the two sides. Each has a distribution of its
//! own, and each step draws a value from each; what came of the query moves all four. The values
//! are taken to be independent of each other, as in the paper; only the length models `di` and `dd`
//! tie a length to its method.
//!
//! * `rules.rs` has the update rules, `bandit.rs` those of the bandits, `lengths.rs` the Gamma
//!   model of lengths; all are pure.
//! * [`LearnerSpec`] says which rule and which lengths; [`ParameterDistribution`] is one parameter, [`LearnerScores`] are
//!   all of one target.
//! * `fold.rs` rewards while the journal is folded, [`LearnerReplay`] without statistics; [`draw`](draw())
//!   draws the two sides of the next query.

pub mod bandit;
mod distribution;
mod draw;
mod fold;
pub mod lengths;
mod replay;
mod report;
pub mod rules;
mod spec;
mod state;
mod strategy;
#[cfg(test)]
mod tests;

pub use distribution::ParameterDistribution;
pub use draw::{DrawAttempt, draw};
pub(crate) use fold::{LearnerProjection, SCHEMA};
pub use replay::LearnerReplay;
pub(crate) use report::{Learned as LearnedReport, learned};
pub use spec::{LearnerSpec, LengthModel, UpdateRule};
pub use state::{LearnerScores, QueryParameter};
pub(super) use strategy::Learned;

use crate::select::SelectionMethod;

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "learned";

/// The methods that are learned: the paper's four, in its order.
pub const METHODS: [SelectionMethod; 4] = [
    SelectionMethod::Tf,
    SelectionMethod::Ptf,
    SelectionMethod::Or,
    SelectionMethod::Por,
];

/// How many lengths there are: 0 to 10.
pub const LENGTHS: usize = 11;
