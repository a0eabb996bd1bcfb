//! The evidence of all words and n-grams, as a hash table that is used in place.
//!
//! A table consists of buckets of 64 bytes, the size of a processor's cache line: sixteen postings
//! of 32 bits each, little-endian. A posting holds a fingerprint of its word or n-gram (13 bits), a
//! class (12) and the evidence (7). The hash of a feature selects its bucket and its fingerprint.
//! All postings of the bucket with that fingerprint are its row; if there are none and the bucket
//! has an overflow mark, those in the neighbouring bucket are. So most look-ups cost one memory
//! access, and one in 600 finds a posting of another feature.
//!
//! The row of a frequent word, which many languages have, may be long: it fills all slots of its
//! bucket but that of the mark, and goes on in the neighbour; if it fills as much of that, it goes
//! on under another key.

use crate::evidence::lanes::{self, CacheLine, LINE_BYTES};

/// Bytes of a bucket.
pub const BUCKET_BYTES: usize = LINE_BYTES;
/// A bucket of a table.
pub type Bucket = CacheLine;
/// Postings per bucket.
pub(crate) const SLOTS: usize = BUCKET_BYTES / 4;

/// Bits of a fingerprint.
pub(crate) const FINGERPRINT_BITS: u32 = 13;
const FINGERPRINT_MASK: u32 = (1 << FINGERPRINT_BITS) - 1;
const CLASS_SHIFT: u32 = 13;
const CLASS_MASK: u32 = (1 << 12) - 1;
const EVIDENCE_SHIFT: u32 = 25;

/// Maximum evidence that a posting can hold.
pub const MAX_POSTING_EVIDENCE: u32 = 127;

/// The class number of the posting that holds the base: the evidence that was subtracted from all
/// classes of its row.
pub const BASE_CLASS: u16 = CLASS_MASK as u16;

/// Number of class numbers, including [`BASE_CLASS`].
pub const CLASSES: usize = CLASS_MASK as usize + 1;

/// Returns the index of a key's bucket among `buckets`.
#[inline]
pub fn bucket_index(key: u64, buckets: usize) -> usize {
    (((key >> 32) * buckets as u64) >> 32) as usize
}

/// Returns the index of the bucket that holds a row for which `bucket` has no room. The two are in
/// the same pair of cache lines.
#[inline]
pub fn neighbour(bucket: usize) -> usize {
    bucket ^ 1
}

/// Returns the overflow mark of a row, which is in the last slot of a bucket if the row is in the
/// neighbour.
///
/// A mark has fingerprint 0, which no posting has, and a bit that the row's fingerprint selects, so
/// that few unknown features are looked up in both buckets.
pub(crate) fn overflow_mark(fingerprint: u32) -> u32 {
    1 << (CLASS_SHIFT + fingerprint % OVERFLOW_BITS)
}

/// Postings of a row in its bucket if it goes on in the neighbour.
pub const LONG_ROW_SLOTS: usize = SLOTS - 1;

/// The bits of these slots.
const LONG_ROW_MASK: u32 = (1 << LONG_ROW_SLOTS) - 1;

/// Number of bits in an overflow mark.
const OVERFLOW_BITS: u32 = 16;

/// Returns `true` if a slot holds overflow marks or is empty.
pub fn is_overflow_mark(posting: u32) -> bool {
    slot_fingerprint(posting) == 0
}

/// Returns `true` if a row with this fingerprint may be in the neighbour of the bucket.
#[inline]
pub fn may_be_in_neighbour(bucket: &Bucket, fingerprint: u32) -> bool {
    let last = u32::from_le_bytes(bucket.as_chunks().0[SLOTS - 1]);
    is_overflow_mark(last) & (last & overflow_mark(fingerprint) != 0)
}

/// Returns the fingerprint of a key; never 0, which marks an empty slot.
#[inline]
pub fn fingerprint(key: u64) -> u32 {
    (key as u32 & FINGERPRINT_MASK).max(1)
}

/// Packs a posting. Evidence above [`MAX_POSTING_EVIDENCE`] is reduced to it.
pub(crate) fn pack_posting(key: u64, class: u16, evidence: u32) -> u32 {
    fingerprint(key)
        | u32::from(class) << CLASS_SHIFT
        | evidence.min(MAX_POSTING_EVIDENCE) << EVIDENCE_SHIFT
}

/// Returns the fingerprint of a slot; 0 if it holds overflow marks or is empty.
pub fn slot_fingerprint(posting: u32) -> u32 {
    posting & FINGERPRINT_MASK
}

/// Returns the class and the evidence of a posting.
#[inline]
pub fn unpack_posting(posting: u32) -> (usize, u32) {
    (
        (posting >> CLASS_SHIFT & CLASS_MASK) as usize,
        posting >> EVIDENCE_SHIFT,
    )
}

