//! The baselines `like` and `seedfinder`: what they ask for after what came, and that it follows
//! from the journal alone.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap, too

use forage_query::select::PruneOptions;
use forage_query::strategy::{
    LEARNERS, QueryChoice, QueryRequest, RecoveryLimits, ResultWindow, Strategy, StrategyOptions,
};
use forage_query::{Statistics, open_ledger, rebuild_ledger};
use forage_record::Record;
use forage_run::Ledger;
use serde_json::{Value, json};

/// A run with one of the two.
struct Run {
    dir: tempfile::TempDir,
    ledger: Ledger,
    strategy: Box<dyn Strategy>,
    step: u64,
}

impl Run {
    fn new(learner: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ledger = open_ledger(
            &dir.path().join("s.db"),
            Some(&dir.path().join("j.jsonl")),
            None,
        )
        .unwrap();
        let options = StrategyOptions {
            sides: None,
            learn: LEARNERS.into_iter().find(|known| known.name == learner),
            lengths: None,
            no_result_penalty: None,
            batch: 1,
            recovery: RecoveryLimits {
                max_offset: 20,
                shorten_after: None,
            },
            needs_inclusion: false,
            until_coverage: None,
        };
        let mut run = Run {
            dir,
            ledger,
            strategy: options.build_strategy().unwrap(),
            step: 0,
        };
        run.take(&json!({"text": "dober dan lepa ura in noč", "label": "slv"}));
        run.take(&json!({"text": "the good day and hour", "label": "eng"}));
        run
    }

    fn take(&mut self, record: &Value) {
        self.ledger
            .apply(&Record::parse(record.to_string().into_bytes()).unwrap())
            .unwrap();
        self.ledger.commit().unwrap();
    }

    /// The next query, or null.
    fn next(&self) -> Value {
        self.next_of(&self.ledger)
    }

    fn next_of(&self, ledger: &Ledger) -> Value {
        let result_window = ResultWindow {
            page_size: 10,
            max_pages: 10,
        };
        let (versus, step, prune) = (None, self.step + 1, PruneOptions::default());
        let request = QueryRequest {
            target: "slv",
            versus,
            step,
            seed: 0,
            result_window,
            prune,
        };
        match self
            .strategy
            .choose_query(&Statistics::from_ledger(ledger), &request)
            .unwrap()
        {
            QueryChoice::Query(terms) => serde_json::to_value(terms.query).unwrap(),
            _ => Value::Null,
        }
    }

    fn step_json(&self, is_last: bool) -> Value {
        json!({"number": self.step, "target": "slv", "last": is_last})
    }

    /// Asks the next query and answers it with a page of documents, of URL, text and label; `more`
    /// says whether there are further pages.
    fn answer(&mut self, documents: &[(&str, &str, &str)], more: bool) {
        let query = self.next();
        self.step += 1;
        for (at, (url, text, label)) in documents.iter().enumerate() {
            let mut hit = json!({"engine": "x", "rank": at + 1, "calls": u8::from(at == 0), "outcome": "hit"});
            let step = self.step_json(at + 1 == documents.len());
            if more && at + 1 == documents.len() {
                hit["more"] = "pages".into();
            }
            self.take(&json!({"step": step, "query": query, "hit": hit, "url": url, "text": text, "label": label}));
        }
        if documents.is_empty() {
            let hit = json!({"engine": "x", "calls": 1, "outcome": "empty"});
            self.take(&json!({"step": self.step_json(true), "query": query, "hit": hit}));
        }
    }

    /// That the next query is the same when the statistics are made anew, and when a step is
    /// forgotten.
    fn check_fold(mut self) {
        let path = |name: &str| self.dir.path().join(name);
        let (stats, journal, anew) = (path("s.db"), path("j.jsonl"), path("new.db"));
        let next = self.next();
        assert_eq!(
            self.next_of(&rebuild_ledger(&anew, &journal).unwrap()),
            next
        );
        self.answer(
            &[
                ("http://z.test/", "čisto nova beseda", "slv"),
                ("http://y.test/", "another day", "eng"),
            ],
            false,
        );
        assert_ne!(self.next()["id"], next["id"]);
        // One process has the file at a time.
        self.ledger = open_ledger(&anew, None, None).unwrap();
        self.ledger = open_ledger(&stats, Some(&journal), Some(self.step)).unwrap();
        self.step -= 1;
        assert_eq!(self.next(), next);
    }
}

