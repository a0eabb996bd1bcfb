//! The limits on calls and queries, over all engines. A call beyond them is a failure of kind
//! `budget`, and its query is not exhausted: the limits say nothing about it.

use super::{SearchError, SearchLimits};
use std::collections::HashSet;

/// The calls that were made to all engines, and the limits on them.
pub(super) struct CallBudget {
    max_calls: Option<u64>,
    max_queries: Option<u64>,
    calls: u64,
    /// Canonical forms of the queries for which calls were made.
    queries: HashSet<String>,
}

impl CallBudget {
    pub fn new(limits: SearchLimits) -> Self {
        CallBudget {
            max_calls: limits.max_calls,
            max_queries: limits.max_queries,
            calls: 0,
            queries: HashSet::new(),
        }
    }

    /// Counts a call for the query with this canonical form.
    ///
    /// # Errors
    /// Fails if the limits allow no further call for the query, which is then not counted.
    pub fn count_call(&mut self, query: &str) -> Result<(), SearchError> {
        if let Some(max_calls) = self.max_calls
            && self.calls >= max_calls
        {
            return Err(SearchError::CallLimit(max_calls));
        }
        let is_new = !self.queries.contains(query);
        if let Some(max_queries) = self.max_queries
            && is_new
            && self.queries.len() as u64 >= max_queries
        {
            return Err(SearchError::QueryLimit(max_queries));
        }
        self.calls += 1;
        if is_new {
            self.queries.insert(query.to_owned());
        }
        Ok(())
    }
}
