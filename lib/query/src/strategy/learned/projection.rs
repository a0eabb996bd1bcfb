//! The scores of the learners as a projection of the journal.
//!
//! The learners are rewarded for each document, and once for a step without any, unless it is an
//! attempt of query recovery. The progress of a step is stored with the scores, because its records
//! may be applied in several transactions.
//!
//! A record has everything that is needed: the learner and the methods, in `query.strategy`.
//! Records of other strategies change nothing.

use super::NAME;
use super::rules::Reward;
use super::scores::LearnerScores;
use super::spec::LearnerSpec;
use crate::select::SelectionSpec;
use forage_record::{HitOutcome, Query};
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

/// The tables of the learners' scores, and of the step that they learn from.
pub(crate) const SCHEMA: &str = "
CREATE TABLE learner (           -- scores of learners of methods and lengths
    learner TEXT NOT NULL,       -- as in query.strategy.learner
    target TEXT NOT NULL,
    parameter TEXT NOT NULL,     -- include-method, exclude-length ...
    name TEXT NOT NULL,          -- of the number: p or, successes 3, sum ...
    number REAL NOT NULL,
    PRIMARY KEY (learner, target, parameter, name)
) WITHOUT ROWID;
CREATE TABLE learner_step (      -- progress of the last step that a learner chose
    only INTEGER PRIMARY KEY CHECK (only = 1),
    progress TEXT NOT NULL
);
";

/// The learners' scores as a projection.
#[derive(Debug, Default)]
pub(crate) struct LearnerProjection {
    /// Scores of the learners that were met since the last write.
    scores: BTreeMap<(LearnerSpec, String), LearnerScores>,
    /// The progress of the last step that a learner chose; `None` until it is read.
    progress: Option<StepProgress>,
}

/// The progress of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepProgress {
    /// Number and target of the step, as in `31 slv`.
    name: String,
    /// True if a record was a document or an error.
    has_result: bool,
}

/// The result of a record, as a learner sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordResult {
    /// A labelled document.
    Document(Reward),
    /// An error, or a document without a label: neither success nor failure.
    Neutral,
    /// No document.
    NoDocument,
}

impl StoredProjection for LearnerProjection {
    /// Updates the scores of the learner that chose the query of a record.
    fn apply(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        let Some(choice) = event.query.as_ref().and_then(LearnedChoice::from_query) else {
            return Ok(());
        };
        let mut progress = match self.progress.take() {
            Some(progress) => progress,
            None => StepProgress::read(store)?,
        };
        progress.enter_step(event);
        let scores = self.load_scores(store, choice.spec, event.target());
        let applied = scores.map(|scores| choice.apply_record(&mut progress, event, scores));
        self.progress = Some(progress);
        applied
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        for ((_, target), scores) in &mut self.scores {
            scores.write(store, target)?;
        }
        if let Some(progress) = &self.progress {
            let mut insert =
                store.prepare_cached("INSERT OR REPLACE INTO learner_step VALUES (1, ?1)")?;
            insert.execute([progress.to_string()])?;
        }
        *self = LearnerProjection::default();
        Ok(())
    }
}

impl LearnerProjection {
    /// Returns the scores of a learner for a target, from memory or from the store.
    fn load_scores(
        &mut self,
        store: &StateFile,
        spec: LearnerSpec,
        target: &str,
    ) -> rusqlite::Result<&mut LearnerScores> {
        Ok(match self.scores.entry((spec, target.to_owned())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(LearnerScores::read(store, spec, target)?),
        })
    }
}

/// The learner of a query, and the two sides that it chose.
#[derive(Debug)]
pub struct LearnedChoice {
    /// The learner.
    pub spec: LearnerSpec,
    include: SelectionSpec,
    exclude: SelectionSpec,
}

impl LearnedChoice {
    /// Parses `query.strategy`. `None` if no learner chose the query, or an unknown one.
    pub fn from_query(query: &Query) -> Option<LearnedChoice> {
        let strategy = query.strategy_named(NAME)?;
        let method = strategy.method.as_ref()?;
        Some(LearnedChoice {
            include: method.include.parse().ok()?,
            exclude: method.exclude.parse().ok()?,
            spec: strategy.learner.as_ref()?.parse().ok()?,
        })
    }

    /// Updates the scores by a record of the step. An attempt of query recovery is no failure of
    /// the methods that were drawn.
    pub fn apply_record(
        &self,
        progress: &mut StepProgress,
        event: &Event,
        scores: &mut LearnerScores,
    ) {
        if event.is_attempt() {
            return;
        }
        let result = RecordResult::from_event(event);
        progress.has_result |= result != RecordResult::NoDocument;
        if let RecordResult::Document(reward) = result {
            scores.reward(self.include, self.exclude, reward);
        } else if is_last_record(event) && !progress.has_result {
            for _ in 0..self.spec.no_result_penalty {
                scores.reward(self.include, self.exclude, Reward::Failure);
            }
        }
    }
}

impl StepProgress {
    /// Reads the progress of the last step that a learner chose; that of no step if there is none.
    fn read(store: &StateFile) -> rusqlite::Result<StepProgress> {
        let progress: Option<String> = store.find_value("SELECT progress FROM learner_step", [])?;
        Ok(StepProgress::parse(&progress.unwrap_or_default()))
    }

    /// Parses the form of [`fmt::Display`]. Other text gives the progress of no step.
    fn parse(text: &str) -> StepProgress {
        let (has_result, name) = text.split_once(' ').unwrap_or_default();
        StepProgress {
            name: name.into(),
            has_result: has_result == "1",
        }
    }

    /// Starts the progress of the record's step, if that is another one than before.
    pub fn enter_step(&mut self, event: &Event) {
        let name = format!("{} {}", event.step_number(), event.target());
        if self.name != name {
            *self = StepProgress {
                name,
                has_result: false,
            };
        }
    }
}

