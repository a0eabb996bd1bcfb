//! The text of a mean difference or ratio with its interval.

use crate::bootstrap::{Interval, MeanEstimate};

/// Numbers that are nearer to each other are equal: they differ by rounding errors.
pub(crate) const ROUNDING_ERROR: f64 = 1e-12;
/// Maximum number of decimals.
const MAXIMUM_DECIMALS: usize = 6;

/// The scale on which the differences of pairs are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DifferenceScale {
    /// As they are.
    Difference,
    /// As ratios, of which they are the natural logarithms.
    Ratio,
}

impl DifferenceScale {
    /// Formats a mean with its interval, as in `+0.031 (+0.012 to +0.050)` or
    /// `1.310 × (1.203 to 1.431)`. A verdict depends on the side of `limits` on which the bounds of
    /// the interval are, so that there are as many decimals as it takes to tell them apart.
    pub(crate) fn format(self, estimate: MeanEstimate, limits: &[f64]) -> String {
        let MeanEstimate { mean, interval } = estimate;
        let bounds = interval.map_or(vec![], |Interval { low, high }| vec![low, high]);
        let first = self.usual_decimals(mean);
        let decimals = (first..MAXIMUM_DECIMALS)
            .find(|&decimals| self.are_distinct(&bounds, limits, decimals))
            .unwrap_or(MAXIMUM_DECIMALS);
        let number = |number| self.format_number(number, decimals);
        let sign = match self {
            DifferenceScale::Difference => "",
            DifferenceScale::Ratio => " ×",
        };
        let interval = interval.map_or(String::new(), |Interval { low, high }| {
            format!(" ({} to {})", number(low), number(high))
        });
        format!("{}{sign}{interval}", number(mean))
    }

    fn usual_decimals(self, mean: f64) -> usize {
        match self {
            DifferenceScale::Difference if mean.abs() < 100.0 => 3,
            DifferenceScale::Difference => 0,
            DifferenceScale::Ratio => match libm::exp(mean) {
                ratio if ratio < 10.0 => 3,
                ratio if ratio < 100.0 => 1,
                _ => 0,
            },
        }
    }

    /// Returns `true` if each bound that differs from a limit has another text.
    fn are_distinct(self, bounds: &[f64], limits: &[f64], decimals: usize) -> bool {
        bounds.iter().all(|&bound| {
            limits.iter().all(|&limit| {
                (bound - limit).abs() < ROUNDING_ERROR
                    || self.format_number(bound, decimals) != self.format_number(limit, decimals)
            })
        })
    }

    fn format_number(self, number: f64, decimals: usize) -> String {
        if let DifferenceScale::Ratio = self {
            return format!("{:.decimals$}", libm::exp(number));
        }
        let text = format!("{number:+.decimals$}");
        let is_zero = !text.contains(|c: char| ('1'..='9').contains(&c));
        if is_zero {
            text[1..].to_owned()
        } else {
            text.replace('-', "−")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DifferenceScale, Interval, MeanEstimate};

    fn estimate(mean: f64, low: f64, high: f64) -> MeanEstimate {
        MeanEstimate {
            mean,
            interval: Some(Interval { low, high }),
        }
    }

    #[test]
    fn a_bound_that_is_not_the_limit_does_not_look_like_it() {
        let difference =
            |low| DifferenceScale::Difference.format(estimate(0.01, low, 0.02), &[0.0]);
        assert_eq!(difference(0.0), "+0.010 (0.000 to +0.020)");
        assert_eq!(difference(0.0001), "+0.0100 (+0.0001 to +0.0200)");
        assert_eq!(difference(-0.00002), "+0.01000 (−0.00002 to +0.02000)");
        assert_eq!(difference(1e-15), "+0.010 (0.000 to +0.020)");
        let ratio = |low: f64| {
            let estimate = estimate(libm::log(1.5), libm::log(low), libm::log(2.0));
            DifferenceScale::Ratio.format(estimate, &[libm::log(1.0), libm::log(1.9)])
        };
        assert_eq!(ratio(1.0), "1.500 × (1.000 to 2.000)");
        assert_eq!(ratio(1.0002), "1.5000 × (1.0002 to 2.0000)");
        assert_eq!(ratio(1.9001), "1.5000 × (1.9001 to 2.0000)");
    }

    #[test]
    fn large_numbers_have_fewer_decimals() {
        let scale = DifferenceScale::Difference;
        assert_eq!(
            scale.format(estimate(392.2, 381.0, -400.0), &[0.0]),
            "+392 (+381 to −400)"
        );
        let mean = MeanEstimate {
            mean: libm::log(20.64),
            interval: None,
        };
        assert_eq!(DifferenceScale::Ratio.format(mean, &[0.0]), "20.6 ×");
    }
}
