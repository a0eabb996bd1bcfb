//! Keys with bytes that grow, sorted by key in bounded memory: an inverted index that is written to
//! a temporary file, sorted, when it has filled its memory, and merged at the end.

use foldhash::{HashMap, HashMapExt};
use forage_sort::SortedParts;
use std::io;
use std::path::PathBuf;

/// Bytes in memory before they are written to a file.
const MEMORY: usize = 160 << 20;
/// Bytes that an entry needs besides its key and value: two allocations, its place in the map,
/// which doubles as it grows, and in the sorted list.
const ENTRY_BYTES: usize = 176;

/// Keys and the bytes appended to each.
#[derive(Debug)]
pub(crate) struct Postings {
    entries: HashMap<Box<[u8]>, Vec<u8>>,
    bytes: usize,
    memory: usize,
    parts: SortedParts,
}

impl Postings {
    /// Creates an index whose temporary file is in `folder`.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Postings::with_memory(folder, MEMORY)
    }

    fn with_memory(folder: PathBuf, memory: usize) -> Self {
        Postings {
            entries: HashMap::new(),
            bytes: 0,
            memory,
            parts: SortedParts::new(folder),
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
            true => self.write_part(),
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
        if self.parts.is_empty() {
            return self
                .take_sorted()
                .iter()
                .try_for_each(|(key, value)| work(key, value));
        }
        self.write_part()?;
        let mut current: Option<(Vec<u8>, Vec<u8>)> = None;
        self.parts.merge(self.memory, |key, value| {
            if let Some((last, bytes)) = &mut current {
                if last == key {
                    bytes.extend_from_slice(value);
                    return Ok(());
                }
                work(last, bytes)?;
            }
            current = Some((key.to_vec(), value.to_vec()));
            io::Result::Ok(())
        })?;
        current.map_or(Ok(()), |(key, value)| work(&key, &value))
    }

    fn take_sorted(&mut self) -> Vec<(Box<[u8]>, Vec<u8>)> {
        let mut sorted: Vec<_> = std::mem::take(&mut self.entries).into_iter().collect();
        sorted.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        sorted
    }

    fn write_part(&mut self) -> io::Result<()> {
        let sorted = self.take_sorted();
        self.bytes = 0;
        let entries = sorted.iter();
        self.parts
            .write(entries.map(|(key, value)| (&**key, value.as_slice())))
    }
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
