//! Merging segments into one.

use super::failure::IndexResult;
use super::postings::{ListBuilder, NO_DOCUMENT, skip_numbers, unpack_documents};
use super::segment::{DOCUMENT_COLUMNS, Segment, SegmentWriter, damaged, write_segment};
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Result, Row, Rows, Statement};
use std::ops::Range;
use std::path::Path;

/// The number of a document that another one replaces, or that is removed.
const REPLACED: u32 = NO_DOCUMENT;

/// Writes the documents of segments as the segment `name` in a folder, without those whose URL and
/// id satisfy `is_removed`. Of documents with the same URL, the one of the last segment remains.
/// Keeps 4 bytes per document in memory, and the longest list of documents.
pub(super) fn combine_segments(
    segments: &[&Segment],
    folder: &Path,
    name: &str,
    is_removed: &dyn Fn(&str, &str) -> bool,
) -> IndexResult<()> {
    write_segment(folder, name, |out| {
        let numbers = copy_documents(segments, out, is_removed)?;
        copy_lists(segments, &numbers, out)
    })
}

/// Copies the documents. Returns the new number of each document of each segment.
fn copy_documents(
    segments: &[&Segment],
    out: &mut SegmentWriter,
    is_removed: &dyn Fn(&str, &str) -> bool,
) -> IndexResult<Vec<Vec<u32>>> {
    let mut documents = prepare_documents(segments.iter().copied())?;
    let mut rows = MergedRows::new(&mut documents)?;
    let mut numbers = vec![Vec::new(); segments.len()];
    let mut last_url = String::new();
    while let Some((place, row)) = rows.next()? {
        let url = row.get_ref(0)?;
        let mut number = REPLACED;
        if url.as_str()? != last_url {
            last_url.clear();
            last_url.push_str(url.as_str()?);
            let length = segments[place].lengths.get(numbers[place].len());
            let columns = [url, row.get_ref(1)?, row.get_ref(2)?, row.get_ref(3)?];
            if !is_removed(&last_url, columns[1].as_str()?) {
                number = out.add_document(columns, *length.ok_or_else(damaged)?)?;
            }
        }
        numbers[place].push(number);
    }
    Ok(numbers)
}

/// Copies the lists of the documents that were copied.
fn copy_lists(segments: &[&Segment], numbers: &[Vec<u32>], out: &SegmentWriter) -> IndexResult<()> {
    let sql = "SELECT key, documents, positions FROM posting ORDER BY key, last";
    let lists = segments.iter().map(|segment| segment.db.prepare(sql));
    let mut lists = lists.collect::<Result<Vec<_>>>()?;
    let mut rows = MergedRows::new(&mut lists)?;
    let mut key = String::new();
    let mut list = RenumberedList::default();
    while let Some((place, row)) = rows.next()? {
        let next = row.get_ref(0)?.as_str()?;
        if next != key {
            out.add_list(&key, list.take().finish())?;
            key.clear();
            key.push_str(next);
        }
        list.add_row(row, &numbers[place])?;
    }
    out.add_list(&key, list.take().finish())
}

/// A list with the new numbers of the documents.
#[derive(Default)]
struct RenumberedList {
    /// The documents with frequencies, and the places of their positions.
    documents: Vec<(u32, u32, Range<usize>)>,
    positions: Vec<u8>,
}

impl RenumberedList {
    /// Adds a row of the list of a segment.
    fn add_row(&mut self, row: &Row, numbers: &[u32]) -> Result<()> {
        let documents = unpack_documents(row.get_ref(1)?.as_blob()?).ok_or_else(damaged)?;
        let mut start = self.positions.len();
        self.positions.extend_from_slice(row.get_ref(2)?.as_blob()?);
        for (document, frequency) in documents {
            let end = skip_numbers(&self.positions, start, frequency).ok_or_else(damaged)?;
            let number = *numbers.get(document as usize).ok_or_else(damaged)?;
            if number != REPLACED {
                self.documents.push((number, frequency, start..end));
            }
            start = end;
        }
        Ok(())
    }

    /// Returns the list, and makes it empty.
    fn take(&mut self) -> ListBuilder {
        let mut list = ListBuilder::default();
        // Those of each segment are in order.
        self.documents.sort_by_key(|&(number, ..)| number);
        for (number, frequency, positions) in self.documents.drain(..) {
            list.add_document(number, frequency, &self.positions[positions]);
        }
        self.positions.clear();
        list
    }
}

/// Prepares the queries of all documents of segments.
pub(super) fn prepare_documents<'a>(
    segments: impl IntoIterator<Item = &'a Segment>,
) -> Result<Vec<Statement<'a>>> {
    let sql = format!("SELECT {DOCUMENT_COLUMNS} FROM document ORDER BY number");
    segments
        .into_iter()
        .map(|segment| segment.db.prepare(&sql))
        .collect()
}

/// The rows of several queries in order of their first columns, as those of each query are.
pub(super) struct MergedRows<'s> {
    queries: Vec<Rows<'s>>,
    /// The query whose row is the current one.
    current: Option<usize>,
}

impl<'s> MergedRows<'s> {
    /// Starts the queries.
    pub fn new(queries: &'s mut [Statement]) -> Result<MergedRows<'s>> {
        let rows = queries.iter_mut().map(|query| query.query([]));
        let mut queries = rows.collect::<Result<Vec<_>>>()?;
        queries.iter_mut().try_for_each(Rows::advance)?;
        let current = None;
        Ok(MergedRows { queries, current })
    }

    /// Returns the next row with the place of its query; `None` after the last one. Of rows with
    /// the same key, that of the last query comes first.
    pub fn next(&mut self) -> Result<Option<(usize, &Row<'s>)>> {
        if let Some(place) = self.current {
            self.queries[place].advance()?;
        }
        let mut first: Option<(&str, usize, &Row)> = None;
        for (place, rows) in self.queries.iter().enumerate() {
            if let Some(row) = rows.get() {
                let key = row.get_ref(0)?.as_str()?;
                if first.is_none_or(|(least, ..)| key <= least) {
                    first = Some((key, place, row));
                }
            }
        }
        self.current = first.map(|(_, place, _)| place);
        Ok(first.map(|(_, place, row)| (place, row)))
    }
}
