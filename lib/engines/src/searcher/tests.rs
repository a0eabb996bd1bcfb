use super::{
    HitSelection, QueryReply, RemainingHits, SearchError, SearchLimits, SearchOutcome, Searcher,
};
use crate::{
    CallPacer, Engine, EngineCapabilities, EngineCounts, EngineError, EngineHit, EngineQuery,
    EngineResult, ExclusionSupport, HitCache, HitPage, Patience,
};
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

/// An engine with the same hits for every query. It logs the requested page numbers, and fails
/// while `failure` is set.
#[derive(Clone)]
pub(super) struct FakeEngine {
    hits: Vec<EngineHit>,
    pub capabilities: EngineCapabilities,
    pub requested_pages: Rc<RefCell<Vec<u32>>>,
    pub failure: Rc<RefCell<Option<EngineError>>>,
    /// What each query with an exclusion term fails with.
    pub exclusion_failure: Option<EngineError>,
}

impl Engine for FakeEngine {
    fn capabilities(&self) -> EngineCapabilities {
        self.capabilities
    }

    fn request_page(
        &mut self,
        query: &EngineQuery,
        number: u32,
        size: u32,
    ) -> EngineResult<HitPage> {
        self.requested_pages.borrow_mut().push(number);
        let failure = self.exclusion_failure.clone();
        let failure = failure.filter(|_| !query.exclude().is_empty());
        if let Some(e) = failure.or_else(|| self.failure.borrow().clone()) {
            return Err(e);
        }
        let start = ((number - 1) * size) as usize;
        let hits: Vec<_> = self
            .hits
            .iter()
            .skip(start)
            .take(size as usize)
            .cloned()
            .collect();
        let total = Some(self.hits.len() as u64);
        Ok(HitPage {
            has_more: start + hits.len() < self.hits.len(),
            hits,
            counts: EngineCounts::from_total(total),
            ..HitPage::default()
        })
    }
}

pub(super) fn fake_engine(urls: &[&str]) -> FakeEngine {
    let hit = |url: &&str| EngineHit {
        url: url.to_string(),
        snippet: Some(format!("about {url}")),
        ..EngineHit::default()
    };
    FakeEngine {
        hits: urls.iter().map(hit).collect(),
        capabilities: EngineCapabilities {
            exclusion: ExclusionSupport::Exact,
            max_page_size: Some(20),
            ..EngineCapabilities::COMMON
        },
        requested_pages: Rc::default(),
        failure: Rc::default(),
        exclusion_failure: None,
    }
}

pub(super) const LIMITS: SearchLimits = SearchLimits {
    page_size: 2,
    max_pages: 3,
    max_calls: None,
    max_queries: None,
    max_empty: None,
};

fn searcher(engine: &FakeEngine, limits: SearchLimits) -> Searcher {
    searcher_with_pacer(
        engine,
        None,
        limits,
        pacer(engine, (0, 0), 0, &Rc::default()),
    )
}

fn searcher_with_cache(engine: &FakeEngine, cache_file: &Path) -> Searcher {
    searcher_with_pacer(
        engine,
        Some(cache_file),
        LIMITS,
        pacer(engine, (0, 0), 0, &Rc::default()),
    )
}

pub(super) fn searcher_with_pacer(
    engine: &FakeEngine,
    cache_file: Option<&Path>,
    limits: SearchLimits,
    pacer: CallPacer,
) -> Searcher {
    let cache = cache_file
        .map_or_else(HitCache::in_memory, HitCache::open)
        .unwrap();
    let mut searcher = Searcher::new(cache, limits);
    searcher.add_engine(Box::new(engine.clone()), "fake:".into(), pacer);
    searcher
}

pub(super) fn query(include: &[&str], exclude: &[&str]) -> EngineQuery {
    EngineQuery::new(include, exclude)
}

/// Formats the hits of a reply as "rank url, …", or else its outcome, together with its calls.
fn format_reply(reply: &QueryReply) -> (String, u64) {
    let outcome = match &reply.outcome {
        Ok(SearchOutcome::Hits(hits)) => hits
            .iter()
            .map(|ranked| format!("{} {}", ranked.rank, ranked.hit.url))
            .collect::<Vec<_>>()
            .join(", "),
        Ok(other) => format!("{other:?}"),
        Err(error) => format!("{error}"),
    };
    (outcome, reply.calls)
}

