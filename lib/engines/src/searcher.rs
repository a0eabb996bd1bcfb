//! Selection of the hits of a query, from the cache or the engines.
//!
//! A [`Searcher`] goes through the pages of a query from the first one until it has the requested
//! number of hits. It takes each page from the cache, or requests it from the engine if the cache
//! lacks it. Pages are cached, failures are not. A page that lacks hits because a part of the
//! engine did not answer is used as it is, and requested once more when its query has no other hits
//! left.
//!
//! With several engines, their hits are interleaved by rank: the first hits of all engines, in the
//! order of the engines, then the second ones, and so on. A URL that several engines return is
//! taken once. A page is requested when its first hit is due, so that as many hits as engines need
//! one call to each engine. An engine that fails is left out of the reply, and reported in it. It
//! is waited for only if no engine answers. The engines that answered decide whether a query is
//! empty or exhausted; otherwise an engine that is down would keep a run at a query that the others
//! have exhausted.
//!
//! An engine may fail and say that there are no hits. So an engine that has never returned a hit is
//! given up after some queries, and one that has returned hits gets the last query that had some
//! again when several queries in a row have none (`empty_engine`, `probe`).
//!
//! CorpusBuilder (Ghani, Jones & Mladenić 2001) uses the first unseen hit per step and keeps the
//! others for the next time that the same query is generated. Several hits per step are that
//! paper's future work. Bracewell et al. (2008) take the first ten hits of each engine.

mod call_budget;
mod empty_engine;
mod engine_caller;
mod file_queue;
mod page_walk;
mod probe;

use crate::hit_scope::{HitScope, HitsByHost};
use crate::{
    CallPacer, Engine, EngineCounts, EngineDocument, EngineError, EngineHit, EngineQuery, HitCache,
    HitCacheError, MissingPart,
};
use call_budget::CallBudget;
use engine_caller::{EngineCaller, FailureRule};
use forage_web::page_url::url_key;
use page_walk::{PageWalk, WalkContext};
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

/// Limits on the requests to engines.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits {
    /// Hits per page.
    pub page_size: u32,
    /// Maximum number of pages per query and engine.
    pub max_pages: u32,
    /// Maximum number of calls; `None` for no limit.
    pub max_calls: Option<u64>,
    /// Maximum number of distinct queries for which calls are made; `None` for no limit.
    pub max_queries: Option<u64>,
    /// Number of distinct queries after which engines that have never returned a hit are given up;
    /// `None` for no limit.
    pub max_empty: Option<u64>,
}

/// Reply to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryReply {
    /// Calls to the engines that the query's step has to report.
    pub calls: u64,
    /// The hits, or the reason why there are none.
    pub outcome: Result<SearchOutcome, SearchError>,
    /// Number of the engine that the outcome comes from, if it is not hits.
    pub engine: usize,
    /// Engines that failed, by their numbers, in addition to the outcome. Those that failed after
    /// some of their hits were selected are not listed.
    pub failures: Vec<(usize, SearchError)>,
    /// Hits of the query that were not selected.
    pub remaining: RemainingHits,
    /// Document counts that the engine reports; empty if there are several engines, because their
    /// documents overlap.
    pub counts: EngineCounts,
    /// The engines, by their numbers, that may return hits with terms that the query excludes.
    pub unexcluded: Vec<usize>,
    /// Parts of engines whose hits are missing in the pages that were requested, with the numbers
    /// of the engines.
    pub missing: Vec<(usize, MissingPart)>,
}

/// Hits of a query that were not selected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemainingHits {
    /// Number of hits on the last page (of each engine) that have not been returned.
    pub unseen: u64,
    /// True if an engine has hits behind that page.
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
    /// No engine has ever returned a hit, for this number of distinct queries.
    #[error("no hit for any of {0} different queries so far")]
    NoHitsEver(u64),
    /// The engines have no hit for this number of queries in a row, nor for one that had hits
    /// before.
    #[error("no hit for the last {0} queries, nor for an earlier one that had hits")]
    NoHitsAnyMore(u64),
    /// No hit of this number of distinct queries is in the scope.
    #[error(
        "no hit of {0} different queries is on a host that --hosts-allow and --hosts-deny admit"
    )]
    NoHitInScope(u64),
}

/// A selected hit with its rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedHit {
    /// Number of the engine, from 0.
    pub engine: usize,
    /// Rank among the hits of the engine for the query, from 1.
    pub rank: u64,
    /// The hit. Title and snippet are taken from the document if the engine returned none.
    pub hit: EngineHit,
    /// The document, if the engine stores it.
    pub document: Option<EngineDocument>,
}

