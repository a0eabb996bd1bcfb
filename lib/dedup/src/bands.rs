//! Candidates: bands of minimal hashes.
//!
//! Under a random permutation of all shingles, the least shingle of one set is that of another with
//! a probability that is their resemblance (Broder 1997, section 3). A band is `rows` such minima
//! taken together; two documents are candidates when they agree in one band or more of `bands`. So
//! a pair of resemblance s is found with probability 1 − (1 − sʳ)ᵇ (Indyk & Motwani 1998; Leskovec,
//! Rajaraman & Ullman, *Mining of Massive Datasets*, section 3.4): near 1 at the threshold, and
//! falling steeply below it.

use crate::shingles::Shingles;
use forage_text::Random;
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64;

/// Share of the pairs at the threshold that may be missed: half of what is promised, 0.001.
const MISSED: f64 = 0.0005;
/// Bounds on what a document costs: index entries, and minima to compute.
const MOST_BANDS: u32 = 32;
const MOST_MINIMA: u32 = 128;
/// Enough for one row at the lowest threshold.
const MOST_NEEDED: u32 = 100;
/// More rows than this make a band no more selective in practice.
const MOST_ROWS: u32 = 16;
/// Bits of a band's key: few enough for six bytes in SQLite, many enough that different bands
/// hardly meet.
const KEY_BITS: u32 = 47;

/// The least resemblance of near twins, 0.1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Threshold(f64);

/// A number that is no threshold.
#[derive(Debug, thiserror::Error)]
#[error("a threshold is a number from 0.1 to 1")]
pub struct BadThreshold;

impl Threshold {
    /// The threshold `value`.
    ///
    /// # Errors
    /// Below 0.1, where nearly every document would have to be compared, and above 1.
    pub fn new(value: f64) -> Result<Threshold, BadThreshold> {
        if (0.1..=1.0).contains(&value) {
            Ok(Threshold(value))
        } else {
            Err(BadThreshold)
        }
    }

    /// As a number.
    pub fn value(self) -> f64 {
        self.0
    }
}

/// 0.9, as in OASIS (Kluev 2000).
impl Default for Threshold {
    fn default() -> Self {
        Threshold(0.9)
    }
}

impl FromStr for Threshold {
    type Err = BadThreshold;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Threshold::new(text.parse().map_err(|_| BadThreshold)?)
    }
}

/// How documents are cut into bands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bands {
    pub(crate) bands: u32,
    /// Minimal hashes in a band.
    pub(crate) rows: u32,
    /// A permutation of 64-bit numbers for each minimum: exclusive or with the first, times the
    /// second, which is odd.
    permutations: Vec<(u64, u64)>,
}

impl Bands {
    /// The bands that find a pair at `threshold` with a probability of 0.999 or more: those with
    /// the most rows, and so the fewest candidates in vain, within bounds on their cost.
    pub fn for_threshold(threshold: Threshold) -> Bands {
        let mut best = (bands_needed(threshold, 1), 1);
        for rows in 2..=MOST_ROWS {
            let bands = bands_needed(threshold, rows);
            if bands <= MOST_BANDS && bands * rows <= MOST_MINIMA {
                best = (bands, rows);
            }
        }
        Bands::new(best.0, best.1)
    }

    /// So many bands of so many rows. Equal numbers give equal bands, everywhere and always.
    pub fn new(bands: u32, rows: u32) -> Bands {
        let mut random = Random::for_purpose(0, &["minimal hashes"]);
        // The numbers may come from a damaged file, which must not ask for all memory.
        let minima = bands.saturating_mul(rows).min(8 * MOST_MINIMA);
        let permutations = (0..minima)
            .map(|_| (random.next_u64(), random.next_u64() | 1))
            .collect();
        Bands {
            bands,
            rows,
            permutations,
        }
    }

