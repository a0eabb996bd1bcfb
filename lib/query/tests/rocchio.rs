//! The queries of `--learn rocchio`, which follow from the journal alone.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap, too

use forage_query::select::PruneOptions;
use forage_query::strategy::{
    LEARNERS, QueryChoice, QueryRequest, RecoveryLimits, ResultWindow, SampleOptions,
    StrategyOptions,
};
use forage_query::{Statistics, open_ledger, rebuild_ledger};
use forage_record::Record;
use forage_run::Ledger;
use serde_json::{Value, json};

const TARGET: &str = "on-topic";

struct RocchioRun {
    dir: tempfile::TempDir,
    ledger: Ledger,
    step: u64,
}

impl RocchioRun {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (stats, journal) = (dir.path().join("s.db"), dir.path().join("j.jsonl"));
        let mut run = RocchioRun {
            ledger: open_ledger(&stats, Some(&journal), None).unwrap(),
            dir,
            step: 0,
        };
        run.apply(&json!({
            "id": "sample", "label": TARGET, "text": "The gold mine and its gold. They said so.",
            "keywords": [["gold mine", 2.0, "gold mine"], ["gold", 1.5, "gold"]],
        }));
        run
    }

    fn apply(&mut self, record: &Value) {
        self.ledger
            .apply(&Record::parse(record.to_string().into_bytes()).unwrap())
            .unwrap();
        self.ledger.commit().unwrap();
    }

    /// The inclusion terms of the next query; none if all are exhausted.
    fn next_terms(&self, ledger: &Ledger) -> Vec<String> {
        let options = StrategyOptions {
            sides: None,
            learn: LEARNERS.into_iter().find(|known| known.name == "rocchio"),
            lengths: None,
            no_result_penalty: None,
            batch: 10,
            recovery: RecoveryLimits {
                max_offset: 20,
                shorten_after: None,
            },
            needs_inclusion: false,
            samples: SampleOptions::default(),
            until_coverage: None,
        };
        let request = QueryRequest {
            target: TARGET,
            versus: None,
            step: self.step + 1,
            seed: 0,
            result_window: ResultWindow {
                page_size: 10,
                max_pages: 10,
            },
            prune: PruneOptions::default(),
        };
        let strategy = options.build_strategy().unwrap();
        match strategy
            .choose_query(&Statistics::from_ledger(ledger), &request)
            .unwrap()
        {
            QueryChoice::Query(query) => query.query.include,
            choice => {
                assert!(matches!(choice, QueryChoice::Exhausted), "{choice:?}");
                Vec::new()
            }
        }
    }

    /// Sends the next query, which returns documents with these texts and labels. The engine has
    /// further pages if `has_more`.
    fn run_step(&mut self, documents: &[(&str, &str)], has_more: bool) -> Vec<String> {
        let terms = self.next_terms(&self.ledger);
        self.step += 1;
        for (n, (text, label)) in documents.iter().enumerate() {
            let is_last = n + 1 == documents.len();
            let mut record = json!({
                "step": {"number": self.step, "target": TARGET},
                "query": {"id": terms.join("+"), "include": terms, "strategy": {"name": "rocchio"}},
                "hit": {"engine": "x", "rank": n + 1, "calls": u8::from(n == 0), "outcome": "hit"},
                "id": format!("{} {n}", self.step), "text": text, "label": label,
                "keywords": [["silver mine", 2.0, "silver mine"], ["bank", 1.0, "bank"]],
            });
            record["query"].as_object_mut().unwrap().remove("id");
            record["query"]["exclude"] = json!([]);
            if is_last {
                record["step"]["last"] = json!(true);
                if has_more {
                    record["hit"]["more"] = json!("pages");
                }
            }
            let id = forage_run::query_id(&terms, &[]);
            record["query"]["id"] = json!(id);
            self.apply(&record);
        }
        terms
    }
}

const OFF: (&str, &str) = ("They said so, and the bank did.", "off-topic");
const ON: (&str, &str) = ("A gold mine, a silver mine. They said so.", TARGET);

#[test]
fn the_first_queries_are_keyphrases_of_the_sample_and_later_ones_indicative_terms() {
    let mut run = RocchioRun::new();
    assert_eq!(run.run_step(&[OFF; 4], false), ["gold mine"]);
    assert_eq!(run.run_step(&[OFF; 4], false), ["gold"]);
    // Pairs that were never sent, while there are too few documents for weights.
    assert_eq!(run.run_step(&[ON, ON, ON], false), ["gold mine", "gold"]);
    let terms = run.run_step(&[ON], false);
    assert!(
        ["mine", "silver"].contains(&terms[0].as_str()) && terms.len() == 1,
        "{terms:?}"
    );
}

#[test]
fn a_query_is_continued_as_long_as_it_brings_more_than_others_promise() {
    let mut run = RocchioRun::new();
    let first = run.run_step(&[ON, ON, ON, ON, OFF], true);
    assert_eq!(run.next_terms(&run.ledger), first);
    run.run_step(&[OFF, OFF], true);
    assert_ne!(run.next_terms(&run.ledger), first);
}

#[test]
fn a_target_without_open_queries_is_exhausted() {
    let mut run = RocchioRun::new();
    for _ in 0..3 {
        run.run_step(&[OFF], false);
    }
    assert!(run.next_terms(&run.ledger).is_empty());
}

#[test]
fn statistics_rebuilt_from_the_journal_give_the_same_query() {
    let mut run = RocchioRun::new();
    for documents in [[OFF, ON, OFF, ON], [ON, OFF, OFF, ON], [ON, ON, OFF, ON]] {
        run.run_step(&documents, true);
    }
    let journal = run.dir.path().join("j.jsonl");
    let rebuilt = rebuild_ledger(&run.dir.path().join("r.db"), &journal).unwrap();
    assert_eq!(run.next_terms(&rebuilt), run.next_terms(&run.ledger));
}
