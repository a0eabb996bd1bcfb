//! One record within a stream: its fields and its block, within limits.

use crate::layout::field;
use std::io::{self, BufRead, Read};

/// Bytes of a record's head, at most.
const MOST_HEAD: u64 = 64 << 10;
/// Bytes of an HTTP head in a block, beside the body.
const HEAD_ROOM: u64 = 1 << 20;
/// What records begin with, whatever their version.
pub(crate) const MAGIC: &[u8] = b"WARC/";
pub(crate) const NO_MAGIC: &str = "it does not begin with WARC/";

/// A record as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawRecord {
    fields: Vec<(String, String)>,
    /// Its block; nothing where that is larger than the limit.
    pub block: Option<Vec<u8>>,
}

impl RawRecord {
    /// The value of a field, whose name is compared without regard to case.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self
            .fields
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Whether the record's type is this one.
    pub fn is_of_type(&self, name: &str) -> bool {
        self.field(field::TYPE)
            .is_some_and(|found| found.eq_ignore_ascii_case(name))
    }

    /// The URL that the record is about. WARC 1.0 has it in angle brackets in its grammar, and some
    /// writers write them.
    pub fn target(&self) -> Option<&str> {
        self.field(field::TARGET)
            .map(|url| url.trim_matches(['<', '>']))
    }
}

/// Bytes of a block that are read, for bodies of so many.
pub(crate) const fn most(max_bytes: u64) -> u64 {
    max_bytes.saturating_add(HEAD_ROOM)
}

/// Reads the record that begins here, and stands behind its block. A block of more than `most`
/// bytes is passed over; one of more than `left`, which is what there is, is none.
///
/// # Errors
/// Of kind `InvalidData` where this is no record; others where reading fails.
pub(crate) fn read(from: &mut impl BufRead, most: u64, left: u64) -> io::Result<RawRecord> {
    let raw = RawRecord {
        fields: head(from)?,
        block: None,
    };
    let length = raw
        .field(field::CONTENT_LENGTH)
        .ok_or_else(|| wrong("it has no length"))?;
    let length = length
        .parse()
        .map_err(|_| wrong(&format!("its length is {length:?}")))?;
    if length > left {
        return Err(wrong("it ends too early"));
    }
    let block = read_block(from, length, most)?;
    Ok(RawRecord { block, ..raw })
}

fn head(from: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut head = from.take(MOST_HEAD);
    let mut line = Vec::new();
    head.read_until(b'\n', &mut line)?;
    if !line.starts_with(MAGIC) {
        return Err(wrong(NO_MAGIC));
    }
    let mut fields: Vec<(String, String)> = Vec::new();
    loop {
        line.clear();
        if head.read_until(b'\n', &mut line)? == 0 || !line.ends_with(b"\n") {
            return Err(wrong("its head has no end"));
        }
        let text = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        if text.is_empty() {
            return Ok(fields);
        }
        match (fields.last_mut(), text.split_once(':')) {
            // A value may go on, on lines that begin with a space.
            (Some((_, value)), _) if line[0].is_ascii_whitespace() => value.extend([" ", &text]),
            (_, Some((name, value))) => {
                fields.push((name.trim().to_owned(), value.trim().to_owned()))
            }
            _ => {}
        }
    }
}

fn read_block(from: &mut impl BufRead, length: u64, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut block = Vec::new();
    let mut from = from.take(length);
    let read = if length <= most {
        from.read_to_end(&mut block)? as u64
    } else {
        io::copy(&mut from, &mut io::sink())?
    };
    if read < length {
        return Err(wrong("it ends too early"));
    }
    Ok((length <= most).then_some(block))
}

/// The failure of what is no record.
pub(crate) fn wrong(cause: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

#[cfg(test)]
mod tests {
    use super::{RawRecord, read};

    fn one(text: &str, most: u64) -> Result<RawRecord, String> {
        read(&mut text.as_bytes(), most, u64::MAX).map_err(|e| e.to_string())
    }

    #[test]
    fn fields_are_found_in_any_spelling() {
        let head = "WARC/0.18\nwarc-type : resource\nWARC-TARGET-URI: <http://a.test/>\nX: a\n  b: c\nnone\nCONTENT-length:2";
        let raw = one(&format!("{head}\n\nab"), 9).unwrap();
        let found = ["WARC-Type", "WARC-Target-URI", "x", "none"].map(|name| raw.field(name));
        assert_eq!(
            found,
            [
                Some("resource"),
                Some("<http://a.test/>"),
                Some("a b: c"),
                None
            ]
        );
        assert_eq!(
            (raw.target(), raw.block.as_deref()),
            (Some("http://a.test/"), Some(&b"ab"[..]))
        );
    }

    #[test]
    fn a_block_that_is_too_large_is_passed_over() {
        assert_eq!(
            one("WARC/1.0\r\nContent-Length: 4\r\n\r\nabcd", 3)
                .unwrap()
                .block,
            None
        );
    }

    #[test]
    fn what_is_no_record_is_told() {
        for (text, cause) in [
            ("<html>", "begin"),
            ("WARC/1.0\r\nContent-Length: 5\r\n\r\nabc", "early"),
            (
                "WARC/1.0\r\nContent-Length: 99999999999999999\r\n\r\nabc",
                "early",
            ),
            (
                "WARC/1.0\r\nContent-Length: -5\r\n\r\nabc",
                "length is \"-5\"",
            ),
            (
                "WARC/1.0\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
                "length is",
            ),
            ("WARC/1.0\r\nA: b\r\n\r\nabc", "no length"),
            ("WARC/1.0\r\nContent-", "no end"),
        ] {
            assert!(one(text, 1000).unwrap_err().contains(cause), "{text}");
        }
        assert!(one(&format!("WARC/1.0\r\n{}", "a: b\r\n".repeat(20_000)), 9).is_err());
        assert!(read(&mut &b"WARC/1.0\r\nContent-Length: 3\r\n\r\nabc"[..], 9, 2).is_err());
    }
}
