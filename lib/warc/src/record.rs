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
    /// True if the input ends within the record or its compressed member.
    pub is_cut: bool,
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

    /// Returns the length of the content block that the record states.
    pub fn stated_length(&self) -> Option<u64> {
        self.field(field::CONTENT_LENGTH)?.parse().ok()
    }

    /// Marks the record as cut, with the field that its writer would have used.
    pub fn mark_cut(&mut self) {
        self.is_cut = true;
        self.mark_truncated();
    }

    /// Marks the record as one of which a part is missing.
    pub fn mark_truncated(&mut self) {
        let mark = (field::TRUNCATED.to_owned(), "unspecified".to_owned());
        self.fields.push(mark);
    }
}

/// Returns the limit of a content block with a body of at most `max_body_bytes`.
pub(crate) const fn max_block_bytes(max_body_bytes: u64) -> u64 {
    max_body_bytes.saturating_add(MAX_HTTP_HEADER_BYTES)
}

/// Reads the version line and the named fields of a record.
///
/// # Errors
/// Fails with `InvalidData` if there is no valid header block, and with other kinds if reading
/// fails.
pub(crate) fn read_header_block(from: &mut impl BufRead) -> io::Result<RawRecord> {
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
            let record = RawRecord {
                fields,
                block: None,
                is_cut: false,
            };
            let is_record = [field::TYPE, field::CONTENT_LENGTH]
                .iter()
                .any(|name| record.field(name).is_some());
            return match is_record {
                true => Ok(record),
                false => Err(invalid_record("it has neither type nor length")),
            };
        }
        // Another record begins here. Its header block is then read once, not with each of the
        // records before it that have no end either.
        if line.starts_with(MAGIC) && !text.contains(':') {
            return Err(invalid_record("its header block has no end"));
        }
        match (fields.last_mut(), text.split_once(':')) {
            // A folded value: continued on lines that begin with whitespace.
            (Some((_, value)), _) if line[0].is_ascii_whitespace() => {
                let space = if value.is_empty() { "" } else { " " };
                value.extend([space, &text]);
            }
            (_, Some((name, value))) => {
                fields.push((name.trim().to_owned(), value.trim().to_owned()))
            }
            _ => {}
        }
    }
}

/// Reads `length` bytes as a content block, or fewer if the input ends before. A block that exceeds
/// the limit is skipped, and `None`. Also returns the number of bytes read.
pub(crate) fn read_block(
    from: &mut impl BufRead,
    length: u64,
    max_block_bytes: u64,
) -> io::Result<(Option<Vec<u8>>, u64)> {
    let mut block = Vec::new();
    let read = from
        .take(length.min(max_block_bytes))
        .read_to_end(&mut block)? as u64;
    let skipped = io::copy(&mut from.take(length - read), &mut io::sink())?;
    Ok((Some(block).filter(|_| skipped == 0), read + skipped))
}

/// Returns the error for data that is not a valid record.
pub(crate) fn invalid_record(cause: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

#[cfg(test)]
mod tests {
    use super::{RawRecord, read_block, read_header_block};

    fn parse(mut text: &[u8]) -> Result<RawRecord, String> {
        read_header_block(&mut text).map_err(|e| e.to_string())
    }

    #[test]
    fn finds_fields_in_any_spelling() {
        let header = "WARC/0.18\nwarc-type : resource\nWARC-TARGET-URI: <http://a.test/>\n\
            X: a\n  b: c\nnone\nCONTENT-length:2";
        let record = parse(format!("{header}\n\nab").as_bytes()).unwrap();
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
            (record.target_uri(), record.stated_length()),
            (Some("http://a.test/"), Some(2))
        );
    }

    #[test]
    fn reads_a_block_within_the_limit() {
        let read = |length, limit| read_block(&mut &b"abcd"[..], length, limit).unwrap();
        assert_eq!(read(3, 3), (Some(b"abc".to_vec()), 3));
        assert_eq!(read(4, 3), (None, 4));
        assert_eq!(read(9, 9), (Some(b"abcd".to_vec()), 4));
    }

    #[test]
    fn reports_why_a_header_block_is_invalid() {
        for (text, cause) in [
            ("<html>", "begin"),
            ("WARC/1.0\r\nContent-", "no end"),
            ("WARC/1.0\r\nA: b\r\n\r\nabc", "neither type nor length"),
            (
                "WARC/1.0\r\nWARC/1.0\r\nContent-Length: 0\r\n\r\n",
                "no end",
            ),
        ] {
            assert!(
                parse(text.as_bytes()).unwrap_err().contains(cause),
                "{text}"
            );
        }
        assert!(parse(format!("WARC/1.0\r\n{}", "a: b\r\n".repeat(20_000)).as_bytes()).is_err());
        for length in ["", "x", "-5", "99999999999999999999999"] {
            let record = parse(format!("WARC/1.0\nContent-Length: {length}\n\n").as_bytes());
            assert_eq!(record.unwrap().stated_length(), None, "{length}");
        }
    }
}
