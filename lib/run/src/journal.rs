//! `journal.jsonl`: every finished record, one JSON line each.
//!
//! The journal is append-only, with one exception: after a kill, an incomplete line or step at its
//! end is cut off. Hashes of its first and last bytes identify it, see `journal_check.rs`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes before the end of the applied part of the journal that are hashed. Set by judgement:
/// enough to hold several records.
pub(crate) const END_BYTES: u64 = 4096;
/// Bytes at the start of the journal that are hashed.
pub(crate) const START_BYTES: u64 = 64;
/// Hex digits of [`Journal::hash_range`].
pub(crate) const HASH_DIGITS: usize = 16;

/// An I/O error of the journal.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", .path.display())]
pub struct JournalError {
    path: PathBuf,
    source: io::Error,
}

/// Maximum length of a line in bytes. Set by judgement: all tools together add far less to a record
/// of `--max-line` bytes.
const MAX_LINE_BYTES: u64 = 1 << 30;

/// The journal of a run, open at its end.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Length in bytes.
    length: u64,
    /// True if lines can be appended and the end can be cut off.
    is_writable: bool,
}

/// A line of the journal.
#[derive(Debug)]
pub(crate) struct JournalLine {
    /// Offset of the first byte of the line.
    pub(crate) start: u64,
    /// Offset of the first byte after the line and its line feed.
    pub(crate) end: u64,
    pub(crate) bytes: Vec<u8>,
    /// True if the line ends with a line feed. A line without one was being written when the run
    /// was killed.
    pub(crate) is_complete: bool,
}

impl Journal {
    /// Opens the journal to read and append; creates an empty one if there is none.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let mut options = OpenOptions::new();
        Journal::open_with(options.read(true).append(true).create(true), path, true)
    }

    /// Opens an existing journal read-only.
    pub(crate) fn open_read_only(path: &Path) -> Result<Self, JournalError> {
        Journal::open_with(OpenOptions::new().read(true), path, false)
    }

    fn open_with(
        options: &OpenOptions,
        path: &Path,
        is_writable: bool,
    ) -> Result<Self, JournalError> {
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

    /// Wraps an I/O error with the path of the journal.
    fn io_error(&self, source: io::Error) -> JournalError {
        JournalError {
            path: self.path.clone(),
            source,
        }
    }

    /// Returns the length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the path, for messages.
    pub(crate) fn display_path(&self) -> String {
        self.path.display().to_string()
    }

    /// Appends complete lines. If that fails, the journal keeps its previous length.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), JournalError> {
        if !self.is_writable && !lines.is_empty() {
            let cause = "its last line is incomplete, and it is not known to be a journal";
            return Err(self.io_error(io::Error::other(cause)));
        }
        if let Err(source) = self.file.write_all(lines) {
            // A full disk may have stored a part of the lines. It must not precede what is written
            // next time.
            let _ = self.file.set_len(self.length);
            return Err(self.io_error(source));
        }
        self.length += lines.len() as u64;
        Ok(())
    }

    /// Returns `true` if the journal was opened to append.
    pub(crate) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// Leaves the file as it is from now on: nothing is cut off or appended.
    pub(crate) fn close_for_writing(&mut self) {
        self.is_writable = false;
    }

    /// Truncates the journal to `length` bytes. The file of a read-only journal stays as it is, and
    /// the bytes after `length` are ignored.
    pub(crate) fn truncate(&mut self, length: u64) -> Result<(), JournalError> {
        if !self.is_writable {
            self.length = length;
        }
        if length < self.length {
            self.file.set_len(length).map_err(|e| self.io_error(e))?;
            self.length = length;
        }
        Ok(())
    }

    /// Returns an iterator over the lines from offset `start` on.
    pub(crate) fn lines(
        &self,
        start: u64,
    ) -> Result<impl Iterator<Item = Result<JournalLine, JournalError>> + use<>, JournalError> {
        let path = self.path.clone();
        let io_error = move |source| JournalError {
            path: path.clone(),
            source,
        };
        let mut file = File::open(&self.path).map_err(&io_error)?;
        file.seek(SeekFrom::Start(start)).map_err(&io_error)?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let mut end = start;
        Ok(std::iter::from_fn(move || {
            let mut bytes = Vec::new();
            let mut limited = reader.by_ref().take(MAX_LINE_BYTES);
            match limited.read_until(b'\n', &mut bytes) {
                Ok(0) => None,
                Ok(read) if read as u64 == MAX_LINE_BYTES => {
                    let message = format!("byte {end}: the line exceeds {MAX_LINE_BYTES} bytes");
                    let error = io::Error::new(io::ErrorKind::InvalidData, message);
                    Some(Err(io_error(error)))
                }
                Ok(read) => {
                    let start = end;
                    end += read as u64;
                    let is_complete = bytes.pop_if(|byte| *byte == b'\n').is_some();
                    Some(Ok(JournalLine {
                        start,
                        end,
                        bytes,
                        is_complete,
                    }))
                }
                Err(e) => Some(Err(io_error(e))),
            }
        }))
    }

    /// Returns the hashes that identify a journal of which `length` bytes were applied: of the last
    /// [`END_BYTES`] of them, and of the first [`START_BYTES`].
    pub(crate) fn fingerprint(&self, length: u64) -> Result<[String; 2], JournalError> {
        let end = self.hash_range(length.saturating_sub(END_BYTES), length)?;
        Ok([end, self.hash_range(0, START_BYTES.min(length))?])
    }

    /// Returns the BLAKE3 hash of the first `length` bytes, in hex digits.
    pub(crate) fn digest(&self, length: u64) -> Result<String, JournalError> {
        let read = || {
            let mut hasher = blake3::Hasher::new();
            hasher.update_reader(File::open(&self.path)?.take(length))?;
            Ok(hasher.finalize().to_hex().to_string())
        };
        read().map_err(|e| self.io_error(e))
    }

    /// Returns the first 8 bytes of the BLAKE3 hash of the bytes from `start` to `end`, as
    /// [`HASH_DIGITS`] hex digits.
    pub(crate) fn hash_range(&self, start: u64, end: u64) -> Result<String, JournalError> {
        let read = || {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::new();
            file.take(end - start).read_to_end(&mut bytes)?;
            Ok(blake3::hash(&bytes).to_hex()[..HASH_DIGITS].to_owned())
        };
        read().map_err(|e| self.io_error(e))
    }
}
