//! Placement of rows in the buckets of a table.

use crate::evidence::STEPS_PER_NAT;
use crate::evidence::build::FeatureRow;
use crate::evidence::table::{
    BASE_CLASS, BUCKET_BYTES, Bucket, LONG_ROW_SLOTS, SLOTS, TWO_BUCKET_SLOTS, bucket_index,
    continued_key, fingerprint, is_overflow_mark, neighbour, overflow_mark, pack_posting,
};

/// Share of the slots that are filled if the number of buckets is not fixed. Set by judgement, not
/// measured.
const LOAD_FACTOR: f64 = 0.6;

/// Returns the postings of a row, given its classes with their evidence, greatest first: the first
/// class, the base, then the other classes. `key` may also be the fingerprint of the row.
pub(super) fn row_postings(
    key: u64,
    base: u32,
    mut classes: impl Iterator<Item = (u16, u32)>,
) -> impl Iterator<Item = u32> {
    let first = classes.next();
    let all = first.into_iter().chain([(BASE_CLASS, base)]).chain(classes);
    all.filter(|(_, evidence)| *evidence > 0)
        .map(move |(class, evidence)| pack_posting(key, class, evidence))
}

/// Returns the table of these rows. The most frequent features are placed first. A row that does
/// not fit into its bucket or the neighbouring one is left out; of a long one, what does not fit.
pub(crate) fn fill_buckets(mut rows: Vec<FeatureRow>, buckets: Option<usize>) -> Vec<u8> {
    rows.sort_unstable_by(|a, b| {
        let order = b.log_probability.total_cmp(&a.log_probability);
        order.then(a.key.cmp(&b.key))
    });
    let postings = |row: &FeatureRow| row.classes.len() + usize::from(row.base > 0.0);
    let postings: usize = rows.iter().map(postings).sum();
    let number = buckets.unwrap_or((postings as f64 / LOAD_FACTOR) as usize / SLOTS + 1);
    let mut buckets = vec![[0; BUCKET_BYTES]; number];
    let mut table = TableFiller::new(&mut buckets);
    let quantise = |evidence: f32| (f64::from(evidence) * STEPS_PER_NAT).round() as u32;
    for row in &rows {
        let classes = row.classes.iter();
        let classes = classes.map(|(class, evidence)| (*class, quantise(*evidence)));
        let postings = row_postings(row.key, quantise(row.base), classes);
        table.add(row.key, postings.collect());
    }
    buckets.into_flattened()
}

/// A table that is being filled.
pub(super) struct TableFiller<'a> {
    buckets: &'a mut [Bucket],
    /// Number of slots of each bucket that are used.
    used: Vec<usize>,
}

impl<'a> TableFiller<'a> {
    /// Starts to fill these buckets, which are empty.
    pub(super) fn new(buckets: &'a mut [Bucket]) -> Self {
        let used = vec![0; buckets.len()];
        TableFiller { buckets, used }
    }

    /// Adds the row of a key, unless there is no room.
    fn add(&mut self, key: u64, mut postings: Vec<u32>) {
        if postings.len() > LONG_ROW_SLOTS {
            if self.add_long(key, &postings) {
                return;
            }
            postings.truncate(LONG_ROW_SLOTS - 1);
        }
        let home = bucket_index(key, self.buckets.len());
        if self.free_slots(home) >= postings.len() {
            self.place(home, &postings);
        } else if self.free_slots(neighbour(home)) >= postings.len() {
            self.mark(home, fingerprint(key));
            self.place(neighbour(home), &postings);
        }
    }

    /// Adds a row that fills its bucket, with its rest in the neighbour and under the continued
    /// key, as far as there is room. Returns `false` if its bucket is not empty.
    fn add_long(&mut self, key: u64, postings: &[u32]) -> bool {
        let home = bucket_index(key, self.buckets.len());
        let neighbour = neighbour(home);
        // The last slot of the neighbour is left for a mark.
        let room = self.free_slots(neighbour).saturating_sub(1);
        if self.used[home] > 0 || room == 0 {
            return false;
        }
        let (first, rest) = postings.split_at(LONG_ROW_SLOTS);
        self.place(home, first);
        self.place(neighbour, &rest[..rest.len().min(room)]);
        self.mark(home, fingerprint(key));
        if postings.len() > TWO_BUCKET_SLOTS && room == LONG_ROW_SLOTS {
            let continued = continued_key(key);
            let change = fingerprint(key) ^ fingerprint(continued);
            let rest = postings[TWO_BUCKET_SLOTS..].iter();
            self.add(continued, rest.map(|posting| posting ^ change).collect());
        }
        true
    }

