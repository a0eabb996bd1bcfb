//! A run in a folder of its own, whose queries a learner makes from the journal.

use forage_query::select::{PruneOptions, TermProbability};
use forage_query::strategy::{
    BatchSize, Learner, QueryChoice, QueryRequest, RecoveryMode, ResultWindow, SampleOptions,
    Strategy, StrategyOptions,
};
use forage_query::{Statistics, open_ledger, rebuild_ledger};
use forage_record::Record;
use forage_run::Ledger;
use serde_json::{Value, json};
use std::path::Path;

pub(crate) struct LearnerRun {
    dir: tempfile::TempDir,
    pub(crate) ledger: Ledger,
    strategy: Box<dyn Strategy>,
    target: &'static str,
    /// The last step.
    pub(crate) step: u64,
}

impl LearnerRun {
    pub(crate) fn new(learner: &str, target: &'static str, samples: SampleOptions) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (stats, journal) = (dir.path().join("s.db"), dir.path().join("j.jsonl"));
        let options = StrategyOptions {
            sides: None,
            learn: Learner::ALL
                .into_iter()
                .find(|known| known.name() == learner),
            lengths: None,
            no_result_penalty: None,
            beta: None,
            batch: BatchSize::Fixed(1),
            recovery: RecoveryMode::DEFAULT,
            needs_inclusion: false,
            samples,
            until_coverage: None,
        };
        LearnerRun {
            ledger: open_ledger(&stats, Some(&journal), None).unwrap(),
            dir,
            strategy: options.build_strategy().unwrap(),
            target,
            step: 0,
        }
    }

    /// The folder of the run: the statistics are `s.db`, and the journal is `j.jsonl`.
    pub(crate) fn folder(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn apply(&mut self, record: &Value) {
        self.ledger
            .apply(&Record::parse(record.to_string().into_bytes()).unwrap())
            .unwrap();
        self.ledger.commit().unwrap();
    }

    /// The query of the next step; null if the target is exhausted.
    pub(crate) fn next_query(&self) -> Value {
        self.next_query_from(&self.ledger)
    }

    /// The query of the next step, by statistics that are rebuilt from the journal.
    pub(crate) fn next_query_after_rebuild(&self) -> Value {
        let [stats, journal] = ["r.db", "j.jsonl"].map(|name| self.dir.path().join(name));
        self.next_query_from(&rebuild_ledger(&stats, &journal, false).unwrap())
    }

    fn next_query_from(&self, ledger: &Ledger) -> Value {
        let statistics = Statistics::from_ledger(ledger);
        let request = QueryRequest {
            statistics: &statistics,
            batch: BatchSize::Fixed(1),
            target: self.target,
            versus: None,
            step: self.step + 1,
            seed: 0,
            result_window: ResultWindow {
                page_size: 10,
                max_pages: 10,
            },
            prune: PruneOptions::default(),
            probability: TermProbability::default(),
        };
        let choice = self.strategy.choose_query(&request);
        match choice.unwrap() {
            QueryChoice::Query(query) => serde_json::to_value(query.query).unwrap(),
            choice => {
                assert!(matches!(choice, QueryChoice::Exhausted), "{choice:?}");
                Value::Null
            }
        }
    }

    /// The field `step` of a record of the last step.
    pub(crate) fn step_json(&self, is_last: bool) -> Value {
        json!({"number": self.step, "target": self.target, "last": is_last})
    }
}
