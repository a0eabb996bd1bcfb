//! Comparisons of sixteen numbers at a time, and loads into the cache ahead of their use.
//!
//! On x86-64, both use instructions that all its processors have. Elsewhere, the compiler chooses.

/// Bytes of a cache line of most processors.
pub(crate) const LINE_BYTES: usize = 64;

/// The bytes of a cache line: numbers of 32 bits, little-endian.
pub(crate) type CacheLine = [u8; LINE_BYTES];

/// Number of numbers that are compared together.
pub(crate) const LANES: usize = LINE_BYTES / 4;

/// Returns a bit for each number of a line whose bits in `mask` are `value`.
#[inline]
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
pub(crate) fn lanes_equal(line: &CacheLine, mask: u32, value: u32) -> u32 {
    let numbers = line.as_chunks::<4>().0;
    let number = |lane: usize| u32::from_le_bytes(numbers[lane]);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: all x86-64 processors have SSE2.
    unsafe {
        sse2::lanes_equal(|lane| number(lane) as i32, mask as i32, value as i32)
    }
    #[cfg(not(target_arch = "x86_64"))]
    gather(|lane| number(lane) & mask == value)
}

/// Returns a bit for each index at which the sum of `first` and `second` exceeds `bound`.
#[inline]
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
pub(crate) fn lanes_above(bound: i32, first: &[i32; LANES], second: &[u32; LANES]) -> u32 {
    let sum = |lane: usize| first[lane] + second[lane] as i32;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: all x86-64 processors have SSE2.
    unsafe {
        sse2::lanes_above(sum, bound)
    }
    #[cfg(not(target_arch = "x86_64"))]
    gather(|lane| sum(lane) > bound)
}

/// Returns the results for all lanes as bits.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn gather(compare: impl Fn(usize) -> bool) -> u32 {
    let bits: [u32; LANES] = std::array::from_fn(|lane| u32::from(compare(lane)) << lane);
    bits.iter().fold(0, |all, bit| all | bit)
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi32, _mm_cmpgt_epi32, _mm_movemask_epi8,
        _mm_packs_epi16, _mm_packs_epi32, _mm_set_epi32, _mm_set1_epi32,
    };

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn lanes_equal(number: impl Fn(usize) -> i32, mask: i32, value: i32) -> u32 {
        let (mask, value) = (_mm_set1_epi32(mask), _mm_set1_epi32(value));
        gather(
            [0, 4, 8, 12]
                .map(|lane| _mm_cmpeq_epi32(_mm_and_si128(four(&number, lane), mask), value)),
        )
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn lanes_above(number: impl Fn(usize) -> i32, bound: i32) -> u32 {
        let bound = _mm_set1_epi32(bound);
        gather([0, 4, 8, 12].map(|lane| _mm_cmpgt_epi32(four(&number, lane), bound)))
    }

    /// Returns the numbers of four lanes.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn four(number: &impl Fn(usize) -> i32, lane: usize) -> __m128i {
        _mm_set_epi32(
            number(lane + 3),
            number(lane + 2),
            number(lane + 1),
            number(lane),
        )
    }

    /// Returns the results for all lanes as bits.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn gather([a, b, c, d]: [__m128i; 4]) -> u32 {
        let all = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        _mm_movemask_epi8(all) as u32
    }
}

/// Starts to load a line into the cache, so that it is there when it is needed.
#[inline]
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
pub(crate) fn prefetch(line: &CacheLine) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program can see, at any address; this one is valid.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.as_ptr().cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::hint::black_box(line[0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_those_of_single_comparisons(
            numbers in prop::array::uniform16(-3i32..4),
            added in prop::array::uniform16(0u32..4),
            bound in -3i32..7,
        ) {
            let mut bucket = [0; LINE_BYTES];
            for (slot, number) in bucket.as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
                *slot = number.to_le_bytes();
            }
            let bits = |is_set: &dyn Fn(usize) -> bool| {
                (0..LANES).map(|lane| u32::from(is_set(lane)) << lane).sum::<u32>()
            };
            prop_assert_eq!(
                lanes_equal(&bucket, 3, bound as u32),
                bits(&|lane| numbers[lane] as u32 & 3 == bound as u32)
            );
            prop_assert_eq!(
                lanes_above(bound, &numbers, &added),
                bits(&|lane| numbers[lane] + added[lane] as i32 > bound)
            );
        }
    }
}
