//! Positions in an archive, the parts of it without readable records, and the records that are not
//! as they state.

use std::fmt;

/// The position of a record in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordPosition {
    /// The offset in the file of the record, or of the compressed member that it is in.
    pub offset: u64,
    /// The offset of the record in the decompressed member; 0 if it is not compressed.
    pub offset_in_member: u64,
}

/// Numbers of records of an archive that are not as they state. They were read nevertheless.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordDefects {
    /// Records with another length than the stated one, or without a valid one: these extend to the
    /// next record.
    pub wrong_lengths: u64,
    /// Records that are cut, as the file or the compressed member ends: there is only the beginning
    /// of these.
    pub cut: u64,
}

/// A part of an archive without readable records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveDamage {
    pub(crate) position: RecordPosition,
    /// The length of the part; `None` if it extends to the end of a member with other records.
    pub(crate) bytes: Option<u64>,
    pub(crate) cause: String,
    /// True if decompression failed, which may be long after the damage.
    pub(crate) is_decompression_error: bool,
}

impl ArchiveDamage {
    /// Returns the damage extended to the next record, at `end`.
    pub(crate) fn until(self, end: RecordPosition) -> ArchiveDamage {
        let is_same_member = end.offset == self.position.offset;
        let bytes = match self.position.offset_in_member {
            start if is_same_member => end.offset_in_member.checked_sub(start),
            0 => end.offset.checked_sub(self.position.offset),
            _ => None,
        };
        ArchiveDamage { bytes, ..self }
    }
}

impl fmt::Display for ArchiveDamage {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RecordPosition {
            offset,
            offset_in_member,
        } = self.position;
        write!(to, "no WARC record at byte {offset}")?;
        if offset_in_member > 0 {
            write!(to, " (byte {offset_in_member} of the decompressed member)")?;
        }
        match self.bytes {
            Some(bytes) => write!(to, ": {}; {bytes} bytes were skipped", self.cause),
            None => write!(
                to,
                ": {}; the rest of the compressed member was skipped",
                self.cause
            ),
        }?;
        if self.is_decompression_error && offset_in_member > 0 {
            write!(to, ", and the part that was read may be damaged")
        } else {
            Ok(())
        }
    }
}
