//! Experiments: what a run brought for what it cost, and what many runs say together.
//!
//! * [`Meter`] follows a journal and notes its counts at fixed numbers of documents, queries and calls: a [`Run`], one
//!   line of `results.jsonl` (ALGORITHMS §6: PosDocs, PosQueries and PosCalls, by the filter and by the true label).
//! * [`Results`] are the runs of an experiment, settings × targets × seeds; [`Value`] is a figure of one setting at one
//!   point, a mean over targets and seeds.
//! * [`fill`] puts figures, tables and verdicts into a text, so that what a document says is what was measured.
//! * [`RunComparison`] reads the journals of several runs for one target: the documents that they share and the
//!   population that these imply (`recapture.rs`), and the growth of their vocabularies (`growth.rs`).
//!
//! Nothing here reads files or draws.

mod axis;
mod comparison;
mod condition;
mod curve;
mod growth;
mod learned;
mod meter;
mod point;
mod preference;
mod recapture;
mod results;
mod run;
mod table;
mod template;
mod truth;
mod value;
mod words;

pub use axis::Axis;
pub use comparison::{ComparedRun, ComparedRuns, RunComparison};
pub use curve::{Curve, curve, shares};
pub use growth::Heaps;
pub use meter::Meter;
pub use point::Point;
pub use results::{Results, ResultsError};
pub use run::{About, Learned, Limits, Run};
pub use template::{FigureOrder, Fillings, Shows, TemplateError, fill};
pub use truth::Truth;
pub use value::{Mean, Quantity, Value};
