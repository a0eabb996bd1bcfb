//! The value of a quantity for one setting at one checkpoint, and its mean over targets and seeds.

use crate::checkpoint::Checkpoint;
use crate::experiment_results::ExperimentResults;
use crate::quantity::{CountRatio, Quantity};
use std::collections::{BTreeMap, BTreeSet};

/// A quantity of a setting at a checkpoint: a cell of a table, or a side of a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingValue {
    /// The quantity.
    pub quantity: Quantity,
    /// Name of the setting.
    pub setting: String,
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// The targets; empty for all targets of the setting.
    pub targets: Vec<String>,
}

/// A mean over targets and seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanOverRuns {
    /// The mean over all runs.
    pub mean: f64,
    /// The minimum over seeds of the mean over targets.
    pub low: f64,
    /// The maximum over seeds of the mean over targets.
    pub high: f64,
    /// Number of targets.
    pub targets: usize,
    /// Number of seeds.
    pub seeds: usize,
}

/// The target and the seed of a run.
pub(crate) type RunKey = (String, u64);
/// A number for each run.
pub(crate) type ValuesByRun = BTreeMap<RunKey, f64>;
/// A count for each run; `None` for a run that did not reach the checkpoint.
pub(crate) type CountsByRun = BTreeMap<RunKey, Option<CountRatio>>;

impl SettingValue {
    /// Returns the value of each run. The result is empty if one run did not reach the checkpoint,
    /// so that a mean never leaves out runs silently.
    pub(crate) fn values_by_run(&self, results: &ExperimentResults) -> ValuesByRun {
        let values: Option<ValuesByRun> = self
            .counts(results)
            .into_iter()
            .map(|(key, count)| Some((key, count?.value())))
            .collect();
        values.unwrap_or_default()
    }

    /// Returns the count of each run; `None` for a run that did not reach the checkpoint, or of
    /// which the quantity is unknown.
    pub(crate) fn counts(&self, results: &ExperimentResults) -> CountsByRun {
        results
            .runs_of(&self.setting, &self.targets)
            .map(|run| {
                let snapshot = run.snapshot_at(self.checkpoint);
                let count = snapshot.and_then(|snapshot| self.quantity.count(run, &snapshot));
                ((run.target.clone(), run.seed), count)
            })
            .collect()
    }

    /// Returns the mean over the runs; `None` if there is no run, or if one did not reach the
    /// checkpoint.
    pub fn mean(&self, results: &ExperimentResults) -> Option<MeanOverRuns> {
        mean_over_runs(&self.values_by_run(results))
    }

    /// Formats the mean, followed by the range over seeds if they differ. Returns a dash if there
    /// is no mean.
    pub fn format_mean(&self, results: &ExperimentResults) -> String {
        let Some(mean) = self.mean(results) else {
            return "–".into();
        };
        let [low, middle, high] =
            [mean.low, mean.mean, mean.high].map(|number| self.quantity.format(number));
        if low == high {
            middle
        } else {
            format!("{middle} ({low}–{high})")
        }
    }
}

/// Returns the mean over all runs, and the range over seeds of the means over targets. Returns
/// `None` if there are no runs.
pub(crate) fn mean_over_runs(values: &ValuesByRun) -> Option<MeanOverRuns> {
    let mut by_seed: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for ((_, seed), value) in values {
        by_seed.entry(*seed).or_default().push(*value);
    }
    let seed_means: Vec<f64> = by_seed
        .values()
        .map(|values| values.iter().sum::<f64>() / values.len() as f64)
        .collect();
    let low = seed_means.iter().copied().reduce(f64::min)?;
    let high = seed_means.iter().copied().reduce(f64::max)?;
    let targets: BTreeSet<&String> = values.keys().map(|(target, _)| target).collect();
    Some(MeanOverRuns {
        mean: values.values().sum::<f64>() / values.len() as f64,
        low,
        high,
        targets: targets.len(),
        seeds: seed_means.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Checkpoint, SettingValue};
    use crate::cost_axis::CostAxis;
    use crate::experiment_results::tests::results;

    fn value(quantity: &str, setting: &str, calls: u64, targets: &[&str]) -> SettingValue {
        SettingValue {
            quantity: quantity.parse().unwrap(),
            setting: setting.into(),
            checkpoint: Checkpoint::Cost(CostAxis::Calls, calls),
            targets: targets.iter().map(|target| target.to_string()).collect(),
        }
    }

    #[test]
    fn a_mean_is_over_targets_and_seeds_and_its_range_over_seeds() {
        let mean = value("PosCalls", "a", 100, &[]).mean(&results()).unwrap();
        assert_eq!(
            (mean.mean, mean.low, mean.high, mean.targets, mean.seeds),
            (5.5, 4.5, 6.5, 2, 2)
        );
        assert_eq!(
            value("PosCalls", "a", 100, &["slv"]).format_mean(&results()),
            "5.00 (4.00–6.00)"
        );
        assert_eq!(
            value("relevant", "b", 50, &["tgl"]).format_mean(&results()),
            "100"
        );
    }

    #[test]
    fn there_is_no_mean_if_a_run_did_not_reach_the_checkpoint() {
        assert_eq!(
            value("PosCalls", "a", 101, &[]).format_mean(&results()),
            "–"
        );
        assert_eq!(
            value("PosCalls", "c", 100, &[]).format_mean(&results()),
            "–"
        );
    }
}