/// Answers queries from one or several engines and the cache of their hits.
pub struct Searcher {
    engines: Vec<EngineCaller>,
    /// Cache of the engines' hits. URLs that were returned are durable after its next commit.
    pub cache: HitCache,
    limits: SearchLimits,
    /// The hits that may be returned.
    pub scope: HitScope,
    budget: CallBudget,
    /// Number of hits skipped so far because their title or snippet contains an excluded term.
    pub skipped_hits: u64,
}

impl Searcher {
    /// Creates a searcher without engines.
    pub fn new(cache: HitCache, limits: SearchLimits) -> Self {
        Searcher {
            engines: Vec::new(),
            cache,
            limits,
            scope: HitScope::default(),
            budget: CallBudget::new(limits),
            skipped_hits: 0,
        }
    }

    /// Adds an engine, which has the next number from 0, the name `engine_name` in the cache, and
    /// is called at the intervals of `pacer`. The page size is limited to the largest that it
    /// supports.
    pub fn add_engine(&mut self, engine: Box<dyn Engine>, engine_name: String, pacer: CallPacer) {
        self.engines.push(EngineCaller::new(
            engine,
            engine_name,
            self.limits.page_size,
            pacer,
        ));
    }

    /// Answers a query. Records that `step` returned the hits, and that it paid for the pages that
    /// had to be requested.
    ///
    /// If an engine fails after some of its hits were selected, these are returned without the
    /// failure, and the page is requested again when the query is repeated.
    ///
    /// # Errors
    /// Fails if the cache does. A failure of an engine is part of the reply.
    pub fn answer_query(
        &mut self,
        query: &EngineQuery,
        step: u64,
        selection: HitSelection,
    ) -> Result<QueryReply, HitCacheError> {
        let reply = self.list_hits(query, step, selection)?;
        if let Ok(SearchOutcome::Hits(hits)) = &reply.outcome {
            for ranked in hits {
                self.cache.mark_returned(&ranked.hit.url, step);
            }
        }
        Ok(reply)
    }

    /// Answers a query as [`Searcher::answer_query`] does, but does not record that the hits were
    /// returned.
    ///
    /// # Errors
    /// Fails if the cache does. A failure of an engine is part of the reply.
    pub fn list_hits(
        &mut self,
        query: &EngineQuery,
        step: u64,
        selection: HitSelection,
    ) -> Result<QueryReply, HitCacheError> {
        self.cache.advance_to(step);
        let rule = match self.engines.len() {
            1 => FailureRule::Wait,
            _ => FailureRule::Skip,
        };
        let mut context = WalkContext {
            query,
            step,
            selection,
            limits: self.limits,
            scope: &self.scope,
            hits_by_host: HitsByHost::new(),
            cache: &mut self.cache,
            budget: &mut self.budget,
        };
        let mut walks = Vec::with_capacity(self.engines.len());
        for engine in &mut self.engines {
            walks.push(PageWalk::begin(engine, &mut context)?);
        }
        let mut selected = MergedHits::new(selection);
        selected.fill(&mut self.engines, &mut walks, &mut context, rule)?;
        while walks.iter().all(|walk| walk.failure.is_some())
            && selected.hits.is_empty()
            && let Some(number) = next_retry(&self.engines, &walks)
        {
            walks[number].failure = None;
            let rule = FailureRule::RetryOnce;
            selected.fill(&mut self.engines, &mut walks, &mut context, rule)?;
        }
        self.skipped_hits += walks.iter().map(|walk| walk.skipped_hits).sum::<u64>();
        let mut reply = selected.into_reply(walks);
        if let Some(failure) = self.find_failure_without_hits(&reply)? {
            reply.outcome = Err(failure);
        }
        Ok(reply)
    }
}

/// Returns the number of the engine that is to be retried first, if several were skipped and none
/// answered; `None` if none is to be retried. A single engine was waited for already.
fn next_retry(engines: &[EngineCaller], walks: &[PageWalk]) -> Option<usize> {
    let is_engine_failure = |walk: &PageWalk| matches!(walk.failure, Some(SearchError::Engine(_)));
    (0..engines.len())
        .filter(|&number| engines.len() > 1 && is_engine_failure(&walks[number]))
        .filter_map(|number| Some((engines[number].retry_time()?, number)))
        .min()
        .map(|(_, number)| number)
}

/// Hits selected from the walks of all engines, interleaved by rank.
struct MergedHits {
    hits: Vec<RankedHit>,
    /// The keys of their URLs.
    urls: HashSet<String>,
    max_hits: usize,
}

