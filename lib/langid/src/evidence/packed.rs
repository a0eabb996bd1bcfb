//! The evidence part of a model in a form that general compression makes small: the file
//! `model/compact.bin` in the package of this crate, which a registry compresses as a whole.
//!
//! The file has the header, classes and strings of the evidence part that it unpacks to (see
//! `layout`), the numbers of rows and of postings and the bytes of the second column (u32 each), the
//! classes by their numbers of postings, most first (u16 each), and columns of bytes. The rows are
//! sorted by bucket and fingerprint, which form their key.
//!
//! | column | entry, per row |
//! |---|---|
//! | key, low | the lowest 8 bits of the difference to the previous key |
//! | key, high | the other bits; a byte 255 is added to the next one |
//! | kind | classes (4 bits), base in units of [`BASE_UNIT`] (3), 1 if the row is marked (1) |
//! | class, low | for each posting, the lowest 8 bits of the rank of its class |
//! | class, high | for each posting, the other bits of the rank |
//! | evidence | that of the first class |
//! | decrease | for each other class, by how much its evidence is less than that before |

use crate::classes::CLASS_BYTES;
use crate::evidence::layout::locate_parts;
use crate::evidence::table::{BUCKET_BYTES, FINGERPRINT_BITS, SLOTS};
#[cfg(feature = "tools")]
use crate::evidence::table_row::read_rows;
use crate::evidence::table_row::{TableRow, TableWriter};
use crate::format::decode_u32;
#[cfg(feature = "tools")]
use crate::format::encode_u32;

/// Number of fingerprints per bucket.
const FINGERPRINTS: u64 = 1 << FINGERPRINT_BITS;

/// Resolution of the base of a row.
pub(crate) const BASE_UNIT: u32 = 8;

/// Bits of the kind of a row.
const CLASSES_MASK: u8 = 15;
const BASE_SHIFT: u32 = 4;
const BASE_MASK: u8 = 7;
const MARKED: u8 = 0x80;

/// Greatest base that a row can have.
#[cfg(feature = "tools")]
pub(crate) const MAX_BASE: u32 = BASE_MASK as u32 * BASE_UNIT;

/// Greatest number of classes that a row can have.
#[cfg(feature = "tools")]
pub(crate) const MAX_ROW_CLASSES: usize = CLASSES_MASK as usize;

/// Bytes whose start may be padded, so that a bucket is a cache line.
#[derive(Debug)]
pub(crate) struct PaddedBytes {
    bytes: Vec<u8>,
    start: usize,
}

impl PaddedBytes {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Returns the evidence part of a model that [`pack`] packed, or `None` if the bytes are none.
pub(crate) fn unpack(packed: &[u8]) -> Option<PaddedBytes> {
    let [classes, _, buckets] = locate_parts(packed)?;
    let (head, columns) = packed.split_at_checked(buckets.start)?;
    let mut bytes = vec![0; buckets.end + BUCKET_BYTES];
    let start = bytes.as_ptr().align_offset(BUCKET_BYTES);
    bytes.truncate(start.checked_add(buckets.end)?);
    bytes
        .get_mut(start..start + head.len())?
        .copy_from_slice(head);
    let table = bytes.get_mut(start + head.len()..)?;
    let mut writer = TableWriter::new(table.as_chunks_mut::<BUCKET_BYTES>().0);
    let mut columns = Columns::new(columns, classes.len() / CLASS_BYTES)?;
    let mut row = TableRow {
        bucket: 0,
        fingerprint: 0,
        is_marked: false,
        base: 0,
        classes: Vec::with_capacity(SLOTS),
    };
    let mut key = 0;
    while columns.read_row(&mut key, &mut row)? {
        writer.add(&row)?;
    }
    Some(PaddedBytes { bytes, start })
}

/// The columns of a packed file, each from the next row on.
struct Columns<'a> {
    /// The classes by rank.
    ranked: &'a [[u8; 2]],
    key_low: std::slice::Iter<'a, u8>,
    key_high: std::slice::Iter<'a, u8>,
    kinds: std::slice::Iter<'a, u8>,
    class_low: std::slice::Iter<'a, u8>,
    class_high: std::slice::Iter<'a, u8>,
    evidence: std::slice::Iter<'a, u8>,
    decreases: std::slice::Iter<'a, u8>,
}

