//! Tests of an engine by a query for which it must have hits, and what ambiguous responses mean.
//!
//! A metasearch engine such as SearXNG names the engines behind it that did not respond, but not
//! those that did, so a response without hits that names some is ambiguous. It is an answer if an
//! earlier page had hits without the same engines. Otherwise a query that must have hits is sent.
//! If it has none, the response is a failure. If it has some, the page is requested once more,
//! because the engines may have begun to answer in the meantime, and the second response is the
//! answer.

use super::engine_caller::{EngineCaller, PageRequest, wait_for_turn};
use crate::canary::COMMON_WORD;
use crate::{
    EngineError, EngineQuery, EngineResult, HitCache, HitCacheError, HitPage, MissingPart,
};

impl EngineCaller {
    /// Requests a page, and decides what a response means that may be an answer or a failure.
    pub(super) fn request_resolved_page(
        &mut self,
        cache: &mut HitCache,
        request: PageRequest,
    ) -> Result<EngineResult<HitPage>, HitCacheError> {
        let result = self.request_once(cache, request)?;
        let Err(EngineError::Incomplete { missing, failure }) = result else {
            return self.resolve_unreadable(cache, result);
        };
        if cache.has_hits_without(&self.engine_name, &missing)? {
            return Ok(Ok(page_without(missing)));
        }
        if self.probe(cache)? != Ok(true) {
            return Ok(Err(*failure));
        }
        // All parts may have failed and answer again, so that the probe alone proves nothing.
        Ok(match self.request_once(cache, request)? {
            Err(EngineError::Incomplete { missing, .. }) => Ok(page_without(missing)),
            result => return self.resolve_unreadable(cache, result),
        })
    }

    /// Requests a page when it is the engine's turn.
    fn request_once(
        &mut self,
        cache: &mut HitCache,
        request: PageRequest,
    ) -> Result<EngineResult<HitPage>, HitCacheError> {
        wait_for_turn(&self.pacer, cache)?;
        let PageRequest { query, number, .. } = request;
        Ok(match request.file {
            Some(file) => self.engine.request_file(file),
            None => self.engine.request_page(query, number, self.page_size),
        })
    }

    /// Replaces the failure of an unreadable response: with a refusal if the engine has never
    /// answered, as the address is probably wrong, and else with an outage.
    fn resolve_unreadable(
        &self,
        cache: &HitCache,
        result: EngineResult<HitPage>,
    ) -> Result<EngineResult<HitPage>, HitCacheError> {
        let Err(EngineError::Unreadable(message)) = result else {
            return Ok(result);
        };
        Ok(Err(match cache.has_pages(&self.engine_name)? {
            true => EngineError::Down(message),
            false => EngineError::Refused(message),
        }))
    }

    /// Returns `true` if the engine has a hit for its last query that had hits; if none had, for
    /// its last query or a common word. Not counted as a call, as a retry is not. Does not wait for
    /// an engine that fails.
    pub(super) fn probe(
        &mut self,
        cache: &mut HitCache,
    ) -> Result<EngineResult<bool>, HitCacheError> {
        for (number, query) in probe_queries(cache, &self.engine_name)? {
            if query.is_empty() {
                return Ok(Ok(true)); // an engine that lists all its documents
            }
            let request = PageRequest {
                query: &query,
                canonical_form: "",
                number: 1,
                file: None,
            };
            match self.request_once(cache, request)? {
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
    ) -> Result<EngineResult<bool>, HitCacheError> {
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

/// Returns a page without hits, to which these parts did not contribute.
fn page_without(missing: Vec<MissingPart>) -> HitPage {
    HitPage {
        missing,
        ..HitPage::default()
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
