//! Tests of a searcher with several engines.

use super::tests::{FakeEngine, LIMITS, fake_engine};
use super::{HitSelection, QueryReply, SearchError, SearchLimits, SearchOutcome, Searcher};
use crate::{CallPacer, EngineError, EngineQuery, HitCache, Patience};
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

const NAMES: [&str; 3] = ["a:", "b:", "c:"];

/// Returns a pacer with a patience in seconds, whose sleeps advance the clock `now`.
fn pacer(patience: u64, now: &Rc<Cell<SystemTime>>) -> CallPacer {
    let patience = Duration::from_secs(patience);
    let (now, clock) = (Rc::clone(now), Rc::clone(now));
    CallPacer {
        server: "fake".into(),
        interval: Duration::ZERO,
        patience: Patience {
            throttled: patience,
            down: patience,
        },
        now: Box::new(move || clock.get()),
        sleep: Box::new(move |time| now.set(now.get() + time)),
        report_wait: Box::new(|_| {}),
    }
}

/// Returns a searcher with several engines, with this patience in seconds.
fn searcher(engines: &[&FakeEngine], file: Option<&Path>, patience: u64) -> Searcher {
    searcher_with_limits(engines, file, patience, LIMITS)
}

fn searcher_with_limits(
    engines: &[&FakeEngine],
    file: Option<&Path>,
    patience: u64,
    limits: SearchLimits,
) -> Searcher {
    let cache = file.map_or_else(HitCache::in_memory, HitCache::open);
    let mut searcher = Searcher::new(cache.unwrap(), limits);
    // One clock for all engines, which their sleeps advance.
    let now = Rc::new(Cell::new(SystemTime::UNIX_EPOCH));
    for (engine, name) in engines.iter().zip(NAMES) {
        let engine = Box::new((*engine).clone());
        searcher.add_engine(engine, name.into(), pacer(patience, &now));
    }
    searcher
}

fn reply(searcher: &mut Searcher, step: u64, selection: HitSelection) -> QueryReply {
    let query = EngineQuery::new(&["q"], &[]);
    searcher.answer_query(&query, step, selection).unwrap()
}

/// Formats a reply: hits as "engine rank url", failures as "engine!", or the outcome; its calls.
fn answer(searcher: &mut Searcher, step: u64, selection: HitSelection) -> (String, u64) {
    let reply = reply(searcher, step, selection);
    let failures = reply
        .failures
        .iter()
        .map(|(engine, _)| format!("{engine}!"));
    let outcome = match &reply.outcome {
        Ok(SearchOutcome::Hits(hits)) => hits
            .iter()
            .map(|ranked| format!("{} {} {}", ranked.engine, ranked.rank, ranked.hit.url))
            .collect::<Vec<_>>()
            .join(", "),
        Ok(other) => format!("{other:?} {}", reply.engine),
        Err(error) => format!("{error} {}", reply.engine),
    };
    let all: Vec<String> = failures.chain([outcome]).collect();
    (all.join("; "), reply.calls)
}

fn fail(engine: &FakeEngine, failure: EngineError) {
    *engine.failure.borrow_mut() = Some(failure);
}

fn down() -> EngineError {
    EngineError::Down("down".into())
}

#[test]
fn hits_are_interleaved_by_rank_and_a_url_is_returned_once() {
    let engines = [
        fake_engine(&["u1", "u2", "u3"]),
        fake_engine(&["u2", "u4", "u1", "u5", "u6"]),
        fake_engine(&[]),
    ];
    let mut searcher = searcher(&engines.each_ref(), None, 0);
    // The second engine's u2 is taken before the first engine's, at rank 1.
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::NextUnseen(3)),
        ("0 1 u1, 1 1 u2, 0 3 u3".into(), 4)
    );
    assert_eq!(
        answer(&mut searcher, 2, HitSelection::NextUnseen(2)),
        ("1 2 u4, 1 4 u5".into(), 1)
    );
    assert_eq!(
        answer(&mut searcher, 3, HitSelection::Top(4)),
        ("0 1 u1, 1 1 u2, 0 3 u3, 1 2 u4".into(), 0)
    );
    assert_eq!(
        answer(&mut searcher, 4, HitSelection::NextUnseen(5)),
        ("1 5 u6".into(), 1)
    );
    assert_eq!(
        answer(&mut searcher, 5, HitSelection::NextUnseen(5)),
        ("Exhausted 0".into(), 0)
    );
}

#[test]
fn as_many_hits_as_engines_have_on_a_page_cost_one_call_each() {
    let engines = [
        fake_engine(&["a1", "a2", "a3"]),
        fake_engine(&["b1", "b2", "b3"]),
    ];
    let mut searcher = searcher(&engines.each_ref(), None, 0);
    let reply = reply(&mut searcher, 1, HitSelection::Top(3));
    assert_eq!(reply.calls, 2);
    assert_eq!(reply.remaining.unseen, 1);
    assert!(reply.remaining.has_more && reply.remaining.may_request_more);
    assert_eq!(reply.counts.total, None);
}

#[test]
fn one_page_is_requested_from_each_engine_with_by_page() {
    let engines = [
        fake_engine(&["a1", "a2", "a3"]),
        fake_engine(&["b1", "b2", "b3"]),
    ];
    let mut searcher = searcher(&engines.each_ref(), None, 0);
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::OnePage(9)),
        ("0 1 a1, 1 1 b1, 0 2 a2, 1 2 b2".into(), 2)
    );
}

