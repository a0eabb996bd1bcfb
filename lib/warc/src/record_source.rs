//! The records of a file: plain, or compressed in gzip members or zstd frames, with one record in
//! each, as the standards require, or several.
//!
//! After damage the next record is searched: first in the rest of a decompressed member, then in
//! the file, by the first bytes of records and members. A record with a wrong length extends to the
//! next one, and of a record that is cut there is the beginning (`recovery`).

mod recovery;

use crate::damage::{ArchiveDamage, RecordDefects, RecordPosition};
use crate::peek_reader::{Peek, PeekReader};
use crate::record::{self, RawRecord};
use crate::record_stream::{self, RecordCompression, RecordStream};
use crate::repair::begins_gzip_record;
use crate::zstd_frame;
use forage_content::{GZIP_MAGIC, ZSTD_MAGIC};
use ruzstd::decoding::FrameDecoder;
use std::fs::File;
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;

/// Size of the buffer of a file, in bytes.
const FILE_BUFFER_BYTES: usize = 1 << 16;
/// Bytes after a record that are looked at to recognise its end.
const END_BYTES: usize = 64;
/// Decompressed bytes of a member that are read again to reach a referenced record in it.
const MAX_SEEK_BYTES: u64 = 64 << 20;
/// Bytes of a file, and decompressed bytes of its members, that are read again to search for
/// records after damage. Beyond that, a search begins where reading has failed, so that an archive
/// of nothing but beginnings of records is read in linear time.
const MAX_SEARCH_BYTES: u64 = 1 << 30;
/// The first bytes of other formats that are mistaken for WARC, and the error messages for them.
const OTHER_FORMATS: [(&[u8], &str); 2] = [
    (
        b"filedesc:",
        "this is an ARC file, the predecessor of WARC; `warcio recompress` converts it",
    ),
    (
        b"PK\x03\x04",
        "this is a zip file; if it is a WACZ, unzip it and read the files in its folder archive",
    ),
];

/// Reads the records of a file.
pub(crate) struct RecordSource {
    /// `None` only while a member is opened or closed.
    stream: Option<RecordStream>,
    /// Maximum size of a block; of a record with a larger one, the block is skipped.
    max_block_bytes: u64,
    /// The offset of the open member.
    member_offset: u64,
    /// The compression of the last record.
    compression: Option<RecordCompression>,
    /// True if anything was read that begins like a record or a compressed member.
    is_archive: bool,
    /// False for pipes, which cannot seek.
    is_file: bool,
    /// The rest of [`MAX_SEARCH_BYTES`].
    search_bytes_left: u64,
    /// The zstd decoder, with the dictionary of the file.
    zstd_decoder: Option<Box<FrameDecoder>>,
    /// The records so far that are not as they state.
    defects: RecordDefects,
}

impl RecordSource {
    /// Opens a file. Blocks of more than `max_block_bytes` will be skipped.
    pub fn open(path: &Path, max_block_bytes: u64) -> io::Result<RecordSource> {
        let file = File::open(path)?;
        let is_file = file.metadata()?.is_file();
        Ok(RecordSource {
            stream: Some(RecordStream::Plain(PeekReader::new(
                file,
                FILE_BUFFER_BYTES,
            ))),
            max_block_bytes,
            member_offset: 0,
            compression: None,
            is_archive: false,
            is_file,
            search_bytes_left: MAX_SEARCH_BYTES,
            zstd_decoder: None,
            defects: RecordDefects::default(),
        })
    }

    /// Returns the record at a position of a file. Unlike [`RecordSource::next_record`], it does
    /// not search for one.
    pub fn read_record_at(
        path: &Path,
        position: RecordPosition,
        max_block_bytes: u64,
    ) -> io::Result<Option<RawRecord>> {
        let mut source = RecordSource::open(path, max_block_bytes)?;
        // Reads the dictionary, which is at the beginning of the file.
        source.skip_to_next_record()?;
        source.seek(position)?;
        let next = source.try_next_record().map_err(|(_, e)| e)?;
        Ok(next.map(|(record, _)| record))
    }

