//! The rows of a table one by one, to make it smaller (`compact`) and to store it
//! (`packed`).

use crate::evidence::table::{
    BASE_CLASS, Bucket, SLOTS, is_overflow_mark, neighbour, overflow_mark, pack_posting,
};
#[cfg(feature = "tools")]
use crate::evidence::table::{may_be_in_neighbour, slot_fingerprint, unpack_posting};

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableRow {
    /// Index of the bucket that holds the row.
    pub(crate) bucket: usize,
    pub(crate) fingerprint: u32,
    /// True if the row may be that of a key of the neighbouring bucket, which has a mark for it.
    pub(crate) is_marked: bool,
    /// Evidence that was subtracted from all classes.
    pub(crate) base: u32,
    /// Classes with their evidence, greatest first.
    pub(crate) classes: Vec<(u16, u32)>,
}

impl TableRow {
    /// Writes the postings of the row: the greatest evidence, the base, then the other classes.
    /// Returns how many.
    #[inline]
    pub(crate) fn postings(&self, slots: &mut [u32; SLOTS]) -> usize {
        let pack = |(class, evidence): (u16, u32)| {
            pack_posting(u64::from(self.fingerprint), class, evidence)
        };
        let base = (self.base > 0).then_some((BASE_CLASS, self.base));
        let (first, others) = self.classes.split_at(self.classes.len().min(1));
        let all = first.iter().copied().chain(base);
        let mut number = 0;
        for (slot, posting) in slots.iter_mut().zip(all.chain(others.iter().copied())) {
            *slot = pack(posting);
            number += 1;
        }
        number
    }
}

#[cfg(feature = "tools")]
/// Returns the rows of a table, sorted by bucket and fingerprint.
pub(crate) fn read_rows(buckets: &[Bucket]) -> Vec<TableRow> {
    let mut rows = Vec::new();
    for (index, bucket) in buckets.iter().enumerate() {
        let first_row = rows.len();
        for slot in slots_of(bucket) {
            if is_overflow_mark(slot) {
                continue;
            }
            let fingerprint = slot_fingerprint(slot);
            let known = rows[first_row..]
                .iter()
                .position(|row: &TableRow| row.fingerprint == fingerprint);
            let position = known.map_or(rows.len(), |known| first_row + known);
            if position == rows.len() {
                rows.push(TableRow {
                    bucket: index,
                    fingerprint,
                    is_marked: is_in_neighbours_row(buckets, index, fingerprint),
                    base: 0,
                    classes: Vec::new(),
                });
            }
            match unpack_posting(slot) {
                (class, base) if class == usize::from(BASE_CLASS) => rows[position].base = base,
                (class, evidence) => rows[position].classes.push((class as u16, evidence)),
            }
        }
        rows[first_row..].sort_by_key(|row| row.fingerprint);
    }
    for row in &mut rows {
        row.classes
            .sort_by_key(|(_, evidence)| std::cmp::Reverse(*evidence));
    }
    rows.retain(|row| !row.classes.is_empty());
    rows
}

#[cfg(feature = "tools")]
fn slots_of(bucket: &Bucket) -> impl Iterator<Item = u32> {
    bucket.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b))
}

#[cfg(feature = "tools")]
/// Returns `true` if a look-up in the neighbour of the bucket goes on to this row.
fn is_in_neighbours_row(buckets: &[Bucket], bucket: usize, fingerprint: u32) -> bool {
    buckets
        .get(neighbour(bucket))
        .is_some_and(|other| may_be_in_neighbour(other, fingerprint))
}

/// Places rows in a table.
pub(crate) struct TableWriter<'a> {
    buckets: &'a mut [Bucket],
    /// The bucket of the last row, and how many of its slots are used.
    last: (usize, usize),
}

impl<'a> TableWriter<'a> {
    /// Starts to fill these buckets, which are empty.
    pub(crate) fn new(buckets: &'a mut [Bucket]) -> Self {
        let last = (0, 0);
        TableWriter { buckets, last }
    }

    /// Places a row, whose bucket is not before that of the last one. Returns `None` if there is no
    /// room, which does not happen with rows of one table.
    #[inline]
    pub(crate) fn add(&mut self, row: &TableRow) -> Option<()> {
        let start = if self.last.0 == row.bucket {
            self.last.1
        } else {
            0
        };
        let mut slots = [0; SLOTS];
        let number = row.postings(&mut slots);
        let bucket = self.buckets.get_mut(row.bucket)?.as_chunks_mut::<4>().0;
        let free = bucket.get_mut(start..start + number)?;
        if free.last()? != &[0; 4] {
            return None;
        }
        for (place, slot) in free.iter_mut().zip(slots) {
            *place = slot.to_le_bytes();
        }
        self.last = (row.bucket, start + number);
        if row.is_marked {
            self.mark(neighbour(row.bucket), row.fingerprint)?;
        }
        Some(())
    }

    fn mark(&mut self, bucket: usize, fingerprint: u32) -> Option<()> {
        let last = self.buckets.get_mut(bucket)?.last_chunk_mut::<4>()?;
        let marks = u32::from_le_bytes(*last);
        *last = (marks | overflow_mark(fingerprint)).to_le_bytes();
        is_overflow_mark(marks).then_some(())
    }
}
