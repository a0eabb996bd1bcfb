//! Candidate pairs by locality-sensitive hashing: bands of min-hashes.
//!
//! Under a random permutation of all shingles, two sets have the same minimum with a probability
//! equal to their resemblance (Broder 1997, section 3). A band consists of `rows` such minima. Two
//! documents are a candidate pair if they agree in at least one of their `bands` bands. With r rows
//! and b bands, a pair of resemblance s becomes a candidate with probability 1 − (1 − sʳ)ᵇ (Indyk &
//! Motwani 1998; Leskovec, Rajaraman & Ullman, *Mining of Massive Datasets*, section 3.4): near 1
//! at the threshold, and falling steeply below it.
//!
//! See docs/algorithms.md, "Near-duplicates".

use crate::shingles::ShingleSet;
use forage_text::Random;
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64;

/// Largest share of the pairs at the threshold that may be missed: half of 0.001, the share in the
/// documentation.
const MAX_MISSED_SHARE: f64 = 0.0005;
/// Maximum number of bands per document, each of which is one row of the table `band`; exceeded
/// only at thresholds below about 0.21.
const MAX_BANDS: u32 = 32;
/// Maximum number of min-hashes to compute per document.
const MAX_MINIMA: u32 = 128;
/// Upper limit of the search for the number of bands: sufficient for one row at the lowest
/// threshold, 0.1.
const MAX_BANDS_TRIED: u32 = 100;
/// Maximum number of rows per band. Set by judgement: in practice, more rows hardly make a band
/// more selective.
const MAX_ROWS: u32 = 16;
/// Bits of a band's key: few enough for six bytes in SQLite, which stores integers below 2⁴⁷ in
/// that space, and many enough that different bands rarely collide.
const KEY_BITS: u32 = 47;

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

/// The number of bands and rows, and the permutations that yield the min-hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MinHashBanding {
    pub(crate) bands: u32,
    /// Min-hashes per band.
    pub(crate) rows: u32,
    /// One permutation of the 64-bit numbers per min-hash: exclusive or with the first number, then
    /// multiplication by the second, which is odd.
    permutations: Vec<(u64, u64)>,
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
        MinHashBanding::new(best.0, best.1)
    }

    /// Returns the banding of `bands` bands with `rows` rows each.
    ///
    /// Equal arguments give equal permutations on every machine and in every version.
    pub fn new(bands: u32, rows: u32) -> MinHashBanding {
        let mut random = Random::for_purpose(0, &["minimal hashes"]);
        // The arguments may come from a damaged file; they must not exhaust the memory.
        let minima = bands.saturating_mul(rows).min(8 * MAX_MINIMA);
        let permutations = (0..minima)
            .map(|_| (random.next_u64(), random.next_u64() | 1))
            .collect();
        MinHashBanding {
            bands,
            rows,
            permutations,
        }
    }

    /// Returns one key per band of a document; none for a document without shingles. Equal bands
    /// have equal keys.
    pub fn keys(&self, shingles: &ShingleSet) -> Vec<i64> {
        if shingles.is_empty() {
            return Vec::new();
        }
        let rows = self.rows.max(1) as usize;
        // A damaged file may have more rows in a band than there are permutations.
        let mut bytes = Vec::with_capacity(8 * (rows.min(self.permutations.len()) + 1));
        let key = |(number, band): (usize, &[(u64, u64)])| {
            bytes.clear();
            bytes.extend_from_slice(&(number as u64).to_le_bytes());
            for &permutation in band {
                bytes.extend_from_slice(&min_hash(shingles.hashes(), permutation).to_le_bytes());
            }
            (xxh3_64(&bytes) >> (u64::BITS - KEY_BITS)) as i64
        };
        self.permutations
            .chunks(rows)
            .enumerate()
            .map(key)
            .collect()
    }
}

/// Returns the smallest of the permuted hashes.
fn min_hash(hashes: &[u64], (mask, factor): (u64, u64)) -> u64 {
    hashes.iter().fold(u64::MAX, |minimum, hash| {
        minimum.min((hash ^ mask).wrapping_mul(factor))
    })
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
    use crate::shingles::{HASH_BITS, ShingleSet};
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
        let mut draw = |n: u64| {
            (0..n)
                .map(|_| random.next_u64() >> (64 - HASH_BITS))
                .collect::<Vec<_>>()
        };
        let mut pair = || {
            let (shared, own) = (draw(common), draw(unshared));
            let keys =
                |own: &[u64]| banding.keys(&ShingleSet::from_hashes([&shared, own].concat()));
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
        let keys = MinHashBanding::new(3, u32::MAX).keys(&ShingleSet::from_text(text));
        assert_eq!(keys.len(), 1);
    }
}
