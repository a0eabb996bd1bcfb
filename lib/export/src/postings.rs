//! Keys with bytes that grow, sorted by key in bounded memory: an inverted index that is written to
//! temporary files, each sorted, when it has filled its memory, and merged at the end.

use foldhash::{HashMap, HashMapExt};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::PathBuf;

/// Bytes in memory before they are written to a file.
const MEMORY: usize = 160 << 20;
/// Bytes that an entry needs besides its key and value: two allocations, its place in the map, which
/// doubles as it grows, and in the sorted list.
const ENTRY_BYTES: usize = 176;
/// Sorted files that are merged at once: each is open.
const MAX_RUNS: usize = 200;

/// Keys and the bytes appended to each.
#[derive(Debug)]
pub(crate) struct Postings {
    entries: HashMap<Box<[u8]>, Vec<u8>>,
    bytes: usize,
    memory: usize,
    folder: PathBuf,
    runs: Vec<File>,
}

impl Postings {
    /// Creates an index whose temporary files are in `folder`. They have no name, and end with the
    /// process.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Postings::with_memory(folder, MEMORY)
    }

    fn with_memory(folder: PathBuf, memory: usize) -> Self {
        Postings {
            entries: HashMap::new(),
            bytes: 0,
            memory,
            folder,
            runs: Vec::new(),
        }
    }

    /// Appends bytes to those of a key.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be written.
    pub(crate) fn append(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        match self.entries.get_mut(key) {
            Some(bytes) => bytes.extend_from_slice(value),
            None => {
                self.entries.insert(key.into(), value.to_vec());
                self.bytes += key.len() + ENTRY_BYTES;
            }
        }
        // Vectors have up to twice the memory of their bytes.
        self.bytes += 2 * value.len();
        match self.bytes > self.memory {
            true => self.write_run(),
            false => Ok(()),
        }
    }

    /// Passes each key with all its bytes, in the order in which they were appended, to `work`, by
    /// ascending key.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be written or read, or `work` fails.
    pub(crate) fn for_each(
        mut self,
        mut work: impl FnMut(&[u8], &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.runs.is_empty() {
            return self
                .take_sorted()
                .iter()
                .try_for_each(|(key, value)| work(key, value));
        }
        self.write_run()?;
        merge(self.runs, &mut work)
    }

    fn take_sorted(&mut self) -> Vec<(Box<[u8]>, Vec<u8>)> {
        let mut sorted: Vec<_> = std::mem::take(&mut self.entries).into_iter().collect();
        sorted.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        sorted
    }

    fn write_run(&mut self) -> io::Result<()> {
        let sorted = self.take_sorted();
        self.bytes = 0;
        let run = self.write_file(|out| {
            sorted
                .iter()
                .try_for_each(|(key, value)| write_entry(out, key, value))
        })?;
        self.runs.push(run);
        if self.runs.len() >= MAX_RUNS {
            let runs = std::mem::take(&mut self.runs);
            let merged =
                self.write_file(|out| merge(runs, &mut |key, value| write_entry(out, key, value)))?;
            self.runs.push(merged);
        }
        Ok(())
    }

    fn write_file(
        &self,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<File> {
        let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder)?);
        write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

fn write_entry(out: &mut impl Write, key: &[u8], value: &[u8]) -> io::Result<()> {
    for part in [key, value] {
        out.write_all(&(part.len() as u64).to_le_bytes()[..5])?;
        out.write_all(part)?;
    }
    Ok(())
}

/// Returns the next entry; `None` at the end.
fn read_entry(run: &mut BufReader<File>) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut read = || {
        let mut length = [0; 8];
        run.read_exact(&mut length[..5])?;
        let mut part = vec![0; u64::from_le_bytes(length) as usize];
        run.read_exact(&mut part).map(|()| part)
    };
    let key = match read() {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        key => key?,
    };
    Ok(Some((key, read()?)))
}

/// Merges sorted runs. Of equal keys, the bytes of earlier runs come first.
fn merge(runs: Vec<File>, work: &mut impl FnMut(&[u8], &[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut readers = Vec::with_capacity(runs.len());
    let mut heap = BinaryHeap::with_capacity(runs.len());
    for (index, mut run) in runs.into_iter().enumerate() {
        run.rewind()?;
        let mut reader = BufReader::with_capacity(1 << 18, run);
        if let Some((key, value)) = read_entry(&mut reader)? {
            heap.push(Reverse((key, index, value)));
        }
        readers.push(reader);
    }
    let mut current: Option<(Vec<u8>, Vec<u8>)> = None;
    while let Some(Reverse((key, index, value))) = heap.pop() {
        if let Some((key, value)) = read_entry(&mut readers[index])? {
            heap.push(Reverse((key, index, value)));
        }
        match &mut current {
            Some((last, bytes)) if *last == key => bytes.extend_from_slice(&value),
            _ => {
                if let Some((key, value)) = current.replace((key, value)) {
                    work(&key, &value)?;
                }
            }
        }
    }
    current.map_or(Ok(()), |(key, value)| work(&key, &value))
}

#[cfg(test)]
mod tests {
    use super::Postings;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn keys_are_sorted_and_have_all_their_bytes(
            entries in prop::collection::vec(("[ab]{0,3}", any::<u8>()), 0..300), memory in 0usize..3000
        ) {
            let mut postings = Postings::with_memory(std::env::temp_dir(), memory);
            let mut expected: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
            for (key, value) in &entries {
                postings.append(key.as_bytes(), &[*value]).unwrap();
                expected.entry(key.clone().into_bytes()).or_default().push(*value);
            }
            let mut read = Vec::new();
            postings.for_each(|key, value| {
                read.push((key.to_vec(), value.to_vec()));
                Ok(())
            }).unwrap();
            prop_assert_eq!(read, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
