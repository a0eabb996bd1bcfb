//! Reading of one WARC record from a stream: its header block and its content block, within limits.

use crate::record_format::field;
use std::io::{self, BufRead, Read};

/// Largest header block of a record, in bytes.
const MAX_HEADER_BYTES: u64 = 64 << 10;
/// Bytes of a content block beyond those of the body, for the HTTP header block.
const MAX_HTTP_HEADER_BYTES: u64 = 1 << 20;
/// The first bytes of a record of any version.
pub(crate) const MAGIC: &[u8] = b"WARC/";
/// The error message for data that does not begin with [`MAGIC`].
pub(crate) const NO_MAGIC: &str = "it does not begin with WARC/";

/// A record, not interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawRecord {
    fields: Vec<(String, String)>,
    /// The content block; `None` if it exceeds the limit.
    pub block: Option<Vec<u8>>,
}

impl RawRecord {
    /// Returns the value of a named field. The case of the name does not count.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(field_name, _)| field_name.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Returns `true` if the record is of this type.
    pub fn is_of_type(&self, name: &str) -> bool {
        self.field(field::TYPE)
            .is_some_and(|record_type| record_type.eq_ignore_ascii_case(name))
    }

    /// Returns `WARC-Target-URI`, without the angle brackets that the grammar of WARC 1.0 has
    /// around it, and some writers.
    pub fn target_uri(&self) -> Option<&str> {
        self.field(field::TARGET_URI)
            .map(|uri| uri.trim_matches(['<', '>']))
    }
}

/// Returns the limit of a content block with a body of at most `max_body_bytes`.
pub(crate) const fn max_block_bytes(max_body_bytes: u64) -> u64 {
    max_body_bytes.saturating_add(MAX_HTTP_HEADER_BYTES)
}

/// Reads a record up to the end of its content block. A block of more than `max_block_bytes` is
/// skipped. `available` is the number of bytes that the input still has, as far as known; a record
/// with a longer block is invalid.
///
/// # Errors
/// Fails with `InvalidData` if there is no valid record, and with other kinds if reading fails.
pub(crate) fn read_record(
    from: &mut impl BufRead,
    max_block_bytes: u64,
    available: u64,
) -> io::Result<RawRecord> {
    let record = RawRecord {
        fields: read_header_block(from)?,
        block: None,
    };
    let length = record
        .field(field::CONTENT_LENGTH)
        .ok_or_else(|| invalid_record("it has no Content-Length"))?;
    let length = length
        .parse()
        .map_err(|_| invalid_record(&format!("its Content-Length is {length:?}")))?;
    if length > available {
        return Err(invalid_record(TRUNCATED));
    }
    let block = read_block(from, length, max_block_bytes)?;
    Ok(RawRecord { block, ..record })
}

const TRUNCATED: &str = "it is truncated";

/// Reads the version line and the named fields.
fn read_header_block(from: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut input = from.take(MAX_HEADER_BYTES);
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    if !line.starts_with(MAGIC) {
        return Err(invalid_record(NO_MAGIC));
    }
    let mut fields: Vec<(String, String)> = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 || !line.ends_with(b"\n") {
            return Err(invalid_record("its header block has no end"));
        }
        let text = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        if text.is_empty() {
            return Ok(fields);
        }
        // Another record begins here. Its header block is then read once, not with each of the
        // records before it that have no end either.
        if line.starts_with(MAGIC) && !text.contains(':') {
            return Err(invalid_record("its header block has no end"));
        }
        match (fields.last_mut(), text.split_once(':')) {
            // A folded value: continued on lines that begin with whitespace.
            (Some((_, value)), _) if line[0].is_ascii_whitespace() => value.extend([" ", &text]),
            (_, Some((name, value))) => {
                fields.push((name.trim().to_owned(), value.trim().to_owned()))
            }
            _ => {}
        }
    }
}

/// Reads a content block, or skips it and returns `None` if it exceeds the limit.
fn read_block(
    from: &mut impl BufRead,
    length: u64,
    max_block_bytes: u64,
) -> io::Result<Option<Vec<u8>>> {
    let mut block = Vec::new();
    let mut from = from.take(length);
    let read = if length <= max_block_bytes {
        from.read_to_end(&mut block)? as u64
    } else {
        io::copy(&mut from, &mut io::sink())?
    };
    if read < length {
        return Err(invalid_record(TRUNCATED));
    }
    Ok((length <= max_block_bytes).then_some(block))
}

/// Returns the error for data that is not a valid record.
pub(crate) fn invalid_record(cause: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

#[cfg(test)]
mod tests {
    use super::{RawRecord, read_record};

    fn parse(text: &str, max_block_bytes: u64) -> Result<RawRecord, String> {
        read_record(&mut text.as_bytes(), max_block_bytes, u64::MAX).map_err(|e| e.to_string())
    }

    #[test]
    fn finds_fields_in_any_spelling() {
        let header = "WARC/0.18\nwarc-type : resource\nWARC-TARGET-URI: <http://a.test/>\n\
            X: a\n  b: c\nnone\nCONTENT-length:2";
        let record = parse(&format!("{header}\n\nab"), 9).unwrap();
        let values = ["WARC-Type", "WARC-Target-URI", "x", "none"].map(|name| record.field(name));
        assert_eq!(
            values,
            [
                Some("resource"),
                Some("<http://a.test/>"),
                Some("a b: c"),
                None
            ]
        );
        assert_eq!(
            (record.target_uri(), record.block.as_deref()),
            (Some("http://a.test/"), Some(&b"ab"[..]))
        );
    }

    #[test]
    fn skips_a_block_that_exceeds_the_limit() {
        assert_eq!(
            parse("WARC/1.0\r\nContent-Length: 4\r\n\r\nabcd", 3)
                .unwrap()
                .block,
            None
        );
    }

    #[test]
    fn reports_why_a_record_is_invalid() {
        for (text, cause) in [
            ("<html>", "begin"),
            ("WARC/1.0\r\nContent-Length: 5\r\n\r\nabc", "truncated"),
            (
                "WARC/1.0\r\nContent-Length: 99999999999999999\r\n\r\nabc",
                "truncated",
            ),
            (
                "WARC/1.0\r\nContent-Length: -5\r\n\r\nabc",
                "Content-Length is \"-5\"",
            ),
            (
                "WARC/1.0\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
                "Content-Length is",
            ),
            ("WARC/1.0\r\nA: b\r\n\r\nabc", "no Content-Length"),
            ("WARC/1.0\r\nContent-", "no end"),
            (
                "WARC/1.0\r\nWARC/1.0\r\nContent-Length: 0\r\n\r\n",
                "no end",
            ),
        ] {
            assert!(parse(text, 1000).unwrap_err().contains(cause), "{text}");
        }
        assert!(parse(&format!("WARC/1.0\r\n{}", "a: b\r\n".repeat(20_000)), 9).is_err());
        assert!(read_record(&mut &b"WARC/1.0\r\nContent-Length: 3\r\n\r\nabc"[..], 9, 2).is_err());
    }
}
