//! Query learning: what was seen in which class, and which terms to ask for next.
//!
//! * [`Statistics`] is `stats.db`: per class, how often each term occurs and in how many documents. [`Counter`] adds
//!   documents to it; [`select`] ranks or draws terms from it; both touch only the rows that matter, so that a step
//!   costs the same at a million terms as at a thousand.
//! * [`compose()`] puts a query together from both sides, and walks down the ranking when a query brings nothing more.
//! * [`learn`] draws methods and lengths from what came of them, [`auto`] chooses the terms themselves; [`like`] and
//!   [`seedfinder`] are baselines.
//! * [`coverage`] says how much of what can be reached is collected, by probes.
//! * [`Journal`] is `journal.jsonl`, the truth of which the statistics are a fold; [`Ledger`] folds it, record by
//!   record, and repairs what a killed run left half done.

mod asked;
pub mod auto;
mod baselines;
mod compose;
mod counter;
pub mod coverage;
mod event;
mod journal;
pub mod learn;
mod ledger;
pub mod like;
mod recognise;
mod report;
pub mod seedfinder;
pub mod select;
mod statistics;

pub use compose::{Plan, Side, Terms, compose, query_id};
pub use counter::Counter;
pub use event::Event;
pub use journal::{Journal, JournalError};
pub use ledger::{Ledger, LedgerError, Tally};
pub use report::{Figures, Report, report};
pub use statistics::{ClassCounts, Statistics, StatisticsError};
