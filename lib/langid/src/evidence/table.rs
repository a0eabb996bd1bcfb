//! The evidence of all words and n-grams, as it lies in the file.
//!
//! A table is buckets of 64 bytes, one line of a processor's cache: sixteen postings of 32 bits
//! each, little-endian. A posting holds a fingerprint of its word or n-gram (13 bits), a class (12)
//! and the evidence (7). The hash of a word tells its bucket and its fingerprint; all postings
//! there with that fingerprint are its row, or if there are none and the bucket is marked, those in
//! the bucket beside it. A look-up so costs one access to memory for the most part, and one of 600
//! finds a posting that was not meant.

pub(crate) const BUCKET: usize = 64;
pub(crate) const PLACES: usize = BUCKET / 4;

const FINGERPRINT: u32 = (1 << 13) - 1;
const CLASS_SHIFT: u32 = 13;
const CLASS: u32 = (1 << 12) - 1;
const EVIDENCE_SHIFT: u32 = 25;

/// Greatest evidence that a posting holds.
pub(crate) const MOST: u32 = 127;

/// The class of the posting that tells what was taken from all classes of its row.
pub(crate) const BASE_CLASS: u16 = CLASS as u16;

/// Numbers that a class may have, with [`BASE_CLASS`].
pub(crate) const CLASSES: usize = CLASS as usize + 1;

/// The bucket of a key among so many.
#[inline]
pub(crate) fn bucket(key: u64, buckets: usize) -> usize {
    (((key >> 32) * buckets as u64) >> 32) as usize
}

/// Where a row is when its own bucket, which is full then, had no room for it: beside it, in the
/// same pair of lines.
#[inline]
pub(crate) fn neighbour(bucket: usize) -> usize {
    bucket ^ 1
}

/// What the last place of a bucket holds when rows of it are in the neighbour: the fingerprint of
/// nobody, and a bit for each such row, by its own fingerprint, so that what is not known is seldom
/// looked for in both.
pub(crate) fn beside(fingerprint: u32) -> u32 {
    1 << (CLASS_SHIFT + fingerprint % MARKS)
}

/// Bits that tell of rows in the neighbour.
const MARKS: u32 = 16;

/// Whether a posting is the mark of rows in the neighbour, or room for it.
pub(crate) fn is_mark(posting: u32) -> bool {
    posting & FINGERPRINT == 0
}

/// Whether a row with this fingerprint may be in the neighbour of the bucket.
#[inline]
fn is_beside(bucket: &[u8; BUCKET], fingerprint: u32) -> bool {
    let last = u32::from_le_bytes([
        bucket[BUCKET - 4],
        bucket[BUCKET - 3],
        bucket[BUCKET - 2],
        bucket[BUCKET - 1],
    ]);
    is_mark(last) && last & beside(fingerprint) != 0
}

/// The fingerprint of a key; never 0, which is an empty place.
#[inline]
pub(crate) fn fingerprint(key: u64) -> u32 {
    (key as u32 & FINGERPRINT).max(1)
}

pub(crate) fn posting(key: u64, class: u16, evidence: u32) -> u32 {
    fingerprint(key) | u32::from(class) << CLASS_SHIFT | evidence.min(MOST) << EVIDENCE_SHIFT
}

/// The class and the evidence of a posting.
#[inline]
fn split(posting: u32) -> (usize, u32) {
    (
        (posting >> CLASS_SHIFT & CLASS) as usize,
        posting >> EVIDENCE_SHIFT,
    )
}

/// What is known of a word or n-gram: some postings of a bucket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    postings: &'a [[u8; 4]],
    /// A bit for each that belongs to the row.
    mask: u32,
}

impl<'a> Row<'a> {
    /// The row of what is not known.
    pub(crate) const NONE: Row<'static> = Row {
        postings: &[],
        mask: 0,
    };

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.mask == 0
    }

    /// Adds the evidence to each class; returns the greatest, which is the first.
    #[inline]
    pub(crate) fn add(&self, evidence: &mut [u32; CLASSES]) -> u32 {
        let mut postings = self.postings();
        let mut greatest = 0;
        // Where the first class is forgotten, the base comes first.
        for (class, more) in postings.by_ref() {
            evidence[class] += more;
            if class != usize::from(BASE_CLASS) {
                greatest = more;
                break;
            }
        }
        postings.for_each(|(class, more)| evidence[class] += more);
        greatest
    }

    /// What is left of the row without the classes that are forgotten, by number; nothing if that
    /// is none.
    pub(crate) fn without(mut self, forgotten: &[bool]) -> Row<'a> {
        let is_kept = |(class, _): (usize, u32)| {
            !forgotten
                .get(class)
                .is_some_and(|is_forgotten| *is_forgotten)
        };
        let mut speaks = false;
        for place in bits(self.mask) {
            let posting = self.posting(place);
            if is_kept(posting) {
                speaks |= posting.0 != usize::from(BASE_CLASS);
            } else {
                self.mask &= !(1 << place);
            }
        }
        if speaks { self } else { Row::NONE }
    }

    /// The class and evidence of each posting.
    #[inline]
    pub(crate) fn postings(self) -> impl Iterator<Item = (usize, u32)> + 'a {
        bits(self.mask).map(move |place| self.posting(place))
    }

    #[inline]
    fn posting(&self, place: usize) -> (usize, u32) {
        self.postings
            .get(place)
            .map_or((0, 0), |posting| split(u32::from_le_bytes(*posting)))
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (place < 32).then_some(place)
    })
}

