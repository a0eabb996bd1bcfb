//! The topic profile of a focused crawler, and the metrics by which it judges documents (Kluev
//! 2000, section 4; `docs/algorithms.md`, "Focused crawling").
//!
//! A profile ([`TopicProfile`]) is a list of stems and of collocations of two and three stems that
//! characterise a subject. A [`CoreStatistics`] proposes one from documents that a person chose,
//! the *core*; people edit the file.
//!
//! A [`ProfileScorer`] compares a document with the profile in five ways ([`MetricScores`]), which
//! are four metrics ([`Metric`]): each votes for the document if its score reaches a threshold
//! ([`Thresholds`]). A document with a vote is recommended, and one with two is undoubtedly
//! relevant.
//!
//! ```
//! use forage_topic::profile::{ProfileScorer, Thresholds, TopicProfile};
//!
//! let profile = TopicProfile::parse(b"# language: eng\nterm\tgraph\t9\npair\tweight graph\t4\n")?;
//! let scores = ProfileScorer::new(&profile).score("Shortest paths in a weighted graph.");
//! assert_eq!((scores.term, scores.pair), (1.0, 1.0));
//! let thresholds: Thresholds = "vsm=0.18,term=0.5,pair=0.1,triple=0.08".parse()?;
//! assert_eq!(thresholds.votes(&scores).count(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod background;
mod candidates;
mod core_fit;
mod core_statistics;
mod entry;
mod file;
mod fit;
mod fit_printed;
mod passages;
mod scorer;
mod scores;
mod term_vector;
mod variable_part;
mod words;

pub use crate::general_words::{GeneralText, LEVELS_PER_NAT, WordCounts, hash_word};
pub use background::ScoreCounts;
pub use candidates::{CandidateEntry, ProfileSizes};
pub use core_fit::{CoreFit, RELEVANT_SHARE, ThresholdFactors, wilson_lower};
pub use core_statistics::CoreStatistics;
pub use entry::{EntryKind, ProfileEntry, TopicProfile};
pub use file::ProfileError;
pub use fit_printed::fit_printed_thresholds;
pub use scorer::ProfileScorer;
pub use scores::{Metric, MetricScores, ThresholdError, Thresholds, Votes};
pub use variable_part::VariablePart;
