//! Paired comparisons: the difference of two sides over the runs that both have, with its interval
//! and verdict.

use crate::bootstrap::Interval;
use crate::compared_side::ComparedSide;
use crate::comparison_result::ComparisonResult;
use crate::difference_scale::DifferenceScale;
use crate::experiment_results::ExperimentResults;
use crate::paired_differences::{OF_SHARES, PairedDifferences, UNBOUNDED};
use crate::quantity::CountRatio;
use crate::relation::Relation;
use crate::setting_value::{CountsByRun, RunKey, ValuesByRun, mean_over_runs};

/// Compares two sides over the runs that both have and that have reached the checkpoints.
///
/// Two values are compared by their ratio if they are counts or counts per query or call, if one
/// has a factor, or if the relation is `~`; the mean of the ratios is geometric. Two shares are
/// compared by their difference, and so are a value and a number.
pub(crate) fn compare_sides(
    results: &ExperimentResults,
    left: &ComparedSide,
    relation: Relation,
    right: &ComparedSide,
) -> ComparisonResult {
    match (&left.value, &right.value) {
        (Some(left_value), Some(right_value)) => {
            let pairs =
                PairedCounts::new(&left_value.counts(results), &right_value.counts(results));
            let is_share = left_value.quantity.is_share() || right_value.quantity.is_share();
            let has_factor = left.factor != 1.0 || right.factor != 1.0;
            let differences = match relation {
                Relation::Within(tolerance) => pairs.ratios(left, right, tolerance),
                _ if is_share && !has_factor => pairs.differences(),
                _ => pairs.ratios(left, right, 0.0),
            };
            ComparisonResult {
                left: format_mean(left, &pairs.map(|left, _| left.value())),
                right: format_mean(right, &pairs.map(|_, right| right.value())),
                ..differences.judge(relation)
            }
        }
        (Some(value), None) => {
            compare_with_number(&value.counts(results), left, relation, right, 1.0)
        }
        (None, Some(value)) => {
            compare_with_number(&value.counts(results), right, relation, left, -1.0)
        }
        (None, None) => ComparisonResult::not_tested(0),
    }
}

/// Compares a value with a number. `sign` is −1 if the number is the left side of the relation.
fn compare_with_number(
    counts: &CountsByRun,
    side: &ComparedSide,
    relation: Relation,
    number: &ComparedSide,
    sign: f64,
) -> ComparisonResult {
    let constant = number.factor;
    let values: ValuesByRun = counts
        .iter()
        .filter_map(|(key, count)| Some((key.clone(), (*count)?.value())))
        .collect();
    let allowed = match relation {
        Relation::Within(tolerance) => tolerance * constant.abs(),
        _ => 0.0,
    };
    let of_value = |value: f64| sign * (side.factor * value - constant);
    let differences = PairedDifferences {
        values: values
            .iter()
            .map(|(key, value)| (key.clone(), of_value(*value)))
            .collect(),
        all: counts.len(),
        null: 0.0,
        tolerance: Interval {
            low: -allowed,
            high: allowed,
        },
        range: match &side.value {
            Some(value) if value.quantity.is_share() => Interval {
                low: f64::min(of_value(0.0), of_value(1.0)),
                high: f64::max(of_value(0.0), of_value(1.0)),
            },
            _ => UNBOUNDED,
        },
        scale: DifferenceScale::Difference,
    };
    let value = format_mean(side, &values);
    let number = number.format(constant);
    let (left, right) = if sign > 0.0 {
        (value, number)
    } else {
        (number, value)
    };
    ComparisonResult {
        left,
        right,
        ..differences.judge(relation)
    }
}

/// The counts of both sides of each pair; `None` if a side has not reached its checkpoint.
struct PairedCounts(Vec<(RunKey, Option<(CountRatio, CountRatio)>)>);

impl PairedCounts {
    /// Pairs the runs of two sides by target and seed.
    fn new(left: &CountsByRun, right: &CountsByRun) -> Self {
        let pairs = left
            .iter()
            .filter_map(|(key, &left)| Some((key.clone(), left.zip(*right.get(key)?))));
        PairedCounts(pairs.collect())
    }

    /// Returns a number for each pair of which both sides are known.
    fn map(&self, number: impl Fn(CountRatio, CountRatio) -> f64) -> ValuesByRun {
        self.0
            .iter()
            .filter_map(|(key, counts)| {
                let (left, right) = (*counts)?;
                Some((key.clone(), number(left, right)))
            })
            .collect()
    }