pub(super) fn answer(searcher: &mut Searcher, step: u64, selection: HitSelection) -> (String, u64) {
    format_reply(
        &searcher
            .answer_query(&query(&["a"], &[]), step, selection)
            .unwrap(),
    )
}

#[test]
fn each_step_returns_the_next_unseen_hit_and_requests_a_page_only_if_needed() {
    let engine = fake_engine(&["u1", "u2", "u3"]);
    let mut searcher = searcher(&engine, LIMITS);
    let mut next = |step| answer(&mut searcher, step, HitSelection::NextUnseen(1));
    assert_eq!(next(1), ("1 u1".into(), 1));
    assert_eq!(next(2), ("2 u2".into(), 0));
    assert_eq!(next(3), ("3 u3".into(), 1));
    assert_eq!(next(4), ("Exhausted".into(), 0));
    assert_eq!(*engine.requested_pages.borrow(), [1, 2]);
}

#[test]
fn a_batch_spans_pages_and_may_be_shorter_than_requested() {
    let mut searcher = searcher(&fake_engine(&["u1", "u2", "u3"]), LIMITS);
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::NextUnseen(5)),
        ("1 u1, 2 u2, 3 u3".into(), 2)
    );
    assert_eq!(
        answer(&mut searcher, 2, HitSelection::Top(2)),
        ("1 u1, 2 u2".into(), 0)
    );
    assert_eq!(
        answer(&mut searcher, 3, HitSelection::NextUnseen(1)),
        ("Exhausted".into(), 0)
    );
}

#[test]
fn pages_per_query_are_limited() {
    let mut searcher = searcher(
        &fake_engine(&["u1", "u2", "u3", "u4", "u5", "u6", "u7"]),
        LIMITS,
    );
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::NextUnseen(9)),
        ("1 u1, 2 u2, 3 u3, 4 u4, 5 u5, 6 u6".into(), 3)
    );
    assert_eq!(
        answer(&mut searcher, 2, HitSelection::NextUnseen(1)),
        ("Exhausted".into(), 0)
    );
}

#[test]
fn an_empty_result_is_cached() {
    let engine = fake_engine(&[]);
    let mut searcher = searcher(&engine, LIMITS);
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::NextUnseen(1)),
        ("Empty".into(), 1)
    );
    assert_eq!(
        answer(&mut searcher, 2, HitSelection::Top(1)),
        ("Empty".into(), 0)
    );
    assert_eq!(*engine.requested_pages.borrow(), [1]);
}

#[test]
fn a_url_listed_twice_is_one_hit() {
    let mut searcher = searcher(&fake_engine(&["u1", "u1", "u1", "u2"]), LIMITS);
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::Top(9)),
        ("1 u1, 2 u2".into(), 2)
    );
}

#[test]
fn a_failure_is_neither_cached_nor_counted_as_a_call() {
    let engine = fake_engine(&["u1", "u2", "u3"]);
    let mut searcher = searcher(&engine, LIMITS);
    *engine.failure.borrow_mut() = Some(EngineError::Down("no answer".into()));
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::NextUnseen(1)),
        ("no answer".into(), 0)
    );
    *engine.failure.borrow_mut() = None;
    assert_eq!(
        answer(&mut searcher, 2, HitSelection::NextUnseen(2)),
        ("1 u1, 2 u2".into(), 1)
    );
    *engine.failure.borrow_mut() = Some(EngineError::Throttled {
        message: "wait".into(),
        retry_after: None,
    });
    assert_eq!(
        answer(&mut searcher, 3, HitSelection::NextUnseen(1)),
        ("wait".into(), 0)
    );
    assert_eq!(
        answer(&mut searcher, 4, HitSelection::Top(3)),
        ("1 u1, 2 u2".into(), 0)
    );
}

