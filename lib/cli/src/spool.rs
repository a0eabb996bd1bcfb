//! Finished outputs that wait for an earlier one: in memory up to a limit, the others in temporary
//! files.
//!
//! The files have no names, so the system removes them even if the tool is killed. Each holds about
//! 64 MB, and is removed when none of its outputs is waiting any more, so that disk use stays close
//! to the size of the waiting outputs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Maximum size of the outputs in memory, in bytes.
const MAX_MEMORY: usize = 32 << 20;
/// Size of a file in bytes at which the next one is started.
const FILE_BYTES: u64 = 64 << 20;

/// Waiting outputs by record number.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    outputs: BTreeMap<u64, SpooledOutput>,
    memory: usize,
    files: BTreeMap<u64, SpoolFile>,
    /// The number of the file to which outputs are appended.
    last_file: u64,
}

/// The location of a waiting output.
#[derive(Debug)]
enum SpooledOutput {
    Memory(Vec<u8>),
    File {
        number: u64,
        offset: u64,
        bytes: usize,
    },
}

/// A temporary file, its size, and the number of its outputs that are still waiting.
#[derive(Debug)]
struct SpoolFile {
    file: File,
    bytes: u64,
    waiting: usize,
}

impl Spool {
    /// Stores an output.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be written.
    pub(crate) fn insert(&mut self, number: u64, output: Vec<u8>) -> io::Result<()> {
        let spooled = if self.memory + output.len() <= MAX_MEMORY {
            self.memory += output.len();
            SpooledOutput::Memory(output)
        } else {
            self.write_output(&output)?
        };
        self.outputs.insert(number, spooled);
        Ok(())
    }

    /// Removes and returns an output, if it is stored.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be read.
    pub(crate) fn remove(&mut self, number: u64) -> io::Result<Option<Vec<u8>>> {
        match self.outputs.remove(&number) {
            None => Ok(None),
            Some(SpooledOutput::Memory(output)) => {
                self.memory -= output.len();
                Ok(Some(output))
            }
            Some(SpooledOutput::File {
                number,
                offset,
                bytes,
            }) => self.read_output(number, offset, bytes).map(Some),
        }
    }

    fn write_output(&mut self, output: &[u8]) -> io::Result<SpooledOutput> {
        if self
            .files
            .get(&self.last_file)
            .is_none_or(|file| file.bytes >= FILE_BYTES)
        {
            self.last_file += 1;
            self.files.insert(
                self.last_file,
                SpoolFile {
                    file: tempfile::tempfile()?,
                    bytes: 0,
                    waiting: 0,
                },
            );
        }
        let last = self
            .files
            .get_mut(&self.last_file)
            .ok_or(io::ErrorKind::NotFound)?;
        let offset = last.bytes;
        last.file.write_all_at(output, offset)?;
        last.bytes += output.len() as u64;
        last.waiting += 1;
        Ok(SpooledOutput::File {
            number: self.last_file,
            offset,
            bytes: output.len(),
        })
    }

    fn read_output(&mut self, number: u64, offset: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let file = self.files.get_mut(&number).ok_or(io::ErrorKind::NotFound)?;
        let mut output = vec![0; bytes];
        file.file.read_exact_at(&mut output, offset)?;
        file.waiting -= 1;
        if file.waiting == 0 {
            self.files.remove(&number);
        }
        Ok(output)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_MEMORY, Spool};

    #[test]
    fn returns_outputs_unchanged_and_removes_its_files() {
        let mut spool = Spool::default();
        let output = |number: u64| vec![number.to_le_bytes()[0]; 1 << 20];
        for number in 0..200 {
            spool.insert(number, output(number)).unwrap();
        }
        assert!(spool.memory <= MAX_MEMORY && spool.files.len() >= 2);
        for number in (0..200).rev() {
            assert_eq!(spool.remove(number).unwrap(), Some(output(number)));
            assert_eq!(spool.remove(number).unwrap(), None);
        }
        assert!(spool.files.is_empty() && spool.memory == 0);
        spool.insert(1, output(1)).unwrap();
        assert_eq!(spool.remove(1).unwrap(), Some(output(1)));
    }
}