    /// Continues at the position of a record.
    ///
    /// # Errors
    /// Fails if the record is too far from the beginning of its member, or reading fails.
    pub fn seek(&mut self, position: RecordPosition) -> io::Result<()> {
        if position.offset_in_member > MAX_SEEK_BYTES {
            return Err(io::Error::other(
                "it is too far from the beginning of its compressed member",
            ));
        }
        self.seek_unbounded(position)
    }

    /// Continues at a position, at any distance from the beginning of its member.
    fn seek_unbounded(&mut self, position: RecordPosition) -> io::Result<()> {
        self.close_member().seek(position.offset)?;
        if position.offset_in_member > 0 {
            self.skip_to_next_record()?;
            let distance = position
                .offset_in_member
                .saturating_sub(self.reader().position());
            io::copy(&mut self.reader().take(distance), &mut io::sink())?;
        }
        Ok(())
    }

    /// Returns the next record; `None` at the end. Damage before the record is added to `damage`.
    ///
    /// # Errors
    /// Fails if reading fails, or the file is not an archive.
    pub fn next_record(
        &mut self,
        damage: &mut Vec<ArchiveDamage>,
    ) -> io::Result<Option<(RawRecord, RecordPosition)>> {
        let mut skipped: Option<ArchiveDamage> = None;
        loop {
            match self.try_next_record() {
                Ok(next) => {
                    let Some(skipped) = skipped else {
                        return Ok(next);
                    };
                    if !self.is_archive {
                        return Err(io::Error::other(format!(
                            "no WARC record at byte {}: {}",
                            skipped.position.offset, skipped.cause
                        )));
                    }
                    let end = next
                        .as_ref()
                        .map_or(self.position(), |(_, position)| *position);
                    damage.push(skipped.until(end));
                    return Ok(next);
                }
                Err((position, e)) if is_data_error(e.kind()) => {
                    // A member that cannot be decompressed may well have contained a record.
                    self.is_archive |= e.kind() != ErrorKind::InvalidData;
                    let can_read_again = self.search_next_record(position, e.kind())?;
                    if can_read_again
                        && skipped.is_none()
                        && let Some(record) = self.read_cut_record(position)?
                    {
                        return Ok(Some((record, position)));
                    }
                    skipped.get_or_insert(ArchiveDamage {
                        position,
                        bytes: None,
                        cause: e.to_string(),
                        is_decompression_error: e.kind() == ErrorKind::InvalidInput,
                    });
                }
                Err((_, e)) => return Err(e),
            }
        }
    }

    /// Returns the numbers of records so far that are not as they state.
    pub const fn defects(&self) -> RecordDefects {
        self.defects
    }

    /// Returns the next record with its position, or the position at which none can be read, and
    /// why.
    fn try_next_record(
        &mut self,
    ) -> Result<Option<(RawRecord, RecordPosition)>, (RecordPosition, io::Error)> {
        let has_next = self.skip_to_next_record();
        let position = self.position();
        has_next
            .and_then(|has_next| {
                if has_next {
                    let record = self.read_record()?;
                    Ok(Some((record, position)))
                } else {
                    Ok(None)
                }
            })
            .map_err(|e| (position, e))
    }

