//! The queries of `--learn samples`, which follow from the journal alone.

use crate::learner_run::LearnerRun;
use forage_query::strategy::SampleOptions;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::num::NonZeroU32;

const TARGET: &str = "on-topic";

struct SamplesRun {
    run: LearnerRun,
    /// True if each query returns a new hit.
    returns_hits: bool,
}

impl SamplesRun {
    fn new(options: SampleOptions) -> Self {
        SamplesRun {
            run: LearnerRun::new("samples", TARGET, options),
            returns_hits: true,
        }
    }

    fn add_sample(&mut self, id: &str, phrases: usize) {
        self.run.apply(&document(id, TARGET, phrases));
    }

    /// Sends the next query, which returns `documents`.
    fn run_step(&mut self, documents: &[Value]) -> Value {
        let query = self.run.next_query();
        if query.is_null() {
            return query;
        }
        self.run.step += 1;
        for document in documents {
            let mut record = document.clone();
            record["step"] = self.run.step_json(false);
            record["query"] = query.clone();
            self.run.apply(&record);
        }
        let outcome = if self.returns_hits { "hit" } else { "empty" };
        let hit = json!({"engine": "x", "calls": 1, "outcome": outcome});
        self.run
            .apply(&json!({"step": self.run.step_json(true), "query": query, "hit": hit}));
        query
    }
}

fn document(id: &str, label: &str, phrases: usize) -> Value {
    let keywords: Vec<Value> = (0..phrases)
        .map(|n| json!([format!("{id} phrase {n}"), 1.5, format!("{id} phrase {n}")]))
        .collect();
    json!({"id": id, "text": id, "label": label, "keywords": keywords})
}

fn options(queries: u32, terms: u32, of: u32) -> SampleOptions {
    let positive = |n| NonZeroU32::new(n).unwrap();
    SampleOptions {
        queries: positive(queries),
        terms: positive(terms),
        of: positive(of),
    }
}

