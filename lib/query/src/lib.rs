//! Query learning: what was seen in which class, and which terms to ask for next.
//!
//! * [`Statistics`] is `stats.db`: per class, how often each term occurs and in how many documents. A projection adds
//!   documents to it; [`select`] ranks or draws terms from it; both touch only the rows that matter, so that a step
//!   costs the same at a million terms as at a thousand.
//! * [`compose()`] puts a query together from both sides, and walks down the ranking when a query brings nothing more.
//! * [`learn`] draws methods and lengths from what came of them, [`auto`] chooses the terms themselves; [`like`] and
//!   [`seedfinder`] are baselines.
//! * [`coverage`] says how much of what can be reached is collected, by probes.
//! * [`StatisticsLedger`] keeps `stats.db` and the journal that it is derived from.

pub mod auto;
mod compose;
mod counter;
pub mod coverage;
pub mod learn;
pub mod like;
mod projections;
mod query_log;
mod report;
pub mod seedfinder;
pub mod select;
mod statistics;

pub use compose::{Plan, Side, Terms, compose};
pub use projections::StatisticsLedger;
pub use report::{Figures, Report, report};
pub use statistics::{ClassCounts, Statistics, StatisticsError};
