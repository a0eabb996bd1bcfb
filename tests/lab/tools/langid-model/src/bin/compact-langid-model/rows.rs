//! The rows of a table of evidence, one by one.

use forage_langid::model_bytes::{
    BASE_CLASS, Bucket, TableRow, is_overflow_mark, may_be_in_neighbour, neighbour,
    slot_fingerprint, unpack_posting,
};

/// Returns the rows of a table, sorted by bucket and fingerprint.
pub fn read_rows(buckets: &[Bucket]) -> Vec<TableRow> {
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

fn slots_of(bucket: &Bucket) -> impl Iterator<Item = u32> {
    bucket.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b))
}

/// Returns `true` if a look-up in the neighbour of the bucket goes on to this row.
fn is_in_neighbours_row(buckets: &[Bucket], bucket: usize, fingerprint: u32) -> bool {
    buckets
        .get(neighbour(bucket))
        .is_some_and(|other| may_be_in_neighbour(other, fingerprint))
}
