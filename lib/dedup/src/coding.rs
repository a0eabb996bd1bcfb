//! Shingle sets on disk: gaps between ascending hashes, Rice-coded (Rice & Plaunt 1971).
//!
//! The hashes of a set are spread evenly, so the gaps of n of them in 2⁴⁸ are geometrically
//! distributed around 2⁴⁸ / n. A Rice code, the quotient of a gap by 2ᵏ in unary and its rest in k
//! bits, comes within half a bit of the best for such gaps: about 41 bits a hash in a set of 500. k
//! follows from n, which is kept elsewhere.

use crate::shingles::{BITS, Shingles};

/// Bits of a gap that are written as they are, in a set of `n`.
fn rest_bits(n: usize) -> u32 {
    (BITS - 1).saturating_sub(n.max(1).ilog2())
}

/// The set as bytes.
pub(crate) fn encode(shingles: &Shingles) -> Vec<u8> {
    let k = rest_bits(shingles.len());
    let mut out = BitWriter {
        bytes: Vec::with_capacity(shingles.len() * 6),
        waiting: 0,
        bits: 0,
    };
    let mut next = 0;
    for &hash in shingles.hashes() {
        let gap = hash - next;
        out.unary(gap >> k);
        out.put(gap & ((1 << k) - 1), k);
        next = hash + 1;
    }
    out.finish()
}

/// The set of `n` hashes in `bytes`; `None` when they hold no such set.
pub(crate) fn decode(bytes: &[u8], n: usize) -> Option<Shingles> {
    let k = rest_bits(n);
    // No hash takes less than one bit: a damaged count must not ask for memory that the bytes can't
    // fill.
    let mut hashes = Vec::with_capacity(n.min(bytes.len() * 8));
    let mut from = BitReader {
        bytes,
        waiting: 0,
        bits: 0,
    };
    let mut next = 0_u64;
    for _ in 0..n {
        let quotient = from.unary()?;
        let gap = (quotient << k) | from.take(k)?;
        let hash = next.checked_add(gap).filter(|hash| hash >> BITS == 0)?;
        hashes.push(hash);
        next = hash + 1;
    }
    Some(Shingles::from_ascending(hashes))
}

/// Bits, the lowest of a byte first.
struct BitWriter {
    bytes: Vec<u8>,
    waiting: u64,
    /// How many bits wait: under 8 between calls.
    bits: u32,
}

impl BitWriter {
    /// Puts the low `count` bits of `value`, which has no others. `count` is at most 56.
    fn put(&mut self, value: u64, count: u32) {
        self.waiting |= value << self.bits;
        self.bits += count;
        while self.bits >= 8 {
            self.bytes.push(self.waiting as u8);
            self.waiting >>= 8;
            self.bits -= 8;
        }
    }

    /// Puts `n` zeros and a one.
    fn unary(&mut self, mut n: u64) {
        while n >= 32 {
            self.put(0, 32);
            n -= 32;
        }
        self.put(1 << n, n as u32 + 1);
    }

    fn finish(mut self) -> Vec<u8> {
        if self.bits > 0 {
            self.bytes.push(self.waiting as u8);
        }
        self.bytes
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    waiting: u64,
    bits: u32,
}

impl BitReader<'_> {
    /// Fetches bytes until 57 bits or more wait, or none are left.
    fn fill(&mut self) {
        while self.bits <= 56 {
            let Some((&byte, rest)) = self.bytes.split_first() else {
                return;
            };
            self.waiting |= u64::from(byte) << self.bits;
            self.bits += 8;
            self.bytes = rest;
        }
    }

    /// The next `count` bits, at most 56.
    fn take(&mut self, count: u32) -> Option<u64> {
        self.fill();
        self.bits = self.bits.checked_sub(count)?;
        let value = self.waiting & ((1 << count) - 1);
        self.waiting >>= count;
        Some(value)
    }

    /// The zeros up to the next one, which is taken too. `None` where the bits end, or for more
    /// zeros than a gap has.
    fn unary(&mut self) -> Option<u64> {
        let mut zeros = 0;
        loop {
            self.fill();
            let run = self.waiting.trailing_zeros().min(self.bits);
            zeros += u64::from(run);
            if run < self.bits {
                self.take(run)?;
                self.take(1)?;
                return (zeros >> BITS == 0).then_some(zeros);
            }
            if self.bits == 0 {
                return None;
            }
            (self.waiting, self.bits) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};
    use crate::shingles::{BITS, Shingles};
    use proptest::prelude::*;

    fn check(hashes: Vec<u64>) {
        let set = Shingles::from_hashes(hashes);
        assert_eq!(decode(&encode(&set), set.len()), Some(set));
    }

    #[test]
    fn the_ends_of_the_range_come_back() {
        check(vec![]);
        check(vec![0]);
        check(vec![(1 << BITS) - 1]);
        check(vec![0, 1, 2, (1 << BITS) - 2, (1 << BITS) - 1]);
        check((0..1000).collect());
        check((0..1000).map(|i| (1 << BITS) - 1 - i).collect());
    }

    #[test]
    fn five_hundred_even_hashes_take_about_41_bits_each() {
        let mut random = forage_text::Random::for_purpose(0, &["coding"]);
        let set =
            Shingles::from_hashes((0..500).map(|_| random.next_u64() >> (64 - BITS)).collect());
        let bits = encode(&set).len() * 8 / 500;
        assert!((40..=42).contains(&bits), "{bits}");
    }

    proptest! {
        #[test]
        fn what_is_written_comes_back(hashes in prop::collection::vec(0_u64..1 << BITS, 0..600)) {
            check(hashes);
        }

        #[test]
        fn dense_sets_come_back(hashes in prop::collection::vec(0_u64..2000, 0..600)) {
            check(hashes);
        }

        #[test]
        fn damaged_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..100), n in 0_usize..1 << 50) {
            let _ = decode(&bytes, n);
        }
    }
}
