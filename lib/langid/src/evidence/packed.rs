//! The evidence part of a model in a form that general compression makes small: the file
//! `model/compact.bin` in the package of this crate, which a registry compresses as a whole.
//!
//! The file has the header, classes and strings of the evidence part that it unpacks to (see
//! `layout`), the numbers of rows and of postings and the bytes of the second column (u32 each),
//! the classes by their numbers of postings, most first (u16 each), and columns of bytes. The rows
//! are sorted by bucket and fingerprint, which form their key.
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
use crate::evidence::fill::{TableFiller, row_postings};
use crate::evidence::layout::locate_parts;
use crate::evidence::table::{BUCKET_BYTES, FINGERPRINT_BITS, SLOTS, neighbour};
use crate::format::decode_u32;

/// Number of fingerprints per bucket.
pub const FINGERPRINTS: u64 = 1 << FINGERPRINT_BITS;

/// Resolution of the base of a row.
pub const BASE_UNIT: u32 = 8;

/// Bits of the kind of a row: its number of classes.
pub const CLASSES_MASK: u8 = 15;
/// Place of the base in the kind of a row.
pub const BASE_SHIFT: u32 = 4;
/// Bits of the base of a row.
pub const BASE_MASK: u8 = 7;
/// The bit of the kind of a marked row.
pub const MARKED: u8 = 0x80;

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    /// Index of the bucket that holds the row.
    pub bucket: usize,
    /// The fingerprint of its word or n-gram.
    pub fingerprint: u32,
    /// True if the row may be that of a key of the neighbouring bucket, which has a mark for it.
    pub is_marked: bool,
    /// Evidence that was subtracted from all classes.
    pub base: u32,
    /// Classes with their evidence, greatest first.
    pub classes: Vec<(u16, u32)>,
}

/// Bytes whose start may be padded, so that a bucket is a cache line.
#[derive(Debug)]
pub struct PaddedBytes {
    bytes: Vec<u8>,
    start: usize,
}

impl PaddedBytes {
    /// Returns the bytes without the padding.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Returns the evidence part of a model that was packed, or `None` if the bytes are none.
pub fn unpack(packed: &[u8]) -> Option<PaddedBytes> {
    let [classes, _, buckets] = locate_parts(packed)?;
    let (head, columns) = packed.split_at_checked(buckets.start)?;
    let mut bytes = vec![0; buckets.end + BUCKET_BYTES];
    let start = bytes.as_ptr().align_offset(BUCKET_BYTES);
    bytes.truncate(start.checked_add(buckets.end)?);
    let copied = bytes.get_mut(start..start + head.len())?;
    copied.copy_from_slice(head);
    let table = bytes.get_mut(start + head.len()..)?;
    let mut filler = TableFiller::new(table.as_chunks_mut::<BUCKET_BYTES>().0);
    let mut columns = Columns::new(columns, classes.len() / CLASS_BYTES)?;
    let mut row = TableRow {
        bucket: 0,
        fingerprint: 0,
        is_marked: false,
        base: 0,
        classes: Vec::with_capacity(SLOTS),
    };
    let mut key = 0;
    let mut postings = Vec::with_capacity(SLOTS);
    while columns.read_row(&mut key, &mut row)? {
        postings.clear();
        let classes = row.classes.iter().copied();
        postings.extend(row_postings(u64::from(row.fingerprint), row.base, classes));
        filler.place(row.bucket, &postings)?;
        if row.is_marked {
            filler.mark(neighbour(row.bucket), row.fingerprint)?;
        }
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
