//! The hashes by which a journal is recognised.

use crate::journal::{Journal, JournalError};

/// Bytes at the end of what is contained, and at the start of the journal, that are hashed.
pub(crate) const END_BYTES: u64 = 4096;
pub(crate) const START_BYTES: u64 = 64;

/// The hashes by which a journal is recognised of which `length` bytes are contained: of the last ones, and of the
/// first.
pub(crate) fn fingerprint(journal: &Journal, length: u64) -> Result<[String; 2], JournalError> {
    let end = journal.hash_of(length.saturating_sub(END_BYTES), length)?;
    Ok([end, journal.hash_of(0, START_BYTES.min(length))?])
}
