//! Look-ups of many words or n-grams at a time.
//!
//! The table is larger than most caches. If rows were found one after the other, most of the time
//! would be spent waiting for memory. So all buckets are prefetched as soon as their keys are known
//! ([`EvidenceTable::prefetch`]), and all neighbours that may have a row for which its bucket has
//! no room before the first of them is read.

use crate::evidence::lanes::prefetch;
use crate::evidence::table::{
    Bucket, EvidenceTable, PackedRow, bucket_index, continued_key, find_slots, fingerprint,
    is_full_part, may_be_in_neighbour, may_be_marked, neighbour,
};

/// Finds the rows of keys. Keeps its buffers for the next keys.
#[derive(Debug, Default)]
pub(crate) struct RowFinder {
    places: Vec<RowPlace>,
    /// Keys whose rows, or the rest of them, may be in the neighbour, each with the index of the
    /// place.
    overflows: Vec<(usize, u64)>,
    /// The rest of long rows, each with the index of the place of its first part.
    rests: Vec<(usize, RowPlace)>,
    /// Indices of the unknown keys, and then others.
    unknown: Vec<u32>,
}

/// The result of [`RowFinder::find`].
#[derive(Debug)]
pub(crate) struct FoundRows<'a> {
    /// The places of the rows of all known keys, in the order of the keys.
    pub(crate) places: &'a [RowPlace],
    /// The places of the rest of long rows, each with the index of the key's place in the search.
    pub(crate) rests: &'a [(usize, RowPlace)],
    /// The indices of the unknown keys, ascending.
    pub(crate) unknown: &'a [u32],
}

/// The place of a row in a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowPlace {
    /// Index of the bucket.
    bucket: u32,
    /// A bit for each slot that belongs to the row; 0 if the key is unknown.
    mask: u32,
}

impl RowPlace {
    /// Returns the place of the row of `key`, or of a part of it, in a bucket.
    fn find(buckets: &[Bucket], bucket: usize, key: u64) -> Self {
        let slots = buckets.get(bucket);
        Self {
            bucket: bucket as u32,
            mask: slots.map_or(0, |slots| find_slots(slots, fingerprint(key))),
        }
    }

    /// Returns the row at this place of `buckets`.
    #[inline]
    pub(crate) fn row(self, buckets: &[Bucket]) -> PackedRow<'_> {
        buckets
            .get(self.bucket as usize)
            .map_or(PackedRow::EMPTY, |bucket| PackedRow::new(bucket, self.mask))
    }
}

