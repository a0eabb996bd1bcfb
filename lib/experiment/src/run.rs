//! One run, as a line of `results.jsonl`.

use crate::axis::Axis;
use crate::point::{COLUMNS, Point};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The limits of a run, as `corpus-builder` takes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Documents retrieved, of any label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
    /// Query records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Calls to the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
}

impl Limits {
    /// The limit of an axis; of distinct queries there is none.
    pub fn of(&self, axis: Axis) -> Option<u64> {
        match axis {
            Axis::Documents => self.documents,
            Axis::Queries => None,
            Axis::Calls => self.calls,
        }
    }

    /// Whether a run that ended at a point ended before all of its limits. Where it was given none,
    /// that is not known.
    fn were_ahead_of(&self, end: &Point) -> bool {
        let limits = [
            (self.documents, end.documents),
            (self.steps, end.steps),
            (self.calls, end.calls),
        ];
        limits.iter().any(|(limit, _)| limit.is_some())
            && limits
                .iter()
                .all(|(limit, count)| limit.is_none_or(|limit| *count < limit))
    }
}

/// A run's figures: of one setting, target and seed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// How it asked: the name of a setting.
    pub setting: String,
    /// The class that was wanted.
    pub target: String,
    /// What its random choices were drawn by.
    pub seed: u64,
    /// The limits that it was to stop at. A run that ended before all of them was spent: it would
    /// bring no more.
    #[serde(default)]
    pub limits: Limits,
    /// How many documents of the target there are, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reachable: Option<u64>,
    /// The names of the numbers of a point.
    pub columns: Vec<String>,
    /// The counts just before each checkpoint of documents, queries or calls was exceeded, and at
    /// the end.
    pub points: Vec<Point>,
    /// What the learners of the run knew, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub learned: BTreeMap<String, Learned>,
}

/// A learner's probabilities over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learned {
    /// Steps after which they are noted.
    pub steps: Vec<u64>,
    /// By parameter, by value: its probability after each of the steps, in thousandths.
    pub thousandths: BTreeMap<String, BTreeMap<String, Vec<u16>>>,
}

impl Run {
    /// The names of the numbers of a point, as this version writes them.
    pub(crate) fn columns() -> Vec<String> {
        COLUMNS.map(str::to_owned).into()
    }

    /// What came of it, for a person.
    pub fn described(&self) -> String {
        let Point {
            documents,
            queries,
            calls,
            relevant,
            correct,
            ..
        } = self.points.last().copied().unwrap_or_default();
        let relevant = if self.reachable.is_some() {
            correct
        } else {
            relevant
        };
        format!(
            "{} {} {}: {relevant} relevant of {documents} documents, by {queries} queries and {calls} calls",
            self.setting, self.target, self.seed
        )
    }

    /// The counts at a number of documents, queries or calls: the last ones that do not exceed it.
    ///
    /// `None` where the run did not come so far because another limit stopped it. A run that was
    /// spent before counts on with what it had.
    pub fn at(&self, axis: Axis, number: u64) -> Option<Point> {
        let last = self.points.last()?;
        let was_to_come = self.limits.of(axis).is_some_and(|limit| limit >= number);
        if axis.of(last) < number && !was_to_come && !self.limits.were_ahead_of(last) {
            return None;
        }
        Some(
            self.points
                .iter()
                .rev()
                .find(|point| axis.of(point) <= number)
                .copied()
                .unwrap_or_default(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Axis, Limits, Point, Run};

    fn run(limit: u64) -> Run {
        let point = |documents, calls| Point {
            documents,
            calls,
            ..Point::default()
        };
        let points = vec![point(100, 12), point(180, 20), point(240, 30)];
        Run {
            limits: Limits {
                calls: Some(limit),
                ..Limits::default()
            },
            points,
            ..Run::default()
        }
    }

    #[test]
    fn the_counts_at_a_number_are_the_last_that_do_not_exceed_it() {
        let at = |axis, number| run(30).at(axis, number).map(|point| point.documents);
        assert_eq!(at(Axis::Calls, 20), Some(180));
        assert_eq!(at(Axis::Calls, 25), Some(180));
        assert_eq!(at(Axis::Documents, 100), Some(100));
        assert_eq!(at(Axis::Calls, 5), Some(0));
    }

    #[test]
    fn a_run_stopped_by_another_limit_says_nothing_beyond_it() {
        assert_eq!(run(30).at(Axis::Documents, 300), None);
        assert_eq!(run(30).at(Axis::Calls, 31), None);
    }

    #[test]
    fn a_run_that_was_spent_counts_on_with_what_it_had() {
        assert_eq!(
            run(600).at(Axis::Calls, 600).map(|point| point.documents),
            Some(240)
        );
        assert_eq!(
            run(600)
                .at(Axis::Documents, 1000)
                .map(|point| point.documents),
            Some(240)
        );
        let stopped = Run {
            limits: Limits {
                steps: Some(0),
                ..run(600).limits
            },
            ..run(600)
        };
        assert_eq!(stopped.at(Axis::Documents, 1000), None);
    }
}
