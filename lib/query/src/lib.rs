//! Query learning: term statistics by class, and the composition of queries from them.
//!
//! * [`Statistics`] is `stats.db`: the term and document frequency of each term by class. A
//!   projection counts documents into it; [`select`] ranks or draws terms from it. Both touch only
//!   the rows that they need, so that a step takes as long with a million terms as with a thousand.
//! * [`strategy`] composes queries.
//! * [`coverage`] estimates from probes how much of the reachable documents has been collected.
//! * [`merge_statistics`] makes one file of several.
//! * [`open_ledger`] opens `stats.db` together with the journal that it is derived from.

mod class_counts;
mod counter;
pub mod coverage;
#[cfg(test)]
mod damage_tests;
mod document_keys;
mod merge;
mod navigation_labels;
mod projections;
mod query_log;
mod ranking_cache;
mod report;
pub mod select;
mod spelling;
mod statistics;
pub mod strategy;
mod term_list;
mod term_tables;
mod unseen_hits;
mod waiting_documents;

pub use class_counts::ClassCounts;
pub use merge::{MergedDocuments, merge_statistics};
pub use projections::{
    open_ledger, open_ledger_in_memory, rebuild_if_earlier, rebuild_ledger, turn_on_ascii_folding,
};
pub use report::{CoverageReport, RunFigures, RunReport, build_report};
pub use statistics::{Statistics, StatisticsError};
