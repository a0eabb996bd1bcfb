//! Calls to one engine, within the limits and at the engine's pace.

use super::SearchError;
use super::call_budget::CallBudget;
use crate::canary::{self, ExclusionVerdict};
use crate::pacing::Backoff;
use crate::{
    CallPacer, Engine, EngineError, EngineQuery, ExclusionSupport, HitCache, HitCacheError, HitPage,
};
use std::borrow::Cow;
use std::time::{Duration, SystemTime};

/// Longest back-off that is stored for other processes: an engine that names a longer one is
/// retried once a day.
const MAX_STORED_BACKOFF: Duration = Duration::from_secs(86_400);

/// Maximum number of tests of exclusion that allow no conclusion; after them, the engine counts as
/// one without exclusion. Set by judgement, not measured.
const MAX_INCONCLUSIVE_TESTS: usize = 6;

/// An engine with its back-off.
pub(super) struct EngineCaller {
    pub engine: Box<dyn Engine>,
    /// Name of the engine in the cache.
    pub engine_name: String,
    /// Hits per page.
    pub page_size: u32,
    pub pacer: CallPacer,
    /// Back-off since the engine's last response.
    backoff: Option<Backoff>,
    /// True if the back-off that an earlier process stored has been read.
    is_backoff_restored: bool,
}

/// A page to request: its number in a query.
#[derive(Clone, Copy)]
pub(super) struct PageRequest<'a> {
    pub query: &'a EngineQuery,
    /// Canonical form of the query.
    pub canonical_form: &'a str,
    /// Number of the page, from 1.
    pub number: u32,
    /// The file that is the page, if an earlier page named it.
    pub file: Option<&'a str>,
}

/// Rule for an engine that throttles or is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureRule {
    /// Retry it within the patience. All retries count as one call.
    Wait,
    /// Do not wait: other engines may answer. An engine in back-off is not called.
    Skip,
    /// Retry it once, after a failure that was skipped. The retry is not counted as a call again.
    RetryOnce,
}

impl EngineCaller {
    pub fn new(
        engine: Box<dyn Engine>,
        engine_name: String,
        page_size: u32,
        pacer: CallPacer,
    ) -> Self {
        let max_page_size = engine.capabilities().max_page_size;
        EngineCaller {
            page_size: max_page_size.map_or(page_size, |max| page_size.min(max)),
            engine,
            engine_name,
            pacer,
            backoff: None,
            is_backoff_restored: false,
        }
    }

    /// Returns the query as it is sent, and `true` if it lacks the exclusion terms, because the
    /// engine does not honour them.
    pub fn prepare_query(
        &mut self,
        cache: &mut HitCache,
        mut query: EngineQuery,
    ) -> Result<(EngineQuery, bool), HitCacheError> {
        let capabilities = self.engine.capabilities();
        let is_sent = match capabilities.exclusion {
            _ if query.exclude().is_empty() || capabilities.lists_all_documents => true,
            ExclusionSupport::Tested => self.honours_exclusion(cache, &query)?,
            support => support != ExclusionSupport::Unsupported,
        };
        if is_sent {
            return Ok((query, false));
        }
        while let Some(shorter) = query.without_last_exclusion() {
            query = shorter;
        }
        Ok((query, true))
    }

