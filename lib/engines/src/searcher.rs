//! Between user and engine: which hits a query gets, and what they cost.
//!
//! A [`Searcher`] walks a query's pages from the first one, taking each from the cache or, if it
//! never came, from the engine, until it has the hits that were asked for. What the engine answered
//! is cached; that it failed is not.
//!
//! CorpusBuilder (Ghani, Jones & Mladenić 2001) uses the first unseen hit of a step and keeps the
//! others for when the same query comes again; several hits a step are that paper's future work.

mod calls;

use crate::cache::CachedPage;
use crate::snippet::{holds, snippet};
use crate::{
    CacheError, Counts, Document, Engine, EngineError, Exclusion, HitCache, Pace, PageHit,
    SignedTerms,
};
use calls::Calls;
use std::collections::HashSet;

/// Which hits are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The first so many that were not handed out before.
    Next(usize),
    /// At most so many of those, from what is paid for or else from one call.
    OfPage(usize),
    /// The first so many.
    Top(usize),
}

/// How much may be asked of the engine.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Hits a page.
    pub page_size: u32,
    /// Pages a query.
    pub max_pages: u32,
    /// Calls in all; none is no limit.
    pub max_calls: Option<u64>,
    /// Different queries that calls are made for, in all; none is no limit.
    pub max_queries: Option<u64>,
}

/// What came of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Calls to the engine that are to be reported with it.
    pub calls: u64,
    /// The hits, or that there are none, or why nobody knows.
    pub found: Result<Found, Why>,
    /// What there would be beside them.
    pub rest: Rest,
    /// What the engine counted.
    pub counts: Counts,
}

/// What a query has beside the hits that were picked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rest {
    /// Hits on the last page that came, which were not handed out.
    pub left: u64,
    /// Whether the engine has more behind that page.
    pub more: bool,
    /// Whether that may be asked for, by the limit of pages.
    pub can_ask: bool,
}

/// What the engine has for a query.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// These; at least one.
    Hits(Vec<Picked>),
    /// Nothing.
    Empty,
    /// Nothing that was not handed out before.
    Exhausted,
}

/// Why a query got no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The engine did not answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// All calls that are allowed were made.
    #[error("the {0} calls that are allowed were made")]
    Calls(u64),
    /// All different queries that are allowed were sent.
    #[error("the {0} queries that are allowed were sent")]
    Queries(u64),
}

/// A hit that was picked.
#[derive(Debug, Clone, PartialEq)]
pub struct Picked {
    /// Its rank among the query's hits, from 1.
    pub rank: u64,
    /// The hit, with the title and snippet of the document where the engine gave none.
    pub hit: PageHit,
    /// The document, if the engine holds it.
    pub document: Option<Document>,
}

/// An engine, the cache of its hits, and what it may be asked for.
pub struct Searcher {
    calls: Calls,
    /// Its hits, of which what was handed out waits to be committed.
    pub cache: HitCache,
    limits: Limits,
    /// Hits that were skipped so far because they hold an excluded term though the engine should
    /// not give them.
    pub skipped: u64,
}

/// The walk through one query's pages.
struct Walk<'a> {
    terms: &'a SignedTerms,
    query: i64,
    step: u64,
    calls: u64,
    counts: Counts,
}

impl Searcher {
    /// A searcher that asks `engine`, which goes by `name` in the cache, as often as `pace` allows.
    /// Pages are no larger than the engine's own.
    pub fn new(
        engine: Box<dyn Engine>,
        name: String,
        cache: HitCache,
        limits: Limits,
        pace: Pace,
    ) -> Self {
        let page_size = engine
            .abilities()
            .page_size
            .map_or(limits.page_size, |most| limits.page_size.min(most));
        let limits = Limits {
            page_size,
            ..limits
        };
        Searcher {
            calls: Calls::new(engine, name, limits, pace),
            cache,
            limits,
            skipped: 0,
        }
    }

    /// Answers a query. Hits are marked as handed out by `step`, which also pays for pages that
    /// must be asked for.
    ///
    /// When the engine fails after some hits were found, these are the answer; the failure will
    /// come again with the next request for more.
    ///
    /// # Errors
    /// When the cache fails. What the engine does is part of the reply.
    pub fn answer(
        &mut self,
        terms: &SignedTerms,
        step: u64,
        ask: Ask,
    ) -> Result<Reply, CacheError> {
        self.cache.advance_to(step);
        if let Some(refusal) = self.refusal(terms) {
            let (rest, counts) = (Rest::default(), Counts::default());
            return Ok(Reply {
                calls: 0,
                found: Err(refusal.into()),
                rest,
                counts,
            });
        }
        let query = self
            .cache
            .query(&self.calls.name, self.limits.page_size, &terms.key())?;
        let mut walk = Walk {
            terms,
            query,
            step,
            calls: 0,
            counts: Counts::default(),
        };
        let mut rest = Rest::default();
        let found = self.pick(&mut walk, ask, &mut rest)?;
        if let Ok(Found::Hits(hits)) = &found {
            for picked in hits {
                self.cache.mark_seen(&picked.hit.url, step);
            }
        }
        Ok(Reply {
            calls: walk.calls,
            found,
            rest,
            counts: walk.counts,
        })
    }

