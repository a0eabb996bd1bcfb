//! Tests of an engine by a query for which it must have hits, and what ambiguous responses mean.

use super::engine_caller::EngineCaller;
use crate::canary::COMMON_WORD;
use crate::{EngineError, EngineQuery, HitCache, HitCacheError, HitPage};

impl EngineCaller {
    /// Decides what a failure means that may be an answer: returns the page that it stands for, or
    /// else the failure. `number` is that of the requested page.
    pub(super) fn resolve_failure(
        &mut self,
        cache: &mut HitCache,
        failure: EngineError,
        number: u32,
    ) -> Result<Result<HitPage, EngineError>, HitCacheError> {
        match failure {
            EngineError::Incomplete { missing, failure } => {
                // The query has a page before this one.
                let is_answer = number > 1
                    || cache.has_hits_without(&self.engine_name, &missing)?
                    || self.probe(cache)? == Ok(true);
                Ok(match is_answer {
                    true => Ok(HitPage {
                        missing,
                        ..HitPage::default()
                    }),
                    false => Err(*failure),
                })
            }
            EngineError::Unreadable(message) => {
                Ok(Err(match cache.has_pages(&self.engine_name)? {
                    true => EngineError::Down(message),
                    false => EngineError::Refused(message),
                }))
            }
            failure => Ok(Err(failure)),
        }
    }

    /// Returns `true` if the engine has a hit for its last query that had hits; if none had, for its
    /// last query or a common word. Not counted as a call, as a retry is not. Does not wait for an
    /// engine that fails.
    pub(super) fn probe(
        &mut self,
        cache: &mut HitCache,
    ) -> Result<Result<bool, EngineError>, HitCacheError> {
        for (number, query) in probe_queries(cache, &self.engine_name)? {
            if query.is_empty() {
                return Ok(Ok(true)); // an engine that lists all its documents
            }
            self.wait_for_turn(cache)?;
            match self.engine.request_page(&query, 1, self.page_size) {
                Ok(page) if !page.hits.is_empty() => {
                    self.record_probe(cache, number, &query, &page)?;
                    return Ok(Ok(true));
                }
                Ok(_) | Err(EngineError::Incomplete { .. }) => {}
                Err(failure) => return Ok(Err(failure)),
            }
        }
        Ok(Ok(false))
    }

    /// Tests the engine as `probe` does, and waits for it within the patience if it fails.
    pub(super) fn probe_with_patience(
        &mut self,
        cache: &mut HitCache,
    ) -> Result<Result<bool, EngineError>, HitCacheError> {
        loop {
            match self.probe(cache)? {
                Err(failure) if self.wait_after_failure(cache, &failure)? => {}
                result => return Ok(result),
            }
        }
    }

    /// Records which parts of the engine were silent when it returned hits.
    fn record_probe(
        &self,
        cache: &mut HitCache,
        number: Option<i64>,
        query: &EngineQuery,
        page: &HitPage,
    ) -> Result<(), HitCacheError> {
        if let Some(number) = number {
            return cache.record_silent_parts(number, &page.missing);
        }
        let terms = query.to_canonical_form();
        let number = cache.query_id(&self.engine_name, self.page_size, &terms)?;
        // Step 0 has no call to report.
        cache.store_page(number, 1, page, 0)
    }
}

/// Returns the queries that test an engine, with their numbers in the cache: the last one that had
/// hits, or else the last one and a common word.
fn probe_queries(
    cache: &HitCache,
    engine: &str,
) -> Result<Vec<(Option<i64>, EngineQuery)>, HitCacheError> {
    let restore =
        |(number, terms): (i64, String)| (Some(number), EngineQuery::from_canonical_form(&terms));
    if let Some(query) = cache.last_query(engine, true)? {
        return Ok(vec![restore(query)]);
    }
    let last = cache.last_query(engine, false)?.map(restore);
    let common = (None, EngineQuery::new(&[COMMON_WORD], &[]));
    Ok(last.into_iter().chain([common]).collect())
}
