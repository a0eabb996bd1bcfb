//! Encoding of shingle sets on disk: Rice-coded gaps between ascending hashes (Rice & Plaunt 1971).
//!
//! The hashes of a set are uniformly distributed, so the gaps between n of them in 2⁴⁸ are
//! geometrically distributed around 2⁴⁸ / n. A Rice code writes the quotient of a gap by 2ᵏ in
//! unary and the remainder in k bits. For such gaps it comes within half a bit of the optimum:
//! about 41 bits per hash in a set of 500. k follows from n, which is stored with the set.

use crate::shingles::{HASH_BITS, ShingleSet};

/// Returns the Rice parameter k, the number of remainder bits, for a set of `n` hashes.
fn remainder_bits(n: usize) -> u32 {
    (HASH_BITS - 1).saturating_sub(n.max(1).ilog2())
}

/// Encodes a set. The number of hashes is not encoded.
pub(crate) fn encode(shingles: &ShingleSet) -> Vec<u8> {
    let k = remainder_bits(shingles.len());
    let mut out = BitWriter {
        bytes: Vec::with_capacity(shingles.len() * 6),
        pending: 0,
        pending_bits: 0,
    };
    let mut next = 0;
    for &hash in shingles.hashes() {
        let gap = hash - next;
        out.write_unary(gap >> k);
        out.write_bits(gap & ((1 << k) - 1), k);
        next = hash + 1;
    }
    out.finish()
}

/// Decodes a set of `n` hashes; `None` if `bytes` do not contain one.
pub(crate) fn decode(bytes: &[u8], n: usize) -> Option<ShingleSet> {
    let k = remainder_bits(n);
    // Each hash takes at least one bit. A damaged count must not reserve more memory than the bytes
    // can fill.
    let mut hashes = Vec::with_capacity(n.min(bytes.len() * 8));
    let mut reader = BitReader {
        bytes,
        pending: 0,
        pending_bits: 0,
    };
    let mut next = 0_u64;
    for _ in 0..n {
        let quotient = reader.read_unary()?;
        let gap = (quotient << k) | reader.read_bits(k)?;
        let hash = next
            .checked_add(gap)
            .filter(|hash| hash >> HASH_BITS == 0)?;
        hashes.push(hash);
        next = hash + 1;
    }
    Some(ShingleSet::from_ascending(hashes))
}

/// A bit writer; fills bytes from the least significant bit.
struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that have not been written as a whole byte yet.
    pending: u64,
    /// Number of pending bits: below 8 between calls.
    pending_bits: u32,
}

impl BitWriter {
    /// Writes the low `count` bits of `value`, at most 56. All other bits of `value` must be zero.
    fn write_bits(&mut self, value: u64, count: u32) {
        self.pending |= value << self.pending_bits;
        self.pending_bits += count;
        while self.pending_bits >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.pending_bits -= 8;
        }
    }

    /// Writes `n` zeros and a one.
    fn write_unary(&mut self, mut n: u64) {
        while n >= 32 {
            self.write_bits(0, 32);
            n -= 32;
        }
        self.write_bits(1 << n, n as u32 + 1);
    }

    fn finish(mut self) -> Vec<u8> {
        if self.pending_bits > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

/// A reader of the bits that [`BitWriter`] writes.
struct BitReader<'a> {
    bytes: &'a [u8],
    pending: u64,
    pending_bits: u32,
}

impl BitReader<'_> {
    /// Loads bytes until at least 57 bits are pending, or no bytes are left.
    fn fill(&mut self) {
        while self.pending_bits <= 56 {
            let Some((&byte, rest)) = self.bytes.split_first() else {
                return;
            };
            self.pending |= u64::from(byte) << self.pending_bits;
            self.pending_bits += 8;
            self.bytes = rest;
        }
    }

    /// Reads `count` bits, at most 56. `None` if fewer are left.
    fn read_bits(&mut self, count: u32) -> Option<u64> {
        self.fill();
        self.pending_bits = self.pending_bits.checked_sub(count)?;
        let value = self.pending & ((1 << count) - 1);
        self.pending >>= count;
        Some(value)
    }

    /// Reads zeros and the one that ends them, and returns the number of zeros. `None` if the bits
    /// end before a one, or there are more zeros than a gap can have.
    fn read_unary(&mut self) -> Option<u64> {
        let mut zeros = 0;
        loop {
            self.fill();
            let run = self.pending.trailing_zeros().min(self.pending_bits);
            zeros += u64::from(run);
            if run < self.pending_bits {
                self.read_bits(run)?;
                self.read_bits(1)?;
                return (zeros >> HASH_BITS == 0).then_some(zeros);
            }
            if self.pending_bits == 0 {
                return None;
            }
            self.pending = 0;
            self.pending_bits = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};
    use crate::shingles::{HASH_BITS, ShingleSet};
    use proptest::prelude::*;

    fn assert_round_trip(hashes: Vec<u64>) {
        let set = ShingleSet::from_hashes(hashes);
        assert_eq!(decode(&encode(&set), set.len()), Some(set));
    }

    #[test]
    fn keeps_hashes_at_the_ends_of_the_range() {
        assert_round_trip(vec![]);
        assert_round_trip(vec![0]);
        assert_round_trip(vec![(1 << HASH_BITS) - 1]);
        assert_round_trip(vec![0, 1, 2, (1 << HASH_BITS) - 2, (1 << HASH_BITS) - 1]);
        assert_round_trip((0..1000).collect());
        assert_round_trip((0..1000).map(|i| (1 << HASH_BITS) - 1 - i).collect());
    }

    #[test]
    fn codes_500_uniform_hashes_in_about_41_bits_each() {
        let mut random = forage_text::Random::for_purpose(0, &["coding"]);
        let set = ShingleSet::from_hashes(
            (0..500)
                .map(|_| random.next_u64() >> (64 - HASH_BITS))
                .collect(),
        );
        let bits = encode(&set).len() * 8 / 500;
        assert!((40..=42).contains(&bits), "{bits}");
    }

    proptest! {
        #[test]
        fn decodes_what_it_encodes(hashes in prop::collection::vec(0_u64..1 << HASH_BITS, 0..600)) {
            assert_round_trip(hashes);
        }

        #[test]
        fn decodes_dense_sets(hashes in prop::collection::vec(0_u64..2000, 0..600)) {
            assert_round_trip(hashes);
        }

        #[test]
        fn never_panics_on_damaged_bytes(
            bytes in prop::collection::vec(any::<u8>(), 0..100),
            n in 0_usize..1 << 50,
        ) {
            let _ = decode(&bytes, n);
        }
    }
}