impl MergedHits {
    fn new(selection: HitSelection) -> Self {
        let (HitSelection::NextUnseen(max_hits)
        | HitSelection::OnePage(max_hits)
        | HitSelection::Top(max_hits)) = selection;
        MergedHits {
            hits: Vec::new(),
            urls: HashSet::new(),
            max_hits,
        }
    }

    /// Selects one hit per engine in turn, until there are enough or no engine has a further one.
    fn fill(
        &mut self,
        engines: &mut [EngineCaller],
        walks: &mut [PageWalk],
        context: &mut WalkContext,
        rule: FailureRule,
    ) -> Result<(), HitCacheError> {
        let mut is_ended = vec![false; walks.len()];
        while is_ended.contains(&false) {
            for (number, (engine, walk)) in engines.iter_mut().zip(&mut *walks).enumerate() {
                if self.hits.len() >= self.max_hits {
                    return Ok(());
                }
                if is_ended[number] {
                    continue;
                }
                match walk.next_hit(engine, context, rule, &self.urls)? {
                    Some(ranked) => {
                        self.urls.insert(url_key(&ranked.hit.url));
                        self.hits.push(RankedHit {
                            engine: number,
                            ..ranked
                        });
                    }
                    None => is_ended[number] = true,
                }
            }
        }
        Ok(())
    }

    /// Returns the reply to a query whose walks have ended.
    fn into_reply(self, mut walks: Vec<PageWalk>) -> QueryReply {
        let calls = walks.iter().map(|walk| walk.calls).sum();
        let unseen: HashSet<String> = walks
            .iter()
            .flat_map(PageWalk::unselected_urls)
            .map(url_key)
            .filter(|url| !self.urls.contains(url))
            .collect();
        let remaining = RemainingHits {
            unseen: unseen.len() as u64,
            has_more: walks.iter().any(PageWalk::has_more),
            may_request_more: walks.iter().any(PageWalk::may_request_more),
        };
        let unexcluded = (0..walks.len()).filter(|&number| walks[number].is_unexcluded);
        let unexcluded = unexcluded.collect();
        let counts = match &mut walks[..] {
            [walk] => std::mem::take(&mut walk.counts),
            _ => EngineCounts::default(),
        };
        let missing = (0..)
            .zip(&mut walks)
            .flat_map(|(number, walk)| {
                let parts = std::mem::take(&mut walk.missing);
                parts.into_iter().map(move |part| (number, part))
            })
            .collect();
        let mut failures: Vec<(usize, SearchError)> = (0..)
            .zip(&mut walks)
            .filter(|(_, walk)| walk.selected == 0)
            .filter_map(|(number, walk)| Some((number, walk.failure.take()?)))
            .collect();
        let (engine, outcome) = if self.hits.is_empty() {
            outcome_without_hits(&walks, &mut failures)
        } else {
            (0, Ok(SearchOutcome::Hits(self.hits)))
        };
        // The limits are those of the run, not failures of an engine.
        failures.retain(|(_, failure)| matches!(failure, SearchError::Engine(_)));
        QueryReply {
            calls,
            outcome,
            engine,
            failures,
            remaining,
            counts,
            unexcluded,
            missing,
        }
    }
}

/// Returns the outcome of a query without a hit, and the number of the engine that it comes from.
/// Removes a failure that is the outcome from `failures`.
///
/// A query that was not sent to all engines because of a limit is not answered, as another engine
/// may have hits. Otherwise, the engines that answered decide, so that an engine that is down does
/// not keep a run at a query that the others have exhausted.
fn outcome_without_hits(
    walks: &[PageWalk],
    failures: &mut Vec<(usize, SearchError)>,
) -> (usize, Result<SearchOutcome, SearchError>) {
    let is_limit = |(_, failure): &(usize, SearchError)| !matches!(failure, SearchError::Engine(_));
    let answered: Vec<usize> = (0..walks.len())
        .filter(|number| failures.iter().all(|(failed, _)| failed != number))
        .collect();
    let failure = match failures.iter().position(is_limit) {
        None if answered.is_empty() => failures.pop(),
        limit => limit.map(|index| failures.remove(index)),
    };
    if let Some((number, failure)) = failure {
        return (number, Err(failure));
    }
    let exhausted = answered.iter().find(|&&number| !walks[number].is_empty());
    match exhausted {
        Some(&number) => (number, Ok(SearchOutcome::Exhausted)),
        None => (
            answered.first().map_or(0, |&number| number),
            Ok(SearchOutcome::Empty),
        ),
    }
}

#[cfg(test)]
mod federation_tests;
#[cfg(test)]
mod pacing_tests;
#[cfg(test)]
mod tests;