const A: (&str, &str, &str) = ("http://a.test/", "dan je lep in nov", "slv");
const B: (&str, &str, &str) = ("http://b.test/", "noč in ura in dan", "slv");
const C: (&str, &str, &str) = ("http://c.test/", "the dan day", "eng");

#[test]
fn like_begins_with_the_odds_ratio_and_goes_through_the_queue() {
    let mut run = Run::new("like");
    let first = run.next();
    let strategy = &first["strategy"];
    let method = json!({"include": "or:5", "exclude": "or:5"});
    assert_eq!(
        (&strategy["name"], &strategy["method"]),
        (&json!("like"), &method)
    );
    run.answer(&[A, C], false);
    let ask = |run: &Run| run.next()["like"].clone();
    assert_eq!(
        (ask(&run), run.next()["include"].clone()),
        (json!("http://a.test/"), json!([]))
    );
    // As long as there are further pages, and again for what joined.
    run.answer(&[B], true);
    assert_eq!(ask(&run), "http://a.test/");
    run.answer(&[], false);
    assert_eq!(ask(&run), "http://b.test/");
    // One that is met again does not join again; when nobody waits, it is the odds ratio's turn,
    // from the top.
    run.answer(&[A], false);
    let again = run.next();
    assert_eq!(
        (&again["like"], &again["strategy"]["offset"]),
        (&Value::Null, &json!({"include": 0, "exclude": 0}))
    );
}

#[test]
fn the_queue_of_like_is_a_fold_of_the_journal() {
    let mut run = Run::new("like");
    run.answer(&[A, C, B], false);
    run.answer(&[], false);
    run.check_fold();
}

#[test]
fn an_engine_that_does_not_answer_takes_nobody_out_of_the_queue() {
    let mut run = Run::new("like");
    run.answer(&[A], false);
    let query = run.next();
    run.step += 1;
    let error = json!({"tool": "search", "kind": "engine-down", "message": "x"});
    let step = run.step_json(true);
    run.take(
        &json!({"step": step, "query": query, "hit": {"engine": "x", "calls": 0}, "error": error}),
    );
    assert_eq!(run.next()["like"], "http://a.test/");
}

#[test]
fn seedfinder_asks_for_the_best_terms_and_one_that_was_not_used() {
    let mut run = Run::new("seedfinder");
    let first = run.next();
    let strategy = &first["strategy"];
    let method = json!({"include": "or:3", "exclude": "or:0"});
    assert_eq!(
        (&strategy["name"], &strategy["method"]),
        (&json!("seedfinder"), &method)
    );
    // The five words of A gain 1/5 each, those of B 1/5 or 2/5 (`in`), those of C lose 1/3: `in`
    // has 3/5, `dan` 2/5 − 1/3, all others of A and B 1/5. Then the words of the first query are
    // weighed by its precision, 2/3.
    assert_eq!(first["include"], json!(["dan", "dober", "in"]));
    run.answer(&[A, B, C], false);
    // `in` has 2/5, `dan` 2/45. Two thirds are relevant, and all is new: the length stays. `je` and
    // `lep` come first among equals, and neither was used.
    assert_eq!(run.next()["include"], json!(["in", "je", "lep"]));
    // A third is relevant: the page is the last, and the next query longer. Of `je`, `lep` and
    // `nov`, as of `ura` and `noč`, the code point decides.
    run.answer(&[("http://d.test/", "in lep", "slv"), C, C], true);
    assert_eq!(run.next()["include"].as_array().unwrap().len(), 4);
}

#[test]
fn seedfinder_takes_a_further_page_while_half_of_the_last_was_relevant() {
    let mut run = Run::new("seedfinder");
    let first = run.next()["include"].clone();
    run.answer(&[A, C], true);
    assert_eq!(run.next()["include"], first);
    run.answer(&[B, C, C], true);
    assert_ne!(run.next()["include"], first);
}

#[test]
fn what_seedfinder_knows_is_a_fold_of_the_journal() {
    let mut run = Run::new("seedfinder");
    run.answer(&[A, C], true);
    run.answer(&[B], false);
    run.check_fold();
}

#[test]
fn seedfinder_is_spent_when_every_good_term_was_used() {
    let mut run = Run::new("seedfinder");
    run.answer(&[("http://a.test/", "dan dober in", "slv")], false);
    assert_eq!(run.next(), Value::Null);
}
