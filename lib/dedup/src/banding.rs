//! Candidate pairs by locality-sensitive hashing: bands of min-hashes.
//!
//! Under a random permutation of all shingles, two sets have the same minimum with a probability
//! equal to their resemblance (Broder 1997, section 3). Instead of one permutation per minimum, all
//! minima of a set are found in a few passes over it, with the same probability (fast similarity
//! sketching; Dahlgaard, Knudsen & Thorup 2017). A band consists of `rows` such minima. Two
//! documents are a candidate pair if they agree in at least one of their `bands` bands. With r rows
//! and b bands, a pair of resemblance s becomes a candidate with probability 1 − (1 − sʳ)ᵇ (Indyk &
//! Motwani 1998; Leskovec, Rajaraman & Ullman, *Mining of Massive Datasets*, section 3.4): near 1
//! at the threshold, and falling steeply below it.
//!
//! See docs/algorithms.md, "Near-duplicates".

use crate::shingles::{ShingleSet, mix};
use std::str::FromStr;

/// Largest share of the pairs at the threshold that may be missed: half of 0.001, the share in the
/// documentation.
const MAX_MISSED_SHARE: f64 = 0.0005;
/// Maximum number of bands per document, each of which is one slot of the key table; exceeded only
/// at thresholds below about 0.21.
const MAX_BANDS: u32 = 32;
/// Maximum number of min-hashes to compute per document.
const MAX_MINIMA: u32 = 128;
/// Upper limit of the search for the number of bands: sufficient for one row at the lowest
/// threshold, 0.1.
const MAX_BANDS_TRIED: u32 = 100;
/// Maximum number of rows per band. Set by judgement: in practice, more rows hardly make a band
/// more selective.
const MAX_ROWS: u32 = 16;
/// The lowest resemblance of near-duplicates: a number from 0.1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct ResemblanceThreshold(f64);

/// The error for a number outside of 0.1 to 1, or a text that is not a number.
#[derive(Debug, thiserror::Error)]
#[error("not a number from 0.1 to 1")]
pub struct InvalidThreshold;

impl ResemblanceThreshold {
    /// Returns the threshold `value`.
    ///
    /// # Errors
    /// Fails if `value` is above 1, or below 0.1, where nearly every pair of documents would have
    /// to be compared.
    pub fn new(value: f64) -> Result<ResemblanceThreshold, InvalidThreshold> {
        if (0.1..=1.0).contains(&value) {
            Ok(ResemblanceThreshold(value))
        } else {
            Err(InvalidThreshold)
        }
    }

    /// Returns the threshold as a number.
    pub fn value(self) -> f64 {
        self.0
    }
}

/// 0.9, as in OASIS (Kluev 2000).
impl Default for ResemblanceThreshold {
    fn default() -> Self {
        ResemblanceThreshold(0.9)
    }
}

impl FromStr for ResemblanceThreshold {
    type Err = InvalidThreshold;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        ResemblanceThreshold::new(text.parse().map_err(|_| InvalidThreshold)?)
    }
}

/// The number of bands, and of min-hashes per band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MinHashBanding {
    pub(crate) bands: u32,
    /// Min-hashes per band.
    pub(crate) rows: u32,
}

impl MinHashBanding {
    /// Returns the banding that finds a pair at `threshold` with a probability of at least 0.999.
    ///
    /// Of the bandings within the limits on cost, this is the one with the most rows, and so with
    /// the fewest false candidates. Below a threshold of about 0.21 none is within them; then it
    /// has one row.
    pub fn for_threshold(threshold: ResemblanceThreshold) -> MinHashBanding {
        let mut best = (bands_needed(threshold, 1), 1);
        for rows in 2..=MAX_ROWS {
            let bands = bands_needed(threshold, rows);
            if bands <= MAX_BANDS && bands * rows <= MAX_MINIMA {
                best = (bands, rows);
            }
        }
        MinHashBanding {
            bands: best.0,
            rows: best.1,
        }
    }

    /// Returns one key per band of a document; none for a document without shingles. Equal bands
    /// have equal keys, on every machine and in every version.
    pub fn keys(&self, shingles: &ShingleSet) -> Vec<u64> {
        if shingles.is_empty() {
            return Vec::new();
        }
        let minima = min_hashes(shingles.hashes(), self.minima());
        let bands = minima.chunks(self.rows.max(1) as usize).enumerate();
        bands
            .map(|(number, band)| {
                let key = |key, &minimum| mix(key ^ minimum);
                band.iter().fold(mix(number as u64), key)
            })
            .collect()
    }

    /// Returns the number of min-hashes of a document. The numbers may come from a damaged file;
    /// they must not exhaust the memory.
    fn minima(&self) -> usize {
        self.bands.saturating_mul(self.rows).min(8 * MAX_MINIMA) as usize
    }
}

