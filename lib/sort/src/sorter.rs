//! A sort that holds entries in memory up to a limit.

use crate::SortedParts;
use std::io;
use std::path::PathBuf;

/// Bytes of a key that are compared without a look at the entry.
const PREFIX_BYTES: usize = 8;

/// An entry in memory.
#[derive(Debug)]
struct Entry {
    prefix: [u8; PREFIX_BYTES],
    start: usize,
    key_bytes: usize,
    value_bytes: usize,
}

/// Sorts entries of key and value by key. Those with equal keys keep the order of the input.
#[derive(Debug)]
pub struct Sorter {
    memory: usize,
    entries: Vec<Entry>,
    /// The keys and values of the entries, one after the other.
    bytes: Vec<u8>,
    parts: SortedParts,
}

impl Sorter {
    /// Creates a sorter that holds `memory` bytes in memory, and more in a temporary file in
    /// `folder`.
    pub fn new(folder: PathBuf, memory: usize) -> Sorter {
        Sorter {
            memory,
            entries: Vec::new(),
            bytes: Vec::new(),
            parts: SortedParts::new(folder),
        }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be written.
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let used = self.bytes.len() + (self.entries.len() + 1) * size_of::<Entry>();
        if used + key.len() + value.len() > self.memory && !self.entries.is_empty() {
            self.sort();
            self.parts
                .write(self.entries.iter().map(|entry| fields(&self.bytes, entry)))?;
            self.entries.clear();
            self.bytes.clear();
        }
        let mut prefix = [0; PREFIX_BYTES];
        for (to, from) in prefix.iter_mut().zip(key) {
            *to = *from;
        }
        self.entries.push(Entry {
            prefix,
            start: self.bytes.len(),
            key_bytes: key.len(),
            value_bytes: value.len(),
        });
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        Ok(())
    }

    /// Passes all entries to `work`, sorted.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be written or read, or `work` fails.
    pub fn for_each<E: From<io::Error>>(
        mut self,
        mut work: impl FnMut(&[u8], &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.sort();
        let mut entries = self.entries.iter().map(|entry| fields(&self.bytes, entry));
        if self.parts.is_empty() {
            return entries.try_for_each(|(key, value)| work(key, value));
        }
        self.parts.write(entries)?;
        drop((self.entries, self.bytes));
        self.parts.merge(self.memory, work)
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.entries.sort_unstable_by(|a, b| {
            let keys = || fields(bytes, a).0.cmp(fields(bytes, b).0);
            let prefixes = a.prefix.cmp(&b.prefix);
            prefixes.then_with(keys).then(a.start.cmp(&b.start))
        });
    }
}

/// Returns the key and the value of an entry.
fn fields<'a>(bytes: &'a [u8], entry: &Entry) -> (&'a [u8], &'a [u8]) {
    let bytes = &bytes[entry.start..][..entry.key_bytes + entry.value_bytes];
    bytes.split_at(entry.key_bytes)
}

#[cfg(test)]
mod tests {
    use super::Sorter;
    use proptest::prelude::*;
    use std::io;

    proptest! {
        #[test]
        fn entries_are_sorted_and_equal_ones_keep_their_order(
            keys in prop::collection::vec("[ab\0]{0,12}", 0..60), memory in 0_usize..4000
        ) {
            let mut expected: Vec<(Vec<u8>, Vec<u8>)> = keys
                .iter()
                .enumerate()
                .map(|(number, key)| (key.clone().into_bytes(), number.to_string().into_bytes()))
                .collect();
            let mut sorter = Sorter::new(std::env::temp_dir(), memory);
            for (key, value) in &expected {
                sorter.add(key, value).unwrap();
            }
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            let mut sorted = Vec::new();
            sorter.for_each(|key, value| {
                sorted.push((key.to_vec(), value.to_vec()));
                Ok::<_, io::Error>(())
            }).unwrap();
            prop_assert_eq!(sorted, expected);
        }
    }

    #[test]
    fn thousands_of_parts_are_merged() {
        let mut sorter = Sorter::new(std::env::temp_dir(), 0);
        for number in (0..5000_u32).rev() {
            sorter.add(&number.to_be_bytes(), &[0; 3000]).unwrap();
        }
        let mut next = 0_u32;
        sorter
            .for_each(|key, value| {
                assert_eq!((key, value.len()), (&next.to_be_bytes()[..], 3000));
                next += 1;
                Ok::<_, io::Error>(())
            })
            .unwrap();
        assert_eq!(next, 5000);
    }
}
