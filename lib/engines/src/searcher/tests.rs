use super::{Ask, Found, Limits, Reply, Rest, Searcher, Why};
use crate::{
    Abilities, Counts, Engine, EngineError, Exclusion, HitCache, Pace, Page, PageHit, Patience,
    SignedTerms,
};
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

/// An engine of a few hits for any query, which notes what it is asked and fails when told to.
#[derive(Clone)]
struct Fake {
    hits: Vec<PageHit>,
    abilities: Abilities,
    asked: Rc<RefCell<Vec<u32>>>,
    fails: Rc<RefCell<Option<EngineError>>>,
}

impl Engine for Fake {
    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn page(&mut self, _terms: &SignedTerms, number: u32, size: u32) -> Result<Page, EngineError> {
        self.asked.borrow_mut().push(number);
        if let Some(e) = self.fails.borrow().clone() {
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
        Ok(Page {
            more: start + hits.len() < self.hits.len(),
            hits,
            counts: Counts {
                total,
                ..Counts::default()
            },
        })
    }
}

fn fake(urls: &[&str]) -> Fake {
    let hit = |url: &&str| PageHit {
        url: url.to_string(),
        title: None,
        snippet: Some(format!("about {url}")),
    };
    Fake {
        hits: urls.iter().map(hit).collect(),
        abilities: Abilities {
            exclusion: Exclusion::Exact,
            page_size: Some(20),
            ..Abilities::COMMON
        },
        asked: Rc::default(),
        fails: Rc::default(),
    }
}

const LIMITS: Limits = Limits {
    page_size: 2,
    max_pages: 3,
    max_calls: None,
    max_queries: None,
};

fn searcher(engine: &Fake, limits: Limits) -> Searcher {
    paced(
        engine,
        None,
        limits,
        pace(engine, (0, 0), 0, &Rc::default()),
    )
}

fn searcher_with(engine: &Fake, hits: &Path) -> Searcher {
    paced(
        engine,
        Some(hits),
        LIMITS,
        pace(engine, (0, 0), 0, &Rc::default()),
    )
}

fn paced(engine: &Fake, hits: Option<&Path>, limits: Limits, pace: Pace) -> Searcher {
    let cache = hits
        .map_or_else(HitCache::in_memory, HitCache::open)
        .unwrap();
    Searcher::new(
        Box::new(engine.clone()),
        "fake:".into(),
        cache,
        limits,
        pace,
    )
}

fn terms(include: &[&str], exclude: &[&str]) -> SignedTerms {
    SignedTerms::new(include, exclude)
}

/// What came, in short: "rank url …" or the outcome, and the calls.
fn show(reply: &Reply) -> (String, u64) {
    let found = match &reply.found {
        Ok(Found::Hits(hits)) => hits
            .iter()
            .map(|picked| format!("{} {}", picked.rank, picked.hit.url))
            .collect::<Vec<_>>()
            .join(", "),
        Ok(other) => format!("{other:?}"),
        Err(why) => format!("{why}"),
    };
    (found, reply.calls)
}

fn ask(searcher: &mut Searcher, step: u64, ask: Ask) -> (String, u64) {
    show(&searcher.answer(&terms(&["a"], &[]), step, ask).unwrap())
}

#[test]
fn each_step_gives_the_next_unseen_hit_and_asks_for_a_page_only_when_it_must() {
    let engine = fake(&["u1", "u2", "u3"]);
    let mut searcher = searcher(&engine, LIMITS);
    let mut next = |step| ask(&mut searcher, step, Ask::Next(1));
    assert_eq!(next(1), ("1 u1".into(), 1));
    assert_eq!(next(2), ("2 u2".into(), 0));
    assert_eq!(next(3), ("3 u3".into(), 1));
    assert_eq!(next(4), ("Exhausted".into(), 0));
    assert_eq!(*engine.asked.borrow(), [1, 2]);
}

#[test]
fn a_batch_goes_over_pages_and_gives_what_there_is() {
    let mut searcher = searcher(&fake(&["u1", "u2", "u3"]), LIMITS);
    assert_eq!(
        ask(&mut searcher, 1, Ask::Next(5)),
        ("1 u1, 2 u2, 3 u3".into(), 2)
    );
    assert_eq!(ask(&mut searcher, 2, Ask::Top(2)), ("1 u1, 2 u2".into(), 0));
    assert_eq!(ask(&mut searcher, 3, Ask::Next(1)), ("Exhausted".into(), 0));
}

#[test]
fn a_query_yields_at_most_so_many_pages() {
    let mut searcher = searcher(&fake(&["u1", "u2", "u3", "u4", "u5", "u6", "u7"]), LIMITS);
    assert_eq!(
        ask(&mut searcher, 1, Ask::Next(9)),
        ("1 u1, 2 u2, 3 u3, 4 u4, 5 u5, 6 u6".into(), 3)
    );
    assert_eq!(ask(&mut searcher, 2, Ask::Next(1)), ("Exhausted".into(), 0));
}

#[test]
fn nothing_found_is_empty_and_is_remembered() {
    let engine = fake(&[]);
    let mut searcher = searcher(&engine, LIMITS);
    assert_eq!(ask(&mut searcher, 1, Ask::Next(1)), ("Empty".into(), 1));
    assert_eq!(ask(&mut searcher, 2, Ask::Top(1)), ("Empty".into(), 0));
    assert_eq!(*engine.asked.borrow(), [1]);
}

#[test]
fn a_url_that_the_engine_lists_twice_is_one_hit() {
    let mut searcher = searcher(&fake(&["u1", "u1", "u1", "u2"]), LIMITS);
    assert_eq!(ask(&mut searcher, 1, Ask::Top(9)), ("1 u1, 2 u2".into(), 2));
}

#[test]
fn a_failure_is_neither_cached_nor_charged() {
    let engine = fake(&["u1", "u2", "u3"]);
    let mut searcher = searcher(&engine, LIMITS);
    *engine.fails.borrow_mut() = Some(EngineError::Down("no answer".into()));
    assert_eq!(ask(&mut searcher, 1, Ask::Next(1)), ("no answer".into(), 0));
    *engine.fails.borrow_mut() = None;
    assert_eq!(
        ask(&mut searcher, 2, Ask::Next(2)),
        ("1 u1, 2 u2".into(), 1)
    );
    *engine.fails.borrow_mut() = Some(EngineError::Throttled {
        message: "wait".into(),
        retry_after: None,
    });
    assert_eq!(ask(&mut searcher, 3, Ask::Next(1)), ("wait".into(), 0));
    assert_eq!(ask(&mut searcher, 4, Ask::Top(3)), ("1 u1, 2 u2".into(), 0));
}

#[test]
fn what_is_left_of_a_query_is_told() {
    let mut searcher = searcher(
        &fake(&["u1", "u2", "u3", "u4", "u5"]),
        Limits {
            max_pages: 2,
            ..LIMITS
        },
    );
    let mut rest = |step, ask| {
        searcher
            .answer(&terms(&["a"], &[]), step, ask)
            .unwrap()
            .rest
    };
    assert_eq!(
        rest(1, Ask::Next(1)),
        Rest {
            left: 1,
            more: true,
            can_ask: true
        }
    );
    assert_eq!(
        rest(2, Ask::Next(1)),
        Rest {
            left: 0,
            more: true,
            can_ask: true
        }
    );
    assert_eq!(
        rest(3, Ask::Next(1)),
        Rest {
            left: 1,
            more: true,
            can_ask: false
        }
    );
    assert_eq!(
        rest(4, Ask::Next(9)),
        Rest {
            left: 0,
            more: true,
            can_ask: false
        }
    );
}

#[test]
fn a_page_at_a_time_what_is_paid_for_comes_first() {
    let mut searcher = searcher(&fake(&["u1", "u2", "u3", "u4", "u5"]), LIMITS);
    assert_eq!(ask(&mut searcher, 1, Ask::OfPage(1)), ("1 u1".into(), 1));
    assert_eq!(ask(&mut searcher, 2, Ask::OfPage(5)), ("2 u2".into(), 0));
    assert_eq!(
        ask(&mut searcher, 3, Ask::OfPage(5)),
        ("3 u3, 4 u4".into(), 1)
    );
    assert_eq!(ask(&mut searcher, 4, Ask::OfPage(5)), ("5 u5".into(), 1));
}

#[test]
fn beyond_the_budget_only_the_cache_answers() {
    let mut searcher = searcher(
        &fake(&["u1", "u2", "u3"]),
        Limits {
            max_calls: Some(1),
            ..LIMITS
        },
    );
    assert_eq!(
        ask(&mut searcher, 1, Ask::Next(3)),
        ("1 u1, 2 u2".into(), 1)
    );
    let reply = searcher
        .answer(&terms(&["a"], &[]), 2, Ask::Next(1))
        .unwrap();
    assert_eq!((reply.calls, reply.found), (0, Err(Why::Calls(1))));
}

#[test]
fn a_query_that_the_engine_cannot_be_asked_is_refused_without_a_call() {
    let engine = fake(&["u1"]);
    let mut searcher = searcher(&engine, LIMITS);
    for (exclude, message) in [(&["b"][..], "without an inclusion term"), (&[], "no terms")] {
        let reply = searcher
            .answer(&terms(&[], exclude), 1, Ask::Next(1))
            .unwrap();
        assert!(
            matches!(reply.found, Err(Why::Engine(EngineError::Refused(why))) if why.contains(message))
        );
    }
    let like = terms(&["a"], &[]).like_page(Some("http://a.test/"));
    let reply = searcher.answer(&like, 1, Ask::Next(1)).unwrap();
    assert!(
        matches!(reply.found, Err(Why::Engine(EngineError::Refused(why))) if why.contains("pages like one"))
    );
    assert_eq!(*engine.asked.borrow(), [0; 0]);
}

#[test]
fn hits_that_show_an_excluded_term_are_skipped_where_the_engine_may_pass_it_over() {
    let mut engine = fake(&["u1", "u2"]);
    engine.abilities.exclusion = Exclusion::Unsure;
    engine.hits[0].title = Some("The end".into());
    let mut searcher = searcher(&engine, LIMITS);
    let reply = searcher
        .answer(&terms(&["a"], &["the"]), 1, Ask::Next(1))
        .unwrap();
    assert_eq!((show(&reply), searcher.skipped), (("1 u2".into(), 1), 1));
}

#[test]
fn a_repeated_step_gives_the_same_hits_and_reports_the_same_calls_without_asking() {
    let dir = tempfile::tempdir().unwrap();
    let hits = dir.path().join("hits.db");
    let engine = fake(&["u1", "u2", "u3"]);
    let run = |from: Option<u64>, steps: &[u64]| {
        if let Some(from) = from {
            HitCache::open(&hits)
                .unwrap()
                .forget_marks_from(from)
                .unwrap();
        }
        let mut searcher = searcher_with(&engine, &hits);
        let shown: Vec<_> = steps
            .iter()
            .map(|&step| ask(&mut searcher, step, Ask::Next(1)))
            .collect();
        searcher.cache.commit().unwrap();
        shown
    };
    let whole = run(None, &[1, 2, 3, 4]);
    assert_eq!(run(Some(2), &[2, 3, 4]), whole[1..]);
    assert_eq!(run(Some(1), &[1, 2]), whole[..2]);
    assert_eq!(*engine.asked.borrow(), [1, 2]);
}

#[test]
fn the_same_query_sent_twice_by_one_step_costs_once() {
    let mut searcher = searcher(&fake(&["u1"]), LIMITS);
    assert_eq!(ask(&mut searcher, 1, Ask::Top(1)), ("1 u1".into(), 1));
    assert_eq!(ask(&mut searcher, 1, Ask::Top(1)), ("1 u1".into(), 0));
}

#[test]
fn a_step_that_was_killed_after_its_page_came_still_reports_the_call() {
    let dir = tempfile::tempdir().unwrap();
    let hits = dir.path().join("hits.db");
    let engine = fake(&["u1"]);
    // Not committed: as if killed before anything was written.
    ask(&mut searcher_with(&engine, &hits), 1, Ask::Next(1));
    assert_eq!(
        ask(&mut searcher_with(&engine, &hits), 1, Ask::Next(1)),
        ("1 u1".into(), 1)
    );
    assert_eq!(*engine.asked.borrow(), [1]);
}

#[test]
fn only_so_many_different_queries_are_sent_and_their_further_pages_are_no_new_ones() {
    let engine = fake(&["u1", "u2", "u3"]);
    let mut searcher = searcher(
        &engine,
        Limits {
            max_queries: Some(1),
            ..LIMITS
        },
    );
    assert_eq!(
        ask(&mut searcher, 1, Ask::Next(2)),
        ("1 u1, 2 u2".into(), 1)
    );
    let other = searcher
        .answer(&terms(&["b"], &[]), 2, Ask::Next(1))
        .unwrap();
    assert_eq!((other.calls, other.found), (0, Err(Why::Queries(1))));
    assert_eq!(ask(&mut searcher, 3, Ask::Next(1)), ("3 u3".into(), 1));
    assert_eq!(*engine.asked.borrow(), [1, 2]);
}

#[test]
fn pages_are_no_larger_than_the_engines() {
    let engine = fake(&["u"; 50]);
    let mut searcher = searcher(
        &engine,
        Limits {
            page_size: 100,
            ..LIMITS
        },
    );
    let reply = searcher
        .answer(&terms(&["a"], &[]), 1, Ask::Top(30))
        .unwrap();
    assert_eq!(
        (reply.counts.total, engine.asked.borrow().len()),
        (Some(50), 2)
    );
}

/// A pace of this patience in seconds, whose clock begins at `start` and goes on when it sleeps,
/// which is noted; before the `heal`th sleep the engine is well again.
fn pace(
    engine: &Fake,
    (start, patience): (u64, u64),
    heal: usize,
    slept: &Rc<RefCell<Vec<u64>>>,
) -> Pace {
    let now = Rc::new(Cell::new(
        SystemTime::UNIX_EPOCH + Duration::from_secs(start),
    ));
    let (log, clock, heals) = (Rc::clone(slept), Rc::clone(&now), Rc::clone(&engine.fails));
    let patience = Duration::from_secs(patience);
    Pace {
        interval: Duration::ZERO,
        patience: Patience {
            throttled: patience,
            down: patience,
        },
        now: Box::new(move || clock.get()),
        sleep: Box::new(move |time| {
            now.set(now.get() + time);
            log.borrow_mut().push(time.as_secs());
            if log.borrow().len() == heal {
                heals.borrow_mut().take();
            }
        }),
        tell: Box::new(|_| {}),
    }
}

#[test]
fn an_engine_that_throttles_or_is_down_is_waited_for_and_then_asked_again() {
    for failure in [
        EngineError::Throttled {
            message: "wait".into(),
            retry_after: None,
        },
        EngineError::Down("x".into()),
    ] {
        let (engine, slept) = (fake(&["u1"]), Rc::default());
        *engine.fails.borrow_mut() = Some(failure);
        let mut searcher = paced(&engine, None, LIMITS, pace(&engine, (0, 9), 2, &slept));
        assert_eq!(ask(&mut searcher, 1, Ask::Next(1)), ("1 u1".into(), 1));
        assert_eq!(
            (&*slept.borrow(), &*engine.asked.borrow()),
            (&vec![1, 2], &vec![1, 1, 1])
        );
    }
}

#[test]
fn an_engine_that_names_a_time_is_not_asked_before_by_any_query_or_process() {
    let dir = tempfile::tempdir().unwrap();
    let hits = dir.path().join("hits.db");
    let (engine, slept) = (fake(&["u1"]), Rc::default());
    let retry_after = Some(Duration::from_secs(7200));
    *engine.fails.borrow_mut() = Some(EngineError::Throttled {
        message: "wait".into(),
        retry_after,
    });
    let at = |start, patience| {
        paced(
            &engine,
            Some(&hits),
            LIMITS,
            pace(&engine, (start, patience), 1, &slept),
        )
    };
    let mut first = at(1000, 3600);
    for step in [1, 2] {
        assert_eq!(
            ask(&mut first, step, Ask::Next(1)).0,
            "wait; it asks to wait 7200 s"
        );
    }
    drop(first);
    assert_eq!(
        ask(&mut at(1200, 3600), 3, Ask::Next(1)).0,
        "wait; it asks to wait 7000 s"
    );
    assert_eq!((slept.borrow().len(), engine.asked.borrow().len()), (0, 1));
    assert_eq!(
        ask(&mut at(8000, 3600), 4, Ask::Next(1)),
        ("1 u1".into(), 1)
    );
    assert_eq!(
        (&*slept.borrow(), &*engine.asked.borrow()),
        (&vec![200], &vec![1, 1])
    );
}

#[test]
fn when_the_patience_is_used_up_further_queries_are_asked_once() {
    let (engine, slept) = (fake(&["u1"]), Rc::default());
    *engine.fails.borrow_mut() = Some(EngineError::Down("x".into()));
    let mut searcher = paced(&engine, None, LIMITS, pace(&engine, (0, 5), 9, &slept));
    for step in [1, 2, 3] {
        assert_eq!(ask(&mut searcher, step, Ask::Next(1)), ("x".into(), 0));
    }
    assert_eq!(
        (&*slept.borrow(), engine.asked.borrow().len()),
        (&vec![1, 2, 2], 6)
    );
}
