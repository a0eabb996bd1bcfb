//! Finished outputs that wait for an earlier one: in memory up to a limit, the others in temporary
//! files.
//!
//! The files have no names, so the system removes them even if the tool is killed. Each holds about
//! 64 MB, and is removed when none of its outputs is waiting any more, so that disk use stays close
//! to the size of the waiting outputs.

use parking_lot::Mutex;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Maximum size of the outputs in memory, in bytes.
const MAX_MEMORY: usize = 32 << 20;
/// Size of a file in bytes at which the next one is started.
const FILE_BYTES: u64 = 64 << 20;

/// A store of outputs, which all threads share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spool(Arc<Mutex<SpoolUsage>>);

#[derive(Debug, Default)]
struct SpoolUsage {
    /// Bytes of the outputs in memory.
    memory: usize,
    /// The file to which outputs are appended, and its size.
    file: Option<(Arc<File>, u64)>,
}

/// A waiting output.
#[derive(Debug)]
pub(crate) enum SpooledOutput {
    Memory(Vec<u8>),
    File {
        file: Arc<File>,
        offset: u64,
        bytes: usize,
    },
}

impl Spool {
    /// Stores an output.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be written.
    pub(crate) fn store(&self, output: Vec<u8>) -> io::Result<SpooledOutput> {
        let mut usage = self.0.lock();
        if usage.memory + output.len() <= MAX_MEMORY {
            usage.memory += output.len();
            return Ok(SpooledOutput::Memory(output));
        }
        let last = usage.file.take().filter(|(_, size)| *size < FILE_BYTES);
        let (file, offset) = match last {
            Some(last) => last,
            None => (Arc::new(tempfile::tempfile()?), 0),
        };
        file.write_all_at(&output, offset)?;
        usage.file = Some((file.clone(), offset + output.len() as u64));
        Ok(SpooledOutput::File {
            file,
            offset,
            bytes: output.len(),
        })
    }

    /// Returns an output, which is then no longer stored.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be read.
    pub(crate) fn load(&self, output: SpooledOutput) -> io::Result<Vec<u8>> {
        match output {
            SpooledOutput::Memory(output) => {
                let mut usage = self.0.lock();
                usage.memory -= output.len();
                Ok(output)
            }
            SpooledOutput::File {
                file,
                offset,
                bytes,
            } => {
                let mut output = vec![0; bytes];
                file.read_exact_at(&mut output, offset)?;
                Ok(output)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_MEMORY, Spool, SpooledOutput};
    use std::sync::Arc;

    #[test]
    fn returns_outputs_unchanged_and_removes_its_files() {
        let spool = Spool::default();
        let output = |number: u64| vec![number.to_le_bytes()[0]; 1 << 20];
        let mut stored: Vec<_> = (0..200)
            .map(|number| spool.store(output(number)).unwrap())
            .collect();
        let first_file = stored.iter().find_map(|stored| match stored {
            SpooledOutput::File { file, .. } => Some(Arc::downgrade(file)),
            SpooledOutput::Memory(_) => None,
        });
        assert!(spool.0.lock().memory <= MAX_MEMORY);
        for number in (0..200).rev() {
            assert_eq!(spool.load(stored.pop().unwrap()).unwrap(), output(number));
        }
        assert!(first_file.unwrap().upgrade().is_none());
        assert_eq!(spool.0.lock().memory, 0);
        let last = spool.store(output(1)).unwrap();
        assert_eq!(spool.load(last).unwrap(), output(1));
    }
}
