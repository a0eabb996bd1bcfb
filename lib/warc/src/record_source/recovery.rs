//! Records whose length is not the one that they state, and those that are cut: what there is of
//! them.

use super::RecordSource;
use crate::damage::RecordPosition;
use crate::peek_reader::Peek;
use crate::record::{self, RawRecord};
use crate::record_stream::{self, RecordCompression};
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// The line ends after a record, with CR or without.
const RECORD_ENDS: [&[u8]; 2] = [b"\r\n\r\n", b"\n\n"];

/// Line ends at the end of a block, which are not kept.
const END_LINES: usize = 4;

/// Returns `true` if these bytes may follow a record, whatever comes after them.
pub(super) fn is_record_end(bytes: &[u8]) -> bool {
    RECORD_ENDS.iter().any(|end| bytes.starts_with(end))
}

impl RecordSource {
    /// Reads the block of a record again, and what follows it up to the next record, as the stated
    /// length is wrong: some writers count characters instead of bytes, or line ends that they then
    /// convert.
    pub(super) fn read_block_to_next_record(&mut self, record: &mut RawRecord) -> io::Result<()> {
        if self.search_bytes_left == 0 {
            return Err(record::invalid_record(super::WRONG_LENGTH));
        }
        let wrong_block = record.block.take().unwrap_or_default();
        let wrong_length = wrong_block.len();
        self.reader().unread(&wrong_block);
        drop(wrong_block);
        let max_block_bytes = self.max_block_bytes;
        let mut block = Vec::new();
        let mut is_too_large = false;
        let add = &mut |bytes: &[u8]| {
            is_too_large |= (block.len() + bytes.len()) as u64 > max_block_bytes;
            if !is_too_large {
                block.extend_from_slice(bytes);
            }
        };
        let compression = Some(RecordCompression::Plain);
        let is_followed = record_stream::skip_to_record(self.reader(), compression, add)?;
        // What belongs to other records is read again.
        let read_again = wrong_length.saturating_sub(block.len()) as u64;
        self.search_bytes_left = self.search_bytes_left.saturating_sub(read_again);
        // Zeros stand for data that was not yet on the disk when a system crashed.
        let without_zeros = trim_end(&block, b"\0");
        let is_cut = !is_followed && !RECORD_ENDS.iter().any(|end| without_zeros.ends_with(end));
        block.truncate(trim_end(without_zeros, b"\r\n").len());
        record.block = Some(block).filter(|_| !is_too_large);
        if is_cut {
            record.mark_cut();
            self.defects.cut += 1;
        } else {
            self.defects.wrong_lengths += 1;
            if lacks_content(record) {
                record.mark_truncated();
            }
        }
        Ok(())
    }

    /// Returns the record at `position` in a gzip member that ends before its compressed data does:
    /// at the current position, where the next member begins or the file ends. `None` if the member
    /// is not cut but damaged, or ends before the block. The current position remains.
    pub(super) fn read_cut_record(
        &mut self,
        position: RecordPosition,
    ) -> io::Result<Option<RawRecord>> {
        let max_block_bytes = self.max_block_bytes;
        let file = self.close_member();
        let end = file.position();
        file.seek(position.offset)?;
        let bytes = end.saturating_sub(position.offset);
        let mut member = BufReader::new(GzDecoder::new((&mut *file).take(bytes)));
        let record = read_cut_member(&mut member, position.offset_in_member, max_block_bytes);
        file.seek(end)?;
        self.defects.cut += u64::from(record.is_some());
        Ok(record)
    }
}

/// Returns `true` if a record has less than its stated length, by more than line ends that its
/// writer has converted.
fn lacks_content(record: &RawRecord) -> bool {
    let (Some(length), Some(block)) = (record.stated_length(), &record.block) else {
        return false;
    };
    let line_ends = memchr::memchr_iter(b'\n', block).count() + END_LINES;
    length > (block.len() + line_ends) as u64
}

/// Reads the record at an offset of a member, up to where its compressed data ends.
fn read_cut_member(
    member: &mut impl BufRead,
    offset: u64,
    max_block_bytes: u64,
) -> Option<RawRecord> {
    io::copy(&mut member.take(offset), &mut io::sink()).ok()?;
    let mut record = record::read_header_block(member).ok()?;
    let length = record.stated_length().unwrap_or(u64::MAX);
    let mut block = Vec::new();
    let limit = max_block_bytes.saturating_add(1);
    let result = member
        .take(limit)
        .read_to_end(&mut block)
        .and_then(|_| io::copy(member, &mut io::sink()));
    let is_cut = result.is_err_and(|e| e.kind() == ErrorKind::UnexpectedEof);
    if !is_cut || block.is_empty() {
        return None;
    }
    match usize::try_from(length) {
        // Only the trailer of the member is cut.
        Ok(length) if length <= block.len() => {
            record.is_cut = true;
            block.truncate(length);
        }
        _ => record.mark_cut(),
    }
    record.block = Some(block).filter(|block| (block.len() as u64) < limit);
    Some(record)
}

fn trim_end<'a>(bytes: &'a [u8], padding: &[u8]) -> &'a [u8] {
    let content = bytes.iter().rposition(|byte| !padding.contains(byte));
    &bytes[..content.map_or(0, |last| last + 1)]
}
