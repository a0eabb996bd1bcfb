//! The evidence for the choice of the next query: a sample of the collected documents, and the past
//! queries with what they returned.

use forage_record::MoreHits;
use std::collections::HashSet;

/// A term with its sign: one condition of a conjunctive query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// The id of the term.
    pub term: u32,
    /// True if a document must contain the term, false if it must not.
    pub is_included: bool,
}

/// A collected document of the sample.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampledDocument {
    /// Ids of the document's terms, ascending, without repetition.
    pub terms: Vec<u32>,
    /// The term frequency of each of `terms`.
    pub frequencies: Vec<u32>,
    /// The query that returned the document, as an index of [`Evidence::queries`]. `None` for an
    /// initial document, and for one that a query of another target or strategy returned.
    pub query: Option<usize>,
}

/// A query of the log, with what it returned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastQuery {
    /// Its literals. Those of a region are in the order of the splits.
    pub literals: Vec<Literal>,
    /// True if the query is no region of the tree: an exploration query or a probe.
    pub is_exploration: bool,
    /// Hits that the engine has beyond the pages retrieved; `None` if the query is exhausted.
    pub more: Option<MoreHits>,
    /// Calls to the engine.
    pub calls: u64,
    /// Unseen hits in the cache: retrieved from the engine, not yet returned.
    pub unseen_hits: u64,
    /// New relevant documents since the last call.
    pub page_relevant: u64,
    /// Nonrelevant documents since the last call.
    pub page_nonrelevant: u64,
}

/// The evidence for the choice of the next query.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Collected documents of the target, or a sample of them.
    pub relevant: Vec<SampledDocument>,
    /// The number of relevant documents that each sampled one represents.
    pub relevant_weight: f64,
    /// Collected documents of the other classes, or a sample of them.
    pub nonrelevant: Vec<SampledDocument>,
    /// The number of nonrelevant documents that each sampled one represents.
    pub nonrelevant_weight: f64,
    /// All logged queries for the target, in the order in which they were first sent.
    pub queries: Vec<PastQuery>,
    /// Hits per page of the engine.
    pub page_size: f64,
    /// Maximum number of pages per query.
    pub max_pages: f64,
    /// Terms by which no region is split.
    pub pruned_terms: HashSet<u32>,
}
