//! Selection of the hits of a query, from the cache or the engine.
//!
//! A [`Searcher`] goes through the pages of a query from the first one until it has the requested
//! number of hits. It takes each page from the cache, or requests it from the engine if the cache
//! lacks it. Pages are cached, failures are not.
//!
//! CorpusBuilder (Ghani, Jones & Mladenić 2001) uses the first unseen hit per step and keeps the
//! others for the next time that the same query is generated. Several hits per step are that
//! paper's future work.

mod engine_caller;

use crate::cache::CachedPage;
use crate::snippet::{contains_term, make_snippet};
use crate::{
    CallPacer, Engine, EngineCounts, EngineDocument, EngineError, EngineHit, EngineQuery,
    ExclusionSupport, HitCache, HitCacheError, HitPage,
};
use engine_caller::EngineCaller;
use std::collections::HashSet;

/// Rule by which the hits of a query are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitSelection {
    /// The first hits that have not been returned before, at most this many.
    NextUnseen(usize),
    /// As `NextUnseen`, but only from the first page with such hits; at most one page is requested.
    OnePage(usize),
    /// The first hits, at most this many, returned before or not.
    Top(usize),
}

/// Limits on the requests to an engine.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits {
    /// Hits per page.
    pub page_size: u32,
    /// Maximum number of pages per query.
    pub max_pages: u32,
    /// Maximum number of calls; `None` for no limit.
    pub max_calls: Option<u64>,
    /// Maximum number of distinct queries for which calls are made; `None` for no limit.
    pub max_queries: Option<u64>,
}

/// Reply to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryReply {
    /// Calls to the engine that the query's step has to report.
    pub calls: u64,
    /// The hits, or the reason why there are none.
    pub outcome: Result<SearchOutcome, SearchError>,
    /// Hits of the query that were not selected.
    pub remaining: RemainingHits,
    /// Document counts that the engine reports.
    pub counts: EngineCounts,
}

/// Hits of a query that were not selected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemainingHits {
    /// Number of hits on the last page that have not been returned.
    pub unseen: u64,
    /// True if the engine has hits behind that page.
    pub has_more: bool,
    /// True if the limit of pages allows to request them.
    pub may_request_more: bool,
}

/// Outcome of a query that the engine answered.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchOutcome {
    /// The selected hits; at least one.
    Hits(Vec<RankedHit>),
    /// The query has no hits.
    Empty,
    /// All hits of the query have been returned before.
    Exhausted,
}

/// The reason why a query was not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The limit of calls is reached.
    #[error("the limit of {0} calls is reached")]
    CallLimit(u64),
    /// The limit of distinct queries is reached.
    #[error("the limit of {0} queries is reached")]
    QueryLimit(u64),
}

/// A selected hit with its rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedHit {
    /// Rank among the hits of the query, from 1.
    pub rank: u64,
    /// The hit. Title and snippet are taken from the document if the engine returned none.
    pub hit: EngineHit,
    /// The document, if the engine stores it.
    pub document: Option<EngineDocument>,
}

/// Answers queries from an engine and the cache of its hits.
pub struct Searcher {
    caller: EngineCaller,
    /// Cache of the engine's hits. URLs that were returned are durable after its next commit.
    pub cache: HitCache,
    limits: SearchLimits,
    /// Number of hits skipped so far because their title or snippet contains an excluded term.
    pub skipped_hits: u64,
}

/// State of the walk through the pages of a query.
struct PageWalk<'a> {
    query: &'a EngineQuery,
    query_id: i64,
    step: u64,
    calls: u64,
    counts: EngineCounts,
    remaining: RemainingHits,
}

impl Searcher {
    /// Creates a searcher that calls `engine`, which has the name `engine_name` in the cache, at
    /// the intervals of `pacer`. The page size is limited to the largest that the engine supports.
    pub fn new(
        engine: Box<dyn Engine>,
        engine_name: String,
        cache: HitCache,
        limits: SearchLimits,
        pacer: CallPacer,
    ) -> Self {
        let page_size = engine
            .capabilities()
            .max_page_size
            .map_or(limits.page_size, |max| limits.page_size.min(max));
        let limits = SearchLimits {
            page_size,
            ..limits
        };
        Searcher {
            caller: EngineCaller::new(engine, engine_name, limits, pacer),
            cache,
            limits,
            skipped_hits: 0,
        }
    }

    /// Answers a query. Records that `step` returned the hits, and that it paid for the pages that
    /// had to be requested.
    ///
    /// If the engine fails after some hits were selected, these are returned without the failure,
    /// and the page is requested again when the query is repeated.
    ///
    /// # Errors
    /// Fails if the cache does. A failure of the engine is part of the reply.
    pub fn answer_query(
        &mut self,
        query: &EngineQuery,
        step: u64,
        selection: HitSelection,
    ) -> Result<QueryReply, HitCacheError> {
        self.cache.advance_to(step);
        if let Some(refusal) = self.check_supported(query) {
            return Ok(QueryReply {
                calls: 0,
                outcome: Err(refusal.into()),
                remaining: RemainingHits::default(),
                counts: EngineCounts::default(),
            });
        }
        let query_id = self.cache.query_id(
            &self.caller.engine_name,
            self.limits.page_size,
            &query.to_canonical_form(),
        )?;
        let mut walk = PageWalk {
            query,
            query_id,
            step,
            calls: 0,
            counts: EngineCounts::default(),
            remaining: RemainingHits::default(),
        };
        let outcome = self.select_hits(&mut walk, selection)?;
        if let Ok(SearchOutcome::Hits(hits)) = &outcome {
            for ranked in hits {
                self.cache.mark_returned(&ranked.hit.url, step);
            }
        }
        Ok(QueryReply {
            calls: walk.calls,
            outcome,
            remaining: walk.remaining,
            counts: walk.counts,
        })
    }

