//! Lines that are no records, and why.

use crate::lines::Line;
use forage_record::Record;

/// What is said of a record or line on which the work panicked; the panic hook has said more.
pub(crate) const DEFECT: &str = "a defect of this tool was met; please report it";

/// A line that is left out.
#[derive(Debug)]
pub(crate) struct BadLine {
    pub(crate) cause: String,
    /// Its bytes; none where it was too long to hold, and is kept already.
    pub(crate) line: Option<Vec<u8>>,
    /// Whether it was too long to be looked at.
    pub(crate) is_too_long: bool,
}

impl BadLine {
    /// A line that is not what was looked for.
    pub(crate) fn wrong(cause: String, line: Option<Vec<u8>>) -> Self {
        BadLine {
            cause,
            line,
            is_too_long: false,
        }
    }

    pub(crate) fn too_long(length: u64, max_line: usize) -> Self {
        let cause = format!("a line of {length} bytes, longer than --max-line {max_line}");
        BadLine {
            cause,
            line: None,
            is_too_long: true,
        }
    }
}

/// Reads a record from a line.
pub(crate) fn parse(line: Line, max_line: usize) -> Result<Record, BadLine> {
    match line {
        Line::Bytes(line) => Record::parse(line)
            .map_err(|(e, line)| BadLine::wrong(format!("{e}{}", hint(&line)), Some(line))),
        Line::TooLong(length) => Err(BadLine::too_long(length, max_line)),
    }
}

/// What may be done about a line that is no record.
fn hint(line: &[u8]) -> &'static str {
    if line.starts_with(b"http://") || line.starts_with(b"https://") {
        " (URLs become records by: jq -Rc '{url: .}')"
    } else {
        ""
    }
}
