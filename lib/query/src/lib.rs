//! Query learning: what was seen in which class, and which terms to ask for next.
//!
//! * [`Statistics`] is `stats.db`: per class, how often each term occurs and in how many documents.
//!   A projection adds documents to it; [`select`] ranks or draws terms from it; both touch only
//!   the rows that matter, so that a step costs the same at a million terms as at a thousand.
//! * [`strategy`] puts the queries together.
//! * [`coverage`] says how much of what can be reached is collected, by probes.
//! * [`open_ledger`] keeps `stats.db` and the journal that it is derived from.

mod counter;
pub mod coverage;
mod projections;
mod query_log;
mod report;
pub mod select;
mod statistics;
pub mod strategy;

pub use projections::{open_ledger, rebuild_ledger};
pub use report::{RunFigures, RunReport, build_report};
pub use statistics::{ClassCounts, Statistics, StatisticsError};