    /// Returns a warning about the engine's responses since the previous call of this function, and
    /// clears it.
    pub fn take_warning(&mut self) -> Option<String> {
        self.caller.engine.take_warning()
    }

    /// Returns a refusal if the engine does not support the query.
    fn check_supported(&self, query: &EngineQuery) -> Option<EngineError> {
        if query.is_empty() {
            return Some(EngineError::Refused("the query has no terms".into()));
        }
        let capabilities = self.caller.engine.capabilities();
        let message = if query.like_url().is_some() && !capabilities.supports_more_like_this {
            "this engine does not support more-like-this queries (`query.like`); \
             use index:DIR or mediawiki:"
        } else if capabilities.needs_inclusion_term
            && query.include().is_empty()
            && query.like_url().is_none()
        {
            "the query has no inclusion term, which this engine needs; add one, or use index:DIR"
        } else {
            return None;
        };
        Some(EngineError::Refused(message.into()))
    }

    fn select_hits(
        &mut self,
        walk: &mut PageWalk,
        selection: HitSelection,
    ) -> Result<Result<SearchOutcome, SearchError>, HitCacheError> {
        let (max_hits, is_unseen_only) = match selection {
            HitSelection::NextUnseen(n) | HitSelection::OnePage(n) => (n, true),
            HitSelection::Top(n) => (n, false),
        };
        let mut selected = Vec::new();
        let mut rank = 0;
        let mut listed_urls = HashSet::new();
        for number in 1..=self.limits.max_pages {
            if matches!(selection, HitSelection::OnePage(_))
                && (walk.calls > 0 || !selected.is_empty())
            {
                break;
            }
            let page = match self.load_page(walk, number)? {
                Ok(page) => page,
                Err(error) if selected.is_empty() => return Ok(Err(error)),
                Err(_) => break,
            };
            if page.counts != EngineCounts::default() {
                walk.counts = page.counts;
            }
            let listed_before = listed_urls.len();
            walk.remaining = RemainingHits {
                unseen: 0,
                has_more: page.has_more,
                may_request_more: page.has_more && number < self.limits.max_pages,
            };
            for hit in page.hits {
                // Duplicates and hits that should have been excluded get no rank, so that a rank
                // tells how many hits precede it.
                if !listed_urls.insert(hit.url.clone())
                    || self.shows_excluded_term(walk.query, &hit)
                {
                    continue;
                }
                rank += 1;
                if is_unseen_only && self.cache.is_returned(&hit.url)? {
                    continue;
                }
                if selected.len() >= max_hits {
                    walk.remaining.unseen += 1;
                } else {
                    selected.push(self.complete_hit(walk.query, rank, hit));
                }
            }
            if selected.len() >= max_hits {
                return Ok(Ok(SearchOutcome::Hits(selected)));
            }
            // An engine that ignores the page number returns the same page again and again.
            if listed_urls.len() == listed_before {
                walk.remaining = RemainingHits::default();
            }
            if !walk.remaining.has_more {
                break;
            }
        }
        Ok(Ok(if !selected.is_empty() {
            SearchOutcome::Hits(selected)
        } else if rank > 0 {
            SearchOutcome::Exhausted
        } else {
            SearchOutcome::Empty
        }))
    }

    /// Returns a page from the cache, or else from the engine.
    fn load_page(
        &mut self,
        walk: &mut PageWalk,
        number: u32,
    ) -> Result<Result<HitPage, SearchError>, HitCacheError> {
        if let Some(CachedPage {
            page,
            step,
            is_call_reported,
        }) = self.cache.page(walk.query_id, number)?
        {
            if step == walk.step && !is_call_reported {
                self.count_call(walk, number);
            }
            return Ok(Ok(page));
        }
        let response =
            self.caller
                .request_page(&mut self.cache, walk.query_id, walk.query, number)?;
        let page = match response {
            Ok(page) => page,
            Err(error) => return Ok(Err(error)),
        };
        self.cache
            .store_page(walk.query_id, number, &page, walk.step)?;
        self.count_call(walk, number);
        Ok(Ok(page))
    }

    /// Adds a call to the reply, and records that it is reported.
    fn count_call(&mut self, walk: &mut PageWalk, number: u32) {
        walk.calls += 1;
        self.cache.mark_call_reported(walk.query_id, number);
    }

    /// Returns `true` if the title or snippet of a hit contains an excluded term. Hits of an engine
    /// with exact exclusion are not checked.
    fn shows_excluded_term(&mut self, query: &EngineQuery, hit: &EngineHit) -> bool {
        if self.caller.engine.capabilities().exclusion == ExclusionSupport::Exact {
            return false;
        }
        let shown = [&hit.title, &hit.snippet];
        let is_shown = |term: &String| {
            shown
                .iter()
                .any(|text| text.as_ref().is_some_and(|text| contains_term(text, term)))
        };
        let has_excluded_term = query.exclude().iter().any(is_shown);
        self.skipped_hits += u64::from(has_excluded_term);
        has_excluded_term
    }

    /// Adds the document to a hit if the engine stores it. A hit whose document cannot be read is
    /// still a hit: its URL can be fetched.
    fn complete_hit(&mut self, query: &EngineQuery, rank: u64, mut hit: EngineHit) -> RankedHit {
        let document = self.caller.engine.document(&hit.url).ok().flatten();
        if let Some(document) = &document {
            hit.title = hit.title.or_else(|| document.title.clone());
            hit.snippet = hit
                .snippet
                .or_else(|| Some(make_snippet(&document.text, query.include())));
        }
        RankedHit {
            rank,
            hit,
            document,
        }
    }
}

#[cfg(test)]
mod tests;
