//! Calls to the engine: within what is allowed, at the engine's pace.

use super::{Limits, Why};
use crate::{Abilities, CacheError, Engine, HitCache, Pace, Page, SignedTerms};
use std::collections::HashSet;

/// An engine, and the calls that were made.
pub(super) struct Calls {
    engine: Box<dyn Engine>,
    /// What it is called in the cache.
    name: String,
    limits: Limits,
    pace: Pace,
    made: u64,
    /// The queries that they were made for.
    queries: HashSet<i64>,
}

impl Calls {
    pub fn new(engine: Box<dyn Engine>, name: String, limits: Limits, pace: Pace) -> Self {
        Calls { engine, name, limits, pace, made: 0, queries: HashSet::new() }
    }

    pub fn engine(&mut self) -> &mut dyn Engine {
        &mut *self.engine
    }

    pub fn abilities(&self) -> Abilities {
        self.engine.abilities()
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks for a page of a query that has this number in the cache. An engine that throttles is waited for as long as
    /// the patience lasts; that is one call.
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
        let mut patience = self.pace.patience;
        let mut tries = 0;
        loop {
            tries += 1;
            self.wait(cache)?;
            match self.engine.page(terms, number, self.limits.page_size) {
                Ok(page) => return Ok(Ok(page)),
                Err(failure) => match self.pace.wait_after(&failure, tries, patience) {
                    Some(left) => patience = left,
                    None => return Ok(Err(failure.into())),
                },
            }
        }
    }

    /// Why a further call is not allowed, if it is not.
    fn excess(&self, query: i64) -> Option<Why> {
        let is_new = !self.queries.contains(&query);
        let by_calls = self.limits.max_calls.filter(|&most| self.made >= most).map(Why::Calls);
        let sent = self.queries.len() as u64;
        by_calls.or_else(|| self.limits.max_queries.filter(|&most| is_new && sent >= most).map(Why::Queries))
    }

    /// Waits until the engine may be asked, and notes that it is.
    fn wait(&self, cache: &mut HitCache) -> Result<(), CacheError> {
        if self.pace.interval.is_zero() {
            return Ok(());
        }
        self.pace.wait_since(cache.last_call(&self.name)?);
        cache.note_call(&self.name, (self.pace.waiting.now)())
    }
}
