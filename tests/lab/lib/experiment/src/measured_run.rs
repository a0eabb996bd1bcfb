//! The measured run: one line of `results.jsonl`.

use crate::checkpoint::{Checkpoint, RecallLevel};
use crate::cost_axis::CostAxis;
use crate::learner_history::LearnerHistories;
use crate::snapshot::{COLUMN_NUMBERS, RunSnapshot, SNAPSHOT_COLUMNS};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of calls of a step: the default of `corpus-builder --max-pages`. A run of at most
/// 600 calls can end after 591 (`run-steps`, outcome `budget`).
const MAX_CALLS_OF_STEP: u64 = 10;

/// The limits of a run, as `corpus-builder` defines them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunLimits {
    /// Maximum number of documents retrieved, of any label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
    /// Maximum number of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Maximum number of calls to the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
}

impl RunLimits {
    /// Returns the limit on an axis. There is no limit on distinct queries.
    pub fn on_axis(&self, axis: CostAxis) -> Option<u64> {
        match axis {
            CostAxis::Documents => self.documents,
            CostAxis::Queries => None,
            CostAxis::Calls => self.calls,
        }
    }

    /// Returns the limits of each target of a run that ended with these counts of all targets
    /// together, which take turns. Each has its share of the steps. If the run ended at its number
    /// of documents or calls, of which no target has a certain share, no target has a limit: it is
    /// then unknown if more documents would have been found.
    pub(crate) fn of_each_target(self, targets: u64, end: &RunSnapshot) -> RunLimits {
        if targets <= 1 {
            return self;
        }
        let steps = self.steps.map(|steps| steps / targets);
        let has_ended_by_steps = self.steps.is_some_and(|limit| end.steps >= limit);
        if has_ended_by_steps {
            RunLimits {
                steps,
                ..RunLimits::default()
            }
        } else if self.is_exhausted_at(end) {
            RunLimits { steps, ..self }
        } else {
            RunLimits::default()
        }
    }

    /// Returns `true` if a run that ended with these counts was exhausted, that is, if it ended
    /// before all of its limits. Of a run without limits this is unknown, and the result is
    /// `false`.
    fn is_exhausted_at(&self, end: &RunSnapshot) -> bool {
        let is_below = |limit: Option<u64>, count: u64| limit.is_none_or(|limit| count < limit);
        *self != RunLimits::default()
            && is_below(self.documents, end.documents)
            && is_below(self.steps, end.steps)
            && !self.calls_ended_at(end)
    }

    /// Returns `true` if a run that ended with these counts may have ended because its next step
    /// needed more calls than were left.
    fn calls_ended_at(&self, end: &RunSnapshot) -> bool {
        self.calls
            .is_some_and(|limit| end.calls + MAX_CALLS_OF_STEP > limit)
    }
}

/// The measurements of one run, that is, of one setting, target and seed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredRun {
    /// Name of the setting.
    pub setting: String,
    /// The target class.
    pub target: String,
    /// The seed of the random choices of the run.
    pub seed: u64,
    /// The limits of the run. A run that ended before all of them was exhausted: more calls would
    /// not have retrieved more documents.
    #[serde(default)]
    pub limits: RunLimits,
    /// Number of documents of the target on the closed web, if true classes are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reachable: Option<u64>,
    /// The names of the numbers of a snapshot.
    pub columns: Vec<String>,
    /// The counts just before each checkpoint of documents, queries or calls was exceeded, at the
    /// end of each step that reached a recall level, and at the end of the run.
    pub points: Vec<RunSnapshot>,
    /// The probabilities of the learners of the run, by name of the learner.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub learned: LearnerHistories,
}

impl MeasuredRun {
    /// Returns the names of the numbers of a snapshot in this version.
    pub(crate) fn current_columns() -> Vec<String> {
        SNAPSHOT_COLUMNS.map(str::to_owned).into()
    }

    /// Returns `true` if the columns are those of this version, or of an earlier one, which lacks
    /// the last ones, and if each snapshot has a number for each column.
    pub(crate) fn has_known_columns(&self) -> bool {
        COLUMN_NUMBERS.contains(&self.columns.len())
            && self.columns == SNAPSHOT_COLUMNS[..self.columns.len()]
            && self
                .points
                .iter()
                .all(|point| Vec::from(*point).len() == self.columns.len())
    }

    /// Formats the final counts as one line of text.
    pub fn summary(&self) -> String {
        let end = self.points.last().copied().unwrap_or_default();
        let relevant = if self.reachable.is_some() {
            end.correct
        } else {
            end.relevant
        };
        format!(
            "{} {} {}: {relevant} relevant of {} documents, by {} queries and {} calls",
            self.setting, self.target, self.seed, end.documents, end.queries, end.calls
        )
    }

    /// Returns the counts at a checkpoint; `None` if they are unknown, or if the run did not reach
    /// the recall level.
    pub fn snapshot_at(&self, checkpoint: Checkpoint) -> Option<RunSnapshot> {
        match checkpoint {
            Checkpoint::Cost(axis, number) => self.snapshot_at_cost(axis, number),
            Checkpoint::Recall(level) => self.snapshot_at_recall(level),
        }
    }

