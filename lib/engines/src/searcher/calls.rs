//! Calls to the engine: within what is allowed, at the engine's pace.

use super::{Limits, Why};
use crate::pace::Trouble;
use crate::{CacheError, Engine, EngineError, HitCache, Pace, Page, SignedTerms};
use std::collections::HashSet;
use std::time::Duration;

/// The longest time that an engine's wish to be left alone is kept for other processes: one that
/// names more than a day is asked once a day.
const LONGEST_HOLD: Duration = Duration::from_secs(86_400);

/// An engine, and the calls that were made.
pub(super) struct Calls {
    pub engine: Box<dyn Engine>,
    /// What it is called in the cache.
    pub name: String,
    limits: Limits,
    pace: Pace,
    made: u64,
    /// The queries that they were made for.
    queries: HashSet<i64>,
    /// What failed since the engine's last answer.
    trouble: Option<Trouble>,
    /// Whether what an earlier process was told is in it.
    is_read: bool,
}

impl Calls {
    pub fn new(engine: Box<dyn Engine>, name: String, limits: Limits, pace: Pace) -> Self {
        Calls {
            engine,
            name,
            limits,
            pace,
            made: 0,
            queries: HashSet::new(),
            trouble: None,
            is_read: false,
        }
    }

    /// Asks for a page of a query that has this number in the cache. An engine that throttles or is
    /// down is waited for as long as the patience lasts; that is one call.
    pub fn make(
        &mut self,
        cache: &mut HitCache,
        query: i64,
        terms: &SignedTerms,
        number: u32,
    ) -> Result<Result<Page, Why>, CacheError> {
        if let Some(why) = self.excess(query) {
            return Ok(Err(why));
        }
        self.made += 1;
        self.queries.insert(query);
        self.read_hold(cache)?;
        loop {
            if let Some(trouble) = &mut self.trouble
                && !self.pace.wait_out(trouble)
            {
                return Ok(Err(trouble.failure.clone().into()));
            }
            self.wait(cache)?;
            match self.engine.page(terms, number, self.limits.page_size) {
                Ok(page) => {
                    self.trouble = None;
                    return Ok(Ok(page));
                }
                Err(failure) if self.is_waited_for(cache, &failure)? => {}
                Err(failure) => return Ok(Err(failure.into())),
            }
        }
    }

    /// What an earlier process was told by the engine.
    fn read_hold(&mut self, cache: &HitCache) -> Result<(), CacheError> {
        if self.is_read || self.pace.patience.throttled.is_zero() {
            return Ok(());
        }
        self.is_read = true;
        if let Some((until, message)) = cache.hold(&self.name)? {
            let most = (self.pace.now)() + LONGEST_HOLD;
            self.trouble = self
                .pace
                .told_before(message, until)
                .filter(|trouble| trouble.until <= most);
        }
        Ok(())
    }

    /// Notes that the engine failed, durably if it names the time to wait; and whether it is to be
    /// asked again.
    fn is_waited_for(
        &mut self,
        cache: &mut HitCache,
        failure: &EngineError,
    ) -> Result<bool, CacheError> {
        let trouble = self.pace.fail(self.trouble.take(), failure);
        if let Some(trouble) = trouble.as_ref().filter(|_| failure.retry_after().is_some()) {
            let most = (self.pace.now)() + LONGEST_HOLD;
            cache.note_hold(&self.name, trouble.until.min(most), failure.message())?;
        }
        let is_over = trouble
            .as_ref()
            .is_none_or(|trouble| self.pace.is_over(trouble));
        self.trouble = trouble;
        Ok(!is_over)
    }

    /// Why a further call is not allowed, if it is not.
    fn excess(&self, query: i64) -> Option<Why> {
        let is_new = !self.queries.contains(&query);
        let by_calls = self
            .limits
            .max_calls
            .filter(|&most| self.made >= most)
            .map(Why::Calls);
        let sent = self.queries.len() as u64;
        by_calls.or_else(|| {
            self.limits
                .max_queries
                .filter(|&most| is_new && sent >= most)
                .map(Why::Queries)
        })
    }

    /// Waits until the engine may be asked, and notes that it is.
    fn wait(&self, cache: &mut HitCache) -> Result<(), CacheError> {
        if self.pace.interval.is_zero() {
            return Ok(());
        }
        self.pace.wait_since(cache.last_call(&self.name)?);
        cache.note_call(&self.name, (self.pace.now)())
    }
}
