//! Follows a journal and notes its counts at checkpoints.
//!
//! The counts are those of `update-stats` (DESIGN, "Counting"), and beside them those by the true
//! label. A note is made just before a checkpoint is exceeded, so that what is read at 300 calls is
//! what 300 calls brought.

use crate::axis::{Axis, checkpoint_from};
use crate::learned::{Notes, is_noted, note};
use crate::point::Point;
use crate::run::{Limits, Run};
use crate::truth::Truth;
use foldhash::HashSet;
use forage_query::strategy::learned::LearnerReplay;
use forage_record::HitOutcome;
use forage_run::{BoxError, Event, Projection};
use std::collections::BTreeMap;

/// Follows one journal.
#[derive(Debug)]
pub struct Meter<'a> {
    truth: Option<&'a Truth>,
    targets: BTreeMap<String, Follower>,
    replay: LearnerReplay,
}

impl Projection for Meter<'_> {
    /// Counts a record of a step; initial documents cost nothing.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        let Some(step) = &event.step else {
            return Ok(());
        };
        let class = self
            .truth
            .zip(event.url())
            .and_then(|(truth, url)| truth.class(&url));
        let is_correct = class.is_some_and(|class| class == step.target);
        let follower = self.targets.entry(step.target.clone()).or_default();
        if follower.step != step.number && is_noted(follower.now.steps) {
            note(
                &mut follower.learned,
                follower.now.steps,
                &step.target,
                &self.replay,
            );
        }
        follower.count(event, is_correct);
        self.replay.apply(event)
    }
}

impl<'a> Meter<'a> {
    /// At the beginning of a journal; with the true labels, where they are known.
    pub fn new(truth: Option<&'a Truth>) -> Self {
        Meter {
            truth,
            targets: BTreeMap::new(),
            replay: LearnerReplay::default(),
        }
    }

    /// The figures of each target that was asked for, in order of their names.
    pub fn finish(self, setting: &str, seed: u64, limits: Limits) -> Vec<Run> {
        let run = |(target, mut follower): (String, Follower)| {
            follower.note();
            note(
                &mut follower.learned,
                follower.now.steps,
                &target,
                &self.replay,
            );
            Run {
                setting: setting.to_owned(),
                seed,
                limits,
                reachable: self.truth.map(|truth| truth.count(&target)),
                columns: Run::columns(),
                points: follower.points,
                learned: follower.learned,
                target,
            }
        };
        self.targets.into_iter().map(run).collect()
    }
}

#[derive(Debug, Default)]
struct Follower {
    now: Point,
    /// The number of the step that is read.
    step: u64,
    asked: HashSet<String>,
    empty: HashSet<String>,
    points: Vec<Point>,
    learned: Notes,
}

impl Follower {
    /// Counts a record; notes what there was before it, where it exceeds a checkpoint.
    fn count(&mut self, event: &Event, is_correct: bool) {
        let mut next = self.now;
        next.steps += u64::from(self.step != event.step_number());
        self.step = event.step_number();
        next.calls += event.hit.as_ref().map_or(0, |hit| hit.calls);
        if let Some(id) = event.query_id().filter(|_| !event.is_unanswered()) {
            if event.outcome() == Some(HitOutcome::Empty) {
                next.empty += u64::from(self.empty.insert(id.clone()));
            }
            next.queries += u64::from(self.asked.insert(id));
        }
        if event.is_document {
            let (is_relevant, is_correct) =
                (event.is_relevant(), is_correct && !event.is_duplicate());
            next.documents += 1;
            next.relevant += u64::from(is_relevant);
            next.correct += u64::from(is_correct);
            next.both += u64::from(is_relevant && is_correct);
        }
        if Axis::ALL
            .iter()
            .any(|axis| axis.of(&next) > checkpoint_from(axis.of(&self.now)))
        {
            self.note();
        }
        self.now = next;
    }

