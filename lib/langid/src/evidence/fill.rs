//! Rows into buckets.

use crate::evidence::STEPS;
use crate::evidence::build::Row;
use crate::evidence::table::{BASE_CLASS, BUCKET, FULL, PLACES, bucket, neighbour, posting};

/// Part of the places that are filled where the number of buckets is free.
const LOAD: f64 = 0.6;

/// The postings of a row: the greatest evidence, what was taken from all, then the rest.
fn postings(row: &Row) -> Vec<u32> {
    let quantised = |evidence: f32| (f64::from(evidence) * STEPS).round() as u32;
    let base = (row.base > 0.0).then(|| (BASE_CLASS, quantised(row.base)));
    let mut classes = row.classes.iter().map(|(class, evidence)| (*class, quantised(*evidence)));
    let all = classes.next().into_iter().chain(base).chain(classes).filter(|(_, evidence)| *evidence > 0);
    all.map(|(class, evidence)| posting(row.key, class, evidence)).collect()
}

/// The table of these rows. What is most frequent finds its place first; where a bucket is full, the rest of a row, its
/// classes with the least evidence, is left out.
pub(crate) fn fill(mut rows: Vec<Row>, buckets: Option<usize>) -> Vec<u8> {
    rows.sort_unstable_by(|a, b| b.frequency.total_cmp(&a.frequency).then(a.key.cmp(&b.key)));
    let wanted: usize = rows.iter().map(|row| row.classes.len() + usize::from(row.base > 0.0)).sum();
    let number = buckets.unwrap_or((wanted as f64 / LOAD) as usize / PLACES + 1);
    let mut places = vec![0u32; number * PLACES];
    let mut used = vec![0u8; number];
    for row in &rows {
        let postings = postings(row);
        let home = bucket(row.key, number);
        let beside = neighbour(home);
        let has_room = |at: usize| at < number && PLACES - usize::from(used[at]) >= postings.len();
        let at = if has_room(home) || !has_room(beside) {
            home
        } else {
            // Who looks at home must go on to look here.
            places[home * PLACES + PLACES - 1] = FULL;
            used[home] = PLACES as u8;
            beside
        };
        let free = PLACES - usize::from(used[at]);
        for posting in postings.into_iter().take(free) {
            places[at * PLACES + usize::from(used[at])] = posting;
            used[at] += 1;
        }
    }
    let mut bytes = Vec::with_capacity(number * BUCKET);
    places.iter().for_each(|place| bytes.extend_from_slice(&place.to_le_bytes()));
    bytes
}
