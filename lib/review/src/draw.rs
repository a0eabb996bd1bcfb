//! Draws positions of a list at random, spread over it.

use forage_text::Random;

/// How many documents of a group to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleSize {
    /// This share of them, in 0–1, rounded up, so that a group that is not empty has a sample.
    Share(f64),
    /// This number, or all.
    Number(usize),
}

impl SampleSize {
    /// Returns the number of documents to draw from `documents`.
    pub fn of(self, documents: usize) -> usize {
        /// Absorbs the rounding error of the product: 0.1 × 30 is slightly over 3.
        const ROUNDING_ERROR: f64 = 1e-9;
        let size = match self {
            SampleSize::Share(share) => {
                let size = (share * documents as f64 - ROUNDING_ERROR).ceil();
                size.max(0.0) as usize
            }
            SampleSize::Number(number) => number,
        };
        size.min(documents)
    }
}

/// Draws `size` of the positions `0..length`, in ascending order.
///
/// The list is taken for a circle, which starts at a random position and is divided into `size`
/// parts of almost equal length; one position of each part is drawn. So the sample is spread over
/// the list, and each position has the same inclusion probability, `size / length`, because the
/// random start gives it each place in the parts equally often.
pub fn draw_positions(length: usize, size: usize, random: &mut Random) -> Vec<usize> {
    let size = size.min(length);
    if size == 0 {
        return Vec::new();
    }
    let boundary = |part: usize| (part as u128 * length as u128 / size as u128) as u64;
    let start = random.next_below(length as u64);
    let mut positions: Vec<usize> = (0..size)
        .map(|part| {
            let (from, to) = (boundary(part), boundary(part + 1));
            let place = from + random.next_below(to - from);
            ((start + place) % length as u64) as usize
        })
        .collect();
    positions.sort_unstable();
    positions
}

#[cfg(test)]
mod tests {
    use super::{SampleSize, draw_positions};
    use forage_text::Random;
    use proptest::prelude::*;

    #[test]
    fn the_size_is_the_share_rounded_up() {
        let size = |share, documents| SampleSize::Share(share).of(documents);
        assert_eq!([size(0.2, 100), size(0.2, 20), size(0.2, 1)], [20, 4, 1]);
        assert_eq!([size(0.1, 30), size(0.1, 31), size(0.2, 0)], [3, 4, 0]);
        assert_eq!([size(1.0, 7), size(0.0, 7)], [7, 0]);
        assert_eq!([3, 30].map(|n| SampleSize::Number(n).of(7)), [3, 7]);
    }

    #[test]
    fn each_position_is_drawn_equally_often() {
        let mut counts = [0_u32; 7];
        for seed in 0..30_000 {
            let mut random = Random::for_purpose(seed, &["test"]);
            for position in draw_positions(7, 3, &mut random) {
                counts[position] += 1;
            }
        }
        // 30,000 × 3/7, within four standard deviations.
        assert!(
            counts.iter().all(|&n| (12_500..13_220).contains(&n)),
            "{counts:?}"
        );
    }

    proptest! {
        #[test]
        fn positions_are_distinct_and_spread(
            length in 0_usize..500, share in 0.0..=1.0_f64, seed: u64
        ) {
            let size = SampleSize::Share(share).of(length);
            let positions = draw_positions(length, size, &mut Random::for_purpose(seed, &[]));
            prop_assert_eq!(positions.len(), size);
            prop_assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(positions.iter().all(|&position| position < length));
            if size > 0 {
                // Two drawn positions lie in adjacent parts, of length / size rounded up.
                let longest = 2 * length.div_ceil(size);
                prop_assert!(positions.windows(2).all(|pair| pair[1] - pair[0] < longest));
            }
        }
    }
}
