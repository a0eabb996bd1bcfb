//! The differences of pairs of runs, and their verdict.

use crate::bootstrap::{Interval, MeanEstimate, estimate_mean};
use crate::comparison_result::{ComparisonResult, PairCount};
use crate::difference_scale::{DifferenceScale, ROUNDING_ERROR};
use crate::relation::{Relation, Verdict};
use crate::setting_value::ValuesByRun;

/// The differences of pairs, and what they are compared with.
pub(crate) struct PairedDifferences {
    /// The difference of each pair.
    pub values: ValuesByRun,
    /// Number of pairs, those without a difference included.
    pub all: usize,
    /// The difference at which both sides are equal.
    pub null: f64,
    /// The least and the greatest difference from `null` that `~` allows.
    pub tolerance: Interval,
    /// The least and the greatest difference that is possible.
    pub range: Interval,
    /// The scale on which they are shown.
    pub scale: DifferenceScale,
}

/// The range of numbers without bounds.
pub(crate) const UNBOUNDED: Interval = Interval {
    low: f64::NEG_INFINITY,
    high: f64::INFINITY,
};
/// The range of a difference of two shares.
pub(crate) const OF_SHARES: Interval = Interval {
    low: -1.0,
    high: 1.0,
};

impl PairedDifferences {
    /// Returns the verdict, without the means of the sides. It is undecided if there are too few
    /// pairs for an interval.
    pub(crate) fn judge(&self, relation: Relation) -> ComparisonResult {
        let Some(estimate) = estimate_mean(&self.values) else {
            return ComparisonResult::not_tested(self.all);
        };
        let estimate = MeanEstimate {
            interval: estimate.interval.map(|interval| self.cut(interval)),
            ..estimate
        };
        let verdict = estimate.interval.map_or(Verdict::Undecided, |interval| {
            let from_null = Interval {
                low: interval.low - self.null,
                high: interval.high - self.null,
            };
            relation.verdict(from_null, self.tolerance)
        });
        ComparisonResult {
            verdict,
            support: relation.support(estimate.mean - self.null),
            difference: self.scale.format(estimate, &self.limits()),
            pairs: PairCount::new(&self.values, self.all),
            ..ComparisonResult::not_tested(self.all)
        }
    }

    /// Returns the differences on which a verdict depends.
    fn limits(&self) -> [f64; 2] {
        [
            self.null + self.tolerance.low,
            self.null + self.tolerance.high,
        ]
    }

    /// Returns the part of an interval that is possible. A bound that differs from a limit by a
    /// rounding error is moved to it.
    fn cut(&self, interval: Interval) -> Interval {
        let cut = |bound: f64| {
            let bound = bound.clamp(self.range.low, self.range.high);
            let limits = self.limits();
            let limit = limits
                .into_iter()
                .find(|limit| (bound - limit).abs() < ROUNDING_ERROR);
            limit.unwrap_or(bound)
        };
        Interval {
            low: cut(interval.low),
            high: cut(interval.high),
        }
    }
}
