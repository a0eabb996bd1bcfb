//! Rows into buckets.

use crate::evidence::STEPS;
use crate::evidence::build::Row;
use crate::evidence::table::{
    BASE_CLASS, BUCKET, PLACES, beside, bucket, fingerprint, is_mark, neighbour, posting,
};

/// Part of the places that are filled where the number of buckets is free.
const LOAD: f64 = 0.6;

/// The postings of a row: the greatest evidence, what was taken from all, then the rest.
fn postings(row: &Row) -> Vec<u32> {
    let quantised = |evidence: f32| (f64::from(evidence) * STEPS).round() as u32;
    let base = (row.base > 0.0).then(|| (BASE_CLASS, quantised(row.base)));
    let mut classes = row
        .classes
        .iter()
        .map(|(class, evidence)| (*class, quantised(*evidence)));
    let all = classes
        .next()
        .into_iter()
        .chain(base)
        .chain(classes)
        .filter(|(_, evidence)| *evidence > 0);
    all.map(|(class, evidence)| posting(row.key, class, evidence))
        .collect()
}

/// The table of these rows. What is most frequent finds its place first; where a bucket is full,
/// the rest of a row, its classes with the least evidence, is left out.
pub(crate) fn fill(mut rows: Vec<Row>, buckets: Option<usize>) -> Vec<u8> {
    rows.sort_unstable_by(|a, b| b.frequency.total_cmp(&a.frequency).then(a.key.cmp(&b.key)));
    let wanted: usize = rows
        .iter()
        .map(|row| row.classes.len() + usize::from(row.base > 0.0))
        .sum();
    let number = buckets.unwrap_or((wanted as f64 / LOAD) as usize / PLACES + 1);
    let mut places = vec![[0u32; PLACES]; number];
    let mut used = vec![0; number];
    for row in &rows {
        let postings = postings(row);
        let home = bucket(row.key, number);
        let beside = neighbour(home);
        let free = |at: usize| {
            used.get(at)
                .map_or(0, |used| room(&places[at]).saturating_sub(*used))
        };
        let is_beside = free(home) < postings.len() && free(beside) >= postings.len();
        let at = if is_beside { beside } else { home };
        if free(at) < postings.len() {
            continue;
        }
        if is_beside {
            mark(&mut places[home], fingerprint(row.key));
        }
        places[at][used[at]..used[at] + postings.len()].copy_from_slice(&postings);
        used[at] += postings.len();
    }
    let mut bytes = Vec::with_capacity(number * BUCKET);
    places
        .iter()
        .flatten()
        .for_each(|place| bytes.extend_from_slice(&place.to_le_bytes()));
    bytes
}

/// Postings that a bucket may hold: the mark of rows in the neighbour takes the last place.
fn room(bucket: &[u32; PLACES]) -> usize {
    let last = bucket[PLACES - 1];
    if last != 0 && is_mark(last) {
        PLACES - 1
    } else {
        PLACES
    }
}

/// Notes that the row with this fingerprint is in the neighbour.
fn mark(bucket: &mut [u32; PLACES], fingerprint: u32) {
    let last = &mut bucket[PLACES - 1];
    let marks = if is_mark(*last) { *last } else { 0 };
    *last = marks | beside(fingerprint);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::table::row;

    fn rows(number: u64, classes: u16) -> Vec<Row> {
        let key = |n: u64| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let row = |n| Row {
            key: key(n),
            frequency: -(n as f32),
            base: 0.0,
            classes: (0..classes).map(|class| (class, 2.0)).collect(),
        };
        (0..number).map(row).collect()
    }

    #[test]
    fn a_row_is_found_whole_or_not_at_all() {
        for buckets in [4, 9, 40] {
            let bytes = fill(rows(40, 5), Some(buckets));
            let buckets: &[[u8; BUCKET]] = bytes.as_chunks().0;
            let found: Vec<usize> = rows(40, 5)
                .iter()
                .map(|r| row(buckets, r.key).postings().count())
                .collect();
            let whole = found.iter().filter(|postings| **postings == 5).count();
            assert!(
                whole >= buckets.len().min(30),
                "{whole} of 40 in {} buckets",
                buckets.len()
            );
            // The mark of a neighbour's rows may cost the last row of a full bucket its last
            // posting.
            assert!(
                found.iter().all(|postings| [0, 4, 5].contains(postings)),
                "{found:?}"
            );
        }
    }

    #[test]
    fn the_most_frequent_rows_come_first() {
        let bytes = fill(rows(100, 5), Some(2));
        let buckets: &[[u8; BUCKET]] = bytes.as_chunks().0;
        assert!(rows(4, 5).iter().all(|r| !row(buckets, r.key).is_empty()));
    }
}