    /// Returns `true` if a test has shown that the engine honours exclusion terms. If there was
    /// none, tests it with terms of the query. Not counted as a call, as a probe is not. The
    /// results are notes in the cache, so that a run makes the test once.
    fn honours_exclusion(
        &mut self,
        cache: &mut HitCache,
        query: &EngineQuery,
    ) -> Result<bool, HitCacheError> {
        self.restore_backoff(cache)?;
        let prefix = format!("{}: exclusion ", self.engine_name);
        let results = cache.notes_with_prefix(&prefix)?;
        let has_worked = results.iter().any(|result| result == "works");
        let is_known = has_worked || results.iter().any(|result| result.starts_with("fails"));
        if is_known || results.len() >= MAX_INCONCLUSIVE_TESTS || self.backoff.is_some() {
            return Ok(has_worked);
        }
        let words = query.include().first().zip(query.exclude().first());
        let Some((word, excluded)) = words else {
            return Ok(false);
        };
        let mut asked = 0;
        let pause = || {
            asked += 1;
            wait_for_turn(&self.pacer, cache).map_err(|e| EngineError::Down(e.to_string()))
        };
        let test = canary::test_exclusion(&mut *self.engine, word, (None, Some(excluded)), pause);
        let verdict = match test {
            Ok((verdict, _)) => verdict,
            Err(failure) => {
                self.record_failure(cache, &failure)?;
                // An engine that does not answer the first query either is down.
                if asked < 2 {
                    return Ok(false);
                }
                None
            }
        };
        let unknown = format!("unknown {}", results.len());
        cache.record_note(&(prefix + verdict.map_or(&unknown, |verdict| verdict.as_str())))?;
        Ok(verdict == Some(ExclusionVerdict::Works))
    }

    /// Requests a page. How a failure is treated depends on `rule`.
    pub fn request_page(
        &mut self,
        (cache, budget): (&mut HitCache, &mut CallBudget),
        request: PageRequest,
        rule: FailureRule,
    ) -> Result<Result<HitPage, SearchError>, HitCacheError> {
        self.restore_backoff(cache)?;
        if let Some(backoff) = &self.backoff
            && rule == FailureRule::Skip
            && !self.pacer.is_retry_due(backoff)
        {
            return Ok(Err(backoff.failure.clone().into()));
        }
        if rule != FailureRule::RetryOnce
            && let Err(limit) = budget.count_call(request.canonical_form)
        {
            return Ok(Err(limit));
        }
        let capabilities = self.engine.capabilities();
        let query = match capabilities.supports_variants {
            true if capabilities.folds_apostrophes == Some(true) => Cow::Borrowed(request.query),
            true => Cow::Owned(request.query.with_apostrophes()),
            false => Cow::Owned(request.query.without_variants()),
        };
        let request = PageRequest {
            query: &query,
            ..request
        };
        loop {
            if let Some(backoff) = &mut self.backoff
                && !self.pacer.wait_for_retry(backoff)
            {
                return Ok(Err(backoff.failure.clone().into()));
            }
            match self.request_resolved_page(cache, request)? {
                Ok(page) => {
                    self.backoff = None;
                    return Ok(Ok(page));
                }
                Err(failure) => {
                    self.record_failure(cache, &failure)?;
                    if rule != FailureRule::Wait || self.retry_time().is_none() {
                        return Ok(Err(failure.into()));
                    }
                }
            }
        }
    }

    /// Waits until the engine may be called again after a failure, and returns `true`. Returns
    /// `false` if a retry is of no use, or the patience ends before that time.
    pub fn wait_after_failure(
        &mut self,
        cache: &mut HitCache,
        failure: &EngineError,
    ) -> Result<bool, HitCacheError> {
        self.record_failure(cache, failure)?;
        let is_worth_waiting = self.retry_time().is_some();
        let backoff = self.backoff.as_mut().filter(|_| is_worth_waiting);
        Ok(backoff.is_some_and(|backoff| self.pacer.wait_for_retry(backoff)))
    }

    /// Returns the time of the next retry, if the engine failed in a way that is retried and the
    /// patience allows it.
    pub fn retry_time(&self) -> Option<SystemTime> {
        self.backoff
            .as_ref()
            .filter(|backoff| !self.pacer.is_patience_over(backoff))
            .map(|backoff| backoff.retry_at)
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
}

/// Waits until the interval since the last call to the server is over, and records the time of this
/// call.
pub(super) fn wait_for_turn(pacer: &CallPacer, cache: &mut HitCache) -> Result<(), HitCacheError> {
    if pacer.interval.is_zero() {
        return Ok(());
    }
    pacer.wait_for_interval(cache.last_call(&pacer.server)?);
    cache.record_call(&pacer.server, (pacer.now)())
}