/// A view of the evidence table of a model, less the classes that the user excluded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvidenceTable<'a> {
    pub(crate) buckets: &'a [Bucket],
    /// Number of classes.
    pub(crate) classes: usize,
    /// True for each excluded class, by number; empty if no class is excluded.
    pub(crate) excluded: &'a [bool],
}

impl EvidenceTable<'_> {
    /// Starts to load the row of a key into the cache.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        let home = self.buckets.get(bucket_index(key, self.buckets.len()));
        home.into_iter().for_each(lanes::prefetch);
    }
}

/// The row of a word or n-gram: some postings of a bucket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedRow<'a> {
    slots: &'a [[u8; 4]; SLOTS],
    /// A bit for each slot that belongs to the row.
    mask: u32,
}

impl<'a> PackedRow<'a> {
    /// Returns the row in these slots of a bucket: a bit for each of them.
    #[inline]
    pub(super) fn new(bucket: &'a Bucket, mask: u32) -> Self {
        match bucket.as_chunks::<4>().0.try_into() {
            Ok(slots) => PackedRow { slots, mask },
            Err(_) => PackedRow::EMPTY,
        }
    }

    /// The row of an unknown feature.
    pub(crate) const EMPTY: PackedRow<'static> = PackedRow {
        slots: &[[0; 4]; SLOTS],
        mask: 0,
    };

    /// Returns a bit for each slot that belongs to the row.
    pub(super) fn mask(&self) -> u32 {
        self.mask
    }

    /// Adds the evidence of each class to `evidence`. Returns the first class, which has the
    /// greatest, with it.
    #[inline]
    pub(crate) fn add_to(&self, evidence: &mut [u32; CLASSES]) -> (usize, u32) {
        let mut remaining = self.mask;
        // The slots of a row are consecutive, unless classes are excluded or another row of the
        // bucket has the same fingerprint. So there is one run of bits in nearly all masks.
        while remaining != 0 {
            let first = remaining.trailing_zeros();
            let length = (remaining >> first).trailing_ones();
            let run = self.slots.get(first as usize..(first + length) as usize);
            for posting in run.unwrap_or_default() {
                let (class, added) = unpack_posting(u32::from_le_bytes(*posting));
                evidence[class] += added;
            }
            remaining &= remaining.wrapping_add(1 << first);
        }
        // If the first class is excluded, the base comes first.
        self.postings()
            .find(|(class, _)| *class != usize::from(BASE_CLASS))
            .unwrap_or_default()
    }

    /// Returns the row without the excluded classes, or an empty row if no class remains.
    /// `excluded` is indexed by class number.
    pub(crate) fn without_classes(mut self, excluded: &[bool]) -> PackedRow<'a> {
        let is_kept = |(class, _): (usize, u32)| !excluded.get(class).copied().unwrap_or(false);
        let mut has_classes = false;
        for slot in set_bits(self.mask) {
            let posting = self.posting(slot);
            if is_kept(posting) {
                has_classes |= posting.0 != usize::from(BASE_CLASS);
            } else {
                self.mask &= !(1 << slot);
            }
        }
        if has_classes { self } else { PackedRow::EMPTY }
    }

    /// Returns the class and the evidence of each posting.
    #[inline]
    pub(crate) fn postings(self) -> impl Iterator<Item = (usize, u32)> + 'a {
        set_bits(self.mask).map(move |slot| self.posting(slot))
    }

    #[inline]
    fn posting(&self, slot: usize) -> (usize, u32) {
        unpack_posting(u32::from_le_bytes(self.slots[slot % SLOTS]))
    }
}

/// Returns the positions of the bits that are set, lowest first.
#[inline]
fn set_bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let position = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (position < 32).then_some(position)
    })
}

/// Returns `true` if a bucket in which a row has these slots may have a mark for it: the row is in
/// the neighbour, or is long.
#[inline]
pub(super) fn may_be_marked(mask: u32) -> bool {
    (mask == 0) | is_full_part(mask)
}

/// Returns `true` if these are the slots of a part of a long row that goes on.
#[inline]
pub(super) fn is_full_part(mask: u32) -> bool {
    mask == LONG_ROW_MASK
}

/// Postings of a row that is in two buckets: the neighbour's last slot is left for a mark too.
pub(crate) const TWO_BUCKET_SLOTS: usize = 2 * LONG_ROW_SLOTS;

/// Returns the key under which a row goes on that fills its part of two buckets.
#[inline]
pub fn continued_key(key: u64) -> u64 {
    key.rotate_left(32) ^ 0x5851_f42d_4c95_7f2d
}

/// Returns a bit for each slot of the bucket with this fingerprint.
#[inline]
pub(super) fn find_slots(bucket: &Bucket, fingerprint: u32) -> u32 {
    lanes::lanes_equal(bucket, FINGERPRINT_MASK, fingerprint)
}
