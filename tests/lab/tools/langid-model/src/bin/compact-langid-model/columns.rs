//! The columns of a packed model; `evidence/packed.rs` of the crate describes them, and unpacks them.

use forage_langid::model_bytes::{
    BASE_MASK, BASE_SHIFT, BASE_UNIT, CLASSES_MASK, FINGERPRINTS, MARKED, TableRow, encode_u32,
};

/// Greatest base that a row can have.
pub const MAX_BASE: u32 = BASE_MASK as u32 * BASE_UNIT;

/// Greatest number of classes that a row can have.
pub const MAX_ROW_CLASSES: usize = CLASSES_MASK as usize;

/// Returns the packed form of an evidence part, given what precedes its buckets and its rows, whose
/// bases are multiples of [`BASE_UNIT`] up to [`MAX_BASE`]; `None` if a row has a class that is not
/// one of so many.
pub fn pack(head: &[u8], classes: usize, rows: &[TableRow]) -> Option<Vec<u8>> {
    let ranked = rank_classes(rows, classes)?;
    let mut ranks = vec![0; ranked.len()];
    for (rank, class) in (0u16..).zip(&ranked) {
        ranks[usize::from(*class)] = rank;
    }
    let mut columns: [Vec<u8>; 7] = Default::default();
    let mut previous = 0;
    for row in rows {
        let key = row.bucket as u64 * FINGERPRINTS + u64::from(row.fingerprint);
        push_row(&mut columns, key - previous, row, &ranks);
        previous = key;
    }
    let mut packed = head.to_vec();
    for number in [rows.len(), columns[3].len(), columns[1].len()] {
        packed.extend_from_slice(&encode_u32(number));
    }
    packed.extend(ranked.into_iter().flat_map(u16::to_le_bytes));
    packed.extend(columns.into_iter().flatten());
    Some(packed)
}

/// Returns the classes by their numbers of postings, most first, or `None` if a row has a class
/// that the model does not have.
fn rank_classes(rows: &[TableRow], classes: usize) -> Option<Vec<u16>> {
    let mut postings = vec![0u32; classes];
    for (class, _) in rows.iter().flat_map(|row| &row.classes) {
        *postings.get_mut(usize::from(*class))? += 1;
    }
    let mut ranked: Vec<u16> = (0..).take(classes).collect();
    ranked.sort_by_key(|class| std::cmp::Reverse(postings[usize::from(*class)]));
    Some(ranked)
}

/// Appends a row, whose key is greater than the previous one by `difference`, to the columns.
fn push_row(columns: &mut [Vec<u8>; 7], difference: u64, row: &TableRow, ranks: &[u16]) {
    let [
        key_low,
        key_high,
        kinds,
        class_low,
        class_high,
        evidence,
        decreases,
    ] = columns;
    key_low.push(difference as u8);
    let mut high = difference >> 8;
    while high >= u64::from(u8::MAX) {
        key_high.push(u8::MAX);
        high -= u64::from(u8::MAX);
    }
    key_high.push(high as u8);
    let base = ((row.base / BASE_UNIT) as u8).min(BASE_MASK);
    kinds.push(
        row.classes.len() as u8 & CLASSES_MASK
            | base << BASE_SHIFT
            | if row.is_marked { MARKED } else { 0 },
    );
    let mut previous = None;
    for (class, this) in &row.classes {
        let [low, high] = ranks[usize::from(*class)].to_le_bytes();
        class_low.push(low);
        class_high.push(high);
        match previous.replace(*this) {
            None => evidence.push(*this as u8),
            Some(previous) => decreases.push((previous - this) as u8),
        }
    }
}
