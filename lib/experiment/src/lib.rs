//! Experiments: what a run brought for what it cost, and what many runs say together.
//!
//! * [`Meter`] follows a journal and notes its counts at fixed numbers of documents, queries and
//!   calls: a [`Run`], one line of `results.jsonl` (ALGORITHMS §6: PosDocs, PosQueries and
//!   PosCalls, by the filter and by the true label).
//! * [`Results`] are the runs of an experiment, settings × targets × seeds; [`Value`] is a figure
//!   of one setting at one point, a mean over targets and seeds.
//! * [`judge_findings`] reads findings, each with a comparison of two such values, and says whether
//!   they hold.
//! * [`RunComparison`] reads the journals of several runs for one target: the documents that they
//!   share and the population that these imply (`recapture.rs`), and the growth of their
//!   vocabularies (`growth.rs`).
//!
//! Nothing here reads files or draws.

mod axis;
mod comparison;
mod curve;
mod finding;
mod growth;
mod learned;
mod meter;
mod point;
mod preference;
mod recapture;
mod results;
mod run;
mod table;
mod truth;
mod value;

pub use axis::Axis;
pub use comparison::{ComparedRun, ComparedRuns, RunComparison};
pub use curve::{Curve, curve};
pub use finding::judge_findings;
pub use growth::Heaps;
pub use meter::Meter;
pub use point::Point;
pub use preference::preferences;
pub use results::Results;
pub use run::{Learned, Limits, Run};
pub use table::{markdown_table, settings_table};
pub use truth::Truth;
pub use value::{Mean, Quantity, Value};
