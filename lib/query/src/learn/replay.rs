//! Learners followed through a journal in memory: what they knew after each of its records, for figures of their
//! probabilities over time. The lessons are those of the fold that keeps `stats.db`.

use super::fold::{Choice, Step};
use super::spec::Spec;
use super::state::Scores;
use crate::event::Event;
use forage_record::{Hit, Query};
use std::collections::BTreeMap;

/// All learners of a run, from knowing nothing.
#[derive(Debug, Default)]
pub struct Replay {
    scores: BTreeMap<(Spec, String), Scores>,
    step: Step,
}

impl Replay {
    /// Learns from the next record of the journal.
    pub fn take(&mut self, query: &Query, hit: Option<&Hit>, event: &Event) {
        let Some(choice) = Choice::of(query) else { return };
        self.step.turn_to(query);
        let key = (choice.spec, query.target.clone());
        let scores = self.scores.entry(key).or_insert_with(|| Scores::new(choice.spec));
        choice.teach(&mut self.step, hit, event, scores);
    }

    /// The learners that were met for a target, and what they know.
    pub fn learners<'a>(&'a self, target: &'a str) -> impl Iterator<Item = (Spec, &'a Scores)> {
        self.scores.iter().filter(move |((_, of), _)| of == target).map(|((spec, _), scores)| (*spec, scores))
    }
}

#[cfg(test)]
mod tests {
    use super::Replay;
    use crate::event::Event;
    use crate::learn::Parameter;
    use crate::select::Direction;
    use forage_record::{Hit, Query, Record, field};

    fn take(replay: &mut Replay, step: u64, label: &str) {
        let json = format!(
            r#"{{"query":{{"step":{step},"target":"slv","method":{{"include":"or:3","exclude":"tf:2"}},"learner":"lta/ii"}},
            "hit":{{"engine":"x","last":true}},"text":"a","label":"{label}"}}"#
        );
        let record = Record::parse(json.replace('\n', " ").into_bytes()).unwrap();
        let query: Query = record.view(field::QUERY).unwrap().unwrap();
        let hit: Option<Hit> = record.view(field::HIT).unwrap();
        replay.take(&query, hit.as_ref(), &Event::of(&record));
    }

    #[test]
    fn follows_a_learner_through_successes_and_failures() {
        let mut replay = Replay::default();
        take(&mut replay, 1, "slv");
        take(&mut replay, 2, "slv");
        take(&mut replay, 3, "hrv");
        let (spec, scores) = replay.learners("slv").next().unwrap();
        assert_eq!(spec.to_string(), "lta/ii");
        // Of tf, ptf, or, por: 3 successes of 5 for `or`, which begins with 1 of 2; 1 of 2 for the others.
        let expected = 0.6 / 2.1;
        assert!((scores.probabilities(Parameter::Method(Direction::Include))[2] - expected).abs() < 1e-12);
        assert_eq!(replay.learners("hrv").count(), 0);
    }
}
