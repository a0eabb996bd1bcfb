//! The counts of a run at one moment.

use serde::{Deserialize, Serialize};

/// The counts of a run at one moment. In `results.jsonl` it is a list of numbers, in the order of
/// `SNAPSHOT_COLUMNS`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 8]", into = "[u64; 8]")]
pub struct RunSnapshot {
    /// Number of steps.
    pub steps: u64,
    /// Number of documents retrieved, of any class, including duplicates.
    pub documents: u64,
    /// Number of distinct queries sent to the engine.
    pub queries: u64,
    /// Number of distinct queries for which the engine had no hit.
    pub empty: u64,
    /// Number of calls to the engine.
    pub calls: u64,
    /// Number of relevant documents by the filter, without duplicates.
    pub relevant: u64,
    /// Number of relevant documents by true class, without duplicates; 0 if true classes are
    /// unknown.
    pub correct: u64,
    /// Number of documents that are relevant both by the filter and by true class.
    pub both: u64,
}

/// The names of the numbers of a snapshot, in order.
pub(crate) const SNAPSHOT_COLUMNS: [&str; 8] = [
    "steps",
    "documents",
    "queries",
    "empty",
    "calls",
    "relevant",
    "true",
    "both",
];

impl From<[u64; 8]> for RunSnapshot {
    fn from(
        [
            steps,
            documents,
            queries,
            empty,
            calls,
            relevant,
            correct,
            both,
        ]: [u64; 8],
    ) -> Self {
        RunSnapshot {
            steps,
            documents,
            queries,
            empty,
            calls,
            relevant,
            correct,
            both,
        }
    }
}

impl From<RunSnapshot> for [u64; 8] {
    fn from(snapshot: RunSnapshot) -> Self {
        [
            snapshot.steps,
            snapshot.documents,
            snapshot.queries,
            snapshot.empty,
            snapshot.calls,
            snapshot.relevant,
            snapshot.correct,
            snapshot.both,
        ]
    }
}