    /// Places postings in a bucket. Returns `None` if there is no room.
    pub(super) fn place(&mut self, index: usize, postings: &[u32]) -> Option<()> {
        if self.free_slots(index) < postings.len() {
            return None;
        }
        let slots = self.buckets[index].as_chunks_mut::<4>().0;
        for (slot, posting) in slots[self.used[index]..].iter_mut().zip(postings) {
            *slot = posting.to_le_bytes();
        }
        self.used[index] += postings.len();
        Some(())
    }

    /// Marks that the row with this fingerprint is in the neighbour of a bucket. In a full bucket
    /// the mark replaces the last posting of the rarest row. Returns `None` if it does, or if there
    /// is no such bucket.
    pub(super) fn mark(&mut self, index: usize, fingerprint: u32) -> Option<()> {
        let last = self.buckets.get_mut(index)?.last_chunk_mut()?;
        let previous = u32::from_le_bytes(*last);
        let marks = is_overflow_mark(previous).then_some(previous);
        *last = (marks.unwrap_or(0) | overflow_mark(fingerprint)).to_le_bytes();
        marks.map(drop)
    }

    /// Returns the number of postings for which a bucket has room. Overflow marks take the last
    /// slot.
    fn free_slots(&self, index: usize) -> usize {
        let Some(bucket) = self.buckets.get(index) else {
            return 0;
        };
        let has_marks = bucket[BUCKET_BYTES - 4..] != [0; 4] && self.used[index] < SLOTS;
        (SLOTS - usize::from(has_marks)).saturating_sub(self.used[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::row_finder::RowFinder;
    use crate::evidence::table::EvidenceTable;

    fn rows(number: u64, classes: u16) -> Vec<FeatureRow> {
        let key = |n: u64| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let row = |n| FeatureRow {
            key: key(n),
            log_probability: -(n as f32),
            base: 0.0,
            classes: (0..classes).map(|class| (class, 2.0)).collect(),
        };
        (0..number).map(row).collect()
    }

    /// Returns the stored classes of a row with their evidence.
    fn find(buckets: &[Bucket], row: &FeatureRow) -> Vec<(usize, u32)> {
        let table = EvidenceTable {
            buckets,
            classes: 100,
            excluded: &[],
        };
        let mut postings = Vec::new();
        RowFinder::default().read_row(&table, row.key, &mut postings);
        postings
    }

    #[test]
    fn a_row_is_stored_whole_or_not_at_all() {
        for buckets in [4, 9, 40] {
            let bytes = fill_buckets(rows(40, 5), Some(buckets));
            let buckets: &[[u8; BUCKET_BYTES]] = bytes.as_chunks().0;
            let postings: Vec<usize> = rows(40, 5).iter().map(|r| find(buckets, r).len()).collect();
            let whole = postings.iter().filter(|number| **number == 5).count();
            assert!(
                whole >= buckets.len().min(30),
                "{whole} of 40 in {} buckets",
                buckets.len()
            );
            // An overflow mark may replace the last posting of a full bucket.
            assert!(
                postings.iter().all(|number| [0, 4, 5].contains(number)),
                "{postings:?}"
            );
        }
    }

    #[test]
    fn the_most_frequent_rows_are_placed_first() {
        let bytes = fill_buckets(rows(100, 5), Some(2));
        let buckets: &[[u8; BUCKET_BYTES]] = bytes.as_chunks().0;
        assert!(rows(4, 5).iter().all(|r| !find(buckets, r).is_empty()));
    }

    #[test]
    fn a_long_row_is_found_whole() {
        for classes in [14, 15, 16, 29, 30, 31, 45, 59] {
            let rows = rows(1, classes);
            let bytes = fill_buckets(rows.clone(), Some(100));
            let found = find(bytes.as_chunks().0, &rows[0]);
            let all: Vec<usize> = (0..usize::from(classes)).collect();
            assert_eq!(
                found.iter().map(|(class, _)| *class).collect::<Vec<_>>(),
                all
            );
        }
    }
}
