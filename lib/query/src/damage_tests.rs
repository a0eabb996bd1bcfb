//! Tests with damaged files of statistics.

use crate::build_report;
use crate::counter::tests::fill_statistics;
use crate::strategy::{
    BatchSize, Learner, QueryRequest, RecoveryMode, ResultWindow, SampleOptions, StrategyOptions,
    choose_query,
};

/// Runs all that reads statistics after a statement has damaged them. Returns the errors.
fn read_damaged(statement: &str) -> Vec<String> {
    let texts = [
        ("slv", "voda je hladna in reka je globoka"),
        ("slv", "reka teče in voda teče"),
        ("hrv", "voda je duboka"),
    ];
    let (_folder, statistics) = fill_statistics(&texts, 1);
    statistics.db.execute_batch(statement).unwrap();
    let report = build_report(&statistics, &["slv".into()]).map(drop);
    let sides = ["or:3", "rtfidf:2", "ptf:2", "un:2", "co:2", "porh:2"]
        .map(|side| (Some((side.parse().unwrap(), side.parse().unwrap())), None));
    let learners = Learner::ALL.map(|learner| (None, Some(learner)));
    let choices = sides.into_iter().chain(learners).map(|(sides, learn)| {
        let options = StrategyOptions {
            sides,
            learn,
            lengths: None,
            no_result_penalty: None,
            beta: None,
            batch: BatchSize::Fixed(1),
            recovery: RecoveryMode::DEFAULT,
            needs_inclusion: false,
            samples: SampleOptions::default(),
            until_coverage: None,
        };
        let request = QueryRequest {
            statistics: &statistics,
            batch: BatchSize::Fixed(1),
            target: "slv",
            versus: None,
            step: 1,
            seed: 0,
            result_window: ResultWindow {
                page_size: 10,
                max_pages: 10,
            },
            prune: Default::default(),
            probability: Default::default(),
        };
        let strategy = options.build_strategy().unwrap();
        choose_query(&*strategy, &request).map(drop)
    });
    let results = std::iter::once(report).chain(choices);
    results
        .filter_map(|result| result.err().map(|e| e.to_string()))
        .collect()
}

#[test]
fn impossible_counts_are_errors() {
    assert!(read_damaged("").is_empty());
    for statement in [
        "UPDATE term SET tf = 0",
        "UPDATE term SET df = -1",
        "UPDATE term SET tf_band = 64",
        "UPDATE count SET tf_band = 4294967295",
        "UPDATE count SET tf = 9223372036854775807",
        "UPDATE class SET documents = 9223372036854775807",
        "UPDATE class SET tokens = 9223372036854775807",
    ] {
        assert!(!read_damaged(statement).is_empty(), "{statement}");
    }
}

#[test]
fn damaged_lists_of_terms_end_early() {
    for blob in [
        "ffffffffffffffffffff01",
        "ffffffffffffffff7f01ffffffffffffffff7f01",
        "80",
    ] {
        read_damaged(&format!("UPDATE document SET terms = x'{blob}'"));
    }
}
