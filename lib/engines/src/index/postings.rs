//! Lists of the documents that have a key, with its frequencies and positions.
//!
//! Documents are in ascending order of their numbers. A list is in rows of 512 documents, so that a
//! query skips those without a match. A document is written as the distance from the one before,
//! doubled, plus 1 if the key occurs in it once; otherwise the frequency, less 2, follows.
//! Positions are written as distances, too, in a column that only phrases read. Each row can be
//! read without the one before.

use super::segment::{Segment, damaged};
use forage_text::{push_number, take_number};
use rusqlite::Result;

/// Documents in a row. As many are decoded in the time that SQLite needs to find the row.
const ROW_DOCUMENTS: u64 = 512;

/// The document after the last one.
pub(super) const NO_DOCUMENT: u32 = u32::MAX;

/// A part of a list.
#[derive(Debug, Default)]
pub(super) struct ListRow {
    /// The last document.
    pub last: u32,
    /// Number of documents of the list up to this one.
    pub count: u64,
    pub documents: Vec<u8>,
    pub positions: Vec<u8>,
}

/// Builds a list.
#[derive(Default)]
pub(super) struct ListBuilder {
    complete: Vec<ListRow>,
    row: ListRow,
    /// The least document that can follow in the row.
    next: u32,
    /// The current document, which is not yet written, with the frequency and last position.
    document: u32,
    frequency: u32,
    position: u32,
}

impl ListBuilder {
    /// Adds an occurrence, which is behind those before.
    pub fn add_occurrence(&mut self, document: u32, position: u32) {
        if self.frequency == 0 || document != self.document {
            self.begin_document(document);
        }
        self.frequency += 1;
        push_number(&mut self.row.positions, u64::from(position - self.position));
        self.position = position;
    }

    /// Adds a document, which is behind those before, with positions as they are written.
    pub fn add_document(&mut self, document: u32, frequency: u32, positions: &[u8]) {
        self.begin_document(document);
        self.frequency = frequency;
        self.row.positions.extend_from_slice(positions);
    }

    fn begin_document(&mut self, document: u32) {
        self.end_document();
        if self.row.count > 0 && self.row.count.is_multiple_of(ROW_DOCUMENTS) {
            let count = self.row.count;
            self.complete.push(std::mem::take(&mut self.row));
            self.row.count = count;
            self.next = 0;
        }
        (self.document, self.position) = (document, 0);
    }

    fn end_document(&mut self) {
        if self.frequency == 0 {
            return;
        }
        let distance = u64::from(self.document - self.next) << 1;
        if self.frequency == 1 {
            push_number(&mut self.row.documents, distance | 1);
        } else {
            push_number(&mut self.row.documents, distance);
            push_number(&mut self.row.documents, u64::from(self.frequency - 2));
        }
        self.row.last = self.document;
        self.row.count += 1;
        self.next = self.document + 1;
        self.frequency = 0;
    }

    /// Returns the rows of the list.
    pub fn finish(mut self) -> Vec<ListRow> {
        self.end_document();
        if self.row.count > 0 {
            self.complete.push(self.row);
        }
        self.complete
    }
}

/// Returns the documents of a row with their frequencies; `None` if it is damaged.
pub(super) fn unpack_documents(mut bytes: &[u8]) -> Option<Vec<(u32, u32)>> {
    let mut documents = Vec::with_capacity(bytes.len());
    let mut next = 0;
    while !bytes.is_empty() {
        let code = take_number(&mut bytes)?;
        let document = u32::try_from(code >> 1).ok()?.checked_add(next)?;
        let frequency = match code & 1 {
            1 => 1,
            _ => u32::try_from(take_number(&mut bytes)?)
                .ok()?
                .checked_add(2)?,
        };
        next = document.checked_add(1)?;
        documents.push((document, frequency));
    }
    Some(documents)
}

/// Returns where `count` numbers that start at `start` end; `None` if there are fewer.
pub(super) fn skip_numbers(bytes: &[u8], mut start: usize, mut count: u32) -> Option<usize> {
    // The last byte of a number has no highest bit. Eight bytes are counted at once.
    const HIGHEST_BITS: u64 = 0x8080_8080_8080_8080;
    while let Some(word) = bytes.get(start..).and_then(<[u8]>::first_chunk) {
        let ends = (!u64::from_le_bytes(*word) & HIGHEST_BITS).count_ones();
        if ends >= count {
            break;
        }
        count -= ends;
        start += size_of::<u64>();
    }
    while count > 0 {
        count -= u32::from(*bytes.get(start)? < 0x80);
        start += 1;
    }
    Some(start)
}