/// Returns `bins` min-hashes of a set that is not empty.
///
/// In each pass, every element falls into a random bin with a random number, and each bin that has
/// been empty before the pass keeps the least. The first pass fills nearly all bins of a large set;
/// further ones fill the rest. After as many passes as there are bins, which only sets of a few
/// elements need, each pass is for one bin (Dahlgaard et al. 2017, algorithm 1).
fn min_hashes(hashes: &[u32], bins: usize) -> Vec<u64> {
    let mut minima = vec![u64::MAX; bins];
    let mut empty = bins;
    for pass in 0..2 * bins as u64 {
        let seed = mix(pass + 1);
        for &hash in hashes {
            let random = mix(seed ^ u64::from(hash));
            let bin = match (pass as usize).checked_sub(bins) {
                None => (((random >> 32) * bins as u64) >> 32) as usize,
                Some(bin) => bin,
            };
            // Numbers of an earlier pass are less than those of a later one.
            let number = (pass << 32) | (random & u64::from(u32::MAX));
            empty -= usize::from(minima[bin] == u64::MAX);
            minima[bin] = minima[bin].min(number);
        }
        if empty == 0 {
            break;
        }
    }
    minima
}

/// Returns the smallest number of bands of `rows` rows that miss at most [`MAX_MISSED_SHARE`] of
/// the pairs at `threshold`.
fn bands_needed(threshold: ResemblanceThreshold, rows: u32) -> u32 {
    let differ = 1.0 - (0..rows).fold(1.0, |agree, _| agree * threshold.value());
    let mut bands = 1;
    let mut missed = differ;
    while missed > MAX_MISSED_SHARE && bands < MAX_BANDS_TRIED {
        bands += 1;
        missed *= differ;
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::{MinHashBanding, ResemblanceThreshold};
    use crate::shingles::ShingleSet;
    use forage_text::Random;

    fn banding(threshold: f64) -> MinHashBanding {
        MinHashBanding::for_threshold(ResemblanceThreshold::new(threshold).unwrap())
    }

    #[test]
    fn finds_a_pair_at_the_threshold_with_probability_0_999() {
        for percent in 10..=100 {
            let threshold = f64::from(percent) / 100.0;
            let banding = banding(threshold);
            let missed = (1.0 - threshold.powi(banding.rows as i32)).powi(banding.bands as i32);
            assert!(
                missed <= 0.001,
                "{threshold}: {} of {}",
                banding.bands,
                banding.rows
            );
        }
    }

    #[test]
    fn bandings_of_common_thresholds_never_change() {
        let shape = |threshold| (banding(threshold).bands, banding(threshold).rows);
        assert_eq!(
            [0.5, 0.7, 0.8, 0.9, 1.0].map(shape),
            [(27, 2), (28, 4), (20, 5), (14, 8), (1, 16)]
        );
    }

    #[test]
    fn rejects_numbers_and_texts_that_are_not_thresholds() {
        for text in ["0", "0.05", "1.01", "-1", "NaN", "inf", "x", ""] {
            assert!(text.parse::<ResemblanceThreshold>().is_err(), "{text}");
        }
        assert_eq!(
            "0.9".parse::<ResemblanceThreshold>().unwrap(),
            ResemblanceThreshold::default()
        );
    }

    /// Returns the share of 4,000 random pairs that agree in a band. The two sets of a pair have
    /// `common` shingles in common, and another `unshared` are in only one of them.
    fn candidate_share(common: u64, unshared: u64) -> f64 {
        let banding = banding(0.9);
        let mut random = Random::for_purpose(0, &["pairs", &common.to_string()]);
        let mut draw = |n: u64| (0..n).map(|_| random.next_u64() as u32).collect::<Vec<_>>();
        let mut pair = || {
            let (shared, own) = (draw(common), draw(unshared));
            let keys =
                |own: &[u32]| banding.keys(&ShingleSet::from_hashes([&shared, own].concat()));
            let (half, other) = own.split_at(own.len() / 2);
            keys(half).iter().zip(keys(other)).any(|(&a, b)| a == b)
        };
        (0..4_000).filter(|_| pair()).count() as f64 / 4_000.0
    }

    #[test]
    fn recall_just_above_the_threshold_is_0_999() {
        assert!(
            candidate_share(91, 9) >= 0.999,
            "{}",
            candidate_share(91, 9)
        );
        assert!(candidate_share(9, 1) >= 0.999, "{}", candidate_share(9, 1));
    }

    #[test]
    fn the_share_of_equal_min_hashes_estimates_the_resemblance_of_sets_of_any_size() {
        for size in [1, 2, 7, 60, 1000] {
            let mut random = Random::for_purpose(0, &["sets", &size.to_string()]);
            let mut equal = 0;
            for _ in 0..200 {
                let mut set: Vec<u32> = (0..3 * size).map(|_| random.next_u64() as u32).collect();
                // A third of the elements is common to both sets.
                let one = super::min_hashes(&set[..2 * size], 100);
                let other = super::min_hashes(&set.split_off(size), 100);
                equal += one.iter().zip(other).filter(|(a, b)| *a == b).count();
            }
            let share = equal as f64 / 20_000.0;
            assert!((share - 1.0 / 3.0).abs() < 0.04, "{size}: {share}");
        }
    }

    #[test]
    fn few_pairs_far_below_the_threshold_become_candidates() {
        assert!(
            candidate_share(50, 50) <= 0.06,
            "{}",
            candidate_share(50, 50)
        );
    }

    #[test]
    fn a_damaged_number_of_rows_does_not_exhaust_the_memory() {
        let text = "a text of some words that has shingles";
        let banding = MinHashBanding {
            bands: 3,
            rows: u32::MAX,
        };
        assert_eq!(banding.keys(&ShingleSet::from_text(text)).len(), 1);
    }
}