#[test]
fn reports_the_remaining_hits_of_a_query() {
    let mut searcher = searcher(
        &fake_engine(&["u1", "u2", "u3", "u4", "u5"]),
        SearchLimits {
            max_pages: 2,
            ..LIMITS
        },
    );
    let mut remaining = |step, selection| {
        searcher
            .answer_query(&query(&["a"], &[]), step, selection)
            .unwrap()
            .remaining
    };
    assert_eq!(
        remaining(1, HitSelection::NextUnseen(1)),
        RemainingHits {
            unseen: 1,
            has_more: true,
            may_request_more: true
        }
    );
    assert_eq!(
        remaining(2, HitSelection::NextUnseen(1)),
        RemainingHits {
            unseen: 0,
            has_more: true,
            may_request_more: true
        }
    );
    assert_eq!(
        remaining(3, HitSelection::NextUnseen(1)),
        RemainingHits {
            unseen: 1,
            has_more: true,
            may_request_more: false
        }
    );
    assert_eq!(
        remaining(4, HitSelection::NextUnseen(9)),
        RemainingHits {
            unseen: 0,
            has_more: true,
            may_request_more: false
        }
    );
}

#[test]
fn one_page_selection_prefers_cached_hits() {
    let mut searcher = searcher(&fake_engine(&["u1", "u2", "u3", "u4", "u5"]), LIMITS);
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::OnePage(1)),
        ("1 u1".into(), 1)
    );
    assert_eq!(
        answer(&mut searcher, 2, HitSelection::OnePage(5)),
        ("2 u2".into(), 0)
    );
    assert_eq!(
        answer(&mut searcher, 3, HitSelection::OnePage(5)),
        ("3 u3, 4 u4".into(), 1)
    );
    assert_eq!(
        answer(&mut searcher, 4, HitSelection::OnePage(5)),
        ("5 u5".into(), 1)
    );
}

#[test]
fn beyond_the_call_limit_only_the_cache_answers() {
    let mut searcher = searcher(
        &fake_engine(&["u1", "u2", "u3"]),
        SearchLimits {
            max_calls: Some(1),
            ..LIMITS
        },
    );
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::NextUnseen(3)),
        ("1 u1, 2 u2".into(), 1)
    );
    let reply = searcher
        .answer_query(&query(&["a"], &[]), 2, HitSelection::NextUnseen(1))
        .unwrap();
    assert_eq!(
        (reply.calls, reply.outcome),
        (0, Err(SearchError::CallLimit(1)))
    );
}

#[test]
fn an_unsupported_query_is_refused_without_a_call() {
    let engine = fake_engine(&["u1"]);
    let mut searcher = searcher(&engine, LIMITS);
    let like_query = query(&["a"], &[]).with_like_url(Some("http://a.test/"));
    for (query, expected) in [
        (query(&[], &["b"]), "no inclusion term"),
        (query(&[], &[]), "no terms"),
        (like_query, "does not support more-like-this"),
    ] {
        let reply = searcher
            .answer_query(&query, 1, HitSelection::NextUnseen(1))
            .unwrap();
        let Err(SearchError::Engine(EngineError::Refused(message))) = reply.outcome else {
            panic!("{query:?}: {:?}", reply.outcome)
        };
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(*engine.requested_pages.borrow(), [0; 0]);
}

#[test]
fn hits_that_show_an_excluded_term_are_skipped_if_exclusion_is_unreliable() {
    let mut engine = fake_engine(&["u1", "u2"]);
    engine.capabilities.exclusion = ExclusionSupport::Unreliable;
    engine.hits[0].title = Some("The end".into());
    let mut searcher = searcher(&engine, LIMITS);
    let reply = searcher
        .answer_query(&query(&["a"], &["the"]), 1, HitSelection::NextUnseen(1))
        .unwrap();
    assert_eq!(
        (format_reply(&reply), searcher.skipped_hits),
        (("1 u2".into(), 1), 1)
    );
}

#[test]
fn a_repeated_step_returns_the_same_hits_and_calls_without_a_request() {
    let dir = tempfile::tempdir().unwrap();
    let cache_file = dir.path().join("hits.db");
    let engine = fake_engine(&["u1", "u2", "u3"]);
    let run = |from: Option<u64>, steps: &[u64]| {
        if let Some(from) = from {
            HitCache::open(&cache_file)
                .unwrap()
                .roll_back_to(from)
                .unwrap();
        }
        let mut searcher = searcher_with_cache(&engine, &cache_file);
        let shown: Vec<_> = steps
            .iter()
            .map(|&step| answer(&mut searcher, step, HitSelection::NextUnseen(1)))
            .collect();
        searcher.cache.commit().unwrap();
        shown
    };
    let whole = run(None, &[1, 2, 3, 4]);
    assert_eq!(run(Some(2), &[2, 3, 4]), whole[1..]);
    assert_eq!(run(Some(1), &[1, 2]), whole[..2]);
    assert_eq!(*engine.requested_pages.borrow(), [1, 2]);
}

#[test]
fn a_query_sent_twice_in_one_step_costs_one_call() {
    let mut searcher = searcher(&fake_engine(&["u1"]), LIMITS);
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::Top(1)),
        ("1 u1".into(), 1)
    );
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::Top(1)),
        ("1 u1".into(), 0)
    );
}