#[test]
fn a_failing_engine_leaves_the_hits_of_the_others() {
    let engines = [fake_engine(&["a1"]), fake_engine(&["b1", "b2"])];
    let mut searcher = searcher(&engines.each_ref(), None, 0);
    for failure in [down(), EngineError::Refused("no".into())] {
        fail(&engines[0], failure);
        assert_eq!(
            answer(&mut searcher, 1, HitSelection::Top(2)).0,
            "0!; 1 1 b1, 1 2 b2"
        );
    }
    // The engines that answer decide whether the query is exhausted.
    answer(&mut searcher, 2, HitSelection::NextUnseen(2));
    assert_eq!(
        answer(&mut searcher, 3, HitSelection::NextUnseen(2)).0,
        "0!; Exhausted 1"
    );
    // A failure after the first page keeps the hits of that page.
    *engines[0].failure.borrow_mut() = None;
    fail(&engines[1], down());
    let last_page = answer(&mut searcher, 4, HitSelection::Top(3));
    assert_eq!(last_page.0, "0 1 a1, 1 1 b1, 1 2 b2");
}

#[test]
fn engines_are_waited_for_only_if_none_answers() {
    let engines = [fake_engine(&["a1"]), fake_engine(&["b1"])];
    let mut searcher = searcher(&engines.each_ref(), None, 60);
    let throttled = EngineError::Throttled {
        message: "wait".into(),
        retry_after: Some(Duration::from_secs(30)),
    };
    fail(&engines[0], throttled);
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::Top(2)),
        ("0!; 1 1 b1".into(), 1)
    );
    // The engine is in back-off, and not called.
    answer(&mut searcher, 1, HitSelection::Top(2));
    assert_eq!(engines[0].requested_pages.borrow().len(), 1);
    // The other engine is down for good: the first is due after 30 s, and answers then.
    let mut other = EngineQuery::new(&["other"], &[]);
    fail(&engines[1], down());
    *engines[0].failure.borrow_mut() = None;
    let reply = searcher
        .answer_query(&other, 2, HitSelection::Top(1))
        .unwrap();
    let Ok(SearchOutcome::Hits(hits)) = &reply.outcome else {
        panic!("{reply:?}")
    };
    assert_eq!(hits[0].hit.url, "a1");
    // Both are down until the patience is over: that is a failure, and ends.
    fail(&engines[0], down());
    other = EngineQuery::new(&["third"], &[]);
    let reply = searcher
        .answer_query(&other, 3, HitSelection::Top(1))
        .unwrap();
    assert!(matches!(reply.outcome, Err(SearchError::Engine(_))));
    assert_eq!((reply.failures.len(), reply.calls), (1, 0));
}

#[test]
fn the_limit_of_calls_holds_for_all_engines_together() {
    let engines = [
        fake_engine(&["a1", "a2", "a3"]),
        fake_engine(&["b1", "b2", "b3"]),
    ];
    let limits = |max_calls| SearchLimits {
        max_calls: Some(max_calls),
        ..LIMITS
    };
    let with_limit =
        |max_calls| searcher_with_limits(&engines.each_ref(), None, 0, limits(max_calls));
    let all = HitSelection::NextUnseen(6);
    assert_eq!(answer(&mut with_limit(4), 1, all).1, 4);
    assert_eq!(
        answer(&mut with_limit(3), 1, all),
        ("0 1 a1, 1 1 b1, 0 2 a2, 1 2 b2, 0 3 a3".into(), 3)
    );
    assert_eq!(
        answer(&mut with_limit(1), 1, all),
        ("0 1 a1, 0 2 a2".into(), 1)
    );
    assert_eq!(
        answer(&mut with_limit(0), 1, all),
        ("the limit of 0 calls is reached 0".into(), 0)
    );
    // One query sent to two engines is one query.
    let limits = SearchLimits {
        max_queries: Some(1),
        max_empty: None,
        ..LIMITS
    };
    let mut searcher = searcher_with_limits(&engines.each_ref(), None, 0, limits);
    assert_eq!(answer(&mut searcher, 1, all).1, 4);
}

#[test]
fn a_query_that_the_limit_kept_from_an_engine_is_not_exhausted() {
    let engines = [fake_engine(&[]), fake_engine(&["b1"])];
    let limits = SearchLimits {
        max_calls: Some(1),
        ..LIMITS
    };
    let mut searcher = searcher_with_limits(&engines.each_ref(), None, 0, limits);
    assert_eq!(
        answer(&mut searcher, 1, HitSelection::NextUnseen(1)),
        ("the limit of 1 calls is reached 1".into(), 1)
    );
}

#[test]
fn a_repeated_step_returns_the_same_hits_and_calls_without_a_request() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("hits.db");
    let engines = [
        fake_engine(&["a1", "u", "a3"]),
        fake_engine(&["u", "b2", "b3"]),
    ];
    let run = |from: Option<u64>, steps: &[u64]| {
        if let Some(from) = from {
            HitCache::open(&file).unwrap().roll_back_to(from).unwrap();
        }
        let mut searcher = searcher(&engines.each_ref(), Some(&file), 0);
        let mut shown = Vec::new();
        for &step in steps {
            shown.push(answer(&mut searcher, step, HitSelection::NextUnseen(2)));
            searcher.cache.commit().unwrap();
        }
        shown
    };
    let whole = run(None, &[1, 2, 3, 4]);
    assert_eq!(whole[0], ("0 1 a1, 1 1 u".into(), 2));
    let requests = engines[0].requested_pages.borrow().len();
    assert_eq!(run(Some(2), &[2, 3, 4]), whole[1..]);
    assert_eq!(run(Some(1), &[1, 2, 3, 4]), whole);
    assert_eq!(engines[0].requested_pages.borrow().len(), requests);
}
