//! The result of a comparison: its verdict, and the numbers that the report shows.

use crate::bootstrap::MINIMUM_PAIRS;
use crate::relation::Verdict;
use crate::setting_value::ValuesByRun;
use std::collections::BTreeSet;

/// The result of a comparison.
#[derive(Debug)]
pub(crate) struct ComparisonResult {
    /// The verdict.
    pub verdict: Verdict,
    /// A number that is greater, the more the mean difference supports the relation.
    pub support: f64,
    /// The mean of the left side without its factor, formatted.
    pub left: String,
    /// The mean of the right side without its factor, formatted.
    pub right: String,
    /// The difference or ratio of the sides with its interval, formatted.
    pub difference: String,
    /// The pairs that were compared.
    pub pairs: PairCount,
}

/// Numbers of pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PairCount {
    /// Number of pairs that were compared.
    pub compared: usize,
    /// Number of pairs of runs that both sides have.
    pub all: usize,
    /// Number of targets of the compared pairs.
    pub targets: usize,
}

impl PairCount {
    /// Counts the pairs of `values` among `all` pairs.
    pub(crate) fn new(values: &ValuesByRun, all: usize) -> Self {
        let targets: BTreeSet<&String> = values.keys().map(|(target, _)| target).collect();
        PairCount {
            compared: values.len(),
            all,
            targets: targets.len(),
        }
    }

    /// Formats the numbers, as in `4 of 6 (2)`.
    pub(crate) fn format(self) -> String {
        format!("{} of {} ({})", self.compared, self.all, self.targets)
    }
}

impl ComparisonResult {
    /// Returns the result of a finding without a pair.
    pub(crate) fn not_tested(all: usize) -> Self {
        let dash = || "–".to_owned();
        ComparisonResult {
            verdict: Verdict::NotTested,
            support: 0.0,
            left: dash(),
            right: dash(),
            difference: dash(),
            pairs: PairCount {
                all,
                ..PairCount::default()
            },
        }
    }
}

impl ComparisonResult {
    /// Returns the result of a statement that holds only if all these comparisons do: that which
    /// supports the relation least. Comparisons of too few pairs for an interval are left out if
    /// others have enough.
    pub(crate) fn least_supported(mut comparisons: Vec<Self>, all: usize) -> Self {
        let has_interval = |result: &Self| result.pairs.compared >= MINIMUM_PAIRS;
        if comparisons.iter().any(has_interval) {
            comparisons.retain(has_interval);
        }
        comparisons
            .into_iter()
            .min_by(|a, b| {
                a.verdict
                    .cmp(&b.verdict)
                    .then(a.support.total_cmp(&b.support))
            })
            .unwrap_or_else(|| ComparisonResult::not_tested(all))
    }
}
