//! Curves for figures: means over targets and seeds along an axis, with the range of the seeds.

use crate::axis::{Axis, checkpoints_to};
use crate::results::Results;
use crate::value::{Mean, Quantity, Value};

/// A line of a figure: x, rising, and the mean there.
pub type Curve = Vec<(f64, Mean)>;

/// Returns the relevant documents of a setting along an axis, at the checkpoints up to `most` that
/// all runs reached.
pub fn curve(results: &Results, setting: &str, axis: Axis, most: u64, targets: &[String]) -> Curve {
    let value = |at| Value {
        quantity: Quantity::Relevant,
        setting: setting.into(),
        at: (axis, at),
        targets: targets.into(),
    };
    let point = |at| value(at).mean(results).map(|mean| (at as f64, mean));
    let origin = (
        0.0,
        Mean {
            mean: 0.0,
            low: 0.0,
            high: 0.0,
            targets: 0,
            seeds: 0,
        },
    );
    std::iter::once(origin)
        .chain(checkpoints_to(most).filter_map(point))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Axis, curve};
    use crate::results::tests::results;

    #[test]
    fn a_curve_begins_at_nothing_and_ends_at_the_number_that_is_given() {
        let curve = curve(&results(), "a", Axis::Calls, 80, &["slv".into()]);
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
