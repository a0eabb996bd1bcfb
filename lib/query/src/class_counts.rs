//! A class of the statistics with its counts.

use serde::Serialize;

/// A class with its numbers of documents, tokens and terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    #[serde(skip)]
    pub(crate) id: i64,
    /// The name: the label of the documents of the class.
    #[serde(skip)]
    pub name: String,
    /// Number of documents, N_c.
    pub documents: u64,
    /// Number of tokens: occurrences of terms.
    pub tokens: u64,
    /// Number of distinct terms.
    pub terms: u64,
}
