//! Standard output: records, buffered, and a closed pipe that is no failure.

use forage_record::Record;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 18;

/// Standard output. What is put here is kept until [`Output::flush`].
#[derive(Debug)]
pub struct Output {
    to: Option<File>,
    buffer: Vec<u8>,
    records: u64,
}

/// Standard output could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutputError {
    /// The reader has gone: no failure of ours.
    #[error("closed pipe")]
    Closed,
    #[error("standard output: {0}")]
    Failed(io::Error),
}

impl Output {
    /// The process's standard output.
    pub(crate) fn stdout() -> io::Result<Self> {
        let to = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Output {
            to: Some(to),
            buffer: Vec::with_capacity(BUFFER + (BUFFER >> 2)),
            records: 0,
        })
    }

    /// Puts a record.
    pub fn write_record(&mut self, record: &Record) {
        record.write(&mut self.buffer);
        self.records += 1;
    }

    /// Puts a line of text.
    pub fn write_line(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
        self.buffer.push(b'\n');
    }

    /// Puts records that are written already.
    pub(crate) fn written(&mut self, bytes: &[u8], records: u64) {
        self.buffer.extend_from_slice(bytes);
        self.records += records;
    }

    /// Records put so far.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Bytes that wait to be written.
    pub(crate) fn gathered(&self) -> usize {
        self.buffer.len()
    }

    /// Forgets what is gathered: what it rests on could not be committed.
    pub(crate) fn discard(&mut self) {
        self.buffer.clear();
    }

    /// Writes what is gathered if that is much.
    ///
    /// # Errors
    /// As [`Output::flush`].
    pub fn flush_if_full(&mut self) -> anyhow::Result<()> {
        if self.buffer.len() >= BUFFER {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes what is gathered.
    ///
    /// # Errors
    /// When standard output is closed or can't be written. After that everything put is dropped.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        let Some(to) = &mut self.to else {
            return Ok(());
        };
        let written = to.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(|e| {
            self.to = None;
            anyhow::Error::new(match e.kind() {
                io::ErrorKind::BrokenPipe => OutputError::Closed,
                _ => OutputError::Failed(e),
            })
        })
    }
}