impl<'a> Columns<'a> {
    /// Locates the columns of a model with this number of classes.
    fn new(bytes: &'a [u8], classes: usize) -> Option<Self> {
        let (numbers, rest) = bytes.split_at_checked(12)?;
        let (ranked, mut rest) = rest.split_at_checked(classes * 2)?;
        let number = |index: usize| decode_u32(numbers, index * 4);
        let (rows, postings, key_high) = (number(0)?, number(1)?, number(2)?);
        let mut take = |length: usize| {
            let (column, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(column.iter())
        };
        Some(Columns {
            ranked: ranked.as_chunks().0,
            key_low: take(rows)?,
            key_high: take(key_high)?,
            kinds: take(rows)?,
            class_low: take(postings)?,
            class_high: take(postings)?,
            evidence: take(rows)?,
            decreases: take(postings.checked_sub(rows)?)?,
        })
    }

    /// Reads the row after the one with this key. Returns `false` at the end, `None` if a column is
    /// too short.
    #[inline]
    fn read_row(&mut self, key: &mut u64, row: &mut TableRow) -> Option<bool> {
        let Some(low) = self.key_low.next() else {
            return Some(false);
        };
        let mut high = 0;
        loop {
            let byte = *self.key_high.next()?;
            high += u64::from(byte);
            if byte < u8::MAX {
                break;
            }
        }
        *key += (high << 8) + u64::from(*low);
        row.bucket = (*key / FINGERPRINTS) as usize;
        row.fingerprint = (*key % FINGERPRINTS) as u32;
        let kind = *self.kinds.next()?;
        row.is_marked = kind & MARKED != 0;
        row.base = u32::from(kind >> BASE_SHIFT & BASE_MASK) * BASE_UNIT;
        row.classes.clear();
        let mut evidence = u32::from(*self.evidence.next()?);
        for index in 0..kind & CLASSES_MASK {
            if index > 0 {
                evidence = evidence.checked_sub(u32::from(*self.decreases.next()?))?;
            }
            let rank = u16::from_le_bytes([*self.class_low.next()?, *self.class_high.next()?]);
            let class = self.ranked.get(usize::from(rank))?;
            row.classes.push((u16::from_le_bytes(*class), evidence));
        }
        Some(true)
    }
}

/// Packs the evidence part of a model, whose bases are multiples of [`BASE_UNIT`] up to
/// [`MAX_BASE`]. Returns `None` if the bytes are none.
#[cfg(feature = "tools")]
pub(crate) fn pack(evidence: &[u8]) -> Option<Vec<u8>> {
    let [classes, _, range] = locate_parts(evidence)?;
    let buckets = evidence.get(range.clone())?.as_chunks().0;
    let rows = read_rows(buckets);
    let ranked = rank_classes(&rows, classes.len() / CLASS_BYTES)?;
    let mut ranks = vec![0; ranked.len()];
    for (rank, class) in (0u16..).zip(&ranked) {
        ranks[usize::from(*class)] = rank;
    }
    let mut columns: [Vec<u8>; 7] = Default::default();
    let mut previous = 0;
    for row in &rows {
        let key = row.bucket as u64 * FINGERPRINTS + u64::from(row.fingerprint);
        push_row(&mut columns, key - previous, row, &ranks);
        previous = key;
    }
    let mut packed = evidence[..range.start].to_vec();
    for number in [rows.len(), columns[3].len(), columns[1].len()] {
        packed.extend_from_slice(&encode_u32(number));
    }
    packed.extend(ranked.into_iter().flat_map(u16::to_le_bytes));
    packed.extend(columns.into_iter().flatten());
    Some(packed)
}

/// Returns the classes by their numbers of postings, most first, or `None` if a row has a class
/// that the model does not have.
#[cfg(feature = "tools")]
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
#[cfg(feature = "tools")]
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
