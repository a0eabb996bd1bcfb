//! Reading one record: its fields and its block, within limits, from a gzip member or plain.

use super::form::field;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// Bytes of a record's head, at most.
const MOST_HEAD: u64 = 64 << 10;
/// Bytes that may stand in a gzip member behind its record.
const MOST_REST: u64 = 1 << 20;

/// A record as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Raw {
    fields: Vec<(String, String)>,
    /// Its block; nothing where that is larger than the limit.
    pub block: Option<Vec<u8>>,
}

impl Raw {
    /// The value of a field, whose name is compared without regard to case.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads the record that begins here, and stands after it; `None` at the end. A block of more than `most` bytes is
/// passed over.
pub(super) fn read(from: &mut impl BufRead, most: u64) -> io::Result<Option<Raw>> {
    let start = from.fill_buf()?;
    match start.first() {
        None => Ok(None),
        Some(0x1f) => {
            let mut member = BufReader::new(GzDecoder::new(&mut *from));
            let raw = read_plain(&mut member, most)?;
            let rest = io::copy(&mut (&mut member).take(MOST_REST), &mut io::sink())?;
            if rest == MOST_REST {
                return Err(wrong("more than a record in a gzip member"));
            }
            Ok(Some(raw))
        }
        Some(_) => {
            let raw = read_plain(from, most)?;
            while from.fill_buf()?.first().is_some_and(u8::is_ascii_whitespace) {
                from.consume(1);
            }
            Ok(Some(raw))
        }
    }
}

fn read_plain(from: &mut impl BufRead, most: u64) -> io::Result<Raw> {
    let mut head = from.take(MOST_HEAD);
    let mut line = Vec::new();
    head.read_until(b'\n', &mut line)?;
    if !line.starts_with(b"WARC/") {
        return Err(wrong("it does not begin with WARC/"));
    }
    let mut fields = Vec::new();
    loop {
        line.clear();
        if head.read_until(b'\n', &mut line)? == 0 || !line.ends_with(b"\n") {
            return Err(wrong("its head has no end"));
        }
        let text = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        if text.is_empty() {
            break;
        }
        if let Some((name, value)) = text.split_once(':') {
            fields.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
    let raw = Raw { fields, block: None };
    let length = raw.field(field::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let length = length.ok_or_else(|| wrong("it has no length"))?;
    let block = read_block(from, length, most)?;
    Ok(Raw { block, ..raw })
}

fn read_block(from: &mut impl BufRead, length: u64, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut block = Vec::new();
    let mut from = from.take(length);
    let read =
        if length <= most { from.read_to_end(&mut block)? as u64 } else { io::copy(&mut from, &mut io::sink())? };
    if read < length {
        return Err(wrong("it ends too early"));
    }
    Ok((length <= most).then_some(block))
}

fn wrong(cause: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

#[cfg(test)]
mod tests {
    use super::{Raw, read};
    use crate::warc::form::info;

    fn all(mut bytes: &[u8], most: u64) -> Result<Vec<Raw>, String> {
        std::iter::from_fn(|| read(&mut bytes, most).transpose()).collect::<Result<_, _>>().map_err(|e| e.to_string())
    }

    #[test]
    fn reads_members_and_plain_records() {
        let plain = b"WARC/1.0\r\nwarc-type: resource\r\nContent-Length: 2\r\n\r\nab\r\n\r\n";
        let bytes = [info("2026-01-01T00:00:00Z", "a"), plain.to_vec(), info("2026-01-01T00:00:00Z", "b")].concat();
        let records = all(&bytes, 1000).unwrap();
        let types: Vec<_> = records.iter().map(|raw| raw.field("WARC-Type").unwrap()).collect();
        assert_eq!(types, ["warcinfo", "resource", "warcinfo"]);
        assert_eq!(records[1].block.as_deref(), Some(&b"ab"[..]));
    }

    #[test]
    fn a_block_that_is_too_large_is_passed_over() {
        let bytes = [info("2026-01-01T00:00:00Z", "a"), info("2026-01-01T00:00:00Z", "b")].concat();
        assert!(all(&bytes, 3).unwrap().iter().all(|raw| raw.block.is_none()));
    }

    #[test]
    fn what_is_no_record_is_told() {
        let whole = info("2026-01-01T00:00:00Z", "a");
        assert!(all(&whole[..whole.len() - 9], 1000).is_err());
        for (text, cause) in [
            ("<html>", "begin"),
            ("WARC/1.0\r\nContent-Length: 5\r\n\r\nabc", "early"),
            ("WARC/1.0\r\nContent-Length: -5\r\n\r\nabc", "length"),
            ("WARC/1.0\r\nContent-", "no end"),
        ] {
            assert!(all(text.as_bytes(), 1000).unwrap_err().contains(cause), "{text}");
        }
        assert!(all(format!("WARC/1.0\r\n{}", "a: b\r\n".repeat(20_000)).as_bytes(), 9).is_err());
    }
}