/// Reads a list: it is at one of its documents, or after the last one.
#[derive(Clone)]
pub(super) struct Postings<'a> {
    segment: &'a Segment,
    key: &'a str,
    /// Number of documents of the list.
    pub count: u64,
    /// The documents of the current row with frequencies.
    row: Vec<(u32, u32)>,
    current: usize,
    /// The positions of the row, once they were needed.
    positions: Option<Vec<u8>>,
    /// A document of the row, and where its positions start.
    place: (usize, usize),
}

impl<'a> Postings<'a> {
    /// Opens the list of a key, and turns to its first document. Returns `None` if there is none.
    pub fn open(segment: &'a Segment, key: &'a str) -> Result<Option<Postings<'a>>> {
        let mut postings = Postings {
            segment,
            key,
            count: 0,
            row: Vec::new(),
            current: 0,
            positions: None,
            place: (0, 0),
        };
        postings.count = postings.read_row(0)?;
        // Only a full row can have others behind it.
        if postings.count == ROW_DOCUMENTS {
            postings.count = segment.document_frequency(key)?;
        }
        Ok((postings.count > 0).then_some(postings))
    }

    /// Returns the current document; [`NO_DOCUMENT`] after the last one.
    fn document(&self) -> u32 {
        self.row
            .get(self.current)
            .map_or(NO_DOCUMENT, |&(document, _)| document)
    }

    /// Returns the frequency of the key in the current document.
    pub fn frequency(&self) -> u32 {
        self.row
            .get(self.current)
            .map_or(0, |&(_, frequency)| frequency)
    }

    /// Turns to the first document, from the current one on, that is not less than `document`, and
    /// returns it.
    #[inline]
    pub fn seek(&mut self, document: u32) -> Result<u32> {
        if self.row.last().is_some_and(|&(last, _)| last < document) {
            self.read_row(document)?;
        }
        while self.document() < document {
            self.current += 1;
        }
        Ok(self.document())
    }

    /// Reads the first row whose last document is not less than `document`. Returns the number of
    /// documents of the list up to its end; 0 if there is none.
    fn read_row(&mut self, document: u32) -> Result<u64> {
        let row = self.segment.db.find_row(
            "SELECT documents, count FROM posting WHERE key = ?1 AND last >= ?2
             ORDER BY last LIMIT 1",
            (self.key, document),
            |row| {
                let documents = unpack_documents(row.get_ref(0)?.as_blob()?);
                Ok((documents.ok_or_else(damaged)?, row.get(1)?))
            },
        );
        let (row, count) = row?.unwrap_or_default();
        self.row = row;
        self.current = 0;
        self.positions = None;
        self.place = (0, 0);
        Ok(count)
    }

    /// Returns the positions of the key in the current document.
    pub fn positions(&mut self) -> Result<impl Iterator<Item = u64>> {
        let bytes = match self.positions.take() {
            Some(bytes) => bytes,
            None => self.read_positions()?,
        };
        let (document, start) = self.place;
        let skipped = self.row.get(document..self.current).unwrap_or_default();
        let skipped = skipped
            .iter()
            .map(|&(_, frequency)| frequency)
            .fold(0, u32::saturating_add);
        let start = skip_numbers(&bytes, start, skipped).ok_or_else(damaged)?;
        self.place = (self.current, start);
        let mut rest = self
            .positions
            .insert(bytes)
            .get(start..)
            .unwrap_or_default();
        let mut position = 0_u64;
        let frequency = self
            .row
            .get(self.current)
            .map_or(0, |&(_, frequency)| frequency);
        Ok((0..frequency).map_while(move |_| {
            position = position.saturating_add(take_number(&mut rest)?);
            Some(position)
        }))
    }

    fn read_positions(&self) -> Result<Vec<u8>> {
        let last = self.row.last().map(|&(last, _)| last);
        let positions = self.segment.db.find_value(
            "SELECT positions FROM posting WHERE key = ?1 AND last = ?2",
            (self.key, last),
        )?;
        positions.ok_or_else(damaged)
    }
}
