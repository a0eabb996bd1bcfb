//! The gap between the cosines of other pages and those of pages on the subject.

use std::collections::BTreeMap;

/// Number of bins per unit of the natural logarithm of a cosine: a bin is one percent wide.
const BINS_PER_UNIT: f64 = 100.0;

/// Cosines below this one are counted as this one.
const LEAST_COSINE: f64 = 1e-6;

/// Quantile of the normal distribution by which a gap is significant: a gap that is not one is found
/// with a probability of 5 % at each place.
const SIGNIFICANCE: f64 = 1.645;

/// Returns the bin of a cosine.
pub fn score_bin(cosine: f64) -> i32 {
    (libm::log(cosine.max(LEAST_COSINE)) * BINS_PER_UNIT).floor() as i32
}

/// The cosines of the pages that a crawl has judged, counted by bins: its background sample.
#[derive(Debug, Clone, Default)]
pub struct ScoreCounts {
    counts: BTreeMap<i32, u32>,
    pages: u32,
}

impl ScoreCounts {
    /// Counts pages of a bin.
    pub fn add(&mut self, bin: i32, pages: u32) {
        *self.counts.entry(bin).or_default() += pages;
        self.pages += pages;
    }

    /// Returns the number of pages.
    pub fn page_count(&self) -> u32 {
        self.pages
    }

    /// Returns the factor, at most 1, by which the threshold of the cosine is lowered into a gap, and
    /// not below `least`.
    ///
    /// Three strips of equal width on the logarithmic scale are compared: the pages that are gained by
    /// a lower threshold, those in the strip below it, and those below that. Where the lowest strip has
    /// as many as the middle one, the background thins out upwards, so that no more of the gained
    /// pages belong to it than the middle strip has. The threshold is lowered where the gained pages
    /// that are on the subject exceed the others most, if the difference is significant.
    pub fn gap_factor(&self, threshold: f64, least: f64) -> f64 {
        if threshold.is_nan() || threshold <= 0.0 || least >= threshold {
            return 1.0;
        }
        let top = score_bin(threshold);
        let widest = top - score_bin(least);
        // Pages below each bin, from the lowest that matters.
        let first = top - 3 * widest;
        let mut below_bin = vec![0.0];
        for bin in first..top {
            let pages = self.counts.get(&bin).copied().unwrap_or_default();
            below_bin.push(below_bin.last().copied().unwrap_or_default() + f64::from(pages));
        }
        let count = |from: i32, to: i32| {
            below_bin[(to - first) as usize] - below_bin[(from - first) as usize]
        };
        let mut best = (0.0, 0);
        for width in 1..=widest {
            let gained = count(top - width, top);
            let below = count(top - 2 * width, top - width);
            let lowest = count(top - 3 * width, top - 2 * width);
            let net = gained - 2.0 * below;
            let is_significant = net > SIGNIFICANCE * (gained + 4.0 * below).sqrt();
            if lowest >= below && is_significant && net >= best.0 {
                best = (net, width);
            }
        }
        libm::exp(-f64::from(best.1) / BINS_PER_UNIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(scores: impl IntoIterator<Item = f64>) -> ScoreCounts {
        let mut counts = ScoreCounts::default();
        for score in scores {
            counts.add(score_bin(score), 1);
        }
        counts
    }

    #[test]
    fn a_threshold_is_lowered_into_a_gap() {
        let others = (0..200).map(|n| 0.02 + f64::from(n) * 0.0004);
        let relevant = (0..20).map(|n| 0.30 + f64::from(n) * 0.01);
        let factor = counts(others.chain(relevant)).gap_factor(0.4, 0.28);
        assert!((0.68..0.76).contains(&factor), "{factor}");
    }

    #[test]
    fn a_threshold_stays_without_a_gap() {
        // As many pages at each score: nothing tells those on the subject from others.
        let pages = counts((1..400).map(|n| f64::from(n) * 0.001));
        assert_eq!(pages.gap_factor(0.3, 0.1), 1.0);
        assert_eq!(ScoreCounts::default().gap_factor(0.3, 0.1), 1.0);
    }

    #[test]
    fn few_pages_are_no_evidence() {
        let pages = counts([0.01, 0.02, 0.35, 0.38]);
        assert_eq!(pages.gap_factor(0.4, 0.3), 1.0);
    }

    #[test]
    fn a_threshold_is_not_lowered_below_the_core() {
        let pages = counts((0..50).map(|n| 0.2 + f64::from(n) * 0.001));
        assert!(pages.gap_factor(0.4, 0.3) >= 0.74);
        for (threshold, least) in [(0.3, 0.3), (0.3, 0.5), (0.0, 0.0), (f64::NAN, 0.1)] {
            assert_eq!(pages.gap_factor(threshold, least), 1.0);
        }
    }
}
