//! Many texts: read in chunks, identified on threads without Python's lock.
//!
//! Threads exist only while a chunk is identified, so that a process can be forked between results.

use crate::identification::Identification;
use crate::text::read_cell;
use forage_langid::{Identifier, Scratch};
use pyo3::exceptions::PyException;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyIterator;
use pyo3::{Py, PyErr, PyRef, PyResult, Python, pyclass, pymethods};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::vec;

/// The most texts that are read before the first of them is identified.
const CHUNK_TEXTS: usize = 4096;
/// The bytes of text after which a chunk ends.
const CHUNK_BYTES: usize = 16 << 20;
/// The texts that a thread takes at once.
const BLOCK_TEXTS: usize = 32;
/// The most threads; as of the tools.
const MAX_THREADS: usize = 1024;

/// The results of `identify_many`, in the order of the texts.
#[pyclass(module = "forage.langid")]
pub struct Identifications {
    identifier: Arc<Identifier>,
    /// The texts that are not yet read; `None` at their end.
    texts: Option<Py<PyIterator>>,
    /// Buffers, for each thread.
    scratches: Vec<Scratch>,
    results: vec::IntoIter<Option<Identification>>,
    /// Why no text could be read after those of `results`.
    error: Option<PyErr>,
}

impl Identifications {
    /// Returns the results for texts, on as many threads as there are cores if `jobs` is 0.
    pub fn new(identifier: Arc<Identifier>, texts: Py<PyIterator>, jobs: usize) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let jobs = if jobs == 0 { cores() } else { jobs };
        let mut scratches = Vec::new();
        scratches.resize_with(jobs.min(MAX_THREADS), Scratch::default);
        Self {
            identifier,
            texts: Some(texts),
            scratches,
            results: Vec::new().into_iter(),
            error: None,
        }
    }

    /// Reads texts until the chunk is full or there are no more. The exception of a text is kept
    /// until the results for those before it have been given, but not an interruption.
    fn read_chunk(&mut self, py: Python<'_>) -> PyResult<Vec<PyBackedStr>> {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        let Some(texts) = &self.texts else {
            return Ok(chunk);
        };
        let mut texts = texts.bind(py).clone();
        while chunk.len() < CHUNK_TEXTS && bytes < CHUNK_BYTES {
            match texts.next().map(|text| read_cell(&text?)) {
                Some(Ok(text)) => {
                    bytes += text.len();
                    chunk.push(text);
                }
                Some(Err(error)) if !error.is_instance_of::<PyException>(py) => return Err(error),
                end => {
                    self.texts = None;
                    self.error = end.and_then(Result::err);
                    break;
                }
            }
        }
        py.check_signals()?;
        Ok(chunk)
    }
}

#[pymethods]
impl Identifications {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Identification>> {
        if self.results.as_slice().is_empty() {
            let texts = self.read_chunk(py)?;
            let (identifier, scratches) = (&self.identifier, &mut self.scratches[..]);
            let results = py.detach(|| identify_chunk(identifier, scratches, &texts));
            self.results = results.into_iter();
        }
        match self.results.next() {
            Some(result) => Ok(result),
            None => self.error.take().map_or(Ok(None), Err),
        }
    }
}

/// Returns a result for each text, with a thread for each of `scratches`.
fn identify_chunk(
    identifier: &Identifier,
    scratches: &mut [Scratch],
    texts: &[PyBackedStr],
) -> Vec<Option<Identification>> {
    let mut results = vec![None; texts.len()];
    let blocks = texts
        .chunks(BLOCK_TEXTS)
        .zip(results.chunks_mut(BLOCK_TEXTS));
    let threads = scratches.len().min(blocks.len());
    let blocks = Mutex::new(blocks);
    let identify_blocks = |scratch: &mut Scratch| {
        let next = || blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((texts, results)) = next() {
            for (text, result) in texts.iter().zip(results) {
                *result = Some(identifier.identify_with(scratch, text).into());
            }
        }
    };
    if let Some((own, others)) = scratches[..threads].split_first_mut() {
        std::thread::scope(|scope| {
            for scratch in others {
                scope.spawn(|| identify_blocks(scratch));
            }
            identify_blocks(own);
        });
    }
    results
}
