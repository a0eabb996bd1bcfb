//! Repair of an archive whose writer was killed: truncates an incomplete record at its end.
//!
//! The last gzip member is searched from the end: a gzip header whose data decompresses to the
//! beginning of a record. So little more than the last record is read, whatever the size of the
//! archive.

use crate::record;
use flate2::bufread::GzDecoder;
use forage_content::GZIP_MAGIC;
use std::fs::File;
use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};

/// Bytes at the end that are searched first; four times as many each time that no record begins in
/// them.
const FIRST_TAIL_BYTES: u64 = 1 << 20;
/// Bytes that show if a record begins there: the header of a gzip member may contain a file name.
pub(crate) const RECORD_START_BYTES: usize = 1 << 12;

/// Truncates an incomplete record at the end of an archive. Returns the number of bytes removed.
///
/// # Errors
/// Fails if the file cannot be read or changed, or has other data than records at its end. It is
/// unchanged then.
pub(crate) fn truncate_incomplete_record(file: &mut File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut tail_bytes = FIRST_TAIL_BYTES.min(length);
    loop {
        let start = length - tail_bytes;
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.take(tail_bytes).read_to_end(&mut tail)?;
        let end = match last_record_end(&tail) {
            Some(end) => end,
            None if tail_bytes < length => {
                tail_bytes = (tail_bytes * 4).min(length);
                continue;
            }
            None => 0,
        };
        let rest = &tail[end..];
        let end = start + end as u64;
        match rest {
            [] => {}
            rest if may_be_incomplete_record(rest) => file.set_len(end)?,
            _ if end == 0 => {
                return Err(io::Error::other("it is not a WARC file with gzip members"));
            }
            rest => {
                return Err(io::Error::other(format!(
                    "its last {} bytes are not a WARC record",
                    rest.len()
                )));
            }
        }
        return Ok(rest.len() as u64);
    }
}

/// Returns the end of the last complete record of `tail`.
fn last_record_end(tail: &[u8]) -> Option<usize> {
    memchr::memmem::rfind_iter(tail, &GZIP_MAGIC)
        .filter(|&start| begins_gzip_record(&tail[start..]))
        .find_map(|start| member_end(&tail[start..]).map(|end| start + end))
}

/// Returns `true` if these bytes may be the beginning of a record. Only such bytes are removed.
///
/// A member that is cut before the magic number of its record is short, and not damaged.
fn may_be_incomplete_record(bytes: &[u8]) -> bool {
    let (magic, result) = try_decompress_magic(bytes);
    let is_cut = || {
        bytes.len() <= RECORD_START_BYTES
            && result.is_err_and(|e| e.kind() == io::ErrorKind::UnexpectedEof)
    };
    GZIP_MAGIC.starts_with(&bytes[..bytes.len().min(GZIP_MAGIC.len())])
        && (magic == record::MAGIC || record::MAGIC.starts_with(&magic) && is_cut())
}

/// Returns `true` if these bytes begin with a gzip member that begins with a record.
pub(crate) fn begins_gzip_record(bytes: &[u8]) -> bool {
    decompress_magic(bytes) == record::MAGIC
}

/// Decompresses the first bytes of a gzip member, as many as the magic number of a record has, or
/// fewer if the member ends before or is damaged.
fn decompress_magic(bytes: &[u8]) -> Vec<u8> {
    try_decompress_magic(bytes).0
}

/// Decompresses as [`decompress_magic`] does. Also returns the error that ended it, if one did.
fn try_decompress_magic(bytes: &[u8]) -> (Vec<u8>, io::Result<usize>) {
    let mut magic = Vec::new();
    // After an error, the bytes before it remain.
    let result = GzDecoder::new(bytes)
        .take(record::MAGIC.len() as u64)
        .read_to_end(&mut magic);
    (magic, result)
}

/// Returns the end of the gzip member that `bytes` begin with, if it is complete.
fn member_end(bytes: &[u8]) -> Option<usize> {
    let mut decoder = GzDecoder::new(Cursor::new(bytes));
    io::copy(&mut decoder, &mut io::sink()).ok()?;
    let mut rest = decoder.into_inner();
    Some(bytes.len() - rest.fill_buf().ok()?.len())
}

#[cfg(test)]
mod tests {
    use super::truncate_incomplete_record;
    use crate::record_format::warcinfo_record;
    use std::io::Write;

    /// Returns the bytes that remain of an archive, and the number of those removed.
    fn repair(bytes: &[u8]) -> Option<(u64, u64)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let removed = truncate_incomplete_record(&mut file).ok()?;
        Some((file.metadata().unwrap().len(), removed))
    }

    #[test]
    fn truncates_an_incomplete_record_of_any_length() {
        let (first, second) = (
            warcinfo_record("2026-01-01T00:00:00Z", "a"),
            warcinfo_record("2026-01-01T00:00:00Z", "b"),
        );
        let both = [first.clone(), second.clone()].concat();
        for length in 0..=both.len() {
            let complete = [0, first.len(), both.len()]
                .into_iter()
                .rfind(|&end| end <= length)
                .unwrap();
            assert_eq!(
                repair(&both[..length]),
                Some((complete as u64, (length - complete) as u64)),
                "of {length} bytes"
            );
        }
    }

    #[test]
    fn keeps_records_of_other_writers() {
        let named = |name: &str| {
            let mut encoder = flate2::GzBuilder::new()
                .filename(name)
                .write(Vec::new(), flate2::Compression::fast());
            encoder
                .write_all(b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
                .unwrap();
            encoder.finish().unwrap()
        };
        let both = [warcinfo_record("2026-01-01T00:00:00Z", "a"), named("b")].concat();
        assert_eq!(repair(&both), Some((both.len() as u64, 0)));
        assert_eq!(
            repair(&[both.as_slice(), &named("c")[..30]].concat()),
            Some((both.len() as u64, 30))
        );
        assert_eq!(repair(&[both.as_slice(), &[0; 9]].concat()), None);
    }

    #[test]
    fn leaves_other_files_unchanged() {
        assert_eq!(repair(b"{\"url\":\"http://a.test/\"}\n"), None);
        assert_eq!(repair(&[b'x'; 5000]), None);
    }

    #[test]
    fn leaves_a_gzip_member_that_is_no_record_unchanged() {
        let noise: Vec<u8> = (0..5000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&noise).unwrap();
        let other = encoder.finish().unwrap();
        let header = |flags: u8| [0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3];
        let unended_name = [&header(8)[..], &[b'x'; 5000]].concat();
        assert_eq!(repair(&other), None);
        assert_eq!(repair(&other[..600]), None, "cut");
        assert_eq!(repair(&unended_name), None, "a file name without end");
        for flags in 0..=u8::MAX {
            let damaged = [&header(flags)[..], &noise].concat();
            assert_eq!(repair(&damaged), None, "damaged, with flags {flags}");
        }
        let first = warcinfo_record("2026-01-01T00:00:00Z", "a");
        let second = [&header(0)[..], &noise].concat();
        assert_eq!(repair(&[first, second].concat()), None, "after a record");
    }
}
