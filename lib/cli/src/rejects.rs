//! Lines that are left out: why, and where they are kept.

use crate::args::Input;
use crate::lines::{Line, Lines};
use anyhow::Context;
use forage_record::Record;
use std::fs::File;
use std::io::Write;

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
        BadLine { cause, line, is_too_long: false }
    }

    pub(crate) fn too_long(length: u64, max_line: usize) -> Self {
        let cause = format!("a line of {length} bytes, longer than --max-line {max_line}");
        BadLine { cause, line: None, is_too_long: true }
    }
}

/// Reads a record from a line.
pub(crate) fn parse(line: Line, max_line: usize) -> Result<Record, BadLine> {
    match line {
        Line::Bytes(line) => {
            Record::parse(line).map_err(|(e, line)| BadLine::wrong(format!("{e}{}", hint(&line)), Some(line)))
        }
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

/// Where `--rejects` keeps lines that are left out.
#[derive(Debug, Default)]
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

    /// The same file for another thread; what the two put goes one after the other.
    pub(crate) fn share(&self) -> anyhow::Result<Self> {
        let Some((name, file)) = &self.0 else { return Ok(Rejects(None)) };
        Ok(Rejects(Some((name.clone(), file.try_clone().with_context(|| name.clone())?))))
    }

    /// Whether lines are to be kept.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn keep(&mut self, bad: &BadLine) -> anyhow::Result<()> {
        bad.line.as_ref().map_or(Ok(()), |line| self.put(&[line.as_slice(), b"\n"].concat()))
    }

    /// Puts a piece of a line.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let Some((name, file)) = &mut self.0 else { return Ok(()) };
        file.write_all(bytes).with_context(|| name.clone())
    }
}
