//! Review of a focused crawl by people (Kluev 2000, sections 4 and 5).
//!
//! A [`Grouping`] divides the documents by the metrics that voted for them, or by another field. A
//! [`Population`] holds a few bytes of each document, and draws the sample that people judge. Their
//! [`Judgements`] decide, by the [`AcceptanceRule`], which documents of a group are kept, and a
//! [`ReviewReport`] estimates precision and recall.
//!
//! The crate does no I/O. A tool passes it all records once, and then finds the chosen records by
//! their numbers in a second pass, so that texts are never held in memory.

mod draw;
mod group;
mod interval;
mod judgements;
mod population;
mod report;
mod rule;

pub use draw::{draw_positions, sample_size};
pub use group::{Group, Grouping};
pub use interval::Interval;
pub use judgements::{DocumentKey, Judgements, Verdict, is_judgeable_identity, parse_judgement};
pub use population::{ChosenRecord, Population, SampleShares};
pub use report::{GroupReport, RecallReport, ReviewReport};
pub use rule::{AcceptanceRule, GroupTally};
