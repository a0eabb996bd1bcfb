//! `journal.jsonl`: every finished record, appended once.
//!
//! The journal only grows, except that what a killed run left half done is cut off its end.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes at the end of what is contained, and at the start of the journal, that are hashed.
pub(crate) const END_BYTES: u64 = 4096;
pub(crate) const START_BYTES: u64 = 64;

/// Why the journal could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", .path.display())]
pub struct JournalError {
    path: PathBuf,
    source: io::Error,
}

/// Bytes of a line that are read at most: all tools together add far less to a record of
/// `--max-line`.
const MAX_LINE_BYTES: u64 = 1 << 30;

/// The journal of a run, open at its end.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    /// Whether it may be repaired.
    is_writable: bool,
}

/// A line of the journal.
#[derive(Debug)]
pub(crate) struct JournalLine {
    /// Bytes of the journal before this line.
    pub(crate) start: u64,
    /// Bytes up to and with it.
    pub(crate) end: u64,
    pub(crate) bytes: Vec<u8>,
    /// Whether its line feed is there: a line without one was being written when the run was
    /// killed.
    pub(crate) is_whole: bool,
}

impl Journal {
    /// Opens the journal, or makes an empty one.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        Journal::opened(
            OpenOptions::new().read(true).append(true).create(true),
            path,
            true,
        )
    }

    /// Opens an existing journal only to read.
    pub(crate) fn open_to_read(path: &Path) -> Result<Self, JournalError> {
        Journal::opened(OpenOptions::new().read(true), path, false)
    }

    fn opened(options: &OpenOptions, path: &Path, is_writable: bool) -> Result<Self, JournalError> {
        let open = || {
            let file = options.open(path)?;
            let length = file.metadata()?.len();
            Ok(Journal {
                path: path.into(),
                file,
                length,
                is_writable,
            })
        };
        open().map_err(|source| JournalError {
            path: path.into(),
            source,
        })
    }

    fn failed(&self, source: io::Error) -> JournalError {
        JournalError {
            path: self.path.clone(),
            source,
        }
    }

    /// Its size in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Appends whole lines.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), JournalError> {
        if let Err(source) = self.file.write_all(lines) {
            // A disk that is full may have taken a part, which must not stand before what is
            // written next time.
            let _ = self.file.set_len(self.length);
            return Err(self.failed(source));
        }
        self.length += lines.len() as u64;
        Ok(())
    }

    /// Whether it was opened to be written.
    pub(crate) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// Cuts the journal off after `length` bytes; one that is only read is taken to end there.
    pub(crate) fn cut(&mut self, length: u64) -> Result<(), JournalError> {
        if !self.is_writable {
            self.length = length;
        }
        if length < self.length {
            self.file.set_len(length).map_err(|e| self.failed(e))?;
            self.length = length;
        }
        Ok(())
    }

    /// The lines after `start` bytes.
    pub(crate) fn lines(
        &self,
        start: u64,
    ) -> Result<impl Iterator<Item = Result<JournalLine, JournalError>> + use<>, JournalError> {
        let path = self.path.clone();
        let fail = move |source| JournalError {
            path: path.clone(),
            source,
        };
        let mut file = File::open(&self.path).map_err(&fail)?;
        file.seek(SeekFrom::Start(start)).map_err(&fail)?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let mut end = start;
        Ok(std::iter::from_fn(move || {
            let mut bytes = Vec::new();
            match reader
                .by_ref()
                .take(MAX_LINE_BYTES)
                .read_until(b'\n', &mut bytes)
            {
                Ok(0) => None,
                Ok(read) if read as u64 == MAX_LINE_BYTES => {
                    let message = format!("byte {end}: a line of more than {MAX_LINE_BYTES} bytes");
                    Some(Err(fail(io::Error::new(
                        io::ErrorKind::InvalidData,
                        message,
                    ))))
                }
                Ok(read) => {
                    let start = end;
                    end += read as u64;
                    let is_whole = bytes.pop_if(|byte| *byte == b'\n').is_some();
                    Some(Ok(JournalLine {
                        start,
                        end,
                        bytes,
                        is_whole,
                    }))
                }
                Err(e) => Some(Err(fail(e))),
            }
        }))
    }

    /// The hashes by which a journal is recognised of which `length` bytes are contained: of the
    /// last ones, and of the first.
    pub(crate) fn fingerprint(&self, length: u64) -> Result<[String; 2], JournalError> {
        let end = self.hash_of(length.saturating_sub(END_BYTES), length)?;
        Ok([end, self.hash_of(0, START_BYTES.min(length))?])
    }

    /// A hash of the bytes from `start` to `end`.
    pub(crate) fn hash_of(&self, start: u64, end: u64) -> Result<String, JournalError> {
        let read = || {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::new();
            file.take(end - start).read_to_end(&mut bytes)?;
            Ok(blake3::hash(&bytes).to_hex()[..16].to_owned())
        };
        read().map_err(|e| self.failed(e))
    }
}