    /// Reads the record at the current position, and checks what follows it.
    fn read_record(&mut self) -> io::Result<RawRecord> {
        let start = self
            .reader()
            .peek(record::MAGIC.len().max(OTHER_FORMATS[0].0.len()))?;
        let is_split = matches!(start.len(), 1..5) && record::MAGIC.starts_with(start);
        let is_record = start.starts_with(record::MAGIC) || is_split;
        let other_format = OTHER_FORMATS
            .iter()
            .find(|(magic, _)| start.starts_with(magic));
        if let Some((_, message)) = other_format.filter(|_| !self.is_archive) {
            return Err(io::Error::new(ErrorKind::Unsupported, *message));
        }
        if !is_record {
            // Nothing is consumed, as a pipe cannot seek back.
            return Err(record::invalid_record(record::NO_MAGIC));
        }
        self.is_archive = true;
        let mut record = record::read_header_block(&mut RecordData(self))?;
        self.compression = Some(self.stream().compression());
        let available = self.available_bytes()?;
        let is_right = match record.stated_length().filter(|length| *length <= available) {
            Some(length) => self.read_stated_block(&mut record, length)?,
            None => false,
        };
        if !is_right {
            self.read_block_to_next_record(&mut record)?;
        }
        if self.is_compressed() && self.reader().is_at_end()? {
            self.close_member();
        }
        Ok(record)
    }

    /// Reads a block of the stated length. Returns `false` if that is wrong; then the block and
    /// nothing else was read.
    fn read_stated_block(&mut self, record: &mut RawRecord, length: u64) -> io::Result<bool> {
        let max_block_bytes = self.max_block_bytes;
        let (block, read) = record::read_block(&mut RecordData(self), length, max_block_bytes)?;
        record.block = block;
        let end = self.reader().position();
        let mut end_bytes = self.reader().peek(END_BYTES)?.to_vec();
        // The checksum of a member is at its end: only reading beyond the record verifies it.
        self.reader().skip_padding()?;
        let padding = self.reader().position() - end;
        let next = self.reader().peek(record::MAGIC.len())?;
        let is_followed_by_record = next.is_empty()
            || next.starts_with(record::MAGIC)
            || RecordCompression::from_magic(next) != RecordCompression::Plain;
        let has_record = |block: &Vec<u8>| RecordCompression::Plain.find_record(block).is_some();
        let is_end = is_followed_by_record
            || recovery::is_record_end(&end_bytes)
                && !record.block.as_ref().is_some_and(has_record);
        if read == length && is_end || padding > END_BYTES as u64 {
            return Ok(true);
        }
        if record.block.is_none() {
            return Err(record::invalid_record(WRONG_LENGTH));
        }
        end_bytes.truncate(padding as usize);
        self.reader().unread(&end_bytes);
        Ok(false)
    }

    /// Skips to the beginning of the next record, and opens the member that it is in. Returns
    /// `false` at the end of the file.
    fn skip_to_next_record(&mut self) -> io::Result<bool> {
        loop {
            self.reader().skip_padding()?;
            if self.is_compressed() {
                if !self.reader().is_at_end()? {
                    return Ok(true);
                }
                self.close_member();
            } else if !self.skip_zstd_frame()? {
                let start = self.reader().peek(ZSTD_MAGIC.len())?;
                let has_next = !start.is_empty();
                let compression = RecordCompression::from_magic(start);
                if compression == RecordCompression::Plain {
                    return Ok(has_next);
                }
                self.open_member(compression);
            }
        }
    }

    /// Searches for the next record after that at `position` could not be read. Returns `true` if
    /// decompression of that has failed, and its member can be read again.
    fn search_next_record(
        &mut self,
        position: RecordPosition,
        failure: ErrorKind,
    ) -> io::Result<bool> {
        // A member that can be decompressed may contain further records.
        if self.is_compressed()
            && failure == ErrorKind::InvalidData
            && self.search_member(position).is_ok_and(|found| found)
        {
            return Ok(false);
        }
        let is_file = self.is_file;
        let is_gzip = self.stream().compression() == RecordCompression::Gzip;
        let compression = self.compression;
        let search_bytes_left = self.search_bytes_left;
        let file = self.close_member();
        let read_again = file.position().saturating_sub(position.offset);
        let can_read_again = is_file && read_again <= search_bytes_left;
        if can_read_again {
            file.seek(position.offset + 1)?;
        }
        record_stream::skip_to_record(file, compression, &mut |_| {})?;
        if can_read_again {
            self.search_bytes_left -= read_again;
        }
        Ok(can_read_again && is_gzip && failure != ErrorKind::InvalidData)
    }

