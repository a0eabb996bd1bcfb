//! Lines that are not records: why, and where they are kept.

use crate::args::Input;
use crate::lines::{Line, Lines};
use anyhow::Context;
use forage_record::Record;
use std::fs::File;
use std::io::Write;

/// A line that is not a record.
#[derive(Debug)]
pub(crate) struct BadLine {
    pub(crate) cause: String,
    /// Its bytes, unless it was too long to hold.
    pub(crate) line: Option<Vec<u8>>,
}

impl BadLine {
    pub(crate) fn too_long(length: u64, max_line: usize) -> Self {
        BadLine { cause: format!("a line of {length} bytes, longer than --max-line {max_line}"), line: None }
    }
}

/// Reads a record from a line.
pub(crate) fn parse(line: Line, max_line: usize) -> Result<Record, BadLine> {
    match line {
        Line::Bytes(line) => {
            Record::parse(line).map_err(|(e, line)| BadLine { cause: e.to_string(), line: Some(line) })
        }
        Line::TooLong(length) => {
            Err(BadLine { cause: format!("a line of {length} bytes, longer than --max-line {max_line}"), line: None })
        }
    }
}

/// Where `--rejects` keeps lines that are not records.
#[derive(Debug)]
pub(crate) struct Rejects(Option<(String, File)>);

impl Rejects {
    pub(crate) fn open(input: &Input) -> anyhow::Result<Self> {
        let Some(path) = &input.rejects else { return Ok(Rejects(None)) };
        let name = path.display().to_string();
        let is_read = Lines::read_from(&input.files, path);
        anyhow::ensure!(!is_read, "--rejects {name}: is read as input, and would be emptied; name another file");
        let file = File::create(path).with_context(|| name.clone())?;
        Ok(Rejects(Some((name, file))))
    }

    pub(crate) fn keep(&mut self, bad: &BadLine) -> anyhow::Result<()> {
        if let (Some((name, file)), Some(line)) = (&mut self.0, &bad.line) {
            let whole = [line.as_slice(), b"\n"].concat();
            file.write_all(&whole).with_context(|| name.clone())?;
        }
        Ok(())
    }
}
