//! The background: how near to a profile the pages of a host are that are not on the subject.

use std::collections::BTreeMap;

/// Number of bins of the square root of a cosine.
const BINS: f64 = 512.0;

/// Number of pages of all hosts that are added to the background of a host, whose own pages are few
/// when the first of them are judged.
const PRIOR_PAGES: f64 = 10.0;

/// Difference between the upper quartile and the median of the normal distribution with a standard
/// deviation of 1.
const UPPER_QUARTILE: f64 = 0.674_489_750_196_081_7;

/// Bytes of a bin and its two counts.
const BYTES_PER_BIN: usize = 10;

/// The cosines of judged pages, counted by bins: those without and with a vote by the thresholds of
/// the core.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScoreCounts {
    bins: BTreeMap<u16, [u32; 2]>,
}

impl ScoreCounts {
    /// Counts a page.
    pub fn add(&mut self, cosine: f64, has_vote: bool) {
        let counts = self.bins.entry(bin_of(cosine)).or_default();
        let count = &mut counts[usize::from(has_vote)];
        *count = count.saturating_add(1);
    }

    /// Adds the pages of other counts.
    pub fn add_all(&mut self, other: &ScoreCounts) {
        for (bin, more) in &other.bins {
            let counts = self.bins.entry(*bin).or_default();
            let [rejected, voted] = *counts;
            *counts = [
                rejected.saturating_add(more[0]),
                voted.saturating_add(more[1]),
            ];
        }
    }

    /// Returns the numbers of pages with a vote and of all.
    pub fn voted_and_judged(&self) -> (f64, f64) {
        (
            self.count(|[_, voted]| voted),
            self.count(|[rejected, voted]| rejected + voted),
        )
    }

    /// Returns the counts as bytes, which [`ScoreCounts::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bins.len() * BYTES_PER_BIN);
        for (bin, [rejected, voted]) in &self.bins {
            bytes.extend(bin.to_le_bytes());
            bytes.extend(rejected.to_le_bytes());
            bytes.extend(voted.to_le_bytes());
        }
        bytes
    }

    /// Reads counts. Bytes that are none of a bin are ignored.
    pub fn from_bytes(bytes: &[u8]) -> ScoreCounts {
        let (entries, _) = bytes.as_chunks::<BYTES_PER_BIN>();
        let read = |entry: &[u8; BYTES_PER_BIN]| {
            let [a, b, c, d, e, f, g, h, i, j] = *entry;
            let counts = [[c, d, e, f], [g, h, i, j]].map(u32::from_le_bytes);
            (u16::from_le_bytes([a, b]), counts)
        };
        ScoreCounts {
            bins: entries.iter().map(read).collect(),
        }
    }

    /// Returns the least cosine, not below `least`, by which no more than the share `wrong` of the
    /// pages of a host that reach it, with the page that is judged, is expected to be background.
    /// `self` has the pages of the host, and `all` those of all hosts. `None`: there is no
    /// background yet.
    ///
    /// The background is an empirical null hypothesis (Efron 2004): most of the pages without a
    /// vote are not on the subject, so their median and upper quartile tell how the square roots of
    /// such cosines are distributed, which have nearly the normal distribution. The least cosine is
    /// that of Benjamini and Hochberg (1995).
    pub fn least_cosine(&self, all: &ScoreCounts, wrong: f64, least: f64) -> Option<f64> {
        let (median, deviation) = self.background(all)?;
        let pages = 1.0 + self.count(|[rejected, voted]| rejected + voted);
        let first = bin_of(least);
        let below: f64 = sum(self.bins.range(..first), both);
        let mut reached = pages - below;
        for bin in first..=bin_of(1.0) {
            let root = (f64::from(bin) / BINS).max(least.sqrt());
            if pages * upper_tail((root - median) / deviation) <= wrong * reached {
                return Some(root * root);
            }
            reached -= self.bins.get(&bin).copied().map_or(0.0, both);
        }
        Some(1.0)
    }

    /// Returns the median and the standard deviation of the square roots of a host's cosines
    /// without a vote, and of ten of all hosts.
    fn background(&self, all: &ScoreCounts) -> Option<(f64, f64)> {
        let of_all = all.count(|[rejected, _]| rejected);
        if of_all <= 0.0 {
            return None;
        }
        let mut weights: BTreeMap<u16, f64> = BTreeMap::new();
        for (counts, weight) in [(self, 1.0), (all, PRIOR_PAGES / of_all)] {
            for (bin, [rejected, _]) in &counts.bins {
                *weights.entry(*bin).or_default() += weight * f64::from(*rejected);
            }
        }
        let median = quantile(&weights, 0.5);
        let deviation = (quantile(&weights, 0.75) - median) / UPPER_QUARTILE;
        Some((median, deviation.max(f64::MIN_POSITIVE)))
    }

    fn count(&self, part: fn([f64; 2]) -> f64) -> f64 {
        sum(self.bins.iter(), |counts| part(counts.map(f64::from)))
    }
}

