//! The probabilities of a learner over the steps of a run, recorded while the journal is read.

use crate::learner_replay::LearnerReplay;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The probabilities of a learner over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnerHistory {
    /// The numbers of steps after which the probabilities were recorded.
    pub steps: Vec<u64>,
    /// By parameter and value: the probability of the value after each of `steps`, in thousandths.
    pub thousandths: BTreeMap<String, BTreeMap<String, Vec<u16>>>,
}

/// The histories of the learners of a run, by name of the learner.
pub(crate) type LearnerHistories = BTreeMap<String, LearnerHistory>;

/// Returns `true` if probabilities are recorded after this number of steps: 1, 2, 3, 4, 5, 6, 8,
/// 10, 15, 20, 30, 40, 50, 60, 80, 100, and so on times 10.
///
/// The numbers are the same for all runs, so that runs can be averaged, and become sparser, so that
/// long runs have short histories.
pub(crate) fn is_recorded_after(steps: u64) -> bool {
    let power = 10_u64.pow(steps.checked_ilog10().unwrap_or(0));
    [10, 15, 20, 30, 40, 50, 60, 80]
        .iter()
        .any(|tenths| tenths * power == 10 * steps)
}

/// Records the current probabilities of each learner of a target, unless they were recorded after
/// the same number of steps before.
pub(crate) fn record_probabilities(
    histories: &mut LearnerHistories,
    steps: u64,
    target: &str,
    replay: &LearnerReplay,
) {
    for (spec, scores) in replay.learners(target) {
        let history = histories.entry(spec.to_string()).or_default();
        if history.steps.last() == Some(&steps) {
            continue;
        }
        history.steps.push(steps);
        for parameter in spec.parameters() {
            let values = history
                .thousandths
                .entry(parameter.to_string())
                .or_default();
            let probabilities = scores.probabilities(parameter);
            for (value, probability) in parameter.values().into_iter().zip(probabilities) {
                values
                    .entry(value)
                    .or_default()
                    .push((probability * 1e3).round() as u16);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_recorded_after;

    #[test]
    fn probabilities_are_recorded_at_increasing_intervals() {
        let recorded: Vec<u64> = (0..=300)
            .filter(|&steps| is_recorded_after(steps))
            .collect();
        let expected = [
            1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300,
        ];
        assert_eq!(recorded, expected);
    }
}
