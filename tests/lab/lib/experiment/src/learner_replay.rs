//! Replays a journal for its learners in memory, without `stats.db`, in order to plot their
//! probabilities over time. The updates are those of the projection.

use forage_query::strategy::learned::{LearnedChoice, LearnerScores, LearnerSpec, StepProgress};
use forage_run::{BoxError, Event, Projection};
use std::collections::BTreeMap;

/// The scores of all learners of a journal, after the records applied so far.
#[derive(Debug, Default)]
pub struct LearnerReplay {
    scores: BTreeMap<(LearnerSpec, String), LearnerScores>,
    progress: StepProgress,
}

impl Projection for LearnerReplay {
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        if let Some(choice) = event.query.as_ref().and_then(LearnedChoice::from_query) {
            self.progress.enter_step(event);
            let key = (choice.spec, event.target().to_owned());
            let scores = self
                .scores
                .entry(key)
                .or_insert_with(|| LearnerScores::new(choice.spec));
            choice.apply_record(&mut self.progress, event, scores);
        }
        Ok(())
    }
}

impl LearnerReplay {
    /// The learners that chose queries for a target, with their scores.
    pub fn learners<'a>(
        &'a self,
        target: &'a str,
    ) -> impl Iterator<Item = (LearnerSpec, &'a LearnerScores)> {
        self.scores
            .iter()
            .filter(move |((_, scored), _)| scored == target)
            .map(|((spec, _), scores)| (*spec, scores))
    }
}

#[cfg(test)]
mod tests {
    use super::LearnerReplay;
    use forage_query::select::QuerySide;
    use forage_query::strategy::learned::QueryParameter;
    use forage_record::Record;
    use forage_run::{Event, Projection};

    fn apply(replay: &mut LearnerReplay, step: u64, label: &str) {
        let step = format!(r#""step":{{"number":{step},"target":"slv","last":true}}"#);
        let strategy =
            r#"{"name":"learned","learner":"lta/ii","method":{"include":"or:3","exclude":"tf:2"}}"#;
        let query = format!(r#""query":{{"strategy":{strategy}}},"hit":{{"engine":"x"}}"#);
        let json = format!(r#"{{{step},{query},"text":"a","label":"{label}"}}"#);
        replay
            .apply(&Event::from_record(
                &Record::parse(json.into_bytes()).unwrap(),
            ))
            .unwrap();
    }

    #[test]
    fn replays_a_learner_through_successes_and_failures() {
        let mut replay = LearnerReplay::default();
        apply(&mut replay, 1, "slv");
        apply(&mut replay, 2, "slv");
        apply(&mut replay, 3, "hrv");
        let (spec, scores) = replay.learners("slv").next().unwrap();
        assert_eq!(spec.to_string(), "lta/ii");
        // The scores of tf, ptf, or, por: 3/5 for `or`, which started at 1/2; 1/2 for the others.
        let expected = 0.6 / 2.1;
        let probabilities = scores.probabilities(QueryParameter::Method(QuerySide::Include));
        assert!((probabilities[2] - expected).abs() < 1e-12);
        assert_eq!(replay.learners("hrv").count(), 0);
    }
}
