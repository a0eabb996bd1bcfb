//! Buffered standard output for records and lines. A pipe that its reader has closed is not an
//! error.

use crate::exit_code::STOPPED;
use crate::messages::{Messages, Verbosity};
use crate::record_format::RecordFormat;
use comfy_table::{ContentArrangement, Table};
use forage_record::Record;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

/// Bytes that are buffered before they are written.
const BUFFER_BYTES: usize = 1 << 18;

/// Standard output, buffered until [`Output::flush`].
#[derive(Debug)]
pub struct Output {
    /// `None` after a write has failed.
    stdout: Option<File>,
    buffer: Vec<u8>,
    records: u64,
    format: RecordFormat,
    /// True if the header of a table is written, or there is none.
    has_header: bool,
    /// True if lines were written that are not records.
    has_lines: bool,
}

/// Standard output could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutputError {
    /// The reader has closed the pipe, which is not an error of the tool.
    #[error("closed pipe")]
    Closed,
    #[error("standard output: {0}")]
    Failed(io::Error),
}

impl From<io::Error> for OutputError {
    fn from(e: io::Error) -> Self {
        match e.kind() {
            io::ErrorKind::BrokenPipe => OutputError::Closed,
            _ => OutputError::Failed(e),
        }
    }
}

impl Output {
    /// Opens the standard output of the process.
    pub(crate) fn stdout(format: RecordFormat) -> io::Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Output {
            stdout: Some(stdout),
            buffer: Vec::with_capacity(BUFFER_BYTES + (BUFFER_BYTES >> 2)),
            records: 0,
            has_header: !format.is_table(),
            has_lines: false,
            format,
        })
    }

    /// Returns the width of the terminal that shows the output; `None` if it goes elsewhere.
    pub fn terminal_columns(&self) -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(self.stdout.as_ref()?).ok()?;
        Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
    }

    /// Buffers the rows of a table: aligned under `headings` on a terminal, otherwise the rows
    /// alone, with tabs between the cells.
    pub fn write_table(&mut self, headings: &[&str], rows: &[Vec<&str>]) {
        let Some(width) = self.terminal_columns() else {
            return rows.iter().for_each(|row| self.write_line(&row.join("\t")));
        };
        let mut table = Table::new();
        table
            .load_style(comfy_table::presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(width).unwrap_or(u16::MAX))
            .set_header(headings.to_vec())
            .add_rows(rows.to_vec());
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        for line in table.lines() {
            self.write_line(line.trim_end());
        }
    }

    /// Buffers a record.
    pub fn write_record(&mut self, record: &Record) {
        self.write_header();
        self.format.write_record(record, &mut self.buffer);
        self.records += 1;
    }

    /// Buffers the header of a table, once.
    fn write_header(&mut self) {
        if !self.has_header {
            self.has_header = true;
            self.format.write_header(&mut self.buffer);
        }
    }

    /// Writes everything at the end of the tool. A table without records has its header. Returns
    /// `false` if a table was requested but the output is not records.
    ///
    /// # Errors
    /// Fails as [`Output::flush`] does.
    pub(crate) fn finish(&mut self) -> anyhow::Result<bool> {
        let is_as_requested = self.has_header || !self.has_lines;
        if is_as_requested {
            self.write_header();
        }
        self.flush()?;
        Ok(is_as_requested)
    }

    /// Buffers a line of text, and adds its line feed.
    pub fn write_line(&mut self, text: &str) {
        self.has_lines = true;
        self.buffer.extend_from_slice(text.as_bytes());
        self.buffer.push(b'\n');
    }

    /// Buffers the bytes of records that are serialised already.
    pub(crate) fn write_serialised(&mut self, bytes: &[u8], records: u64) {
        self.write_header();
        self.buffer.extend_from_slice(bytes);
        self.records += records;
    }

    /// The format of records.
    pub(crate) fn format(&self) -> &RecordFormat {
        &self.format
    }

    /// The number of records passed to this output so far.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// The number of bytes in the buffer.
    pub(crate) fn buffered_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// Empties the buffer, because the state that its records depend on could not be committed.
    pub(crate) fn discard(&mut self) {
        self.buffer.clear();
    }

    /// Writes the buffer if it is full.
    ///
    /// # Errors
    /// Fails as [`Output::flush`] does.
    pub fn flush_if_full(&mut self) -> anyhow::Result<()> {
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes the buffer.
    ///
    /// # Errors
    /// Fails if standard output is closed or cannot be written. All later output is dropped.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        let Some(stdout) = &mut self.stdout else {
            self.buffer.clear();
            return Ok(());
        };
        let written = stdout.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(|e| {
            self.stdout = None;
            anyhow::Error::new(OutputError::from(e))
        })
    }
}

/// Returns the exit code after help or a generated file was written to standard output.
pub(crate) fn exit_after_writing(result: io::Result<()>, tool: &'static str) -> ExitCode {
    let Err(e) = result.map_err(OutputError::from) else {
        return ExitCode::SUCCESS;
    };
    if matches!(e, OutputError::Closed) {
        return ExitCode::SUCCESS;
    }
    Messages::new(tool, &Verbosity::default()).error(e);
    ExitCode::from(STOPPED)
}
