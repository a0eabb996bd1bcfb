//! Placement of rows in the buckets of a table.

use crate::evidence::STEPS_PER_NAT;
use crate::evidence::build::FeatureRow;
use crate::evidence::table::{
    BASE_CLASS, BUCKET_BYTES, SLOTS, bucket_index, fingerprint, is_overflow_mark, neighbour,
    overflow_mark, pack_posting,
};

/// Share of the slots that are filled if the number of buckets is not fixed. Set by judgement, not
/// measured.
const LOAD_FACTOR: f64 = 0.6;

/// Returns the postings of a row: the greatest evidence, the base, then the other classes.
fn row_postings(row: &FeatureRow) -> Vec<u32> {
    let quantise = |evidence: f32| (f64::from(evidence) * STEPS_PER_NAT).round() as u32;
    let base = (row.base > 0.0).then(|| (BASE_CLASS, quantise(row.base)));
    let mut classes = row
        .classes
        .iter()
        .map(|(class, evidence)| (*class, quantise(*evidence)));
    classes
        .next()
        .into_iter()
        .chain(base)
        .chain(classes)
        .filter(|(_, evidence)| *evidence > 0)
        .map(|(class, evidence)| pack_posting(row.key, class, evidence))
        .collect()
}

/// Returns the table of these rows. The most frequent features are placed first. A row that does
/// not fit into its bucket or the neighbouring one is left out.
pub(crate) fn fill_buckets(mut rows: Vec<FeatureRow>, buckets: Option<usize>) -> Vec<u8> {
    rows.sort_unstable_by(|a, b| {
        b.log_probability
            .total_cmp(&a.log_probability)
            .then(a.key.cmp(&b.key))
    });
    let postings: usize = rows
        .iter()
        .map(|row| row.classes.len() + usize::from(row.base > 0.0))
        .sum();
    let number = buckets.unwrap_or((postings as f64 / LOAD_FACTOR) as usize / SLOTS + 1);
    let mut buckets = vec![[0u32; SLOTS]; number];
    let mut used = vec![0; number];
    for row in &rows {
        let postings = row_postings(row);
        let home = bucket_index(row.key, number);
        let neighbour = neighbour(home);
        let free_slots = |index: usize| {
            used.get(index).map_or(0, |used| {
                usable_slots(&buckets[index]).saturating_sub(*used)
            })
        };
        let overflows =
            free_slots(home) < postings.len() && free_slots(neighbour) >= postings.len();
        let index = if overflows { neighbour } else { home };
        if free_slots(index) < postings.len() {
            continue;
        }
        if overflows {
            mark_overflow(&mut buckets[home], fingerprint(row.key));
        }
        buckets[index][used[index]..used[index] + postings.len()].copy_from_slice(&postings);
        used[index] += postings.len();
    }
    let mut bytes = Vec::with_capacity(number * BUCKET_BYTES);
    for slot in buckets.iter().flatten() {
        bytes.extend_from_slice(&slot.to_le_bytes());
    }
    bytes
}

/// Returns the number of postings that a bucket may hold. Overflow marks take the last slot.
fn usable_slots(bucket: &[u32; SLOTS]) -> usize {
    let last = bucket[SLOTS - 1];
    if last != 0 && is_overflow_mark(last) {
        SLOTS - 1
    } else {
        SLOTS
    }
}

/// Marks that the row with this fingerprint is in the neighbour. In a full bucket the mark replaces
/// the last posting of the rarest row.
fn mark_overflow(bucket: &mut [u32; SLOTS], fingerprint: u32) {
    let last = &mut bucket[SLOTS - 1];
    let marks = if is_overflow_mark(*last) { *last } else { 0 };
    *last = marks | overflow_mark(fingerprint);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::table::find_row;

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

    #[test]
    fn a_row_is_stored_whole_or_not_at_all() {
        for buckets in [4, 9, 40] {
            let bytes = fill_buckets(rows(40, 5), Some(buckets));
            let buckets: &[[u8; BUCKET_BYTES]] = bytes.as_chunks().0;
            let postings: Vec<usize> = rows(40, 5)
                .iter()
                .map(|r| find_row(buckets, r.key).postings().count())
                .collect();
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
        assert!(
            rows(4, 5)
                .iter()
                .all(|r| !find_row(buckets, r.key).is_empty())
        );
    }
}
