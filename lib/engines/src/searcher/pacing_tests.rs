use super::HitSelection;
use super::tests::{LIMITS, answer, fake_engine, pacer, query, searcher_with_pacer};
use crate::{EngineError, ExclusionSupport};
use std::rc::Rc;
use std::time::Duration;

#[test]
fn an_engine_that_throttles_or_is_down_is_retried() {
    for failure in [
        EngineError::Throttled {
            message: "wait".into(),
            retry_after: None,
        },
        EngineError::Down("x".into()),
    ] {
        let (engine, slept) = (fake_engine(&["u1"]), Rc::default());
        *engine.failure.borrow_mut() = Some(failure);
        let mut searcher =
            searcher_with_pacer(&engine, None, LIMITS, pacer(&engine, (0, 9), 2, &slept));
        assert_eq!(
            answer(&mut searcher, 1, HitSelection::NextUnseen(1)),
            ("1 u1".into(), 1)
        );
        assert_eq!(
            (&*slept.borrow(), &*engine.requested_pages.borrow()),
            (&vec![1, 2], &vec![1, 1, 1])
        );
    }
}

/// A server that cannot search with a minus may answer with status 500, a web page or 429.
#[test]
fn a_test_of_exclusion_that_fails_is_counted_and_waited_after_as_a_call_is() {
    let throttled = EngineError::Throttled {
        message: "wait".into(),
        retry_after: Some(Duration::from_secs(30)),
    };
    // With no patience, nothing is waited for; an engine that is down altogether has no verdict.
    for (failure, patience, wait) in [
        (throttled, 60, &[30][..]),
        (EngineError::Down("500".into()), 60, &[1]),
        (EngineError::Down("500".into()), 0, &[]),
    ] {
        let (mut engine, slept) = (fake_engine(&["u1", "u2"]), Rc::default());
        engine.capabilities.exclusion = ExclusionSupport::Tested;
        engine.exclusion_failure = Some(failure.clone());
        let pacer = pacer(&engine, (0, patience), 99, &slept);
        let mut searcher = searcher_with_pacer(&engine, None, LIMITS, pacer);
        for step in 1..=9 {
            let query = query(&[&format!("a{step}")], &["b"]);
            let reply = searcher.answer_query(&query, step, HitSelection::Top(1));
            assert!(reply.unwrap().outcome.is_ok());
        }
        assert_eq!(*slept.borrow(), wait.repeat(6), "{failure}");
        assert_eq!(engine.requested_pages.borrow().len(), 9 + 6 * 2);
    }
}

#[test]
fn a_named_time_to_wait_holds_for_all_queries_and_processes() {
    let dir = tempfile::tempdir().unwrap();
    let cache_file = dir.path().join("hits.db");
    let (engine, slept) = (fake_engine(&["u1"]), Rc::default());
    let retry_after = Some(Duration::from_secs(7200));
    *engine.failure.borrow_mut() = Some(EngineError::Throttled {
        message: "wait".into(),
        retry_after,
    });
    let searcher_at = |start, patience| {
        searcher_with_pacer(
            &engine,
            Some(&cache_file),
            LIMITS,
            pacer(&engine, (start, patience), 1, &slept),
        )
    };
    let mut first = searcher_at(1000, 3600);
    for step in [1, 2] {
        assert_eq!(
            answer(&mut first, step, HitSelection::NextUnseen(1)).0,
            "wait; it asks to wait 7200 s"
        );
    }
    drop(first);
    assert_eq!(
        answer(&mut searcher_at(1200, 3600), 3, HitSelection::NextUnseen(1)).0,
        "wait; it asks to wait 7000 s"
    );
    assert_eq!(
        (slept.borrow().len(), engine.requested_pages.borrow().len()),
        (0, 1)
    );
    assert_eq!(
        answer(&mut searcher_at(8000, 3600), 4, HitSelection::NextUnseen(1)),
        ("1 u1".into(), 1)
    );
    assert_eq!(
        (&*slept.borrow(), &*engine.requested_pages.borrow()),
        (&vec![200], &vec![1, 1])
    );
}

#[test]
fn after_the_patience_is_over_further_queries_are_tried_once() {
    let (engine, slept) = (fake_engine(&["u1"]), Rc::default());
    *engine.failure.borrow_mut() = Some(EngineError::Down("x".into()));
    let mut searcher =
        searcher_with_pacer(&engine, None, LIMITS, pacer(&engine, (0, 5), 9, &slept));
    for step in [1, 2, 3] {
        assert_eq!(
            answer(&mut searcher, step, HitSelection::NextUnseen(1)),
            ("x".into(), 0)
        );
    }
    assert_eq!(
        (&*slept.borrow(), engine.requested_pages.borrow().len()),
        (&vec![1, 2, 2], 6)
    );
}
