//! The counts of a run at one moment.

use serde::{Deserialize, Serialize};

/// What a run had done and found at one moment; in `results.jsonl` a list of numbers, as `COLUMNS`
/// names them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 8]", into = "[u64; 8]")]
pub struct Point {
    /// Query records.
    pub steps: u64,
    /// Documents retrieved, of any class, twins among them.
    pub documents: u64,
    /// Distinct queries sent to the engine.
    pub queries: u64,
    /// Distinct queries to which the engine had no hit at all.
    pub empty: u64,
    /// Calls to the engine.
    pub calls: u64,
    /// Documents that the filter called relevant and that are no twins.
    pub relevant: u64,
    /// Documents that are relevant by their true label and no twins; 0 where it is not known.
    pub correct: u64,
    /// Documents that are both.
    pub both: u64,
}

/// The names of a point's numbers, in their order.
pub(crate) const COLUMNS: [&str; 8] = [
    "steps",
    "documents",
    "queries",
    "empty",
    "calls",
    "relevant",
    "true",
    "both",
];

impl From<[u64; 8]> for Point {
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
        Point {
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

impl From<Point> for [u64; 8] {
    fn from(
        Point {
            steps,
            documents,
            queries,
            empty,
            calls,
            relevant,
            correct,
            both,
        }: Point,
    ) -> Self {
        [
            steps, documents, queries, empty, calls, relevant, correct, both,
        ]
    }
}