    /// A key for each band of a document; none for a document without shingles. Equal bands have
    /// equal keys.
    pub fn keys(&self, shingles: &Shingles) -> Vec<i64> {
        if shingles.is_empty() {
            return Vec::new();
        }
        let rows = self.rows.max(1) as usize;
        let mut bytes = Vec::with_capacity(8 * (rows + 1));
        let key = |(number, band): (usize, &[(u64, u64)])| {
            bytes.clear();
            bytes.extend_from_slice(&(number as u64).to_le_bytes());
            for &permutation in band {
                bytes.extend_from_slice(&minimum(shingles.hashes(), permutation).to_le_bytes());
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

/// The least of the permuted hashes.
fn minimum(hashes: &[u64], (mask, factor): (u64, u64)) -> u64 {
    hashes.iter().fold(u64::MAX, |least, hash| {
        least.min((hash ^ mask).wrapping_mul(factor))
    })
}

/// The fewest bands of `rows` that miss no more than [`MISSED`] of the pairs at `threshold`.
fn bands_needed(threshold: Threshold, rows: u32) -> u32 {
    let differ = 1.0 - (0..rows).fold(1.0, |agree, _| agree * threshold.value());
    let (mut bands, mut missed) = (1, differ);
    while missed > MISSED && bands < MOST_NEEDED {
        bands += 1;
        missed *= differ;
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::{Bands, Threshold};
    use crate::shingles::{BITS, Shingles};
    use forage_text::Random;

    fn bands(threshold: f64) -> Bands {
        Bands::for_threshold(Threshold::new(threshold).unwrap())
    }

    #[test]
    fn finds_a_pair_at_the_threshold_with_0_999() {
        for percent in 10..=100 {
            let threshold = f64::from(percent) / 100.0;
            let bands = bands(threshold);
            let missed = (1.0 - threshold.powi(bands.rows as i32)).powi(bands.bands as i32);
            assert!(
                missed <= 0.001,
                "{threshold}: {} of {}",
                bands.bands,
                bands.rows
            );
        }
    }

    #[test]
    fn bands_of_common_thresholds_never_change() {
        let shape = |threshold| (bands(threshold).bands, bands(threshold).rows);
        assert_eq!(
            [0.5, 0.7, 0.8, 0.9, 1.0].map(shape),
            [(27, 2), (28, 4), (20, 5), (14, 8), (1, 16)]
        );
    }

    #[test]
    fn refuses_what_is_no_threshold() {
        for text in ["0", "0.05", "1.01", "-1", "NaN", "inf", "x", ""] {
            assert!(text.parse::<Threshold>().is_err(), "{text}");
        }
        assert_eq!("0.9".parse::<Threshold>().unwrap(), Threshold::default());
    }

    /// Share of 4,000 random pairs, with so many shingles in common and so many in one only, that
    /// agree in a band.
    fn found(common: u64, alone: u64) -> f64 {
        let bands = bands(0.9);
        let mut random = Random::for_purpose(0, &["pairs", &common.to_string()]);
        let mut draw = |n: u64| {
            (0..n)
                .map(|_| random.next_u64() >> (64 - BITS))
                .collect::<Vec<_>>()
        };
        let mut pair = || {
            let (shared, own) = (draw(common), draw(alone));
            let keys = |own: &[u64]| bands.keys(&Shingles::from_hashes([&shared, own].concat()));
            let (half, other) = own.split_at(own.len() / 2);
            keys(half).iter().zip(keys(other)).any(|(&a, b)| a == b)
        };
        (0..4_000).filter(|_| pair()).count() as f64 / 4_000.0
    }

    #[test]
    fn recall_just_above_the_threshold_is_0_999() {
        assert!(found(91, 9) >= 0.999, "{}", found(91, 9));
        assert!(found(9, 1) >= 0.999, "{}", found(9, 1));
    }

    #[test]
    fn few_pairs_far_below_the_threshold_are_candidates() {
        assert!(found(50, 50) <= 0.06, "{}", found(50, 50));
    }
}
