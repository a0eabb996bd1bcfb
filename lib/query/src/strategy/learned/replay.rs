//! LearnerProjection followed through a journal in memory: what they knew after each of its records, for
//! figures of their probabilities over time. The lessons are those of the projection in `stats.db`.

use super::fold::{Choice, Step};
use super::spec::LearnerSpec;
use super::state::LearnerScores;
use forage_run::{BoxError, Event, Projection};
use std::collections::BTreeMap;

/// All learners of a run, from knowing nothing.
#[derive(Debug, Default)]
pub struct LearnerReplay {
    scores: BTreeMap<(LearnerSpec, String), LearnerScores>,
    step: Step,
}

impl Projection for LearnerReplay {
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        if let Some(choice) = event.query.as_ref().and_then(Choice::from_query) {
            self.step.turn_to(event);
            let key = (choice.spec, event.target().to_owned());
            let scores = self
                .scores
                .entry(key)
                .or_insert_with(|| LearnerScores::new(choice.spec));
            choice.teach(&mut self.step, event, scores);
        }
        Ok(())
    }
}

impl LearnerReplay {
    /// The learners that were met for a target, and what they know.
    pub fn learners<'a>(
        &'a self,
        target: &'a str,
    ) -> impl Iterator<Item = (LearnerSpec, &'a LearnerScores)> {
        self.scores
            .iter()
            .filter(move |((_, of), _)| of == target)
            .map(|((spec, _), scores)| (*spec, scores))
    }
}

#[cfg(test)]
mod tests {
    use super::LearnerReplay;
    use crate::select::QuerySide;
    use crate::strategy::learned::QueryParameter;
    use forage_record::Record;
    use forage_run::{Event, Projection};

    fn apply(replay: &mut LearnerReplay, step: u64, label: &str) {
        let step = format!(r#""step":{{"number":{step},"target":"slv","last":true}}"#);
        let strategy =
            r#"{"name":"learned","learner":"lta/ii","method":{"include":"or:3","exclude":"tf:2"}}"#;
        let json = format!(
            r#"{{{step},"query":{{"strategy":{strategy}}},"hit":{{"engine":"x"}},"text":"a","label":"{label}"}}"#
        );
        replay
            .apply(&Event::from_record(
                &Record::parse(json.into_bytes()).unwrap(),
            ))
            .unwrap();
    }

    #[test]
    fn follows_a_learner_through_successes_and_failures() {
        let mut replay = LearnerReplay::default();
        apply(&mut replay, 1, "slv");
        apply(&mut replay, 2, "slv");
        apply(&mut replay, 3, "hrv");
        let (spec, scores) = replay.learners("slv").next().unwrap();
        assert_eq!(spec.to_string(), "lta/ii");
        // Of tf, ptf, or, por: 3 successes of 5 for `or`, which begins with 1 of 2; 1 of 2 for the
        // others.
        let expected = 0.6 / 2.1;
        assert!(
            (scores.probabilities(QueryParameter::Method(QuerySide::Include))[2] - expected).abs()
                < 1e-12
        );
        assert_eq!(replay.learners("hrv").count(), 0);
    }
}
