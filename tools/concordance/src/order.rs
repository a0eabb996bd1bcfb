//! Rows in the order that the user requested, in bounded memory.

use crate::args::Order;
use crate::occurrence::Row;
use anyhow::Context;
use forage_sort::Sorter;
use std::io;

/// Bytes of rows that are held in memory.
const MEMORY: usize = 64 << 20;

const TEMPORARY_FILE: &str = "temporary file for sorting";

/// Sorts rows. Those with equal keys keep the order of the input.
#[derive(Debug)]
pub struct RowSorter {
    /// `None` if the rows keep the order of the input.
    sorter: Option<Sorter>,
}

impl RowSorter {
    /// Creates a sorter without rows.
    pub fn new(order: Order) -> RowSorter {
        let sorter = || Sorter::new(std::env::temp_dir(), MEMORY);
        RowSorter {
            sorter: (order != Order::Document).then(sorter),
        }
    }

    /// Adds a row, or passes its line to `write` at once if the rows keep the order of the input.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be written, or `write` fails.
    pub fn add(
        &mut self,
        row: &Row,
        write: impl FnOnce(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        match &mut self.sorter {
            Some(sorter) => sorter.add(&row.key, &row.line).context(TEMPORARY_FILE),
            None => write(&row.line),
        }
    }

    /// Passes the lines of all rows to `write`, sorted.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be written or read, or `write` fails.
    pub fn finish(self, mut write: impl FnMut(&[u8]) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let write = |_: &[u8], line: &[u8]| write(line).map_err(SortError::Write);
        let sorted = self.sorter.map_or(Ok(()), |sorter| sorter.for_each(write));
        sorted.map_err(|error| match error {
            SortError::File(error) => anyhow::Error::new(error).context(TEMPORARY_FILE),
            SortError::Write(error) => error,
        })
    }
}

/// Why the rows could not be written.
enum SortError {
    File(io::Error),
    Write(anyhow::Error),
}

impl From<io::Error> for SortError {
    fn from(error: io::Error) -> SortError {
        SortError::File(error)
    }
}