    fn note(&mut self) {
        if self.points.last() != Some(&self.now) {
            self.points.push(self.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, Meter, Point, Run};
    use crate::truth::Truth;
    use forage_record::Record;
    use forage_run::{Event, Projection};

    fn measure(lines: &[String]) -> Vec<Run> {
        let mut truth = Truth::default();
        (0..500).for_each(|n| {
            truth
                .add(format!("http://{n}/\t{}", if n % 4 == 0 { "hrv" } else { "slv" }).as_bytes())
                .unwrap()
        });
        let mut meter = Meter::new(Some(&truth));
        for line in lines {
            meter
                .apply(&Event::from_record(
                    &Record::parse(line.clone().into_bytes()).unwrap(),
                ))
                .unwrap();
        }
        meter.finish("or:1", 1, Limits::default())
    }

    fn document(step: u64, url: usize, more: &str) -> String {
        format!(
            r#"{{"step":{{"number":{step},"target":"slv"}},"query":{{"id":"q{}"}},"url":"http://{url}/","hit":{{"engine":"x","calls":{}}},"text":""{more}}}"#,
            step / 20,
            u64::from(step % 10 == 1)
        )
    }

    #[test]
    fn notes_what_there_was_when_a_checkpoint_was_reached() {
        let lines: Vec<String> = (1..=120)
            .map(|n| document(n, n as usize, r#","label":"slv""#))
            .collect();
        let runs = measure(&lines);
        let [run] = runs.as_slice() else {
            panic!("{runs:?}")
        };
        let at = |documents| {
            run.points
                .iter()
                .find(|point| point.documents == documents)
                .copied()
        };
        let expected = Point {
            steps: 100,
            documents: 100,
            queries: 6,
            empty: 0,
            calls: 10,
            relevant: 100,
            correct: 75,
            both: 75,
        };
        assert_eq!(at(100), Some(expected));
        assert_eq!(
            run.points
                .iter()
                .map(|point| point.documents)
                .collect::<Vec<_>>(),
            [10, 25, 50, 100, 120]
        );
        assert_eq!(run.reachable, Some(375));
    }

    #[test]
    fn duplicates_errors_and_other_labels_are_not_relevant() {
        let lines = [
            document(1, 1, r#","label":"slv""#),
            document(2, 2, r#","label":"slv","dedup":{"status":"near"}"#),
            document(3, 3, r#","label":"hrv""#),
            document(
                4,
                5,
                r#","label":"slv","error":{"tool":"langid","kind":"internal","message":""}"#,
            ),
            r#"{"text":"initial","label":"slv"}"#.to_owned(),
        ];
        let last = measure(&lines)[0].points.last().copied().unwrap();
        assert_eq!(
            (
                last.steps,
                last.documents,
                last.relevant,
                last.correct,
                last.both
            ),
            (4, 3, 1, 2, 1)
        );
    }

    #[test]
    fn queries_without_a_hit_are_counted_once_and_failures_of_the_engine_never() {
        let without = |id: &str, step: u64, outcome: &str, more: &str| {
            let step =
                format!(r#""step":{{"number":{step},"target":"slv"}},"query":{{"id":"{id}"}}"#);
            format!(r#"{{{step},"hit":{{"engine":"x","calls":1{outcome}}}{more}}}"#)
        };
        let empty = r#","outcome":"empty""#;
        let lines = [
            without("a", 1, empty, ""),
            without("a", 2, empty, ""),
            without("b", 3, r#","outcome":"exhausted""#, ""),
            without(
                "c",
                4,
                "",
                r#","error":{"tool":"search","kind":"throttled","message":""}"#,
            ),
        ];
        let last = measure(&lines)[0].points.last().copied().unwrap();
        assert_eq!(
            (
                last.steps,
                last.queries,
                last.empty,
                last.calls,
                last.documents
            ),
            (4, 2, 1, 4, 0)
        );
    }

    #[test]
    fn a_journal_of_several_targets_gives_a_run_for_each() {
        let other = document(2, 2, r#","label":"hrv""#).replace("slv", "hrv");
        let runs = measure(&[document(1, 1, r#","label":"slv""#), other]);
        assert_eq!(
            runs.iter()
                .map(|run| run.target.as_str())
                .collect::<Vec<_>>(),
            ["hrv", "slv"]
        );
        assert!(measure(&[]).is_empty());
    }
}
