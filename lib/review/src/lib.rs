//! Review of a run by people (Kluev 2000, sections 4 and 5).
//!
//! A [`Grouping`] divides the documents by the metrics that voted for them, by another field, or by
//! target and nearness to the threshold of the filter. A [`Population`] holds a few bytes of each
//! document, and draws the sample that people judge; [`Questions`] has what they are asked. Their
//! [`Judgements`] decide, by the [`AcceptanceRule`], which documents of a group are kept, and a
//! [`ReviewReport`] estimates precision and recall. [`Agreement`] compares the verdicts of two people.
//!
//! The crate does no I/O. A tool passes it all records once, and then finds the chosen records by
//! their numbers in a second pass, so that texts are never held in memory.

mod agreement;
mod draw;
mod estimates;
mod group;
mod interval;
mod judgements;
mod population;
mod question;
mod report;
mod rule;
mod target;

pub use agreement::Agreement;
pub use draw::{SampleSize, draw_positions};
pub use group::{Group, Grouping};
pub use interval::Interval;
pub use judgements::{DocumentKey, Judgements, Verdict, is_judgeable_identity, parse_judgement};
pub use population::{ChosenRecord, Population, SampleSizes};
pub use question::{Question, Questions};
pub use report::{GroupReport, RecallReport, ReviewReport};
pub use rule::{AcceptanceRule, GroupTally};