    /// Returns the counts at the end of the step that reached a recall level; `None` if no step
    /// did, if true classes are unknown, or if an earlier version measured the run.
    fn snapshot_at_recall(&self, level: RecallLevel) -> Option<RunSnapshot> {
        let existing = self.reachable?;
        let is_reached = |snapshot: &&RunSnapshot| {
            let found = snapshot.of_target;
            found.is_some_and(|found| level.is_reached(found, existing))
        };
        let reached = self.points.iter().find(is_reached)?;
        let of_step = |snapshot: &&RunSnapshot| snapshot.steps == reached.steps;
        self.points.iter().rfind(of_step).copied()
    }

    /// Returns the counts at a number of documents, queries or calls: the last snapshot that does
    /// not exceed it.
    ///
    /// A run that ended before that number keeps its final counts if it was exhausted, or, on the
    /// axis of calls, if its next step needed more calls than were left. If another limit stopped
    /// it, its counts at the number are unknown, and the result is `None`.
    fn snapshot_at_cost(&self, axis: CostAxis, number: u64) -> Option<RunSnapshot> {
        let end = self.points.last()?;
        let ended_by_calls = axis == CostAxis::Calls
            && self.limits.calls >= Some(number)
            && self.limits.calls_ended_at(end);
        if axis.cost(end) < number && !ended_by_calls && !self.limits.is_exhausted_at(end) {
            return None;
        }
        Some(
            self.points
                .iter()
                .rev()
                .find(|snapshot| axis.cost(snapshot) <= number)
                .copied()
                .unwrap_or_default(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Checkpoint, CostAxis, MeasuredRun, RunLimits, RunSnapshot};

    fn run(limit: u64) -> MeasuredRun {
        let snapshot = |documents, calls| RunSnapshot {
            documents,
            calls,
            ..RunSnapshot::default()
        };
        MeasuredRun {
            limits: RunLimits {
                calls: Some(limit),
                ..RunLimits::default()
            },
            points: vec![snapshot(100, 12), snapshot(180, 20), snapshot(240, 30)],
            ..MeasuredRun::default()
        }
    }

    /// Returns the documents of a run at a number on an axis.
    fn documents_at(run: &MeasuredRun, axis: CostAxis, number: u64) -> Option<u64> {
        run.snapshot_at(Checkpoint::Cost(axis, number))
            .map(|snapshot| snapshot.documents)
    }

    #[test]
    fn the_counts_at_a_number_are_the_last_that_do_not_exceed_it() {
        assert_eq!(documents_at(&run(30), CostAxis::Calls, 20), Some(180));
        assert_eq!(documents_at(&run(30), CostAxis::Calls, 25), Some(180));
        assert_eq!(documents_at(&run(30), CostAxis::Documents, 100), Some(100));
        assert_eq!(documents_at(&run(30), CostAxis::Calls, 5), Some(0));
    }

    #[test]
    fn a_run_stopped_by_another_limit_has_no_counts_beyond_it() {
        assert_eq!(documents_at(&run(30), CostAxis::Documents, 300), None);
        assert_eq!(documents_at(&run(30), CostAxis::Calls, 31), None);
    }

    #[test]
    fn a_recall_level_is_reached_at_the_end_of_a_step() {
        let snapshot = |steps, of_target| RunSnapshot {
            steps,
            of_target,
            ..RunSnapshot::default()
        };
        let run = MeasuredRun {
            reachable: Some(100),
            points: [(1, 9), (2, 10), (2, 14), (3, 14), (4, 31)]
                .map(|(steps, found)| snapshot(steps, Some(found)))
                .into(),
            ..MeasuredRun::default()
        };
        let found_at = |run: &MeasuredRun, level: &str| {
            run.snapshot_at(Checkpoint::Recall(level.parse().unwrap()))
                .map(|snapshot| (snapshot.steps, snapshot.of_target))
        };
        assert_eq!(found_at(&run, "0.1"), Some((2, Some(14))));
        assert_eq!(found_at(&run, "0.2"), Some((4, Some(31))));
        assert_eq!(found_at(&run, "0.4"), None);
        let unmeasured = MeasuredRun {
            points: vec![snapshot(1, None)],
            ..run
        };
        assert_eq!(found_at(&unmeasured, "0.1"), None);
    }

    #[test]
    fn an_exhausted_run_keeps_its_final_counts() {
        assert_eq!(documents_at(&run(600), CostAxis::Calls, 600), Some(240));
        assert_eq!(
            documents_at(&run(600), CostAxis::Documents, 1000),
            Some(240)
        );
    }

    #[test]
    fn a_run_whose_next_step_needed_more_calls_than_were_left_is_not_exhausted() {
        assert_eq!(documents_at(&run(39), CostAxis::Calls, 39), Some(240));
        assert_eq!(documents_at(&run(39), CostAxis::Calls, 40), None);
        assert_eq!(documents_at(&run(39), CostAxis::Documents, 300), None);
        assert_eq!(documents_at(&run(40), CostAxis::Documents, 300), Some(240));
    }

    #[test]
    fn a_run_that_its_steps_stopped_has_not_reached_its_limit_of_documents() {
        let stopped = MeasuredRun {
            limits: RunLimits {
                documents: Some(300),
                steps: Some(0),
                calls: None,
            },
            ..run(600)
        };
        assert_eq!(documents_at(&stopped, CostAxis::Documents, 240), Some(240));
        assert_eq!(documents_at(&stopped, CostAxis::Documents, 300), None);
        assert_eq!(documents_at(&stopped, CostAxis::Documents, 1000), None);
    }
}
