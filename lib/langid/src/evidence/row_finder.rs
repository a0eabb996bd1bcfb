//! Look-ups of many words or n-grams at a time.
//!
//! The table is larger than most caches. If rows were found one after the other, most of the time
//! would be spent waiting for memory. So all buckets are prefetched as soon as their keys are known
//! ([`EvidenceTable::prefetch`]), and all neighbours that may have a row for which its bucket has no
//! room before the first of them is read.

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
