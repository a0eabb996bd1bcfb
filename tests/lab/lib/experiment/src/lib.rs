//! Experiments: the measurements of single runs, and their summary over many runs.
//!
//! * [`RunMeter`] reads a journal and takes snapshots of its counts at fixed numbers of documents,
//!   queries and calls, and at recall levels. The result is a [`MeasuredRun`], one line of `results.jsonl`
//!   (`docs/algorithms.md`, "Measures": PosDocs, PosQueries and PosCalls, by the filter and by true
//!   class).
//! * [`ExperimentResults`] are the runs of an experiment, settings × targets × seeds. A
//!   [`SettingValue`] is a quantity of one setting at one checkpoint, a mean over targets and
//!   seeds.
//! * [`evaluate_findings`] parses findings, each of which compares two such values, and judges them
//!   by the interval of the paired difference.
//! * [`MeasuredTables`] are the results of experiments that are not runs, such as curves by
//!   threshold. [`evaluate_table_findings`] tests findings on them.
//! * [`RunComparison`] reads the journals of several runs for one target: their common documents,
//!   the population size that these imply (`capture_recapture.rs`), and the growth of their
//!   vocabularies (`heaps_law.rs`).
//! * [`chart`] draws figures.
//!
//! Nothing in this crate reads or writes files.

mod bootstrap;
mod capture_recapture;
pub mod chart;
mod checkpoint;
mod compared_side;
mod comparison;
mod comparison_result;
mod cost_axis;
mod curve;
mod difference_scale;
mod experiment_results;
mod finding;
mod heaps_law;
mod learner_history;
mod learner_replay;
mod markdown;
mod measured_run;
mod measured_table;
mod paired_comparison;
mod paired_differences;
mod preference;
mod quantity;
mod relation;
mod run_meter;
mod setting_value;
mod snapshot;
mod table_finding;
mod table_value;
mod true_classes;

pub use checkpoint::{Checkpoint, RecallLevel};
pub use comparison::{ComparedRun, ComparisonReport, RunComparison};
pub use cost_axis::CostAxis;
pub use curve::{Curve, relevant_documents_curve};
pub use experiment_results::ExperimentResults;
pub use finding::evaluate_findings;
pub use heaps_law::HeapsLaw;
pub use learner_history::LearnerHistory;
pub use markdown::{markdown_table, settings_table};
pub use measured_run::{MeasuredRun, RunLimits};
pub use measured_table::{MeasuredTable, MeasuredTables};
pub use preference::{locked_runs, mean_preferences};
pub use quantity::Quantity;
pub use run_meter::RunMeter;
pub use setting_value::{MeanOverRuns, SettingValue};
pub use snapshot::RunSnapshot;
pub use table_finding::evaluate_table_findings;
pub use table_value::{PointValue, TableValue, format_table_number};
pub use true_classes::TrueClasses;