    /// What the user should know of what the engine answered since this was last asked.
    pub fn caveat(&mut self) -> Option<String> {
        self.calls.engine.caveat()
    }

    /// Why the engine can't be asked this at all.
    fn refusal(&self, terms: &SignedTerms) -> Option<EngineError> {
        if terms.is_empty() {
            return Some(EngineError::Refused("the query has no terms".into()));
        }
        let abilities = self.calls.engine.abilities();
        let why = if terms.like().is_some() && !abilities.like {
            "this engine can't be asked for pages like one (`query.like`); index:DIR and mediawiki: can"
        } else if abilities.needs_inclusion && terms.include().is_empty() && terms.like().is_none()
        {
            "a query without an inclusion term can't be asked of this engine; give it one, or use index:DIR"
        } else {
            return None;
        };
        Some(EngineError::Refused(why.into()))
    }

    fn pick(
        &mut self,
        walk: &mut Walk,
        ask: Ask,
        rest: &mut Rest,
    ) -> Result<Result<Found, Why>, CacheError> {
        let (wanted, unseen_only) = match ask {
            Ask::Next(n) | Ask::OfPage(n) => (n, true),
            Ask::Top(n) => (n, false),
        };
        let mut picked = Vec::new();
        let (mut rank, mut any) = (0, false);
        let mut listed = HashSet::new();
        for number in 1..=self.limits.max_pages {
            if matches!(ask, Ask::OfPage(_)) && (walk.calls > 0 || !picked.is_empty()) {
                break;
            }
            let page = match self.page(walk, number)? {
                Ok(page) => page,
                Err(why) if picked.is_empty() => return Ok(Err(why)),
                Err(_) => break,
            };
            if page.counts != Counts::default() {
                walk.counts = page.counts;
            }
            let listed_before = listed.len();
            *rest = Rest {
                left: 0,
                more: page.more,
                can_ask: page.more && number < self.limits.max_pages,
            };
            for hit in page.hits {
                // What should not be here has no rank: from the ranks one can tell how many hits
                // had been seen.
                if !listed.insert(hit.url.clone()) || self.is_excluded(walk.terms, &hit) {
                    continue;
                }
                (rank, any) = (rank + 1, true);
                if unseen_only && self.cache.is_seen(&hit.url)? {
                    continue;
                }
                if picked.len() >= wanted {
                    rest.left += 1;
                } else {
                    picked.push(self.complete(walk.terms, rank, hit));
                }
            }
            if picked.len() >= wanted {
                return Ok(Ok(Found::Hits(picked)));
            }
            // An engine that doesn't count pages gives the same one again and again.
            if listed.len() == listed_before {
                *rest = Rest::default();
            }
            if !rest.more {
                break;
            }
        }
        Ok(Ok(match (picked.is_empty(), any) {
            (false, _) => Found::Hits(picked),
            (true, true) => Found::Exhausted,
            (true, false) => Found::Empty,
        }))
    }

    /// A page, from the cache or else from the engine.
    fn page(
        &mut self,
        walk: &mut Walk,
        number: u32,
    ) -> Result<Result<crate::Page, Why>, CacheError> {
        if let Some(CachedPage {
            page,
            step,
            charged,
        }) = self.cache.page(walk.query, number)?
        {
            if step == walk.step && !charged {
                self.charge(walk, number);
            }
            return Ok(Ok(page));
        }
        let page = match self
            .calls
            .make(&mut self.cache, walk.query, walk.terms, number)?
        {
            Ok(page) => page,
            Err(why) => return Ok(Err(why)),
        };
        self.cache.keep(walk.query, number, &page, walk.step)?;
        self.charge(walk, number);
        Ok(Ok(page))
    }

    fn charge(&mut self, walk: &mut Walk, number: u32) {
        walk.calls += 1;
        self.cache.charge(walk.query, number);
    }

    /// Whether the hit shows an excluded term though the engine should have left it out, or can't.
    fn is_excluded(&mut self, terms: &SignedTerms, hit: &PageHit) -> bool {
        if self.calls.engine.abilities().exclusion == Exclusion::Exact {
            return false;
        }
        let shown = [&hit.title, &hit.snippet];
        let is_shown = |term: &String| {
            shown
                .iter()
                .any(|text| text.as_ref().is_some_and(|text| holds(text, term)))
        };
        let excluded = terms.exclude().iter().any(is_shown);
        self.skipped += u64::from(excluded);
        excluded
    }

    /// The hit with its document, where the engine holds it. A hit whose document can't be read is
    /// still a hit: it has a URL to fetch.
    fn complete(&mut self, terms: &SignedTerms, rank: u64, mut hit: PageHit) -> Picked {
        let document = self.calls.engine.document(&hit.url).ok().flatten();
        if let Some(document) = &document {
            hit.title = hit.title.or_else(|| document.title.clone());
            hit.snippet = hit
                .snippet
                .or_else(|| Some(snippet(&document.text, terms.include())));
        }
        Picked {
            rank,
            hit,
            document,
        }
    }
}

#[cfg(test)]
mod tests;
