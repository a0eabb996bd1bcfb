//! Tells an engine that fails, and says that there are no hits, from one that has none.
//!
//! An engine fails, and its target is not exhausted, if it has never returned a hit for `max_empty`
//! different queries or more. It also fails if it has returned hits, several queries in a row have
//! none, and the last query that had some has none when it is sent again; a pipeline makes the same
//! test before it ends a run because no query is left. The queries before a failure are not to
//! blame for it: their pages are distrusted, and a run that is resumed sends them again. The
//! embedded index cannot fail in this way and has no such limit.

use super::{QueryReply, SearchError, SearchOutcome, Searcher};
use crate::{EngineResult, HitCacheError};

impl Searcher {
    /// Returns the failure that a reply without hits stands for, if `max_empty` limits such
    /// replies.
    pub(super) fn find_failure_without_hits(
        &mut self,
        reply: &QueryReply,
    ) -> Result<Option<SearchError>, HitCacheError> {
        let Some(limit) = self.limits.max_empty else {
            return Ok(None);
        };
        match reply.outcome {
            Ok(SearchOutcome::Empty) => {
                if let Some(queries) = self.count_hitless_queries(limit)? {
                    return Ok(Some(SearchError::NoHitsEver(queries)));
                }
                // A repeated step reports the calls of its first run, and so decides alike.
                let is_new = reply.calls > 0;
                let queries = if is_new {
                    self.count_empty_queries(limit)?
                } else {
                    None
                };
                Ok(queries.map(SearchError::NoHitsAnyMore))
            }
            Ok(SearchOutcome::Exhausted) if self.scope.limits_hosts() => {
                let queries = self.cache.queries_without_returned_hit()?;
                let queries = queries.filter(|&queries| queries >= limit);
                Ok(queries.map(SearchError::NoHitInScope))
            }
            _ => Ok(None),
        }
    }

    /// Returns the number of distinct queries to each engine (the least of all engines), if all
    /// engines are to be given up because none has ever returned a hit. Their pages may then be
    /// requested once more, in a later step: the user may have repaired the engine.
    fn count_hitless_queries(&mut self, limit: u64) -> Result<Option<u64>, HitCacheError> {
        let mut fewest = u64::MAX;
        for caller in &self.engines {
            match self.cache.hitless_queries(&caller.engine_name)? {
                Some(queries) if queries.reach(limit) => fewest = fewest.min(queries.distinct),
                _ => return Ok(None),
            }
        }
        for caller in &self.engines {
            self.cache.distrust_pages(&caller.engine_name)?;
        }
        Ok(Some(fewest))
    }

    /// Returns the number of queries in a row without a hit, if no engine has a hit for its last
    /// query that had some. The engines are tested after `limit / 4` such queries, and each time
    /// that their number has doubled: a target that is exhausted has many of them, too.
    fn count_empty_queries(&mut self, limit: u64) -> Result<Option<u64>, HitCacheError> {
        let mut fewest = u64::MAX;
        for caller in &self.engines {
            let queries = self.cache.empty_queries_since_hits(&caller.engine_name)?;
            fewest = fewest.min(queries.unwrap_or(u64::MAX));
        }
        if !is_test_due(fewest, limit) {
            return Ok(None);
        }
        for caller in &mut self.engines {
            // A failure is not the answer "no hits"; the next query will wait for the engine.
            if !matches!(caller.probe(&mut self.cache)?, Ok(false)) {
                return Ok(None);
            }
        }
        for caller in &self.engines {
            self.cache.distrust_pages(&caller.engine_name)?;
        }
        Ok(Some(fewest))
    }

    /// Tests whether the engines have hits, each with its last query that had some. An engine whose
    /// last page has hits is not called. Waits for an engine that fails, as for a query.
    ///
    /// # Errors
    /// Fails if the cache does.
    pub fn probe_engines(&mut self) -> Result<Vec<EngineResult<bool>>, HitCacheError> {
        let mut results = Vec::with_capacity(self.engines.len());
        for caller in &mut self.engines {
            let has_hits = self.cache.has_last_page_hits(&caller.engine_name)?;
            results.push(match has_hits {
                true => Ok(true),
                false => caller.probe_with_patience(&mut self.cache)?,
            });
        }
        Ok(results)
    }
}

/// Returns `true` if `queries` is a quarter of `limit`, or a power of two times that.
fn is_test_due(queries: u64, limit: u64) -> bool {
    let first = (limit / 4).max(1);
    queries.is_multiple_of(first) && (queries / first).is_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::is_test_due;

    #[test]
    fn an_engine_is_tested_at_doubling_intervals() {
        let due: Vec<u64> = (0..100).filter(|&n| is_test_due(n, 20)).collect();
        assert_eq!(due, [5, 10, 20, 40, 80]);
        assert!(is_test_due(1, 1) && !is_test_due(u64::MAX, 1));
    }
}
