//! Rewarding the learners while the journal is folded (DESIGN, "Counting").
//!
//! The paper's learners are rewarded document by document, bandits once a step, by the share of new
//! relevant documents among those that it could bring: what failed for nobody's fault is taken off
//! both, and what did not come at all is not. How far a step has come is kept beside the scores, as
//! its records may be counted in several transactions.
//!
//! All that is needed is in the record, in `query.strategy`: the learner and the methods. A record
//! of another strategy teaches nothing.

use super::NAME;
use super::rules::Reward;
use super::spec::LearnerSpec;
use super::state::LearnerScores;
use crate::select::SelectionSpec;
use forage_record::{HitOutcome, Query};
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use rusqlite::OptionalExtension;
use std::collections::BTreeMap;
use std::fmt;

/// The tables of the learners' scores and of the step that they learn from.
pub(crate) const SCHEMA: &str = "
CREATE TABLE learner (           -- what learners of methods and lengths draw from
    learner TEXT NOT NULL,       -- as in query.strategy.learner
    target TEXT NOT NULL,
    parameter TEXT NOT NULL,     -- include-method, exclude-length ...
    name TEXT NOT NULL,          -- of the number: p or, successes 3, gained 0, sum ...
    number REAL NOT NULL,
    PRIMARY KEY (learner, target, parameter, name)
) WITHOUT ROWID;
CREATE TABLE learner_step (      -- how far the last step has come that a learner chose
    only INTEGER PRIMARY KEY CHECK (only = 1),
    progress TEXT NOT NULL
);
";

/// The learners' scores as a projection: those of the learners met since the last write.
#[derive(Debug, Default)]
pub(crate) struct LearnerProjection {
    scores: BTreeMap<(LearnerSpec, String), LearnerScores>,
    /// The last step that brought something, or was broken by an error; `None` while it is not
    /// known.
    step: Option<Step>,
}

/// How far a step has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// Its number and target, as in `31 slv`.
    name: String,
    /// New relevant documents.
    relevant: u32,
    /// Other documents.
    nonrelevant: u32,
    /// Records that were nobody's fault, or nobody's merit.
    neutral: u32,
}

/// What a record says of the parameters of its query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// A success or a failure.
    Document(Reward),
    /// Nobody's fault, or nobody's merit: an error, or a document without a label.
    Neutral,
    /// No document.
    Nothing,
}

impl StoredProjection for LearnerProjection {
    /// Rewards the learner that chose a record's query.
    fn apply(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        let Some(choice) = event.query.as_ref().and_then(Choice::from_query) else {
            return Ok(());
        };
        let mut step = match self.step.take() {
            Some(step) => step,
            None => Step::parse(&read_progress(store)?),
        };
        step.turn_to(event);
        let scores = self.scores(store, choice.spec, event.target());
        let taught = scores.map(|scores| choice.teach(&mut step, event, scores));
        self.step = Some(step);
        taught
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        for ((_, target), scores) in &mut self.scores {
            scores.write(store, target)?;
        }
        if let Some(step) = &self.step {
            let mut put =
                store.prepare_cached("INSERT OR REPLACE INTO learner_step VALUES (1, ?1)")?;
            put.execute([step.to_string()])?;
        }
        *self = LearnerProjection::default();
        Ok(())
    }
}

impl LearnerProjection {
    fn scores(
        &mut self,
        store: &StateFile,
        spec: LearnerSpec,
        target: &str,
    ) -> rusqlite::Result<&mut LearnerScores> {
        let key = (spec, target.to_owned());
        if !self.scores.contains_key(&key) {
            self.scores
                .insert(key.clone(), LearnerScores::read(store, spec, target)?);
        }
        self.scores
            .get_mut(&key)
            .ok_or(rusqlite::Error::QueryReturnedNoRows)
    }
}

/// How far the last step has come that a learner chose; empty for no such step.
fn read_progress(store: &StateFile) -> rusqlite::Result<String> {
    let mut progress = store.prepare_cached("SELECT progress FROM learner_step")?;
    Ok(progress
        .query_row([], |row| row.get(0))
        .optional()?
        .unwrap_or_default())
}

/// The learner of a query, and the two sides that it chose.
pub(super) struct Choice {
    pub(super) spec: LearnerSpec,
    include: SelectionSpec,
    exclude: SelectionSpec,
}

