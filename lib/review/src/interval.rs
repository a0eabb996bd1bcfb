//! Confidence intervals of 95 % for shares and totals that are estimated from samples.

use serde::{Serialize, Serializer};

/// The quantile of the standard normal distribution for a two-sided interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// An estimate with the limits of its confidence interval of 95 %.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower limit.
    pub lower: f64,
    /// The upper limit.
    pub upper: f64,
}

impl Interval {
    /// Creates a value that is known.
    pub fn exact(value: f64) -> Interval {
        Interval {
            estimate: value,
            lower: value,
            upper: value,
        }
    }

    /// Estimates the share of relevant documents among `documents`, of which `judged` were drawn
    /// and `relevant` of these are relevant; `None` if none is judged.
    ///
    /// The score interval of Wilson (1927). The sample is without replacement, so its size is
    /// divided by the finite population correction, 1 − (judged − 1) / (documents − 1): if all
    /// are judged, the share is known.
    pub fn of_share(relevant: u64, judged: u64, documents: u64) -> Option<Interval> {
        if judged == 0 {
            return None;
        }
        let share = relevant as f64 / judged as f64;
        if judged >= documents {
            return Some(Interval::exact(share));
        }
        let n = judged as f64 * (documents - 1) as f64 / (documents - judged) as f64;
        let z2 = Z * Z;
        let center = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        Some(Interval {
            estimate: share,
            lower: (center - half).clamp(0.0, share),
            upper: (center + half).clamp(share, 1.0),
        })
    }

    /// Returns the estimate of `factor` times the value. `factor` must not be negative.
    pub fn scaled(self, factor: f64) -> Interval {
        Interval {
            estimate: self.estimate * factor,
            lower: self.lower * factor,
            upper: self.upper * factor,
        }
    }

    /// Returns the estimate with limits in 0–1, for a share.
    pub fn within_share(self) -> Interval {
        Interval {
            estimate: self.estimate.clamp(0.0, 1.0),
            lower: self.lower.clamp(0.0, 1.0),
            upper: self.upper.clamp(0.0, 1.0),
        }
    }

    /// Returns the estimate of the sum of independently estimated values.
    ///
    /// The limits are recovered from those of the values (MOVER; Zou & Donner 2008, equation 3),
    /// which keeps the interval of a share of 0 or 1 from shrinking to a point.
    pub fn sum(values: &[Interval]) -> Interval {
        let total = |part: fn(&Interval) -> f64| values.iter().map(part).sum::<f64>();
        let estimate = total(|value| value.estimate);
        let below = total(|value| (value.estimate - value.lower) * (value.estimate - value.lower));
        let above = total(|value| (value.upper - value.estimate) * (value.upper - value.estimate));
        Interval {
            estimate,
            lower: estimate - below.sqrt(),
            upper: estimate + above.sqrt(),
        }
    }
}

/// Written as an object with four decimals, so that rounding differences between machines do not
/// show.
impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            estimate: f64,
            interval: [f64; 2],
        }
        let round = |value: f64| (value * 1e4).round() / 1e4;
        Written {
            estimate: round(self.estimate),
            interval: [round(self.lower), round(self.upper)],
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;
    use proptest::prelude::*;

    #[test]
    fn the_share_has_the_interval_of_wilson() {
        // 16 of 20 from an unlimited population: R, prop.test(16, 20, correct = FALSE).
        let share = Interval::of_share(16, 20, u64::MAX).unwrap();
        assert!((share.lower - 0.583_985).abs() < 1e-5, "{share:?}");
        assert!((share.upper - 0.919_336).abs() < 1e-5, "{share:?}");
        assert_eq!(Interval::of_share(3, 4, 4), Some(Interval::exact(0.75)));
        assert_eq!(Interval::of_share(0, 0, 4), None);
    }

    #[test]
    fn a_sum_with_a_known_value_is_moved_by_it() {
        let share = Interval::of_share(16, 20, 100).unwrap();
        let sum = Interval::sum(&[share, Interval::exact(2.0)]);
        assert!((sum.lower - (share.lower + 2.0)).abs() < 1e-12);
        assert!((sum.upper - (share.upper + 2.0)).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_estimate_lies_in_its_interval(documents in 1_u64..5_000, a: u64, b: u64) {
            let judged = a % documents + 1;
            let relevant = b % (judged + 1);
            let share = Interval::of_share(relevant, judged, documents).unwrap();
            prop_assert!(0.0 <= share.lower && share.lower <= share.estimate);
            prop_assert!(share.estimate <= share.upper && share.upper <= 1.0);
        }
    }
}