fn terms(query: &Value) -> BTreeSet<String> {
    let include = query["include"].as_array().unwrap();
    include
        .iter()
        .map(|term| term.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_sample_gives_five_distinct_queries_of_three_of_its_fifteen_best_keyphrases() {
    let mut run = SamplesRun::new(SampleOptions::default());
    run.add_sample("first", 20);
    run.add_sample("second", 20);
    let queries: Vec<Value> = (0..10).map(|_| run.run_step(&[])).collect();
    let best: BTreeSet<String> = (0..15).map(|n| format!("first phrase {n}")).collect();
    let mut drawn = BTreeSet::new();
    for query in &queries[..5] {
        assert_eq!(
            query["strategy"],
            json!({"name": "samples", "sample": "first"})
        );
        assert_eq!(terms(query).len(), 3);
        assert!(terms(query).is_subset(&best), "{query}");
        drawn.insert(terms(query));
    }
    assert_eq!(drawn.len(), 5, "a query was sent twice");
    for query in &queries[5..] {
        assert_eq!(query["strategy"]["sample"], "second");
    }
    assert!(run.run_step(&[]).is_null());
}

#[test]
fn a_sample_without_an_id_joins_the_queue() {
    let mut run = SamplesRun::new(options(1, 3, 15));
    for text in ["first", "second"] {
        let keywords = json!([[text, 2.0, text]]);
        let record = json!({"id": [5], "text": text, "label": TARGET, "keywords": keywords});
        run.run.apply(&record);
    }
    assert_eq!(run.run_step(&[])["include"], json!(["first"]));
    assert_eq!(run.run_step(&[])["include"], json!(["second"]));
}

#[test]
fn keyphrases_without_a_term_are_not_searched_for() {
    // An index has no document with them, so it refuses a query of them.
    let mut run = SamplesRun::new(options(5, 3, 15));
    run.run.apply(
        &json!({"id": "first", "text": "x", "label": TARGET, "keywords": [
        ["G-7", 2.0, "g 7"], ["G-7 accord", 1.5, "g 7 accord"], ["1987", 1.2, "1987"]]}),
    );
    let query = run.run_step(&[]);
    assert_eq!(query["include"], json!(["G-7 accord"]));
}

#[test]
fn accepted_articles_join_the_queue_and_others_do_not() {
    let mut run = SamplesRun::new(options(1, 3, 15));
    run.add_sample("first", 5);
    let mut duplicate = document("duplicate", TARGET, 5);
    duplicate["dedup"] = json!({"status": "near", "of": "first"});
    let mut retried = document("retried", TARGET, 5);
    retried["retry"] = json!(true);
    run.run_step(&[
        document("rejected", "off-topic", 5),
        document("accepted", TARGET, 5),
        document("without keyphrases", TARGET, 0),
        duplicate,
        retried,
    ]);
    assert_eq!(run.run_step(&[])["strategy"]["sample"], "accepted");
    assert_eq!(run.run_step(&[])["strategy"]["sample"], "retried");
    assert!(run.run_step(&[]).is_null());
}

#[test]
fn a_sample_with_few_keyphrases_gives_the_queries_that_there_are_and_blocks_no_other() {
    let mut run = SamplesRun::new(options(5, 3, 15));
    run.add_sample("few", 2);
    run.add_sample("none", 0);
    run.add_sample("other", 2);
    assert_eq!(run.run_step(&[])["strategy"]["sample"], "few");
    assert_eq!(run.run_step(&[])["strategy"]["sample"], "other");
    assert!(run.run_step(&[]).is_null());
}

#[test]
fn a_queue_rebuilt_from_the_journal_gives_the_same_queries() {
    let mut run = SamplesRun::new(SampleOptions::default());
    run.add_sample("first", 20);
    for n in 0..3 {
        run.run_step(&[document(&format!("accepted {n}"), TARGET, 4)]);
    }
    let run = run.run;
    assert_eq!(run.next_query_after_rebuild(), run.next_query());
}

#[test]
fn a_retry_counts_as_relevant_but_not_as_retrieved() {
    let mut run = SamplesRun::new(options(5, 3, 15));
    run.add_sample("first", 5);
    run.run_step(&[document("rejected", "off-topic", 5)]);
    let mut retried = document("rejected", TARGET, 5);
    retried["retry"] = json!(true);
    run.run_step(&[retried]);
    let total = |name| run.run.ledger.totals().total_for_target(TARGET, name);
    assert_eq!((total("documents"), total("relevant")), (1, 1));
}

#[test]
fn a_file_of_an_earlier_version_gets_its_queue_with_the_first_sample() {
    let mut run = SamplesRun::new(SampleOptions::default());
    let stats = run.run.folder().join("s.db");
    rusqlite::Connection::open(&stats)
        .unwrap()
        .execute_batch("DROP TABLE sample")
        .unwrap();
    run.run.apply(&document("without keyphrases", TARGET, 0));
    assert!(run.run.next_query().is_null());
    run.add_sample("first", 5);
    assert_eq!(run.run_step(&[])["strategy"]["sample"], "first");
}

#[test]
fn a_query_that_returns_nothing_is_shortened_by_its_lowest_keyphrases() {
    let mut run = SamplesRun::new(SampleOptions::default());
    run.add_sample("first", 15);
    run.returns_hits = false;
    let first = run.run_step(&[]);
    let second = run.run_step(&[]);
    let third = run.run_step(&[]);
    let include = |query: &Value| query["include"].as_array().unwrap().clone();
    assert_eq!(include(&second), include(&first)[..2]);
    assert_eq!(include(&third), include(&first)[..1]);
    assert_eq!(third["strategy"]["offset"]["shorter"], 2);
    // Then the next one of the five.
    let fourth = run.run_step(&[]);
    assert_eq!(include(&fourth).len(), 3);
    assert!(fourth["strategy"]["offset"].is_null());
    run.returns_hits = true;
    assert_eq!(include(&run.run_step(&[])).len(), 2);
    // Four more of the five: the first, and the fourth, which was the second of them, are done.
    let full: Vec<Value> = std::iter::from_fn(|| Some(run.run_step(&[])))
        .take_while(|query| !query.is_null())
        .collect();
    assert_eq!(full.len(), 3);
}