    /// Searches for the next record in the open member. Returns `false` if there is none.
    fn search_member(&mut self, position: RecordPosition) -> io::Result<bool> {
        if self.is_file && position.offset_in_member < self.search_bytes_left {
            self.search_bytes_left -= position.offset_in_member;
            self.seek_unbounded(RecordPosition {
                offset_in_member: position.offset_in_member + 1,
                ..position
            })?;
        }
        record_stream::skip_to_record(self.reader(), Some(RecordCompression::Plain), &mut |_| {})
    }

    /// Returns the position of the next byte.
    fn position(&mut self) -> RecordPosition {
        let position = self.reader().position();
        if self.is_compressed() {
            RecordPosition {
                offset: self.member_offset,
                offset_in_member: position,
            }
        } else {
            RecordPosition {
                offset: position,
                offset_in_member: 0,
            }
        }
    }

    /// Returns the number of bytes to the end of the file; `u64::MAX` if it is unknown, as in
    /// pipes and members.
    fn available_bytes(&mut self) -> io::Result<u64> {
        match self.stream() {
            RecordStream::Plain(file) if self.is_file => {
                let length = file.get_ref().metadata()?.len();
                Ok(length.saturating_sub(file.position()))
            }
            _ => Ok(u64::MAX),
        }
    }

    fn is_compressed(&self) -> bool {
        self.stream().compression() != RecordCompression::Plain
    }

    fn stream(&self) -> &RecordStream {
        self.stream.as_ref().expect(STREAM_IS_SET)
    }

    fn reader(&mut self) -> &mut dyn Peek {
        self.stream.as_mut().expect(STREAM_IS_SET).reader()
    }

    fn open_member(&mut self, compression: RecordCompression) {
        let stream = self.stream.take().expect(STREAM_IS_SET);
        let file = stream.close(&mut self.zstd_decoder);
        self.member_offset = file.position();
        self.stream = Some(RecordStream::open(
            file,
            compression,
            &mut self.zstd_decoder,
        ));
    }

    /// Closes the open member, if there is one, and returns the file.
    fn close_member(&mut self) -> &mut PeekReader<File> {
        let stream = self.stream.take().expect(STREAM_IS_SET);
        let file = stream.close(&mut self.zstd_decoder);
        match self.stream.insert(RecordStream::Plain(file)) {
            RecordStream::Plain(file) => file,
            _ => unreachable!("the stream was just set to this variant"),
        }
    }

    /// Skips a skippable zstd frame. Returns `false` if there is none.
    fn skip_zstd_frame(&mut self) -> io::Result<bool> {
        match self.stream.as_mut().expect(STREAM_IS_SET) {
            RecordStream::Plain(file) => zstd_frame::skip_frame(file, &mut self.zstd_decoder),
            _ => Ok(false),
        }
    }
}

/// The data of a record, which continues in gzip members that begin no record.
struct RecordData<'a>(&'a mut RecordSource);

impl Read for RecordData<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(to)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for RecordData<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // Members one after another are one file (RFC 1952, section 2.2).
        while let Some(RecordStream::Gzip(member)) = &mut self.0.stream
            && member.is_at_end()?
            && let next = member.get_mut().get_mut().peek(usize::MAX)?
            && next.starts_with(&GZIP_MAGIC)
            && !begins_gzip_record(next)
        {
            self.0.open_member(RecordCompression::Gzip);
        }
        self.0.reader().fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.0.reader().consume(count);
    }
}

const WRONG_LENGTH: &str = "its length differs from its Content-Length";
const STREAM_IS_SET: &str = "the stream is set between calls";

/// Returns `true` if an error is one of the data, and not of reading them.
fn is_data_error(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof
    )
}

#[cfg(test)]
mod tests;