impl RowFinder {
    /// Finds the rows of `keys`, which were prefetched.
    pub(crate) fn find(
        &mut self,
        table: &EvidenceTable<'_>,
        keys: impl Iterator<Item = u64>,
    ) -> FoundRows<'_> {
        let buckets = table.buckets;
        self.places.clear();
        self.overflows.clear();
        self.rests.clear();
        for key in keys {
            self.find_at_home(buckets, key);
        }
        let places = &mut self.places;
        for (index, key) in &self.overflows {
            let place = &mut places[*index];
            let next = RowPlace::find(buckets, neighbour(place.bucket as usize), *key);
            if place.mask == 0 {
                *place = next;
                continue;
            }
            self.rests.push((*index, next));
            if is_full_part(next.mask) {
                let key = continued_key(*key);
                let home = bucket_index(key, buckets.len());
                let first = RowPlace::find(buckets, home, key);
                let is_marked = |bucket| may_be_in_neighbour(bucket, fingerprint(key));
                self.rests.push((*index, first));
                if may_be_marked(first.mask) && buckets.get(home).is_some_and(is_marked) {
                    let second = RowPlace::find(buckets, neighbour(home), key);
                    self.rests.push((*index, second));
                }
            }
        }
        if !table.excluded.is_empty() {
            let rests = self.rests.iter_mut().map(|(_, rest)| rest);
            for place in places.iter_mut().chain(rests) {
                let row = place.row(buckets).without_classes(table.excluded);
                place.mask = row.mask();
            }
            // A long row of which the rest alone remains is one of the usual length.
            for (index, rest) in &mut self.rests {
                if places[*index].mask == 0 {
                    std::mem::swap(&mut places[*index], rest);
                }
            }
        }
        self.separate_unknown()
    }

    /// Sets `postings` to the classes and evidence of the row of `key`; to none if it is unknown.
    pub(crate) fn read_row(
        &mut self,
        table: &EvidenceTable<'_>,
        key: u64,
        postings: &mut Vec<(usize, u32)>,
    ) {
        let found = self.find(table, std::iter::once(key));
        let rests = found.rests.iter().map(|(_, rest)| rest);
        let parts = found.places.iter().chain(rests);
        postings.clear();
        postings.extend(parts.flat_map(|place| place.row(table.buckets).postings()));
    }

    /// Separates the known keys from the unknown ones, without branches: whether a word is known
    /// cannot be predicted.
    fn separate_unknown(&mut self) -> FoundRows<'_> {
        let Self {
            places,
            rests,
            unknown,
            ..
        } = self;
        unknown.resize(places.len(), 0);
        let mut known_end = 0;
        for index in 0..places.len() {
            let place = places[index];
            unknown[index - known_end] = index as u32;
            places[known_end] = place;
            known_end += usize::from(place.mask != 0);
        }
        FoundRows {
            places: &places[..known_end],
            rests,
            unknown: &unknown[..places.len() - known_end],
        }
    }

    /// Adds the place of a key's row in the key's own bucket, or in the neighbour if the row may be
    /// there.
    #[inline]
    fn find_at_home(&mut self, buckets: &[Bucket], key: u64) {
        let home = bucket_index(key, buckets.len());
        let fingerprint = fingerprint(key);
        let mut mask = 0;
        if let Some(slots) = buckets.get(home) {
            mask = find_slots(slots, fingerprint);
            // One branch that is seldom taken; whether a word is known cannot be predicted.
            if may_be_marked(mask) & may_be_in_neighbour(slots, fingerprint) {
                let neighbour = buckets.get(neighbour(home));
                neighbour.into_iter().for_each(prefetch);
                self.overflows.push((self.places.len(), key));
            }
        }
        self.places.push(RowPlace {
            bucket: home as u32,
            mask,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::table::{
        BASE_CLASS, BUCKET_BYTES, CLASSES, MAX_POSTING_EVIDENCE, overflow_mark, pack_posting,
    };

    const KEY: u64 = 0x1234_5678_9abc_def0;

    fn table<'a>(buckets: &'a [Bucket], excluded: &'a [bool]) -> EvidenceTable<'a> {
        EvidenceTable {
            buckets,
            classes: CLASSES,
            excluded,
        }
    }

    fn find(buckets: &[Bucket], excluded: &[bool], key: u64) -> Vec<(usize, u32)> {
        let mut postings = Vec::new();
        RowFinder::default().read_row(&table(buckets, excluded), key, &mut postings);
        postings
    }

    #[test]
    fn finds_the_postings_of_a_key() {
        let mut buckets = vec![[0; BUCKET_BYTES]; 7];
        let home = bucket_index(KEY, 7);
        buckets[home][..4].copy_from_slice(&pack_posting(KEY, 1234, 500).to_le_bytes());
        buckets[home][8..12].copy_from_slice(&pack_posting(KEY, 5, 99).to_le_bytes());
        buckets[home][4..8].copy_from_slice(&pack_posting(KEY ^ 1, 6, 7).to_le_bytes());
        let expected = [(1234, MAX_POSTING_EVIDENCE), (5, 99)];
        assert_eq!(find(&buckets, &[], KEY), expected);
        let mut evidence = [0; CLASSES];
        let row = RowPlace::find(&buckets, home, KEY).row(&buckets);
        assert_eq!(row.add_to(&mut evidence), (1234, MAX_POSTING_EVIDENCE));
        assert_eq!(
            (evidence[1234], evidence[5], evidence[6]),
            (MAX_POSTING_EVIDENCE, 99, 0)
        );
        assert!(find(&buckets, &[], KEY ^ 2).is_empty() && find(&[], &[], KEY).is_empty());
    }

    #[test]
    fn finds_a_row_in_the_neighbour_of_a_marked_bucket() {
        let mut buckets = vec![[0; BUCKET_BYTES]; 8];
        let home = bucket_index(KEY, 8);
        buckets[neighbour(home)][..4].copy_from_slice(&pack_posting(KEY, 3, 9).to_le_bytes());
        assert!(find(&buckets, &[], KEY).is_empty());
        buckets[home][BUCKET_BYTES - 4..]
            .copy_from_slice(&overflow_mark(fingerprint(KEY)).to_le_bytes());
        assert_eq!(find(&buckets, &[], KEY), [(3, 9)]);
    }

    #[test]
    fn a_row_that_fills_the_neighbour_is_read_once() {
        let mut buckets = vec![[0; BUCKET_BYTES]; 8];
        let home = bucket_index(KEY, 8);
        let mut row = Vec::new();
        for class in 0..15 {
            let slot = pack_posting(KEY, class, 9).to_le_bytes();
            buckets[neighbour(home)][usize::from(class) * 4..][..4].copy_from_slice(&slot);
            row.push((usize::from(class), 9));
        }
        buckets[home][BUCKET_BYTES - 4..]
            .copy_from_slice(&overflow_mark(fingerprint(KEY)).to_le_bytes());
        assert_eq!(find(&buckets, &[], KEY), row);
    }

    #[test]
    fn a_row_without_classes_has_no_evidence_for_them() {
        let mut buckets = vec![[0; BUCKET_BYTES]; 1];
        for (slot, (class, evidence)) in
            [(2, 90), (BASE_CLASS, 20), (5, 30)].into_iter().enumerate()
        {
            buckets[0][slot * 4..][..4]
                .copy_from_slice(&pack_posting(KEY, class, evidence).to_le_bytes());
        }
        let excluded = [false, false, true];
        let remaining = [(usize::from(BASE_CLASS), 20), (5, 30)];
        assert_eq!(find(&buckets, &excluded, KEY), remaining);
        let row = RowPlace::find(&buckets, 0, KEY).row(&buckets);
        let mut evidence = [0; CLASSES];
        assert_eq!(
            row.without_classes(&excluded).add_to(&mut evidence),
            (5, 30)
        );
        assert_eq!((evidence[2], evidence[5]), (0, 30));
        let all = [false, false, true, false, false, true];
        assert!(
            find(&buckets, &all, KEY).is_empty(),
            "a base without classes is no evidence"
        );
    }
}