impl fmt::Display for StepProgress {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", u8::from(self.has_result), self.name)
    }
}

impl RecordResult {
    fn from_event(event: &Event) -> RecordResult {
        match event.is_document {
            _ if event.error.is_some() => RecordResult::Neutral,
            false => RecordResult::NoDocument,
            true if event.label.is_none() => RecordResult::Neutral,
            true if event.is_relevant() => RecordResult::Document(Reward::Success),
            true => RecordResult::Document(Reward::Failure),
        }
    }
}

/// Returns `true` if the record is the last one of its step.
fn is_last_record(event: &Event) -> bool {
    let has_no_more = [Some(HitOutcome::Empty), Some(HitOutcome::Exhausted)];
    event.ends_step() || has_no_more.contains(&event.outcome())
}

#[cfg(test)]
mod tests {
    use super::{LearnerProjection, StepProgress};
    use crate::select::QuerySide;
    use crate::statistics::Statistics;
    use crate::strategy::learned::{LearnerScores, LearnerSpec, QueryParameter};
    use forage_record::Record;
    use forage_run::{Event, StoredProjection};

    const RELEVANT: &str = r#""text":"a","label":"slv""#;
    const NONRELEVANT: &str = r#""text":"a","label":"hrv""#;
    const DUPLICATE: &str = r#""text":"a","label":"slv","dedup":{"status":"near"}"#;
    const ERROR: &str = r#""error":{"tool":"fetch-extract","kind":"dns","message":"x"}"#;
    const NO_URL: &str = r#""hit":{"engine":"x","outcome":"empty"}"#;
    const NO_DOCUMENT: &str = r#""url":"http://a.test/""#;

    /// The scores of a learner after one step of these records; with `in_transactions`, each record
    /// is a transaction of its own.
    fn scores_after(learner: &str, records: &[&str], in_transactions: bool) -> LearnerScores {
        let dir = tempfile::tempdir().unwrap();
        let statistics = Statistics::open(&dir.path().join("stats.db")).unwrap();
        let mut projection = LearnerProjection::default();
        for (index, fields) in records.iter().enumerate() {
            let method = r#""method":{"include":"or:3","exclude":"tf:1"}"#;
            let is_attempt = *fields == NO_URL;
            let offset = if is_attempt {
                r#","offset":{"include":1,"exclude":0}"#
            } else {
                ""
            };
            let hit = if is_attempt {
                ""
            } else {
                r#""hit":{"engine":"x"},"#
            };
            let step = format!(
                r#""step":{{"number":1,"target":"slv","last":{}}}"#,
                index + 1 == records.len()
            );
            let strategy = format!(
                r#""strategy":{{"name":"learned","learner":"{learner}",{method}{offset}}}"#
            );
            let query = format!(r#""query":{{"id":"q",{strategy}}}"#);
            let record =
                Record::parse(format!(r#"{{{step},{query},{hit}{fields}}}"#).into_bytes()).unwrap();
            projection
                .apply(&statistics.db, &Event::from_record(&record))
                .unwrap();
            if in_transactions {
                projection.write(&statistics.db).unwrap();
            }
        }
        projection.write(&statistics.db).unwrap();
        let spec = learner.parse::<LearnerSpec>().unwrap();
        LearnerScores::read(&statistics.db, spec, "slv").unwrap()
    }

    /// A number that grows with the successes of `or` and falls with its failures, by the scores of
    /// `lta`; 0 if there are as many of either.
    fn lta_score(records: &[&str]) -> f64 {
        let scores = scores_after("lta", records, false);
        let p = scores.probabilities(QueryParameter::Method(QuerySide::Include));
        (p[2] / p[0]).log2()
    }

    #[test]
    fn only_a_new_document_of_the_target_is_a_success() {
        assert!(lta_score(&[RELEVANT]) > 0.0);
        assert!(lta_score(&[NONRELEVANT]) < 0.0 && lta_score(&[DUPLICATE]) < 0.0);
        assert_eq!(lta_score(&[r#""text":"a""#]), 0.0);
    }

    #[test]
    fn a_step_without_a_document_fails_once_at_its_end() {
        assert!(lta_score(&[NO_DOCUMENT]) < 0.0);
        assert!(lta_score(&[NO_DOCUMENT, NO_DOCUMENT]) == lta_score(&[NO_DOCUMENT]));
        // After a success, a record without a document changes nothing.
        assert_eq!(lta_score(&[RELEVANT, NO_DOCUMENT]), lta_score(&[RELEVANT]));
        assert_eq!(lta_score(&[RELEVANT, NONRELEVANT]), 0.0);
    }

    #[test]
    fn an_attempt_of_query_recovery_is_no_failure() {
        assert_eq!(lta_score(&[NO_URL]), 0.0);
    }

    #[test]
    fn an_error_is_neutral() {
        assert_eq!(lta_score(&[ERROR]), 0.0);
        assert_eq!(lta_score(&[ERROR, NO_DOCUMENT]), 0.0);
    }

    #[test]
    fn a_step_is_learned_from_wherever_transactions_end() {
        for records in [
            &[NO_DOCUMENT, RELEVANT, NO_DOCUMENT][..],
            &[ERROR, NO_DOCUMENT],
        ] {
            let [apart, together] = [true, false].map(|apart| scores_after("lta", records, apart));
            assert_eq!(apart, together);
        }
    }

    #[test]
    fn step_progress_is_parsed_as_it_is_written() {
        let progress = StepProgress {
            name: "31 my own class".into(),
            has_result: true,
        };
        assert_eq!(StepProgress::parse(&progress.to_string()), progress);
        assert_eq!(StepProgress::parse(""), StepProgress::default());
    }
}