    fn differences(&self) -> PairedDifferences {
        PairedDifferences {
            values: self.map(|left, right| left.value() - right.value()),
            all: self.0.len(),
            null: 0.0,
            tolerance: Interval {
                low: 0.0,
                high: 0.0,
            },
            range: OF_SHARES,
            scale: DifferenceScale::Difference,
        }
    }

    /// Returns the logarithms of the ratios without the factors, which the report shows. The
    /// factors are part of what the ratios are compared with.
    fn ratios(
        &self,
        left: &ComparedSide,
        right: &ComparedSide,
        tolerance: f64,
    ) -> PairedDifferences {
        PairedDifferences {
            values: self.map(|left, right| left.log() - right.log()),
            all: self.0.len(),
            null: libm::log(right.factor / left.factor),
            tolerance: Interval {
                low: libm::log(1.0 - tolerance),
                high: libm::log(1.0 + tolerance),
            },
            range: UNBOUNDED,
            scale: DifferenceScale::Ratio,
        }
    }
}

/// Formats the mean of the values of a side; a dash if there are none.
fn format_mean(side: &ComparedSide, values: &ValuesByRun) -> String {
    mean_over_runs(values).map_or("–".into(), |mean| side.format(mean.mean))
}

#[cfg(test)]
mod tests {
    use super::{ComparedSide, ComparisonResult, Relation, compare_sides};
    use crate::experiment_results::ExperimentResults;
    use crate::experiment_results::tests::{results, run, run_of_an_earlier_version};
    use crate::measured_run::{MeasuredRun, RunLimits};
    use crate::relation::Verdict;

    fn compare(results: &ExperimentResults, comparison: &str) -> ComparisonResult {
        let [left, relation, right] = comparison.split(", ").collect::<Vec<_>>()[..] else {
            panic!("{comparison}")
        };
        compare_sides(
            results,
            &ComparedSide::parse(left).unwrap(),
            Relation::parse(relation).unwrap(),
            &ComparedSide::parse(right).unwrap(),
        )
    }

    /// Returns the verdict, the difference and the pairs.
    fn verdict(results: &ExperimentResults, comparison: &str) -> String {
        let result = compare(results, comparison);
        let pairs = result.pairs.format();
        format!("{}, {}, {pairs}", result.verdict, result.difference)
    }

    /// Returns the results of `a` and `b` with these relevant documents of 800 in six runs each.
    fn six_pairs(of_a: [u64; 6], of_b: [u64; 6]) -> ExperimentResults {
        let mut results = ExperimentResults::default();
        for (setting, relevant) in [("a", of_a), ("b", of_b)] {
            for (index, relevant) in relevant.into_iter().enumerate() {
                let (target, seed) = (["slv", "tgl"][index % 2], index as u64 / 2);
                results
                    .add_run(run(setting, target, seed, relevant, 800))
                    .unwrap();
            }
        }
        results
    }

    #[test]
    fn counts_are_compared_by_their_ratio_over_common_runs() {
        // b lacks a run: over the common runs the mean of a is 567, over all its own runs 550.
        let result = compare(&results(), "a relevant calls=100, >, b relevant calls=100");
        assert_eq!((&*result.left, &*result.right), ("567", "200"));
        assert_eq!(result.pairs.format(), "3 of 3 (2)");
        assert!(
            result.difference.starts_with("3.037 × ("),
            "{}",
            result.difference
        );
    }

    #[test]
    fn a_factor_is_part_of_the_relation_and_not_of_the_ratio() {
        let results = six_pairs([300, 310, 320, 300, 310, 320], [150; 6]);
        let by = |right: &str| verdict(&results, &format!("a relevant calls=100, {right}"));
        let ratio = "2.066 × (2.003 to 2.131), 6 of 6 (2)";
        assert_eq!(
            by(">, 1.9 * b relevant calls=100"),
            format!("confirmed, {ratio}")
        );
        assert_eq!(
            by(">, 2.05 * b relevant calls=100"),
            format!("undecided, {ratio}")
        );
        assert_eq!(
            by(">, 2.2 * b relevant calls=100"),
            format!("contradicted, {ratio}")
        );
    }

    #[test]
    fn a_tolerance_is_a_share_of_the_right_side() {
        let results = six_pairs([300, 310, 320, 300, 310, 320], [310; 6]);
        let by = |relation: &str| {
            let comparison = format!("a relevant calls=100, {relation}, b relevant calls=100");
            compare(&results, &comparison).verdict
        };
        assert_eq!(by("~ 5%"), Verdict::Confirmed);
        assert_eq!(by("~ 1%"), Verdict::Undecided);
        let results = six_pairs([300; 6], [400; 6]);
        let comparison = "a PosDocs calls=100, ~ 20%, b PosDocs calls=100";
        assert_eq!(compare(&results, comparison).verdict, Verdict::Contradicted);
    }