impl Choice {
    /// `None` where no learner chose the query, or one that we don't know.
    pub(super) fn from_query(query: &Query) -> Option<Choice> {
        let strategy = query.strategy_named(NAME)?;
        let method = strategy.method.as_ref()?;
        let (include, exclude) = (method.include.parse().ok()?, method.exclude.parse().ok()?);
        Some(Choice {
            spec: strategy.learner.as_ref()?.parse().ok()?,
            include,
            exclude,
        })
    }

    /// Learns from a record of the step.
    pub(super) fn teach(&self, step: &mut Step, event: &Event, scores: &mut LearnerScores) {
        let (verdict, is_over) = (verdict(event), is_over(event));
        let Choice {
            spec,
            include,
            exclude,
        } = *self;
        step.add(verdict);
        if is_over && step.is_empty() {
            (0..spec.no_result_penalty)
                .for_each(|_| scores.reward(include, exclude, Reward::Failure));
        } else if spec.rule.is_bandit() {
            let gain = step.gain(spec.documents).filter(|_| is_over);
            gain.into_iter()
                .for_each(|gain| scores.gain(include, exclude, gain));
        } else if let Verdict::Document(reward) = verdict {
            scores.reward(include, exclude, reward);
        }
    }
}

impl Step {
    /// As [`fmt::Display`] has it: three numbers and the name. What is none is a step that nothing
    /// is known of.
    fn parse(text: &str) -> Step {
        let mut parts = text.splitn(4, ' ');
        let mut number = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
        let (relevant, nonrelevant, neutral) = (number(), number(), number());
        Step {
            name: parts.next().unwrap_or_default().into(),
            relevant,
            nonrelevant,
            neutral,
        }
    }

    /// Begins the step of a query, if it is another than that before.
    pub(super) fn turn_to(&mut self, event: &Event) {
        let name = format!("{} {}", event.step_number(), event.target());
        if self.name != name {
            *self = Step {
                name,
                ..Step::default()
            };
        }
    }

    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Document(Reward::Success) => self.relevant += 1,
            Verdict::Document(Reward::Failure) => self.nonrelevant += 1,
            Verdict::Neutral => self.neutral += 1,
            Verdict::Nothing => {}
        }
    }

    /// Whether it brought neither a document nor an error.
    fn is_empty(&self) -> bool {
        self.relevant + self.nonrelevant + self.neutral == 0
    }

    /// The share of new relevant documents among the `documents` that it could bring; `None` where
    /// nothing but errors was to be had.
    fn gain(&self, documents: u32) -> Option<f64> {
        // A user may take larger steps than gen-query was told of.
        let could = documents.max(self.relevant + self.nonrelevant + self.neutral) - self.neutral;
        (could > 0 && self.relevant + self.nonrelevant > 0)
            .then(|| f64::from(self.relevant) / f64::from(could))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} {} {} {}",
            self.relevant, self.nonrelevant, self.neutral, self.name
        )
    }
}

/// A batch is judged once a document, in order; once in all when it brought none.
fn verdict(event: &Event) -> Verdict {
    if event.error.is_some() || (event.is_document && event.label.is_none()) {
        Verdict::Neutral
    } else if event.is_document {
        Verdict::Document(if event.is_relevant() {
            Reward::Success
        } else {
            Reward::Failure
        })
    } else {
        Verdict::Nothing
    }
}

/// Whether the record is its step's last one.
fn is_over(event: &Event) -> bool {
    event.ends_step()
        || matches!(
            event.outcome(),
            Some(HitOutcome::Empty | HitOutcome::Exhausted)
        )
}

#[cfg(test)]
mod tests {
    use super::{LearnerProjection, Step};
    use crate::select::QuerySide;
    use crate::statistics::Statistics;
    use crate::strategy::learned::{LearnerScores, LearnerSpec, QueryParameter};
    use forage_record::Record;
    use forage_run::{Event, StoredProjection};

    const GOOD: &str = r#""text":"a","label":"slv""#;
    const BAD: &str = r#""text":"a","label":"hrv""#;
    const DUPLICATE: &str = r#""text":"a","label":"slv","dedup":{"status":"near"}"#;
    const ERROR: &str = r#""error":{"tool":"fetch-extract","kind":"dns","message":"x"}"#;
    const NOTHING: &str = r#""url":"http://a.test/""#;