fn sum<'a>(
    bins: impl Iterator<Item = (&'a u16, &'a [u32; 2])>,
    part: impl Fn([u32; 2]) -> f64,
) -> f64 {
    bins.map(|(_, counts)| part(*counts)).sum()
}

fn both([rejected, voted]: [u32; 2]) -> f64 {
    f64::from(rejected) + f64::from(voted)
}

fn bin_of(cosine: f64) -> u16 {
    (cosine.clamp(0.0, 1.0).sqrt() * BINS).min(BINS - 1.0) as u16
}

/// Returns a quantile of weighted bins, interpolated within its bin.
fn quantile(weights: &BTreeMap<u16, f64>, share: f64) -> f64 {
    let mut rank = share * weights.values().sum::<f64>();
    for (bin, weight) in weights {
        if *weight >= rank && *weight > 0.0 {
            return (f64::from(*bin) + rank / weight) / BINS;
        }
        rank -= weight;
    }
    1.0
}

/// Returns the probability that a standard normal variable is at least `z`.
fn upper_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the counts of pages whose square roots are spread evenly over a range.
    fn pages(count: u32, from: f64, to: f64, has_vote: bool) -> ScoreCounts {
        let mut counts = ScoreCounts::default();
        for page in 0..count {
            let root = from + (to - from) * (f64::from(page) + 0.5) / f64::from(count);
            counts.add(root * root, has_vote);
        }
        counts
    }

    fn with(mut counts: ScoreCounts, more: &ScoreCounts) -> ScoreCounts {
        counts.add_all(more);
        counts
    }

    #[test]
    fn pages_apart_from_the_background_need_no_more_than_the_core() {
        let newspaper = with(pages(40, 0.0, 0.3, false), &pages(3, 0.55, 0.65, true));
        let least = newspaper.least_cosine(&newspaper, 0.25, 0.25);
        assert_eq!(least, Some(0.25));
    }

    #[test]
    fn the_upper_end_of_a_background_needs_more() {
        // Near misses: some pages of a host reach the threshold of .11, as of any bell.
        let manual = with(pages(90, 0.1, 0.33, false), &pages(6, 0.33, 0.38, true));
        let least = manual.least_cosine(&manual, 0.25, 0.05).unwrap();
        assert!((0.14..0.25).contains(&least), "{least}");
        let stricter = manual.least_cosine(&manual, 0.05, 0.05).unwrap();
        assert!(stricter > least, "{stricter}");
    }

    #[test]
    fn a_host_on_the_subject_keeps_the_thresholds_of_the_core() {
        let host = with(pages(10, 0.2, 0.33, false), &pages(30, 0.33, 0.6, true));
        let all = with(pages(500, 0.0, 0.3, false), &host);
        let least = host.least_cosine(&all, 0.25, 0.06).unwrap();
        assert!(least < 0.12, "{least}");
    }

    #[test]
    fn a_host_is_looked_at_again() {
        let all = pages(500, 0.0, 0.3, false);
        let before = with(pages(30, 0.1, 0.3, false), &pages(1, 0.35, 0.36, true));
        let after = with(before.clone(), &pages(20, 0.35, 0.5, true));
        let least = |host: &ScoreCounts| host.least_cosine(&all, 0.25, 0.05).unwrap();
        assert!(least(&after) < least(&before));
    }

    #[test]
    fn without_pages_there_is_no_background() {
        let none = ScoreCounts::default();
        assert_eq!(none.least_cosine(&none, 0.25, 0.1), None);
        let voted = pages(5, 0.4, 0.5, true);
        assert_eq!(voted.least_cosine(&voted, 0.25, 0.1), None);
    }

    #[test]
    fn equal_scores_are_a_background() {
        let zeros = pages(20, 0.0, 0.0, false);
        assert_eq!(zeros.least_cosine(&zeros, 0.25, 0.1), Some(0.1));
        for least in [0.0, 1.0, 2.0, f64::NAN] {
            assert!(zeros.least_cosine(&zeros, 0.25, least).is_some());
        }
    }

    #[test]
    fn counts_are_the_same_after_they_were_written_and_read() {
        let counts = with(pages(9, 0.0, 1.0, false), &pages(4, 0.2, 1.0, true));
        assert_eq!(ScoreCounts::from_bytes(&counts.to_bytes()), counts);
        assert_eq!(ScoreCounts::from_bytes(b"1"), ScoreCounts::default());
    }
}
