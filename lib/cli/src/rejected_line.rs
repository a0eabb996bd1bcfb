//! Lines that are skipped because they are not records, with the cause.

use crate::line_source::ListLineError;
use crate::lines::Line;
use crate::plural::format_count;
use crate::text_field::read_text_field;
use forage_record::{BadField, ErrorKind, Record, RecordParseError};
use std::sync::atomic::{AtomicU64, Ordering};

/// Message for a record or line on which the work of the tool panicked; the panic hook has reported
/// the cause.
pub(crate) const INTERNAL_ERROR: &str = "internal error; please report it";

/// The reason why a line is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RejectionReason {
    /// The line is not a record, and the tool reads records.
    NotRecord,
    /// The line is longer than `--max-line`, so that its content was not examined.
    TooLong,
    /// The tool cannot read the content of the line.
    Unreadable,
}

/// A line that is skipped.
#[derive(Debug)]
pub(crate) struct RejectedLine {
    pub(crate) cause: String,
    /// The bytes of the line; `None` if it is too long to hold, and was saved while it was read.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) reason: RejectionReason,
    /// A remedy for all such lines.
    pub(crate) remedy: Option<&'static str>,
}

impl RejectedLine {
    /// Creates a rejected line for content that the tool cannot read.
    pub(crate) fn malformed(cause: String, bytes: Option<Vec<u8>>) -> Self {
        RejectedLine {
            cause,
            bytes,
            reason: RejectionReason::Unreadable,
            remedy: None,
        }
    }

    /// Creates a rejected line for one of a list that cannot be converted.
    pub(crate) fn unconverted(error: ListLineError) -> Self {
        RejectedLine {
            remedy: error.remedy,
            ..RejectedLine::malformed(error.cause, Some(error.line))
        }
    }

    /// Creates a rejected line for one of `length` bytes.
    pub(crate) fn too_long(length: u64, max_line: usize) -> Self {
        let cause = format!("line of {length} bytes exceeds --max-line {max_line}");
        RejectedLine {
            cause,
            bytes: None,
            reason: RejectionReason::TooLong,
            remedy: None,
        }
    }
}

/// The number of records with unpaired surrogates that this process has read.
static WITH_UNPAIRED_SURROGATES: AtomicU64 = AtomicU64::new(0);

/// Returns a warning if records with unpaired surrogates were read.
pub(crate) fn describe_unpaired_surrogates() -> Option<String> {
    let records = WITH_UNPAIRED_SURROGATES.load(Ordering::Relaxed);
    (records > 0).then(|| {
        format!(
            "unpaired surrogates, such as \\ud83d without its second half, were read as U+FFFD in {}",
            format_count(records, "record")
        )
    })
}

/// Parses a line as a record, and counts one with unpaired surrogates.
pub(crate) fn parse_record(line: Line, max_line: usize) -> Result<Record, RejectedLine> {
    match line {
        Line::Bytes(bytes) => parse_bytes(bytes).map_err(|(e, bytes)| RejectedLine {
            cause: e.to_string(),
            bytes: Some(bytes),
            reason: RejectionReason::NotRecord,
            remedy: None,
        }),
        Line::TooLong(length) => Err(RejectedLine::too_long(length, max_line)),
        Line::Unconverted(error) => Err(RejectedLine::unconverted(error)),
    }
}

/// Sets the error of a record whose field has a wrong type; returns any other error.
///
/// # Errors
/// Returns `error` if it is no [`BadField`].
pub fn absorb_bad_field(
    error: anyhow::Error,
    record: &mut Record,
    tool: &str,
) -> anyhow::Result<()> {
    let bad_field: BadField = error.downcast()?;
    record.set_error(tool, ErrorKind::BadField, bad_field);
    Ok(())
}

/// The number of records after or before which this process has ignored a comma.
static WITH_COMMA: AtomicU64 = AtomicU64::new(0);

/// Returns a warning if commas between records were ignored.
pub(crate) fn describe_commas() -> Option<String> {
    let records = WITH_COMMA.load(Ordering::Relaxed);
    (records > 0).then(|| {
        format!(
            "commas between records, as in a JSON array, were ignored with {}",
            format_count(records, "record")
        )
    })
}

/// Parses bytes as a record, and counts one with unpaired surrogates. A comma after a whole object,
/// or before it, as lines cut out of an array have, is ignored and counted.
pub(crate) fn parse_bytes(bytes: Vec<u8>) -> Result<Record, (RecordParseError, Vec<u8>)> {
    let mut record = Record::parse(bytes).or_else(|(e, bytes)| {
        let without_comma = strip_comma(&bytes).and_then(|object| Record::parse(object).ok());
        WITH_COMMA.fetch_add(u64::from(without_comma.is_some()), Ordering::Relaxed);
        without_comma.ok_or((e, bytes))
    })?;
    if record.has_unpaired_surrogate() {
        WITH_UNPAIRED_SURROGATES.fetch_add(1, Ordering::Relaxed);
    }
    read_text_field(&mut record);
    Ok(record)
}

/// Returns an object without the comma after or before it.
fn strip_comma(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.trim_ascii();
    let object = line
        .strip_suffix(b",")
        .or_else(|| line.strip_prefix(b","))?;
    Some(object.trim_ascii().to_vec())
}

#[cfg(test)]
mod tests {
    use super::parse_bytes;

    #[test]
    fn a_comma_beside_a_whole_object_is_ignored() {
        for line in ["{\"a\":1},", " {\"a\":1} , ", ",{\"a\":1}", "{},\r"] {
            assert!(parse_bytes(line.as_bytes().to_vec()).is_ok(), "{line}");
        }
        for line in [
            "{\"a\":1",
            "{\"a\":1},,",
            "{\"a\":1}, {}",
            ",",
            "1,",
            "{\"a\":1,",
        ] {
            let (_, rejected) = parse_bytes(line.as_bytes().to_vec()).unwrap_err();
            assert_eq!(rejected, line.as_bytes());
        }
    }
}