    #[test]
    fn shares_are_compared_by_their_difference() {
        let results = six_pairs([400; 6], [200; 6]);
        assert_eq!(
            verdict(&results, "a PosDocs calls=100, <, b PosDocs calls=100"),
            "contradicted, +0.250 (+0.250 to +0.250), 6 of 6 (2)"
        );
        assert_eq!(
            verdict(&results, "a PosDocs calls=100, <=, a PosDocs calls=100"),
            "confirmed, 0.000 (0.000 to 0.000), 6 of 6 (2)"
        );
    }

    #[test]
    fn a_value_is_compared_with_a_number_on_either_side() {
        let results = six_pairs([400; 6], [200; 6]);
        assert_eq!(
            verdict(&results, "a PosDocs calls=100, >, 0.4"),
            "confirmed, +0.100 (+0.100 to +0.100), 6 of 6 (2)"
        );
        let result = compare(&results, "0.6, >=, a PosDocs calls=100");
        assert_eq!(
            (result.verdict, &*result.left, &*result.right),
            (Verdict::Confirmed, "0.6", "0.500")
        );
        let by_tolerance = |relation: &str| {
            compare(&results, &format!("a PosDocs calls=100, {relation}, 0.52")).verdict
        };
        assert_eq!(by_tolerance("~ 5%"), Verdict::Confirmed);
        assert_eq!(by_tolerance("~ 2%"), Verdict::Contradicted);
    }

    #[test]
    fn counts_of_zero_are_compared() {
        let results = six_pairs([0; 6], [10; 6]);
        assert_eq!(
            verdict(&results, "a relevant calls=100, <, b relevant calls=100"),
            "confirmed, 0.050 × (0.050 to 0.050), 6 of 6 (2)"
        );
        let results = six_pairs([0; 6], [0; 6]);
        assert_eq!(
            verdict(&results, "a relevant calls=100, >, b relevant calls=100"),
            "contradicted, 1.000 × (1.000 to 1.000), 6 of 6 (2)"
        );
    }

    #[test]
    fn fewer_than_three_pairs_are_undecided_and_none_is_not_tested() {
        let of_slv = "a relevant calls=100 slv, >, b relevant calls=100 slv";
        let result = compare(&results(), of_slv);
        assert_eq!(result.verdict, Verdict::Undecided);
        assert_eq!(result.difference, "2.828 ×");
        assert_eq!(
            verdict(&results(), "a relevant calls=100, >, c relevant calls=100"),
            "not tested, –, 0 of 0 (0)"
        );
    }

    #[test]
    fn a_pair_is_left_out_if_another_limit_stopped_a_run_before_the_range() {
        let mut results = ExperimentResults::default();
        for seed in 1..=4 {
            for (setting, documents) in [("a", 300), ("b", if seed == 1 { 299 } else { 300 })] {
                let limits = RunLimits {
                    documents: Some(300),
                    steps: Some(100),
                    calls: None,
                };
                let run = MeasuredRun {
                    limits,
                    ..run(setting, "slv", seed, 200, documents)
                };
                results.add_run(run).unwrap();
            }
        }
        // The run of b with seed 1 has 299 documents after its 100 steps.
        let comparison = "a relevant documents=300, ~ 5%, b relevant documents=300";
        let result = compare(&results, comparison);
        assert_eq!(result.pairs.format(), "3 of 4 (1)");
        assert_eq!(result.verdict, Verdict::Confirmed);
        let comparison = "a relevant documents=301, ~ 5%, b relevant documents=301";
        assert_eq!(verdict(&results, comparison), "not tested, –, 0 of 4 (0)");
    }

    #[test]
    fn a_quantity_that_an_earlier_version_did_not_measure_is_not_tested() {
        let mut results = ExperimentResults::default();
        for seed in 1..=3 {
            results.add_run(run("new", "slv", seed, 5, 8)).unwrap();
            let old = run_of_an_earlier_version("old", "slv", seed);
            results.add_run(old).unwrap();
        }
        assert_eq!(
            verdict(&results, "new no-document calls=100, >, 0.5"),
            "confirmed, +0.200 (+0.200 to +0.200), 3 of 3 (1)"
        );
        assert_eq!(
            verdict(&results, "old no-document calls=100, <, 0.5"),
            "not tested, –, 0 of 3 (0)"
        );
    }
}
