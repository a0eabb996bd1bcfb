//! Answers that wait for an earlier one: in memory while they are few, in temporary files when they
//! are many.
//!
//! The files are nameless, so that nothing is left behind however the tool ends. Each takes some
//! MB; it goes when all that it holds has been put out, so that the disk holds little more than
//! what waits.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes that wait in memory.
const MOST_MEMORY: usize = 32 << 20;
/// Bytes in a file, but for the last answer in it.
const FILE_BYTES: u64 = 64 << 20;

/// Answers by number.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    waiting: BTreeMap<u64, Held>,
    memory: usize,
    files: BTreeMap<u64, Segment>,
    /// The number of the file that is written to.
    last: u64,
}

#[derive(Debug)]
enum Held {
    Memory(Vec<u8>),
    File {
        number: u64,
        offset: u64,
        bytes: usize,
    },
}

/// A file, its size, and how many answers in it still wait.
#[derive(Debug)]
struct Segment {
    file: File,
    bytes: u64,
    waiting: usize,
}

impl Spool {
    /// Keeps an answer.
    ///
    /// # Errors
    /// When the temporary file can't be written.
    pub(crate) fn keep(&mut self, number: u64, answer: Vec<u8>) -> io::Result<()> {
        let held = if self.memory + answer.len() <= MOST_MEMORY {
            self.memory += answer.len();
            Held::Memory(answer)
        } else {
            self.write(&answer)?
        };
        self.waiting.insert(number, held);
        Ok(())
    }

    /// Takes an answer out again, if it is there.
    ///
    /// # Errors
    /// When the temporary file can't be read.
    pub(crate) fn take(&mut self, number: u64) -> io::Result<Option<Vec<u8>>> {
        match self.waiting.remove(&number) {
            None => Ok(None),
            Some(Held::Memory(answer)) => {
                self.memory -= answer.len();
                Ok(Some(answer))
            }
            Some(Held::File {
                number,
                offset,
                bytes,
            }) => self.read(number, offset, bytes).map(Some),
        }
    }

    fn write(&mut self, answer: &[u8]) -> io::Result<Held> {
        if self
            .files
            .get(&self.last)
            .is_none_or(|segment| segment.bytes >= FILE_BYTES)
        {
            self.last += 1;
            self.files.insert(
                self.last,
                Segment {
                    file: tempfile::tempfile()?,
                    bytes: 0,
                    waiting: 0,
                },
            );
        }
        let segment = self
            .files
            .get_mut(&self.last)
            .ok_or(io::ErrorKind::NotFound)?;
        let offset = segment.bytes;
        segment.file.write_all_at(answer, offset)?;
        segment.bytes += answer.len() as u64;
        segment.waiting += 1;
        Ok(Held::File {
            number: self.last,
            offset,
            bytes: answer.len(),
        })
    }

    fn read(&mut self, number: u64, offset: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let segment = self.files.get_mut(&number).ok_or(io::ErrorKind::NotFound)?;
        let mut answer = vec![0; bytes];
        segment.file.read_exact_at(&mut answer, offset)?;
        segment.waiting -= 1;
        if segment.waiting == 0 {
            self.files.remove(&number);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_MEMORY, Spool};

    #[test]
    fn what_is_kept_comes_back_whole_and_the_files_go() {
        let mut spool = Spool::default();
        let answer = |number: u64| vec![number.to_le_bytes()[0]; 1 << 20];
        for number in 0..200 {
            spool.keep(number, answer(number)).unwrap();
        }
        assert!(spool.memory <= MOST_MEMORY && spool.files.len() >= 2);
        for number in (0..200).rev() {
            assert_eq!(spool.take(number).unwrap(), Some(answer(number)));
            assert_eq!(spool.take(number).unwrap(), None);
        }
        assert!(spool.files.is_empty() && spool.memory == 0);
        spool.keep(1, answer(1)).unwrap();
        assert_eq!(spool.take(1).unwrap(), Some(answer(1)));
    }
}
