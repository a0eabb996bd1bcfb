//! Curves for figures: the mean number of relevant documents along a cost axis, with the range over
//! the seeds.

use crate::checkpoint::Checkpoint;
use crate::cost_axis::{CostAxis, checkpoints_up_to};
use crate::experiment_results::ExperimentResults;
use crate::quantity::Quantity;
use crate::setting_value::{MeanOverRuns, SettingValue};

/// The points of a curve: x in ascending order, and the mean at x.
pub type Curve = Vec<(f64, MeanOverRuns)>;

/// Returns the relevant documents of a setting along an axis, at 0 and at the checkpoints up to
/// `end` that all runs of the setting have reached.
pub fn relevant_documents_curve(
    results: &ExperimentResults,
    setting: &str,
    axis: CostAxis,
    end: u64,
    targets: &[String],
) -> Curve {
    let point_at = |number: u64| {
        let value = SettingValue {
            quantity: Quantity::Relevant,
            setting: setting.into(),
            checkpoint: Checkpoint::Cost(axis, number),
            targets: targets.into(),
        };
        value.mean(results).map(|mean| (number as f64, mean))
    };
    let zero = MeanOverRuns {
        mean: 0.0,
        low: 0.0,
        high: 0.0,
        targets: 0,
        seeds: 0,
    };
    std::iter::once((0.0, zero))
        .chain(checkpoints_up_to(end).filter_map(point_at))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{CostAxis, relevant_documents_curve};
    use crate::experiment_results::tests::results;

    #[test]
    fn a_curve_starts_at_the_origin_and_ends_at_the_given_number() {
        let curve = relevant_documents_curve(&results(), "a", CostAxis::Calls, 80, &["slv".into()]);
        let points: Vec<(f64, f64)> = curve.iter().map(|(x, mean)| (*x, mean.mean)).collect();
        assert_eq!(
            points,
            [
                (0.0, 0.0),
                (10.0, 0.0),
                (25.0, 0.0),
                (50.0, 250.0),
                (80.0, 250.0)
            ]
        );
    }
}
