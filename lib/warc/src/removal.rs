//! Removal of pages from an archive.
//!
//! Each record of a removed page becomes a record of type `metadata` without a block, which says
//! that there was one. It takes as many bytes as the record before, so that the positions of the
//! others, which the records of a run name (`fetch.warc`), stay as they are.

use crate::record_format::field;
use flate2::bufread::GzDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};

/// Longest header block of a record that is read.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// The type of the records that take the place of others.
const TOMBSTONE: &str = "metadata";

/// An empty block of deflate (RFC 1951, section 3.2.4).
const EMPTY_BLOCK: [u8; 5] = [0, 0, 0, 0xff, 0xff];

/// Copies an archive whose records are gzip members, as [`crate::ArchiveWriter`] writes it, without
/// the pages whose URL satisfies a condition. Leaves out an incomplete record at the end, as a
/// writer does. Returns the number of records that were replaced.
///
/// # Errors
/// Fails if a file cannot be read or written, or is damaged or no such archive.
pub fn copy_without_pages(
    mut from: impl BufRead + Seek,
    to: &mut impl Write,
    is_removed: impl Fn(&str) -> bool,
) -> io::Result<u64> {
    let mut replaced = 0;
    while !from.fill_buf()?.is_empty() {
        let start = from.stream_position()?;
        let header = match read_header(GzDecoder::new(&mut from)) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => break,
            header => header?,
        };
        let length = from.stream_position()? - start;
        let lines = |names: &[&str]| -> Vec<(&str, &str)> {
            let fields = header.lines().filter_map(|line| line.split_once(": "));
            fields.filter(|(name, _)| names.contains(name)).collect()
        };
        let urls = lines(&[field::TARGET_URI, field::REQUESTED_URI]);
        let is_page = lines(&[field::TYPE]) != [(field::TYPE, TOMBSTONE)];
        if is_page && urls.iter().any(|(_, url)| is_removed(url)) {
            let kept = lines(&[field::RECORD_ID, field::DATE]);
            let cause = || io::Error::new(io::ErrorKind::InvalidData, "a record is too short");
            to.write_all(&tombstone(&kept, length).ok_or_else(cause)?)?;
            replaced += 1;
        } else {
            from.seek(SeekFrom::Start(start))?;
            io::copy(&mut from.by_ref().take(length), to)?;
        }
    }
    Ok(replaced)
}

/// Reads a member to its end, and returns the header block of its record.
fn read_header(mut member: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    member
        .by_ref()
        .take(MAX_HEADER_BYTES)
        .read_to_end(&mut bytes)?;
    io::copy(&mut member, &mut io::sink())?;
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    if !bytes.starts_with(b"WARC/") {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "is no archive"));
    }
    Ok(String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned())
}

/// Returns the gzip member of `length` bytes of a record with these fields; `None` if they take
/// more.
fn tombstone(fields: &[(&str, &str)], length: u64) -> Option<Vec<u8>> {
    let mut record = format!("WARC/1.1\r\n{}: {TOMBSTONE}\r\n", field::TYPE);
    for (name, value) in fields {
        record.extend([*name, ": ", value, "\r\n"]);
    }
    record.extend([field::CONTENT_LENGTH, ": 0\r\n\r\n\r\n\r\n"]);
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to a vector cannot fail.
    encoder.write_all(record.as_bytes()).ok()?;
    let deflated = encoder.finish().ok()?;
    let mut crc = Crc::new();
    crc.update(record.as_bytes());
    let rest = usize::try_from(length)
        .ok()?
        .checked_sub(10 + deflated.len() + 8)?;
    // A comment (RFC 1952, section 2.3), which ends with a zero, fills what blocks cannot.
    let (blocks, comment) = (rest / EMPTY_BLOCK.len(), rest % EMPTY_BLOCK.len());
    let flags = if comment > 0 { 0x10 } else { 0 };
    let mut member = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 0xff];
    member.extend(std::iter::repeat_n(b' ', comment.saturating_sub(1)));
    member.extend(std::iter::repeat_n(0, usize::from(comment > 0)));
    member.extend(EMPTY_BLOCK.repeat(blocks));
    member.extend(deflated);
    member.extend(crc.sum().to_le_bytes());
    member.extend(crc.amount().to_le_bytes());
    Some(member)
}

#[cfg(test)]
mod tests {
    use super::copy_without_pages;
    use flate2::Compression;
    use flate2::read::MultiGzDecoder;
    use flate2::write::GzEncoder;
    use std::io::{Cursor, Read, Write};

    fn member(url: &str, body: &str) -> Vec<u8> {
        let record = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: \
             2026-01-05T06:00:00Z\r\nWARC-Target-URI: {url}\r\nContent-Length: \
             {}\r\n\r\n{body}\r\n\r\n",
            body.len()
        );
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(record.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn read(archive: &[u8]) -> String {
        let mut text = String::new();
        MultiGzDecoder::new(archive)
            .read_to_string(&mut text)
            .unwrap();
        text
    }

    #[test]
    fn other_records_stay_where_they_are() {
        let noise = |length: usize| -> String {
            let hash = |n: usize| blake3::hash(&n.to_le_bytes()).to_hex().to_string();
            (0..length).map(hash).collect::<String>()[..length].into()
        };
        for length in (0..40).chain([100_000]) {
            let secret = format!("secret {}", noise(length));
            let kept = [member("http://a.test/", "A"), member("http://c.test/", "C")];
            let removed = member("http://b.test/", &secret);
            let archive = [&kept[0][..], &removed, &kept[1], &removed[..50]].concat();
            let mut copy = Vec::new();
            let replaced =
                copy_without_pages(Cursor::new(&archive), &mut copy, |url| url.contains("b."));
            assert_eq!(replaced.unwrap(), 1);
            assert_eq!(copy.len(), kept.concat().len() + removed.len());
            assert!(copy.starts_with(&kept[0]) && copy.ends_with(&kept[1]));
            let text = read(&copy);
            assert!(!text.contains("secret") && text.contains("WARC-Type: metadata"));
            let mut again = Vec::new();
            let replaced =
                copy_without_pages(Cursor::new(&copy), &mut again, |url| url.contains("b."));
            assert!(replaced.unwrap() == 0 && again == copy);
        }
    }

    #[test]
    fn damage_is_an_error() {
        let mut archive = [member("http://a.test/", "A"), member("http://b.test/", "B")].concat();
        archive[30] ^= 1;
        assert!(copy_without_pages(Cursor::new(&archive), &mut Vec::new(), |_| true).is_err());
        assert!(
            copy_without_pages(
                Cursor::new(b"no archive, but a text"),
                &mut Vec::new(),
                |_| true
            )
            .is_err()
        );
    }
}
