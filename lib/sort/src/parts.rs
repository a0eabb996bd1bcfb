//! Sorted parts in a temporary file, and their merge.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Limits of the size of the buffer through which a part is read, in bytes.
const BUFFER_BYTES: Range<usize> = 4 << 10..256 << 10;

/// Parts of the entries, each sorted by key, in a file that has no name and ends with the process.
#[derive(Debug)]
pub struct SortedParts {
    folder: PathBuf,
    file: Option<File>,
    /// Where each part ends.
    ends: Vec<u64>,
}

impl SortedParts {
    /// Creates parts whose file will be in `folder`.
    pub fn new(folder: PathBuf) -> SortedParts {
        SortedParts {
            folder,
            file: None,
            ends: Vec::new(),
        }
    }

    /// Returns whether no part was written.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Writes a part: entries of key and value in ascending order of the keys.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write<'a>(
        &mut self,
        entries: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
    ) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile_in(&self.folder)?);
        }
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let mut out = BufWriter::with_capacity(BUFFER_BYTES.end, file);
        let mut end = self.ends.last().copied().unwrap_or_default();
        for (key, value) in entries {
            for part in [key, value] {
                out.write_all(&(part.len() as u64).to_le_bytes()[..5])?;
                out.write_all(part)?;
                end += 5 + part.len() as u64;
            }
        }
        out.flush()?;
        self.ends.push(end);
        Ok(())
    }

    /// Passes all entries to `work`, in ascending order of the keys; those with equal keys in the
    /// order of the parts. The buffers have `memory` bytes, if there are not too many parts.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or `work` fails.
    pub fn merge<E: From<io::Error>>(
        self,
        memory: usize,
        mut work: impl FnMut(&[u8], &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let buffer = (memory / self.ends.len()).clamp(BUFFER_BYTES.start, BUFFER_BYTES.end);
        let mut cursors = BinaryHeap::with_capacity(self.ends.len());
        let mut start = 0;
        for (number, end) in self.ends.iter().enumerate() {
            let part = Part {
                file,
                range: start..*end,
            };
            let mut cursor = Cursor {
                key: Vec::new(),
                value: Vec::new(),
                number,
                part: BufReader::with_capacity(buffer, part),
            };
            if cursor.advance()? {
                cursors.push(cursor);
            }
            start = *end;
        }
        while let Some(mut next) = cursors.peek_mut() {
            work(&next.key, &next.value)?;
            if !next.advance()? {
                PeekMut::pop(next);
            }
        }
        Ok(())
    }
}

/// The bytes of a part that were not read yet.
#[derive(Debug)]
struct Part<'a> {
    file: &'a File,
    range: Range<u64>,
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.range.end - self.range.start).unwrap_or(usize::MAX);
        let length = left.min(buffer.len());
        let read = self.file.read_at(&mut buffer[..length], self.range.start)?;
        self.range.start += read as u64;
        Ok(read)
    }
}

/// A place in a part: its current entry, and what follows. The greatest has the least key.
#[derive(Debug)]
struct Cursor<'a> {
    key: Vec<u8>,
    value: Vec<u8>,
    number: usize,
    part: BufReader<Part<'a>>,
}

impl Cursor<'_> {
    /// Turns to the next entry. Returns `false` at the end.
    fn advance(&mut self) -> io::Result<bool> {
        if self.part.fill_buf()?.is_empty() {
            return Ok(false);
        }
        for field in [&mut self.key, &mut self.value] {
            let mut length = [0; 8];
            self.part.read_exact(&mut length[..5])?;
            let length = u64::from_le_bytes(length);
            field.clear();
            if self.part.by_ref().take(length).read_to_end(field)? as u64 != length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(true)
    }
}

impl Ord for Cursor<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        (&other.key, other.number).cmp(&(&self.key, self.number))
    }
}

impl PartialOrd for Cursor<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cursor<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cursor<'_> {}
