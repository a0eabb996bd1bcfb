//! Rewarding the learners while the journal is folded (DESIGN, "Counting").
//!
//! All that is needed stands in the record: the learner in `query.learner`, the parameters in `query.method`. A record
//! of a fixed query, of `--learn auto` or of somebody else's learner teaches nothing.

use super::rules::Reward;
use super::spec::Spec;
use super::state::Scores;
use crate::compose::Side;
use crate::event::Event;
use crate::statistics::Statistics;
use forage_record::{Hit, Outcome, Query};
use std::collections::BTreeMap;

/// Under this key of `meta` stands the last step that taught something: where its records are counted in several
/// transactions, the last of them must know whether an earlier one was a document.
const TAUGHT: &str = "learner_step";

/// Learners met since the last commit.
#[derive(Debug, Default)]
pub(crate) struct Learners {
    scores: BTreeMap<(Spec, String), Scores>,
    /// The last step that was rewarded, or broken by an error, with its target; `None` while it is not known.
    taught: Option<String>,
}

/// What a record says of the parameters of its query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// A success or a failure.
    Document(Reward),
    /// The step came to its end without a document.
    NoDocument,
    /// Nobody's fault, or nobody's merit: an error, or a document without a label.
    Neutral,
    /// Nothing yet.
    Open,
}

impl Learners {
    /// Rewards the learner that chose a record's query.
    pub fn fold(&mut self, from: &Statistics, query: &Query, hit: Option<&Hit>, event: &Event) -> rusqlite::Result<()> {
        let Some((spec, include, exclude)) = parameters(query) else { return Ok(()) };
        let step = format!("{} {}", query.step, query.target);
        let verdict = verdict(hit, event, self.taught(from)? == step);
        let (reward, times) = match verdict {
            Verdict::Open => return Ok(()),
            Verdict::Neutral => (Reward::Failure, 0),
            Verdict::Document(reward) => (reward, 1),
            Verdict::NoDocument => (Reward::Failure, spec.none_weight),
        };
        self.taught = Some(step);
        let scores = self.scores(from, spec, &query.target)?;
        (0..times).for_each(|_| scores.reward(include, exclude, reward));
        Ok(())
    }

    fn taught(&mut self, from: &Statistics) -> rusqlite::Result<&str> {
        if self.taught.is_none() {
            self.taught = Some(from.meta(TAUGHT)?.unwrap_or_default());
        }
        Ok(self.taught.as_deref().unwrap_or_default())
    }

    fn scores(&mut self, from: &Statistics, spec: Spec, target: &str) -> rusqlite::Result<&mut Scores> {
        let key = (spec, target.to_owned());
        if !self.scores.contains_key(&key) {
            self.scores.insert(key.clone(), Scores::read(from, spec, target)?);
        }
        self.scores.get_mut(&key).ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    /// Writes what was learned, within the caller's transaction.
    pub fn write(&mut self, to: &Statistics) -> rusqlite::Result<()> {
        for ((_, target), scores) in &mut self.scores {
            scores.write(to, target)?;
        }
        if let Some(taught) = self.taught.as_ref().filter(|taught| !taught.is_empty()) {
            to.set_meta(TAUGHT, taught)?;
        }
        self.discard();
        Ok(())
    }

    /// Forgets what is not written.
    pub fn discard(&mut self) {
        *self = Learners::default();
    }
}

/// The learner and the two sides that it chose.
fn parameters(query: &Query) -> Option<(Spec, Side, Side)> {
    let method = query.method.as_ref()?;
    Some((query.learner.as_ref()?.parse().ok()?, method.include.parse().ok()?, method.exclude.parse().ok()?))
}

/// A batch is judged once a document, in order; once in all when it brought none.
fn verdict(hit: Option<&Hit>, event: &Event, is_taught: bool) -> Verdict {
    let is_over = hit.is_some_and(|hit| hit.last) || matches!(event.outcome, Some(Outcome::Empty | Outcome::Exhausted));
    if event.error.is_some() || (event.is_document && event.label.is_none()) {
        Verdict::Neutral
    } else if event.is_document {
        Verdict::Document(if event.is_relevant() { Reward::Success } else { Reward::Failure })
    } else if is_over && !is_taught {
        Verdict::NoDocument
    } else {
        Verdict::Open
    }
}

#[cfg(test)]
mod tests {
    use super::{Reward, Verdict, verdict};
    use crate::event::Event;
    use forage_record::{Hit, Record, field};

    fn judge(json: &str, is_taught: bool) -> Verdict {
        let query = r#""query":{"id":"q","step":1,"target":"slv"}"#;
        let record = Record::parse(format!("{{{query},{json}}}").into_bytes()).unwrap();
        let hit: Option<Hit> = record.view(field::HIT).unwrap();
        verdict(hit.as_ref(), &Event::of(&record), is_taught)
    }

    #[test]
    fn only_a_new_document_of_the_target_is_a_success() {
        let document = |more: &str| judge(&format!(r#""hit":{{"engine":"x"}},"text":"a","label":{more}"#), false);
        assert_eq!(document(r#""slv""#), Verdict::Document(Reward::Success));
        assert_eq!(document(r#""hrv""#), Verdict::Document(Reward::Failure));
        assert_eq!(document(r#""slv","dedup":{"status":"near"}"#), Verdict::Document(Reward::Failure));
        assert_eq!(document("null"), Verdict::Neutral);
    }

    #[test]
    fn a_step_without_a_document_fails_once_at_its_end() {
        let last = r#""hit":{"engine":"x","last":true,"outcome":"exhausted"}"#;
        assert_eq!(judge(last, false), Verdict::NoDocument);
        assert_eq!(judge(last, true), Verdict::Open);
        assert_eq!(judge(r#""hit":{"engine":"x","last":true}"#, false), Verdict::NoDocument);
        assert_eq!(judge(r#""hit":{"engine":"x"}"#, false), Verdict::Open);
    }

    #[test]
    fn an_error_is_neutral() {
        let error = r#""error":{"tool":"fetch-extract","kind":"dns","message":"x"}"#;
        assert_eq!(judge(&format!(r#""hit":{{"engine":"x","last":true}},{error}"#), false), Verdict::Neutral);
    }
}
