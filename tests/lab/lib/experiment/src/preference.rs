//! Preferences of learners: the probabilities of the values of a parameter, averaged over runs.
//!
//! A learner whose scores are multiplied can be locked: one value has nearly the whole probability,
//! so that the learner draws hardly any other. Its probabilities then say which value was
//! rewarded first, and not which one is better; such runs are no evidence of a preference.

use crate::bootstrap::Interval;
use crate::comparison_result::ComparisonResult;
use crate::difference_scale::DifferenceScale;
use crate::experiment_results::ExperimentResults;
use crate::paired_differences::{OF_SHARES, PairedDifferences, UNBOUNDED};
use crate::relation::Relation;
use crate::setting_value::{MeanOverRuns, RunKey, ValuesByRun, mean_over_runs};
use std::collections::{BTreeMap, BTreeSet};

/// The probability of a value from which on a learner is locked on it. Set by judgement, not
/// measured.
const LOCKED: f64 = 0.99;

/// The probabilities of the values of a parameter, by run.
type ProbabilitiesByValue<'a> = BTreeMap<&'a String, ValuesByRun>;

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
    let mut means: Vec<(String, MeanOverRuns)> =
        probabilities_after(steps, results, setting, targets, parameter)
            .into_iter()
            .filter_map(|(value, runs)| Some((value.clone(), mean_over_runs(&runs)?)))
            .collect();
    means.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
    means
}

/// Returns the number of runs of a setting at whose end the learner of a parameter is locked on one
/// value, and the number of all runs that have the parameter.
pub fn locked_runs(results: &ExperimentResults, setting: &str, parameter: &str) -> (usize, usize) {
    let probabilities = probabilities_after(u64::MAX, results, setting, &[], parameter);
    (
        locked_keys(&probabilities).len(),
        all_keys(&probabilities).len(),
    )
}

/// Tests if a value of a parameter is more probable than every other value at the end of the runs
/// of a learner. Locked runs are left out. The result is that of the other value that supports the
/// preference least.
pub(crate) fn compare_preference(
    results: &ExperimentResults,
    setting: &str,
    targets: &[String],
    parameter: &str,
    value: &str,
) -> ComparisonResult {
    let mut probabilities = probabilities_after(u64::MAX, results, setting, targets, parameter);
    let all = all_keys(&probabilities).len();
    let locked = locked_keys(&probabilities);
    for runs in probabilities.values_mut() {
        runs.retain(|key, _| !locked.contains(key));
    }
    let value = value.to_owned();
    let Some(expected) = probabilities.get(&value) else {
        return ComparisonResult::not_tested(all);
    };
    let comparisons = probabilities
        .iter()
        .filter(|(other, _)| ***other != value)
        .map(|(other, of_other)| {
            let differences = PairedDifferences {
                values: differences_of(expected, of_other),
                all,
                null: 0.0,
                tolerance: Interval {
                    low: 0.0,
                    high: 0.0,
                },
                range: OF_SHARES,
                scale: DifferenceScale::Difference,
            };
            ComparisonResult {
                left: format_preference(&value, expected),
                right: format_preference(other, of_other),
                ..differences.judge(Relation::Greater)
            }
        });
    ComparisonResult::least_supported(comparisons.collect(), all)
}

/// Tests if the expected value of a parameter is below that of another one at the end of the runs of
/// a learner. Both have numbers as values. Runs in which either is locked are left out.
pub(crate) fn compare_expected(
    results: &ExperimentResults,
    setting: &str,
    targets: &[String],
    [lower, higher]: [&str; 2],
) -> ComparisonResult {
    let of = |parameter| probabilities_after(u64::MAX, results, setting, targets, parameter);
    let (left, right) = (of(lower), of(higher));
    let mut locked = locked_keys(&left);
    locked.extend(locked_keys(&right));
    let (left, right) = (
        expected_values(&left, &locked),
        expected_values(&right, &locked),
    );
    let all = of(lower).values().map(BTreeMap::len).max().unwrap_or(0);
    let differences = PairedDifferences {
        values: differences_of(&left, &right),
        all,
        null: 0.0,
        tolerance: Interval {
            low: 0.0,
            high: 0.0,
        },
        range: UNBOUNDED,
        scale: DifferenceScale::Difference,
    };
    ComparisonResult {
        left: format_expected(&left),
        right: format_expected(&right),
        ..differences.judge(Relation::Less)
    }
}

/// Returns the expected value of a parameter by run: the sum of its values times their
/// probabilities. Values that are not numbers, and runs in `left_out`, are left out.
fn expected_values(
    probabilities: &ProbabilitiesByValue,
    left_out: &BTreeSet<RunKey>,
) -> ValuesByRun {
    let mut expected = ValuesByRun::new();
    for (value, runs) in probabilities {
        let Ok(number) = value.parse::<f64>() else {
            continue;
        };
        for (key, probability) in runs.iter().filter(|(key, _)| !left_out.contains(key)) {
            *expected.entry(key.clone()).or_default() += number * probability;
        }
    }
    expected
}

/// Returns the probabilities of each value of a parameter after `steps` steps, or at the end of a
/// run that ended earlier.
fn probabilities_after<'a>(
    steps: u64,
    results: &'a ExperimentResults,
    setting: &'a str,
    targets: &'a [String],
    parameter: &str,
) -> ProbabilitiesByValue<'a> {
    let mut by_value = ProbabilitiesByValue::new();
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
    by_value
}

