//! Calls to the engine, within the limits and at the engine's pace.

use super::{SearchError, SearchLimits};
use crate::pacing::Backoff;
use crate::{CallPacer, Engine, EngineError, EngineQuery, HitCache, HitCacheError, HitPage};
use std::collections::HashSet;
use std::time::Duration;

/// Longest back-off that is stored for other processes: an engine that names a longer one is
/// retried once a day. Set by judgement, not measured.
const MAX_STORED_BACKOFF: Duration = Duration::from_secs(86_400);

/// An engine, and the calls that were made to it.
pub(super) struct EngineCaller {
    pub engine: Box<dyn Engine>,
    /// Name of the engine in the cache.
    pub engine_name: String,
    limits: SearchLimits,
    pacer: CallPacer,
    calls: u64,
    /// Queries for which calls were made, by their numbers in the cache.
    queries: HashSet<i64>,
    /// Back-off since the engine's last response.
    backoff: Option<Backoff>,
    /// True if the back-off that an earlier process stored has been read.
    is_backoff_restored: bool,
}

impl EngineCaller {
    pub fn new(
        engine: Box<dyn Engine>,
        engine_name: String,
        limits: SearchLimits,
        pacer: CallPacer,
    ) -> Self {
        EngineCaller {
            engine,
            engine_name,
            limits,
            pacer,
            calls: 0,
            queries: HashSet::new(),
            backoff: None,
            is_backoff_restored: false,
        }
    }

    /// Requests page `number` of the query that has the number `query_id` in the cache. An engine
    /// that throttles or is down is retried within the patience; all retries count as one call.
    pub fn request_page(
        &mut self,
        cache: &mut HitCache,
        query_id: i64,
        query: &EngineQuery,
        number: u32,
    ) -> Result<Result<HitPage, SearchError>, HitCacheError> {
        if let Some(error) = self.reached_limit(query_id) {
            return Ok(Err(error));
        }
        self.calls += 1;
        self.queries.insert(query_id);
        self.restore_backoff(cache)?;
        loop {
            if let Some(backoff) = &mut self.backoff
                && !self.pacer.wait_for_retry(backoff)
            {
                return Ok(Err(backoff.failure.clone().into()));
            }
            self.wait_for_turn(cache)?;
            match self
                .engine
                .request_page(query, number, self.limits.page_size)
            {
                Ok(page) => {
                    self.backoff = None;
                    return Ok(Ok(page));
                }
                Err(failure) => {
                    self.record_failure(cache, &failure)?;
                    if !self.should_retry() {
                        return Ok(Err(failure.into()));
                    }
                }
            }
        }
    }

    /// Reads the back-off that an earlier process stored, once.
    fn restore_backoff(&mut self, cache: &HitCache) -> Result<(), HitCacheError> {
        if self.is_backoff_restored || self.pacer.patience.throttled.is_zero() {
            return Ok(());
        }
        self.is_backoff_restored = true;
        if let Some((retry_at, message)) = cache.backoff(&self.engine_name)? {
            let latest = (self.pacer.now)() + MAX_STORED_BACKOFF;
            self.backoff = self
                .pacer
                .restored_backoff(message, retry_at)
                .filter(|backoff| backoff.retry_at <= latest);
        }
        Ok(())
    }

    /// Updates the back-off after a failure, and stores it if the engine names the time to wait.
    fn record_failure(
        &mut self,
        cache: &mut HitCache,
        failure: &EngineError,
    ) -> Result<(), HitCacheError> {
        self.backoff = self.pacer.next_backoff(self.backoff.take(), failure);
        if let (Some(backoff), Some(_)) = (&self.backoff, failure.retry_after()) {
            let latest = (self.pacer.now)() + MAX_STORED_BACKOFF;
            cache.record_backoff(
                &self.engine_name,
                backoff.retry_at.min(latest),
                failure.message(),
            )?;
        }
        Ok(())
    }

    /// Returns `true` if the engine failed in a way that is retried, and the patience allows it.
    fn should_retry(&self) -> bool {
        self.backoff
            .as_ref()
            .is_some_and(|backoff| !self.pacer.is_patience_over(backoff))
    }

    /// Returns an error if the limits allow no further call for the query.
    fn reached_limit(&self, query_id: i64) -> Option<SearchError> {
        if let Some(max_calls) = self.limits.max_calls
            && self.calls >= max_calls
        {
            return Some(SearchError::CallLimit(max_calls));
        }
        if let Some(max_queries) = self.limits.max_queries
            && !self.queries.contains(&query_id)
            && self.queries.len() as u64 >= max_queries
        {
            return Some(SearchError::QueryLimit(max_queries));
        }
        None
    }

    /// Waits until the interval since the last call is over, and records the time of this call.
    fn wait_for_turn(&self, cache: &mut HitCache) -> Result<(), HitCacheError> {
        if self.pacer.interval.is_zero() {
            return Ok(());
        }
        self.pacer
            .wait_for_interval(cache.last_call(&self.engine_name)?);
        cache.record_call(&self.engine_name, (self.pacer.now)())
    }
}
