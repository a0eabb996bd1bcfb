//! The records of a file: plain, or compressed in gzip members or zstd frames, with one record in
//! each, as the standards require, or several.
//!
//! After damage the next record is searched: first in the rest of a decompressed member, then in
//! the file, by the first bytes of records and members.

use crate::damage::{ArchiveDamage, RecordPosition};
use crate::peek_reader::{Peek, PeekReader};
use crate::record::{self, RawRecord};
use crate::record_stream::{self, RecordCompression, RecordStream};
use crate::zstd_frame;
use ruzstd::decoding::FrameDecoder;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Size of the buffer of a file, in bytes.
const FILE_BUFFER_BYTES: usize = 1 << 16;
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
}

impl RecordSource {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<RecordSource> {
        let file = File::open(path)?;
        let is_file = file.metadata()?.is_file();
        Ok(RecordSource {
            stream: Some(RecordStream::Plain(PeekReader::new(
                file,
                FILE_BUFFER_BYTES,
            ))),
            member_offset: 0,
            compression: None,
            is_archive: false,
            is_file,
            search_bytes_left: MAX_SEARCH_BYTES,
            zstd_decoder: None,
        })
    }

    /// Opens a file at the position of a record.
    pub fn open_at(path: &Path, position: RecordPosition) -> io::Result<RecordSource> {
        let mut source = RecordSource::open(path)?;
        // Reads the dictionary, which is at the beginning of the file.
        source.skip_to_next_record()?;
        source.seek(position)?;
        Ok(source)
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

    /// Returns the next record, without its block if that has more than `max_block_bytes`; `None`
    /// at the end. Damage before the record is added to `damage`.
    ///
    /// # Errors
    /// Fails if reading fails, or the file is not an archive.
    pub fn next_record(
        &mut self,
        max_block_bytes: u64,
        damage: &mut Vec<ArchiveDamage>,
    ) -> io::Result<Option<(RawRecord, RecordPosition)>> {
        let mut skipped: Option<ArchiveDamage> = None;
        loop {
            match self.try_next_record(max_block_bytes) {
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
                    self.search_next_record(position, e.kind())?;
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

    /// Returns the record at the current position. Unlike [`RecordSource::next_record`], it does
    /// not search for one.
    pub fn read_single_record(&mut self, max_block_bytes: u64) -> io::Result<Option<RawRecord>> {
        self.try_next_record(max_block_bytes)
            .map(|next| next.map(|(record, _)| record))
            .map_err(|(_, e)| e)
    }

    /// Returns the next record with its position, or the position at which none can be read, and
    /// why.
    fn try_next_record(
        &mut self,
        max_block_bytes: u64,
    ) -> Result<Option<(RawRecord, RecordPosition)>, (RecordPosition, io::Error)> {
        let has_next = self.skip_to_next_record();
        let position = self.position();
        has_next
            .and_then(|has_next| {
                if has_next {
                    let record = self.read_record(max_block_bytes)?;
                    Ok(Some((record, position)))
                } else {
                    Ok(None)
                }
            })
            .map_err(|e| (position, e))
    }

    /// Reads the record at the current position, and checks what follows it.
    fn read_record(&mut self, max_block_bytes: u64) -> io::Result<RawRecord> {
        let start = self
            .reader()
            .peek(record::MAGIC.len().max(OTHER_FORMATS[0].0.len()))?;
        let is_record = start.starts_with(record::MAGIC);
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
        let available = self.available_bytes()?;
        let record = record::read_record(&mut self.reader(), max_block_bytes, available)?;
        self.compression = Some(self.stream().compression());
        let end = self.reader().position();
        // The checksum of a member is at its end: only reading beyond the record verifies it.
        self.reader().skip_padding()?;
        let has_padding = self.reader().position() > end;
        let next = self.reader().peek(record::MAGIC.len())?;
        let is_followed_by_record = next.is_empty()
            || next.starts_with(record::MAGIC)
            || RecordCompression::from_magic(next) != RecordCompression::Plain;
        if !has_padding && !is_followed_by_record {
            return Err(record::invalid_record(
                "its length differs from its Content-Length",
            ));
        }
        if self.is_compressed() && self.reader().is_at_end()? {
            self.close_member();
        }
        Ok(record)
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
                let start = self.reader().peek(zstd_frame::MAGIC.len())?;
                let has_next = !start.is_empty();
                let compression = RecordCompression::from_magic(start);
                if compression == RecordCompression::Plain {
                    return Ok(has_next);
                }
                self.open_member(compression);
            }
        }
    }

    /// Searches for the next record after that at `position` could not be read.
    fn search_next_record(
        &mut self,
        position: RecordPosition,
        failure: ErrorKind,
    ) -> io::Result<()> {
        // A member that can be decompressed may contain further records.
        if self.is_compressed()
            && failure == ErrorKind::InvalidData
            && self.search_member(position).is_ok_and(|found| found)
        {
            return Ok(());
        }
        let is_file = self.is_file;
        let compression = self.compression;
        let search_bytes_left = self.search_bytes_left;
        let file = self.close_member();
        let read_again = file.position().saturating_sub(position.offset);
        let can_read_again = is_file && read_again <= search_bytes_left;
        if can_read_again {
            file.seek(position.offset + 1)?;
        }
        record_stream::skip_to_record(file, compression)?;
        if can_read_again {
            self.search_bytes_left -= read_again;
        }
        Ok(())
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
        record_stream::skip_to_record(self.reader(), Some(RecordCompression::Plain))
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

const STREAM_IS_SET: &str = "the stream is set between calls";

/// Returns `true` if an error is one of the data, and not of reading them.
fn is_data_error(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof
    )
}

#[cfg(test)]
mod tests {
    use super::{ArchiveDamage, RecordSource};
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    type Compress = fn(&[u8]) -> Vec<u8>;
    const COMPRESSIONS: [Compress; 3] = [plain, gzip, zstd];

    fn plain(bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn record(name: &str) -> Vec<u8> {
        let block = format!("<p>{name} {}", "potok teče ".repeat(30));
        format!(
            "WARC/1.0\r\nN: {name}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
        .into_bytes()
    }

    /// Returns the names of the records of a file, and its damage.
    fn read(bytes: &[u8]) -> std::io::Result<(String, Vec<ArchiveDamage>)> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let mut source = RecordSource::open(file.path())?;
        let mut names = String::new();
        let mut damage = Vec::new();
        while let Some((record, position)) = source.next_record(9999, &mut damage)? {
            let name = record.field("N").unwrap_or("?");
            let is_complete = record
                .block
                .as_ref()
                .unwrap()
                .starts_with(format!("<p>{name} ").as_bytes());
            assert!(is_complete || !["a", "c"].contains(&name));
            let again = RecordSource::open_at(file.path(), position)
                .unwrap()
                .read_single_record(9999)
                .unwrap();
            assert_eq!(
                again,
                Some(record.clone()),
                "the record is found at its position"
            );
            names.push_str(name);
        }
        Ok((names, damage))
    }

    fn messages(damage: &[ArchiveDamage]) -> Vec<String> {
        damage.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reads_records_in_all_compressions() {
        for compress in COMPRESSIONS {
            let [a, b, c] = ["a", "b", "c"].map(|name| compress(&record(name)));
            let all = [a.as_slice(), b"\r\n", &b, &compress(b""), &c, &[0; 5000]].concat();
            assert_eq!(
                read(&all).unwrap(),
                ("abc".into(), Vec::new()),
                "one per member, with padding between them"
            );
            let whole = compress(&["a", "b", "c"].map(record).concat());
            assert_eq!(
                read(&whole).unwrap(),
                ("abc".into(), Vec::new()),
                "all in one member"
            );
        }
        let mixed = [
            record("a"),
            gzip(&record("b")),
            zstd(&record("c")),
            record("d"),
        ]
        .concat();
        assert_eq!(read(&mixed).unwrap(), ("abcd".into(), Vec::new()));
        assert_eq!(read(b"").unwrap(), (String::new(), Vec::new()));
    }

    #[test]
    fn a_damaged_record_does_not_affect_others() {
        for compress in COMPRESSIONS {
            let [a, b, c] = ["a", "b", "c"].map(|name| compress(&record(name)));
            for index in 0..b.len() {
                let mut damaged = b.clone();
                damaged[index] ^= 0x55;
                let (names, damage) = read(&[a.as_slice(), &damaged, &c].concat()).unwrap();
                let is_lost = names == "ac" && damage.len() == 1;
                // A changed byte may be undetectable in plain records, or without effect.
                let is_undetected =
                    names.starts_with('a') && names.ends_with('c') && compress(b"").is_empty();
                assert!(
                    is_lost || (is_undetected || names == "abc") && damage.len() <= 1,
                    "{index}: {names}, {damage:?}"
                );
            }
            let (names, damage) = read(&[a.as_slice(), &b[b.len() / 2..], &c].concat()).unwrap();
            assert_eq!((names.as_str(), damage.len()), ("ac", 1), "{damage:?}");
            assert!(
                messages(&damage)[0].starts_with(&format!("no WARC record at byte {}", a.len())),
                "{damage:?}"
            );
            assert!(
                messages(&damage)[0]
                    .ends_with(&format!("; {} bytes were skipped", b.len() - b.len() / 2))
            );
        }
    }

    #[test]
    fn reads_a_truncated_file_up_to_its_end() {
        for compress in COMPRESSIONS {
            let [a, b] = ["a", "b"].map(|name| compress(&record(name)));
            let both = [a.as_slice(), &b].concat();
            for length in a.len() + 1..both.len() {
                let (names, damage) = read(&both[..length]).unwrap();
                let is_lost = names == "a" && damage.len() == 1;
                // The line ends after a record are not needed to read it.
                let is_complete =
                    compress(b"").is_empty() && length > both.len() - 5 && names == "ab";
                let is_begun = length < a.len() + 5 && names == "a";
                assert!(
                    is_lost || is_complete || is_begun,
                    "{length} of {}: {names}, {damage:?}",
                    both.len()
                );
            }
        }
        let mut whole = gzip(&["a", "b"].map(record).concat());
        let (names, damage) = read(&whole[..whole.len() - 5]).unwrap();
        let messages = messages(&damage);
        assert!(
            names == "a"
                && messages.len() == 1
                && messages[0].ends_with("; the rest of the compressed member was skipped"),
            "{messages:?}"
        );
        let checksum = whole.len() - 6;
        whole[checksum] ^= 1;
        let message = read(&whole).unwrap().1[0].to_string();
        assert!(
            message.contains("checksum")
                && message.ends_with("and the part that was read may be damaged"),
            "{message}"
        );
    }

    #[test]
    fn a_wrong_length_affects_one_record() {
        let wrong = |length: &str| {
            let text = String::from_utf8(record("b")).unwrap();
            let (before, rest) = text.split_once("Content-Length: ").unwrap();
            format!("{before}{length}\r\n{}", rest.split_once("\r\n").unwrap().1).into_bytes()
        };
        for length in [
            "",
            "x",
            "-1",
            "9",
            "450",
            "99999999999",
            "9999999999999999999999",
        ] {
            let length = format!("Content-Length: {length}");
            for compress in COMPRESSIONS {
                let parts = [record("a"), wrong(&length), record("c")];
                for bytes in [
                    parts.clone().map(|part| compress(&part)).concat(),
                    compress(&parts.concat()),
                ] {
                    let (names, damage) = read(&bytes).unwrap();
                    assert_eq!(
                        (names.as_str(), damage.len()),
                        ("ac", 1),
                        "{length}: {damage:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn reports_data_after_the_last_record_once() {
        for compress in COMPRESSIONS {
            let a = compress(&record("a"));
            let (names, damage) =
                read(&[a.as_slice(), b"junk\n<html>\r\n\r\njunk"].concat()).unwrap();
            let messages = messages(&damage);
            assert!(
                names == "a"
                    && messages.len() == 1
                    && messages[0].ends_with("; 19 bytes were skipped"),
                "{messages:?}"
            );
        }
    }

    #[test]
    fn reports_why_a_file_is_not_an_archive() {
        for (bytes, cause) in [
            (&b"notes\n"[..], "does not begin with WARC/"),
            (
                b"filedesc://IA-2.arc 0.0.0.0 20200101000000 text/plain 9\n1 0 IA",
                "an ARC file",
            ),
            (
                &gzip(b"filedesc://IA-2.arc 0.0.0.0 20200101000000 text/plain 9\n1 0 IA"),
                "an ARC file",
            ),
            (b"PK\x03\x04\x14\0\0\0", "if it is a WACZ"),
            (&gzip(b"<html>"), "does not begin with WARC/"),
        ] {
            let e = read(bytes).unwrap_err().to_string();
            assert!(e.contains(cause), "{e}");
        }
    }

    #[test]
    fn finds_a_record_after_many_beginnings_of_records() {
        let beginnings = "WARC/1.0\r\n".repeat(200_000);
        let file = [beginnings.as_bytes(), b"\r\n", &record("c")].concat();
        let (names, damage) = read(&file).unwrap();
        assert_eq!((names.as_str(), damage.len()), ("c", 1));
    }
}