#[test]
fn a_step_killed_after_its_page_arrived_still_reports_the_call() {
    let dir = tempfile::tempdir().unwrap();
    let cache_file = dir.path().join("hits.db");
    let engine = fake_engine(&["u1"]);
    // Not committed: as if killed before anything was written.
    answer(
        &mut searcher_with_cache(&engine, &cache_file),
        1,
        HitSelection::NextUnseen(1),
    );
    assert_eq!(
        answer(
            &mut searcher_with_cache(&engine, &cache_file),
            1,
            HitSelection::NextUnseen(1)
        ),
        ("1 u1".into(), 1)
    );
    assert_eq!(*engine.requested_pages.borrow(), [1]);
}

#[test]
fn distinct_queries_are_limited_but_not_their_further_pages() {
    let engine = fake_engine(&["u1", "u2", "u3"]);
    let mut searcher = searcher(
        &engine,
        SearchLimits {
            max_queries: Some(1),
            max_empty: None,
            ..LIMITS
        },
    );
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::NextUnseen(2)),
        ("1 u1, 2 u2".into(), 1)
    );
    let other = searcher
        .answer_query(&query(&["b"], &[]), 2, HitSelection::NextUnseen(1))
        .unwrap();
    assert_eq!(
        (other.calls, other.outcome),
        (0, Err(SearchError::QueryLimit(1)))
    );
    assert_eq!(
        answer(&mut searcher, 3, HitSelection::NextUnseen(1)),
        ("3 u3".into(), 1)
    );
    assert_eq!(*engine.requested_pages.borrow(), [1, 2]);
}

#[test]
fn page_size_is_limited_to_that_of_the_engine() {
    let engine = fake_engine(&["u"; 50]);
    let mut searcher = searcher(
        &engine,
        SearchLimits {
            page_size: 100,
            ..LIMITS
        },
    );
    let reply = searcher
        .answer_query(&query(&["a"], &[]), 1, HitSelection::Top(30))
        .unwrap();
    assert_eq!(
        (reply.counts.total, engine.requested_pages.borrow().len()),
        (Some(50), 2)
    );
}

/// Returns a pacer with a patience in seconds, whose clock begins at `start` and advances by each
/// sleep. It logs the seconds of each sleep to `slept`. During the `recovery`th sleep, the engine
/// stops failing.
pub(super) fn pacer(
    engine: &FakeEngine,
    (start, patience): (u64, u64),
    recovery: usize,
    slept: &Rc<RefCell<Vec<u64>>>,
) -> CallPacer {
    let now = Rc::new(Cell::new(
        SystemTime::UNIX_EPOCH + Duration::from_secs(start),
    ));
    let clock = Rc::clone(&now);
    let slept = Rc::clone(slept);
    let failure = Rc::clone(&engine.failure);
    let patience = Duration::from_secs(patience);
    CallPacer {
        server: "fake".into(),
        interval: Duration::ZERO,
        patience: Patience {
            throttled: patience,
            down: patience,
        },
        now: Box::new(move || clock.get()),
        sleep: Box::new(move |time| {
            now.set(now.get() + time);
            slept.borrow_mut().push(time.as_secs());
            if slept.borrow().len() == recovery {
                failure.borrow_mut().take();
            }
        }),
        report_wait: Box::new(|_| {}),
    }
}
