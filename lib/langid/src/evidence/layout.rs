//! The layout of the evidence part of a model: classes, names, and the hash table, which is used in
//! place. Integers are little-endian.
//!
//! | part | entry |
//! |---|---|
//! | header, 64 bytes | see below |
//! | classes, in the order of their numbers | see `classes` |
//! | strings | UTF-8, then 0 up to a multiple of 64 |
//! | buckets, 64 bytes each | see `table` |
//!
//! The header has: magic (8 bytes), version, classes, buckets, bytes of strings (u32 each), 32
//! bytes 0, checksum (u64). What is expected of the texts of a class is described in `expected`.

use crate::classes::CLASS_BYTES;
use crate::evidence::table::{BASE_CLASS, BUCKET_BYTES};
use crate::format::decode_u32;
use std::ops::Range;

pub(super) const MAGIC: [u8; 8] = *b"forage\0e";
pub(super) const VERSION: u32 = 2;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;

/// Maximum number of classes, so that their numbers are less than [`BASE_CLASS`].
pub(super) const MAX_CLASSES: usize = BASE_CLASS as usize - 1;

/// Returns the ranges of classes, strings and buckets by the numbers in the header, or `None` if a
/// number overflows or is too large.
pub fn locate_parts(bytes: &[u8]) -> Option<[Range<usize>; 3]> {
    let number = |offset: usize| decode_u32(bytes, offset);
    let classes = number(12).filter(|number| *number <= MAX_CLASSES)? * CLASS_BYTES;
    let strings = HEADER_BYTES + classes;
    let end = strings.checked_add(number(20)?)?;
    let buckets = end.checked_next_multiple_of(BUCKET_BYTES)?;
    let length = buckets.checked_add(number(16)?.checked_mul(BUCKET_BYTES)?)?;
    Some([HEADER_BYTES..strings, strings..end, buckets..length])
}