fn all_keys(probabilities: &ProbabilitiesByValue) -> BTreeSet<RunKey> {
    probabilities
        .values()
        .flat_map(BTreeMap::keys)
        .cloned()
        .collect()
}

/// Returns the runs in which one value has at least the probability [`LOCKED`].
fn locked_keys(probabilities: &ProbabilitiesByValue) -> BTreeSet<RunKey> {
    let runs = probabilities.values().flatten();
    runs.filter(|(_, probability)| **probability >= LOCKED)
        .map(|(key, _)| key.clone())
        .collect()
}

/// Returns the differences over the runs that both values have.
fn differences_of(left: &ValuesByRun, right: &ValuesByRun) -> ValuesByRun {
    left.iter()
        .filter_map(|(key, left)| Some((key.clone(), left - right.get(key)?)))
        .collect()
}

/// Formats the mean of the expected values of runs.
fn format_expected(runs: &ValuesByRun) -> String {
    mean_over_runs(runs).map_or("–".into(), |mean| format!("{:.2}", mean.mean))
}

/// Formats a value with its mean probability.
fn format_preference(value: &str, runs: &ValuesByRun) -> String {
    mean_over_runs(runs).map_or("–".into(), |mean| format!("`{value}` {:.3}", mean.mean))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{compare_expected, compare_preference, locked_runs, mean_preferences};
    use crate::experiment_results::ExperimentResults;
    use crate::experiment_results::tests::run;
    use crate::learner_history::LearnerHistory;
    use crate::measured_run::MeasuredRun;

    /// Returns two runs of `ltm`, which prefer `tf` to `or` after 20 steps.
    pub(crate) fn results() -> ExperimentResults {
        results_with(&[300, 500])
    }

    /// Returns a run of `ltm` for each of these final probabilities of `or`, in thousandths; the
    /// other value is `tf`.
    fn results_with(probabilities: &[u16]) -> ExperimentResults {
        let mut results = ExperimentResults::default();
        for (seed, &or) in (1..).zip(probabilities) {
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

    /// Returns the result of the finding that `ltm` prefers a value.
    fn preference(probabilities: &[u16], value: &str) -> String {
        let results = results_with(probabilities);
        let result = compare_preference(&results, "ltm", &[], "include-method", value);
        let pairs = result.pairs.format();
        format!(
            "{} {} {} {pairs}",
            result.verdict, result.left, result.right
        )
    }

    #[test]
    fn a_preference_is_compared_with_every_other_value_by_run() {
        let probabilities = [200, 220, 240];
        let all = "3 of 3 (1)";
        assert_eq!(
            preference(&probabilities, "tf"),
            format!("confirmed `tf` 0.780 `or` 0.220 {all}")
        );
        assert_eq!(
            preference(&probabilities, "or"),
            format!("contradicted `or` 0.220 `tf` 0.780 {all}")
        );
        assert_eq!(
            preference(&[200, 800, 300], "tf"),
            format!("undecided `tf` 0.567 `or` 0.433 {all}")
        );
        assert_eq!(
            preference(&probabilities, "por"),
            "not tested – – 0 of 3 (0)"
        );
    }

    #[test]
    fn a_locked_learner_is_no_evidence() {
        assert_eq!(
            preference(&[0, 1000, 1000], "or"),
            "not tested – – 0 of 3 (0)"
        );
        assert_eq!(
            preference(&[5, 300, 320, 340], "tf"),
            "confirmed `tf` 0.680 `or` 0.320 3 of 4 (1)"
        );
        let results = results_with(&[5, 300, 1000]);
        assert_eq!(locked_runs(&results, "ltm", "include-method"), (2, 3));
    }

    #[test]
    fn expected_values_are_compared_by_run_without_locked_ones() {
        let parameter = |fives: u16| {
            let values = [("1", 1000 - fives), ("5", fives)];
            values.map(|(value, p)| (value.to_owned(), vec![p])).into()
        };
        let compare = |[lower, higher]: [&str; 2]| {
            let mut results = ExperimentResults::default();
            for (seed, include, exclude) in [(1, 250, 500), (2, 300, 500), (3, 200, 600), (4, 0, 1)]
            {
                let history = LearnerHistory {
                    steps: vec![10],
                    thousandths: [
                        ("include-length".to_owned(), parameter(include)),
                        ("exclude-length".to_owned(), parameter(exclude)),
                    ]
                    .into(),
                };
                let learned = [("ltm/ii".to_owned(), history)].into();
                let run = run("ltm", "slv", seed, 1, 1);
                results.add_run(MeasuredRun { learned, ..run }).unwrap();
            }
            let result = compare_expected(&results, "ltm", &[], [lower, higher]);
            let pairs = result.pairs.format();
            format!(
                "{} {} {} {pairs}",
                result.verdict, result.left, result.right
            )
        };
        assert_eq!(
            compare(["include-length", "exclude-length"]),
            "confirmed 2.00 3.13 3 of 4 (1)"
        );
        assert_eq!(
            compare(["exclude-length", "include-length"]),
            "contradicted 3.13 2.00 3 of 4 (1)"
        );
        assert_eq!(
            compare(["exclude-length", "include-method"]),
            "not tested 3.13 – 0 of 4 (0)"
        );
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
