//! The end of an archive whose writer was killed: a record that is not whole is cut off.
//!
//! The last member is looked for from the end, where a gzip header is followed by what unpacks to a
//! record's beginning. So an archive of any size is mended by reading little more than its last
//! record.

use crate::record;
use flate2::bufread::GzDecoder;
use std::fs::File;
use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};

/// What a gzip header begins with: magic number, DEFLATE. Its flags differ from writer to writer.
pub(crate) const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// Bytes of the end that are looked at first; four times as many each time that no record begins
/// there.
const FIRST_LOOK: u64 = 1 << 20;

/// Cuts off what is not a whole record at the end of the archive. Returns the bytes that were cut.
///
/// # Errors
/// When the file can't be read or changed, or holds something else than records: then it stays as
/// it is.
pub(crate) fn mend(file: &mut File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut looked = FIRST_LOOK.min(length);
    loop {
        let start = length - looked;
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.take(looked).read_to_end(&mut tail)?;
        let end = match last_end(&tail) {
            Some(end) => end,
            None if looked < length => {
                looked = (looked * 4).min(length);
                continue;
            }
            None => 0,
        };
        let rest = &tail[end..];
        let end = start + end as u64;
        match rest {
            [] => {}
            rest if is_torn(rest) => file.set_len(end)?,
            _ if end == 0 => return Err(io::Error::other("it is no archive of gzip members")),
            rest => {
                return Err(io::Error::other(format!(
                    "its last {} bytes are no WARC record",
                    rest.len()
                )));
            }
        }
        return Ok(rest.len() as u64);
    }
}

/// Where the last whole record of `tail` ends, if one does.
fn last_end(tail: &[u8]) -> Option<usize> {
    let starts = memchr::memmem::rfind_iter(tail, &MAGIC);
    starts
        .filter(|&at| begins_record(&tail[at..]))
        .find_map(|at| member_end(&tail[at..]).map(|end| at + end))
}

/// Whether these bytes may be the beginning of a record: only such ones are cut off.
fn is_torn(bytes: &[u8]) -> bool {
    MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())])
        && record::MAGIC.starts_with(&beginning(bytes))
}

/// Whether a gzip member begins here with a record in it.
pub(crate) fn begins_record(bytes: &[u8]) -> bool {
    beginning(bytes) == record::MAGIC
}

/// What the first bytes of a member are, as far as they are there.
fn beginning(bytes: &[u8]) -> Vec<u8> {
    let mut start = Vec::new();
    // What was unpacked before an error stays.
    let _ = GzDecoder::new(bytes)
        .take(record::MAGIC.len() as u64)
        .read_to_end(&mut start);
    start
}

/// Where the first member of `bytes` ends, if it is whole.
fn member_end(bytes: &[u8]) -> Option<usize> {
    let mut decoder = GzDecoder::new(Cursor::new(bytes));
    io::copy(&mut decoder, &mut io::sink()).ok()?;
    let mut rest = decoder.into_inner();
    Some(bytes.len() - rest.fill_buf().ok()?.len())
}

#[cfg(test)]
mod tests {
    use super::mend;
    use crate::layout::info;
    use std::io::Write;

    /// Bytes that are left of an archive, and those that were cut.
    fn mended(bytes: &[u8]) -> Option<(u64, u64)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let cut = mend(&mut file).ok()?;
        Some((file.metadata().unwrap().len(), cut))
    }

    #[test]
    fn a_record_that_is_not_whole_is_cut_off_wherever_it_ends() {
        let (first, second) = (
            info("2026-01-01T00:00:00Z", "a"),
            info("2026-01-01T00:00:00Z", "b"),
        );
        let both = [first.clone(), second.clone()].concat();
        for length in 0..=both.len() {
            let whole = [0, first.len(), both.len()]
                .into_iter()
                .rfind(|&end| end <= length)
                .unwrap();
            assert_eq!(
                mended(&both[..length]),
                Some((whole as u64, (length - whole) as u64)),
                "of {length} bytes"
            );
        }
    }

    #[test]
    fn records_of_other_writers_stay() {
        let named = |name: &str| {
            let mut encoder = flate2::GzBuilder::new()
                .filename(name)
                .write(Vec::new(), flate2::Compression::fast());
            encoder
                .write_all(b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
                .unwrap();
            encoder.finish().unwrap()
        };
        let both = [info("2026-01-01T00:00:00Z", "a"), named("b")].concat();
        assert_eq!(mended(&both), Some((both.len() as u64, 0)));
        assert_eq!(
            mended(&[both.as_slice(), &named("c")[..30]].concat()),
            Some((both.len() as u64, 30))
        );
        assert_eq!(mended(&[both.as_slice(), &[0; 9]].concat()), None);
    }

    #[test]
    fn what_is_no_archive_stays() {
        assert_eq!(mended(b"{\"url\":\"http://a.test/\"}\n"), None);
        assert_eq!(mended(&[b'x'; 5000]), None);
    }
}
