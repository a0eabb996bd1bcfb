//! The queries of `--learn rocchio`, which follow from the journal alone.

use crate::learner_run::LearnerRun;
use forage_query::strategy::SampleOptions;
use serde_json::{Value, json};

const TARGET: &str = "on-topic";

struct RocchioRun(LearnerRun);

impl RocchioRun {
    fn new() -> Self {
        let mut run = LearnerRun::new("rocchio", TARGET, SampleOptions::default());
        run.apply(&json!({
            "id": "sample", "label": TARGET, "text": "The gold mine and its gold. They said so.",
            "keywords": [["gold mine", 2.0, "gold mine"], ["gold", 1.5, "gold"]],
        }));
        RocchioRun(run)
    }

    /// Sends the next query, which returns documents with these texts and labels. The engine has
    /// further pages if `has_more`.
    fn run_step(&mut self, documents: &[(&str, &str)], has_more: bool) -> Value {
        let query = self.0.next_query();
        self.0.step += 1;
        for (n, (text, label)) in documents.iter().enumerate() {
            let is_last = n + 1 == documents.len();
            let mut record = json!({
                "step": self.0.step_json(is_last),
                "query": query,
                "hit": {"engine": "x", "rank": n + 1, "calls": u8::from(n == 0), "outcome": "hit"},
                "id": format!("{} {n}", self.0.step), "text": text, "label": label,
                "keywords": [["silver mine", 2.0, "silver mine"], ["bank", 1.0, "bank"]],
            });
            if is_last && has_more {
                record["hit"]["more"] = json!("pages");
            }
            self.0.apply(&record);
        }
        query["include"].clone()
    }
}

const OFF: (&str, &str) = ("They said so, and the bank did.", "off-topic");
const ON: (&str, &str) = ("A gold mine, a silver mine. They said so.", TARGET);

#[test]
fn the_first_queries_are_keyphrases_of_the_sample_and_later_ones_indicative_terms() {
    let mut run = RocchioRun::new();
    assert_eq!(run.run_step(&[OFF; 4], true), json!(["gold mine"]));
    assert_eq!(run.run_step(&[OFF; 4], true), json!(["gold"]));
    // Pairs that were never sent, while there are too few documents for weights.
    let third = run.run_step(&[ON, ON, ON], false);
    assert_eq!(third, json!(["gold mine", "gold"]));
    let terms = run.run_step(&[ON], false);
    assert!(
        [json!(["mine"]), json!(["silver"])].contains(&terms),
        "{terms}"
    );
}

#[test]
fn a_query_is_continued_as_long_as_it_brings_more_than_others_promise() {
    let mut run = RocchioRun::new();
    let first = run.run_step(&[ON, ON, ON, ON, OFF], true);
    assert_eq!(run.0.next_query()["include"], first);
    run.run_step(&[OFF, OFF], true);
    assert_ne!(run.0.next_query()["include"], first);
}

#[test]
fn a_target_without_open_queries_is_exhausted() {
    let mut run = RocchioRun::new();
    for query in [json!(["gold mine"]), json!(["gold"])] {
        assert_eq!(run.run_step(&[OFF], false), query);
    }
    // The pair has no hit that one of its terms has not had.
    assert!(run.0.next_query().is_null());
}

#[test]
fn statistics_rebuilt_from_the_journal_give_the_same_query() {
    let mut run = RocchioRun::new();
    for documents in [[OFF, ON, OFF, ON], [ON, OFF, OFF, ON], [ON, ON, OFF, ON]] {
        run.run_step(&documents, true);
    }
    assert_eq!(run.0.next_query_after_rebuild(), run.0.next_query());
}
