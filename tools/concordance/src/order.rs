//! Sorting in bounded memory: sorted parts are written to temporary files, which are merged.

use crate::args::Order;
use crate::occurrence::Row;
use anyhow::Context;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// Bytes of rows that are held in memory.
const PART_BYTES: usize = 64 << 20;

/// Bytes that a row takes besides its text.
const ROW_BYTES: usize = 100;

const TEMPORARY_FILE: &str = "temporary file for sorting";

/// Sorts rows. Those with equal keys keep the order of the input.
#[derive(Debug)]
pub struct Sorter {
    /// False if the rows keep the order of the input.
    is_sorting: bool,
    max_bytes: usize,
    rows: Vec<Row>,
    bytes: usize,
    /// Sorted parts, in the order of the input.
    parts: Vec<File>,
}

impl Sorter {
    /// Creates a sorter without rows.
    pub fn new(order: Order) -> Sorter {
        Sorter {
            is_sorting: order != Order::Document,
            max_bytes: PART_BYTES,
            rows: Vec::new(),
            bytes: 0,
            parts: Vec::new(),
        }
    }

    /// Adds a row, or writes it at once if the rows keep the order of the input.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be written.
    pub fn add(&mut self, row: Row, write: impl FnOnce(&Row)) -> anyhow::Result<()> {
        if !self.is_sorting {
            write(&row);
            return Ok(());
        }
        let cells: usize = row.cells.iter().map(String::len).sum();
        self.bytes += row.key.len() + cells + ROW_BYTES;
        self.rows.push(row);
        if self.bytes > self.max_bytes {
            self.spill().context(TEMPORARY_FILE)?;
        }
        Ok(())
    }

    /// Passes all rows to `write`, sorted.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be written or read, or `write` fails.
    pub fn finish(
        mut self,
        mut write: impl FnMut(&Row) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if self.parts.is_empty() {
            self.rows.sort_by(|a, b| a.key.cmp(&b.key));
            return self.rows.iter().try_for_each(write);
        }
        self.spill().context(TEMPORARY_FILE)?;
        let mut parts = Vec::new();
        for mut part in self.parts {
            part.rewind().context(TEMPORARY_FILE)?;
            parts.push(BufReader::new(part));
        }
        // The next row of each part, by its key and the number of the part.
        let mut next = BinaryHeap::new();
        for (number, part) in parts.iter_mut().enumerate() {
            let row = read_row(part).context(TEMPORARY_FILE)?;
            next.extend(row.map(|row| Reverse((row.key, number, row.cells))));
        }
        while let Some(Reverse((key, number, cells))) = next.pop() {
            write(&Row { key, cells })?;
            let row = read_row(&mut parts[number]).context(TEMPORARY_FILE)?;
            next.extend(row.map(|row| Reverse((row.key, number, row.cells))));
        }
        Ok(())
    }

    /// Writes the rows in memory to a temporary file, sorted.
    fn spill(&mut self) -> io::Result<()> {
        self.rows.sort_by(|a, b| a.key.cmp(&b.key));
        let mut part = BufWriter::new(tempfile::tempfile()?);
        for row in self.rows.drain(..) {
            part.write_all(&(row.cells.len() as u64).to_le_bytes())?;
            let cells = row.cells.iter().map(String::as_bytes);
            for field in std::iter::once(row.key.as_slice()).chain(cells) {
                part.write_all(&(field.len() as u64).to_le_bytes())?;
                part.write_all(field)?;
            }
        }
        self.bytes = 0;
        self.parts.push(part.into_inner()?);
        Ok(())
    }
}

/// Reads the next row of a part; `None` at its end.
fn read_row(part: &mut BufReader<File>) -> io::Result<Option<Row>> {
    let cells = match read_number(part) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        cells => cells?,
    };
    let key = read_field(part)?;
    let cells = (0..cells).map(|_| {
        let cell = read_field(part)?;
        String::from_utf8(cell).map_err(io::Error::other)
    });
    let cells = cells.collect::<io::Result<_>>()?;
    Ok(Some(Row { key, cells }))
}

fn read_field(part: &mut BufReader<File>) -> io::Result<Vec<u8>> {
    let length = read_number(part)?;
    let mut field = Vec::new();
    part.take(length).read_to_end(&mut field)?;
    Ok(field)
}

fn read_number(part: &mut BufReader<File>) -> io::Result<u64> {
    let mut bytes = [0; 8];
    part.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::Sorter;
    use crate::args::Order;
    use crate::occurrence::Row;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_sorted_and_equal_ones_keep_their_order(
            keys in prop::collection::vec("[ab]{0,3}", 0..40), max_bytes in 0_usize..2000
        ) {
            let mut expected: Vec<Row> = keys
                .iter()
                .enumerate()
                .map(|(number, key)| Row {
                    key: key.clone().into_bytes(),
                    cells: vec![number.to_string(), "č".into()],
                })
                .collect();
            let mut sorter = Sorter { max_bytes, ..Sorter::new(Order::Right) };
            for row in expected.clone() {
                sorter.add(row, |_| unreachable!()).unwrap();
            }
            expected.sort_by(|a, b| a.key.cmp(&b.key));
            let mut sorted = Vec::new();
            sorter.finish(|row| { sorted.push(row.clone()); Ok(()) }).unwrap();
            prop_assert_eq!(sorted, expected);
        }
    }
}