/// The row of a key in the buckets of a table.
#[inline]
pub(crate) fn row(buckets: &[[u8; BUCKET]], key: u64) -> Row<'_> {
    let home = bucket(key, buckets.len());
    let wanted = fingerprint(key);
    let Some(bucket) = buckets.get(home) else {
        return Row::NONE;
    };
    let row = row_in(bucket, wanted);
    if row.is_empty() && is_beside(bucket, wanted) {
        return buckets
            .get(neighbour(home))
            .map_or(row, |bucket| row_in(bucket, wanted));
    }
    row
}

#[inline]
fn row_in(bucket: &[u8; BUCKET], wanted: u32) -> Row<'_> {
    let (quads, _) = bucket.as_chunks::<4>();
    // Written so that the compiler compares several at a time.
    let bits: [u32; PLACES] = std::array::from_fn(|place| {
        if u32::from_le_bytes(quads[place]) & FINGERPRINT == wanted {
            1 << place
        } else {
            0
        }
    });
    Row {
        postings: quads,
        mask: bits.iter().fold(0, |mask, bit| mask | bit),
    }
}

/// Brings the buckets of these keys into the cache, all at once: waiting for each by itself takes
/// most of the time.
pub(crate) fn fetch(buckets: &[[u8; BUCKET]], keys: impl Iterator<Item = u64>) {
    let touched = keys.fold(0, |all, key| {
        all ^ buckets
            .get(bucket(key, buckets.len()))
            .map_or(0, |bucket| bucket[0])
    });
    std::hint::black_box(touched);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_comes_out_again() {
        let key = 0x1234_5678_9abc_def0;
        let mut buckets = vec![[0; BUCKET]; 7];
        let at = bucket(key, 7);
        buckets[at][..4].copy_from_slice(&posting(key, 1234, 500).to_le_bytes());
        buckets[at][8..12].copy_from_slice(&posting(key, 5, 99).to_le_bytes());
        buckets[at][4..8].copy_from_slice(&posting(key ^ 1, 6, 7).to_le_bytes());
        assert_eq!(
            row(&buckets, key).postings().collect::<Vec<_>>(),
            [(1234, MOST), (5, 99)]
        );
        let mut evidence = [0; CLASSES];
        assert_eq!(row(&buckets, key).add(&mut evidence), MOST);
        assert_eq!((evidence[1234], evidence[5], evidence[6]), (MOST, 99, 0));
        assert!(row(&buckets, key ^ 2).is_empty() && row(&[], key).is_empty());
    }

    #[test]
    fn what_had_no_room_is_beside_a_marked_bucket() {
        let key = 0x1234_5678_9abc_def0;
        let mut buckets = vec![[0; BUCKET]; 8];
        let at = bucket(key, 8);
        buckets[neighbour(at)][..4].copy_from_slice(&posting(key, 3, 9).to_le_bytes());
        assert!(row(&buckets, key).is_empty());
        buckets[at][BUCKET - 4..].copy_from_slice(&beside(fingerprint(key)).to_le_bytes());
        assert_eq!(row(&buckets, key).postings().collect::<Vec<_>>(), [(3, 9)]);
    }

    #[test]
    fn a_row_is_as_if_the_forgotten_were_never_there() {
        let key = 0x1234_5678_9abc_def0;
        let mut buckets = vec![[0; BUCKET]; 1];
        for (place, (class, evidence)) in
            [(2, 90), (BASE_CLASS, 20), (5, 30)].into_iter().enumerate()
        {
            buckets[0][place * 4..][..4]
                .copy_from_slice(&posting(key, class, evidence).to_le_bytes());
        }
        let row = row(&buckets, key);
        let left = row.without(&[false, false, true]);
        assert_eq!(
            left.postings().collect::<Vec<_>>(),
            [(usize::from(BASE_CLASS), 20), (5, 30)]
        );
        let mut evidence = [0; CLASSES];
        assert_eq!(left.add(&mut evidence), 30);
        assert_eq!((evidence[2], evidence[5]), (0, 30));
        let all = [false, false, true, false, false, true];
        assert!(
            row.without(&all).is_empty(),
            "a base without classes says nothing"
        );
    }
}
