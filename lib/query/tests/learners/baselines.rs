//! The queries of the baselines `like` and `seedfinder`, which follow from the journal alone.

use crate::learner_run::LearnerRun;
use forage_query::open_ledger;
use forage_query::strategy::SampleOptions;
use serde_json::{Value, json};

/// A run with one of the two baselines.
struct BaselineRun(LearnerRun);

impl BaselineRun {
    fn new(learner: &str) -> Self {
        let mut run = LearnerRun::new(learner, "slv", SampleOptions::default());
        run.apply(&json!({"text": "dober dan lepa ura in noč", "label": "slv"}));
        run.apply(&json!({"text": "the good day and hour", "label": "eng"}));
        BaselineRun(run)
    }

    /// The next query, or null if the target is exhausted.
    fn next_query(&self) -> Value {
        self.0.next_query()
    }

    /// Applies a step: the next query, and a page of documents (URL, text, label) that it returns.
    /// `has_more` is true if there are further pages.
    fn run_step(&mut self, documents: &[(&str, &str, &str)], has_more: bool) {
        let query = self.next_query();
        self.0.step += 1;
        for (index, (url, text, label)) in documents.iter().enumerate() {
            let is_last = index + 1 == documents.len();
            let calls = u8::from(index == 0);
            let mut hit =
                json!({"engine": "x", "rank": index + 1, "calls": calls, "outcome": "hit"});
            if has_more && is_last {
                hit["more"] = "pages".into();
            }
            self.0.apply(&json!({
                "step": self.0.step_json(is_last),
                "query": query,
                "hit": hit,
                "url": url,
                "text": text,
                "label": label,
            }));
        }
        if documents.is_empty() {
            let hit = json!({"engine": "x", "calls": 1, "outcome": "empty"});
            self.0
                .apply(&json!({"step": self.0.step_json(true), "query": query, "hit": hit}));
        }
    }

    /// Checks that the next query is the same after the statistics are rebuilt, and after a step is
    /// discarded.
    fn check_projection(mut self) {
        let next = self.next_query();
        assert_eq!(self.0.next_query_after_rebuild(), next);
        self.run_step(
            &[
                ("http://z.test/", "čisto nova beseda", "slv"),
                ("http://y.test/", "another day", "eng"),
            ],
            false,
        );
        assert_ne!(self.next_query()["id"], next["id"]);
        let folder = self.0.folder();
        let [stats, journal, rebuilt] = ["s.db", "j.jsonl", "r.db"].map(|name| folder.join(name));
        // Only one process can have the file open.
        self.0.ledger = open_ledger(&rebuilt, None, None).unwrap();
        self.0.ledger = open_ledger(&stats, Some(&journal), Some(self.0.step)).unwrap();
        self.0.step -= 1;
        assert_eq!(self.next_query(), next);
    }
}

const A: (&str, &str, &str) = ("http://a.test/", "dan je lep in nov", "slv");
const B: (&str, &str, &str) = ("http://b.test/", "noč in ura in dan", "slv");
const C: (&str, &str, &str) = ("http://c.test/", "the dan day", "eng");

#[test]
fn like_starts_with_the_odds_ratio_and_works_through_the_queue() {
    let mut run = BaselineRun::new("like");
    let first = run.next_query();
    let strategy = &first["strategy"];
    let method = json!({"include": "or:5", "exclude": "or:5"});
    assert_eq!(
        (&strategy["name"], &strategy["method"]),
        (&json!("like"), &method)
    );
    run.run_step(&[A, C], false);
    let like = |run: &BaselineRun| run.next_query()["like"].clone();
    assert_eq!(
        (like(&run), run.next_query()["include"].clone()),
        (json!("http://a.test/"), json!([]))
    );
    // The same document while there are further pages, then the one that joined the queue.
    run.run_step(&[B], true);
    assert_eq!(like(&run), "http://a.test/");
    run.run_step(&[], false);
    assert_eq!(like(&run), "http://b.test/");
    // A document that is returned again does not join the queue again. While the queue is empty,
    // the query is by odds ratio, from the top of the ranking.
    run.run_step(&[A], false);
    let last = run.next_query();
    assert_eq!(
        (&last["like"], &last["strategy"]["offset"]),
        (&Value::Null, &json!({"include": 0, "exclude": 0}))
    );
}

#[test]
fn the_queue_of_like_is_a_projection_of_the_journal() {
    let mut run = BaselineRun::new("like");
    run.run_step(&[A, C, B], false);
    run.run_step(&[], false);
    run.check_projection();
}

#[test]
fn a_query_without_an_answer_leaves_the_queue_unchanged() {
    let mut run = BaselineRun::new("like");
    run.run_step(&[A], false);
    let query = run.next_query();
    run.0.step += 1;
    let error = json!({"tool": "search", "kind": "engine-down", "message": "x"});
    let step = run.0.step_json(true);
    run.0.apply(
        &json!({"step": step, "query": query, "hit": {"engine": "x", "calls": 0}, "error": error}),
    );
    assert_eq!(run.next_query()["like"], "http://a.test/");
}

#[test]
fn seedfinder_asks_for_the_best_terms_and_one_unused_term() {
    let mut run = BaselineRun::new("seedfinder");
    let first = run.next_query();
    let strategy = &first["strategy"];
    let method = json!({"include": "or:3", "exclude": "or:0"});
    assert_eq!(
        (&strategy["name"], &strategy["method"]),
        (&json!("seedfinder"), &method)
    );
    // The five terms of A gain 1/5 each, those of B 1/5 or 2/5 (`in`), those of C lose 1/3: `in`
    // has 3/5, `dan` 2/5 − 1/3, all others of A and B 1/5. Then the terms of the first query are
    // weighed by its precision, 2/3.
    assert_eq!(first["include"], json!(["dan", "dober", "in"]));
    run.run_step(&[A, B, C], false);
    // `in` has 2/5, `dan` 2/45. Two thirds of the documents are relevant, and all are new: the
    // length stays. `je` and `lep` are the first of equal terms, and unused.
    assert_eq!(run.next_query()["include"], json!(["in", "je", "lep"]));
    // A third is relevant: this page is the last, and the next query is longer. `je`, `lep` and
    // `nov` are ordered by code point, as are `ura` and `noč`.
    run.run_step(&[("http://d.test/", "in lep", "slv"), C, C], true);
    assert_eq!(run.next_query()["include"].as_array().unwrap().len(), 4);
}

#[test]
fn seedfinder_retrieves_pages_while_half_of_the_last_one_is_relevant() {
    let mut run = BaselineRun::new("seedfinder");
    let first = run.next_query()["include"].clone();
    run.run_step(&[A, C], true);
    assert_eq!(run.next_query()["include"], first);
    run.run_step(&[B, C, C], true);
    assert_ne!(run.next_query()["include"], first);
}

#[test]
fn the_scores_of_seedfinder_are_a_projection_of_the_journal() {
    let mut run = BaselineRun::new("seedfinder");
    run.run_step(&[A, C], true);
    run.run_step(&[B], false);
    run.check_projection();
}

#[test]
fn seedfinder_is_exhausted_when_every_term_with_a_positive_score_was_used() {
    let mut run = BaselineRun::new("seedfinder");
    run.run_step(&[("http://a.test/", "dan dober in", "slv")], false);
    assert_eq!(run.next_query(), Value::Null);
}
