//! Preferences of learners: the probabilities of the values of a parameter, averaged over runs.

use crate::experiment_results::ExperimentResults;
use crate::setting_value::{MeanOverRuns, ValuesByRun, mean_over_runs};
use std::collections::BTreeMap;

/// Returns the values of a parameter with their mean probabilities after `steps` steps over the
/// runs of a setting, the most probable value first. A run that ended earlier counts with its final
/// probabilities.
pub fn mean_preferences(
    results: &ExperimentResults,
    setting: &str,
    targets: &[String],
    parameter: &str,
    steps: u64,
) -> Vec<(String, MeanOverRuns)> {
    let mut by_value: BTreeMap<&String, ValuesByRun> = BTreeMap::new();
    for run in results.runs_of(setting, targets) {
        for history in run.learned.values() {
            let last_recorded = history.steps.iter().rposition(|after| *after <= steps);
            let Some((index, values)) = last_recorded.zip(history.thousandths.get(parameter))
            else {
                continue;
            };
            for (value, thousandths) in values {
                let probability = thousandths.get(index).map_or(0.0, |&n| f64::from(n) / 1e3);
                by_value
                    .entry(value)
                    .or_default()
                    .insert((run.target.clone(), run.seed), probability);
            }
        }
    }
    let mut means: Vec<(String, MeanOverRuns)> = by_value
        .into_iter()
        .filter_map(|(value, runs)| Some((value.clone(), mean_over_runs(&runs)?)))
        .collect();
    means.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
    means
}

#[cfg(test)]
pub(crate) mod tests {
    use super::mean_preferences;
    use crate::experiment_results::ExperimentResults;
    use crate::experiment_results::tests::run;
    use crate::learner_history::LearnerHistory;
    use crate::measured_run::MeasuredRun;

    /// Returns two runs of `ltm`, which prefer `tf` to `or` after 20 steps.
    pub(crate) fn results() -> ExperimentResults {
        let mut results = ExperimentResults::default();
        for (seed, or) in [(1, 300), (2, 500)] {
            let values = [
                ("or".to_owned(), vec![750, or]),
                ("tf".to_owned(), vec![250, 1000 - or]),
            ]
            .into();
            let history = LearnerHistory {
                steps: vec![10, 20],
                thousandths: [("include-method".to_owned(), values)].into(),
            };
            let learned = [("ltm/ii".to_owned(), history)].into();
            results
                .add_run(MeasuredRun {
                    learned,
                    ..run("ltm", "slv", seed, 1, 1)
                })
                .unwrap();
        }
        results
    }

    #[test]
    fn probabilities_are_means_over_the_runs_that_recorded_them() {
        let preferences_after = |steps| {
            mean_preferences(&results(), "ltm", &[], "include-method", steps)
                .into_iter()
                .map(|(value, mean)| format!("{value} {}", mean.mean))
                .collect::<Vec<_>>()
        };
        assert_eq!(preferences_after(19), ["or 0.75", "tf 0.25"]);
        assert_eq!(preferences_after(u64::MAX), ["tf 0.6", "or 0.4"]);
        assert!(preferences_after(9).is_empty());
    }
}