    /// What a learner is taught by one step of these records; each is a transaction of its own with
    /// `every`.
    fn taught(learner: &str, records: &[&str], every: bool) -> LearnerScores {
        let dir = tempfile::tempdir().unwrap();
        let statistics = Statistics::open(&dir.path().join("stats.db")).unwrap();
        let mut learners = LearnerProjection::default();
        for (at, more) in records.iter().enumerate() {
            let method = r#""method":{"include":"or:3","exclude":"tf:1"}"#;
            let step = format!(
                r#""step":{{"number":1,"target":"slv","last":{}}}"#,
                at + 1 == records.len()
            );
            let query = format!(
                r#""query":{{"id":"q","strategy":{{"name":"learned","learner":"{learner}",{method}}}}}"#
            );
            let record = Record::parse(
                format!(r#"{{{step},{query},"hit":{{"engine":"x"}},{more}}}"#).into_bytes(),
            )
            .unwrap();
            learners
                .apply(&statistics.db, &Event::from_record(&record))
                .unwrap();
            if every {
                learners.write(&statistics.db).unwrap();
            }
        }
        learners.write(&statistics.db).unwrap();
        LearnerScores::read(
            &statistics.db,
            learner.parse::<LearnerSpec>().unwrap(),
            "slv",
        )
        .unwrap()
    }

    /// Successes less failures of `or`, by the scores of `lta`.
    fn lta(records: &[&str]) -> f64 {
        let p =
            taught("lta", records, false).probabilities(QueryParameter::Method(QuerySide::Include));
        (p[2] / p[0]).log2()
    }

    /// Pulls of `or`, and its mean gain.
    fn ucb(learner: &str, records: &[&str]) -> (f64, Option<f64>) {
        let means = |every| {
            taught(learner, records, every)
                .means(QueryParameter::Method(QuerySide::Include))
                .unwrap()
        };
        assert_eq!(means(true), means(false));
        means(true)[2]
    }

    #[test]
    fn only_a_new_document_of_the_target_is_a_success() {
        assert!(lta(&[GOOD]) > 0.0 && lta(&[BAD]) < 0.0 && lta(&[DUPLICATE]) < 0.0);
        assert_eq!(lta(&[r#""text":"a""#]), 0.0);
    }

    #[test]
    fn a_step_without_a_document_fails_once_at_its_end() {
        assert!(lta(&[NOTHING]) < 0.0 && lta(&[NOTHING, NOTHING]) == lta(&[NOTHING]));
        // After a success it is one neither more nor less.
        assert_eq!(lta(&[GOOD, NOTHING]), lta(&[GOOD]));
        assert_eq!(lta(&[GOOD, BAD]), 0.0);
    }

    #[test]
    fn an_error_is_neutral() {
        assert_eq!(lta(&[ERROR]), 0.0);
        assert_eq!(lta(&[ERROR, NOTHING]), 0.0);
        assert_eq!(ucb("ucb/ii/of=2", &[ERROR]), (0.0, None));
    }

    #[test]
    fn a_bandit_gains_once_a_step_wherever_transactions_end() {
        assert_eq!(
            ucb("ucb/ii/of=4", &[GOOD, BAD, GOOD, DUPLICATE]),
            (1.0, Some(0.5))
        );
        assert_eq!(ucb("ucb/ii", &[GOOD]), (1.0, Some(1.0)));
        // What did not come at all was missed; what failed could not be had.
        assert_eq!(ucb("ucb/ii/of=4", &[GOOD]), (1.0, Some(0.25)));
        assert_eq!(ucb("ucb/ii/of=4", &[GOOD, ERROR, ERROR]), (1.0, Some(0.5)));
        // More than was said.
        assert_eq!(ucb("ucb/ii/of=2", &[GOOD, GOOD, GOOD]), (1.0, Some(1.0)));
    }

    #[test]
    fn a_query_without_a_document_can_weigh_more_for_a_bandit_too() {
        assert_eq!(ucb("ucb/ii/no-result=3/of=4", &[NOTHING]), (3.0, Some(0.0)));
        assert_eq!(ucb("ucb/ii/no-result=3/of=4", &[BAD]), (1.0, Some(0.0)));
    }

    #[test]
    fn a_step_is_read_as_it_was_written() {
        let step = Step {
            name: "31 my own class".into(),
            relevant: 3,
            nonrelevant: 0,
            neutral: 1,
        };
        assert_eq!(Step::parse(&step.to_string()), step);
        assert_eq!(Step::parse(""), Step::default());
    }
}
