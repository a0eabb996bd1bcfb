//! Segments: the immutable files of the index.
//!
//! A segment is a state file: SQLite finds its rows, and each page has a checksum. Its documents
//! are numbered in the order of their URLs. The keys of the lists are the terms of the texts, and
//! the pages that documents link to ([`link_key`]).

use super::failure::IndexResult;
use super::length::length_of_code;
use super::postings::ListRow;
use crate::EngineDocument;
use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use forage_state::{StateFile, StateFileKind};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Result, Row, ffi};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

/// End of the names of segments.
pub(super) const SEGMENT_SUFFIX: &str = ".segment";

const SEGMENT: StateFileKind = StateFileKind {
    application_id: forage_state::application_id(*b"FgSg"),
    version: 1,
    name: "a part of an index",
    // Less of larger pages is empty: an index of 39,839 documents takes a fifth less than with 4
    // kB.
    schema: &[
        "PRAGMA page_size = 16384;",
        "
        -- The number is the place in the order of the URLs, from 0; the text is in the zlib format.
        CREATE TABLE document (
            number INTEGER PRIMARY KEY,
            url TEXT NOT NULL UNIQUE,
            id TEXT NOT NULL,
            title TEXT,
            text BLOB NOT NULL
        );
        -- The lengths of all documents, a byte each.
        CREATE TABLE lengths (codes BLOB NOT NULL);
        -- The lists of documents. `count` is the number of documents up to `last`, the last one of
        -- the row.
        CREATE TABLE posting (
            key TEXT NOT NULL,
            last INTEGER NOT NULL,
            count INTEGER NOT NULL,
            documents BLOB NOT NULL,
            positions BLOB NOT NULL,
            PRIMARY KEY (key, last)
        ) WITHOUT ROWID;
    ",
    ],
    upgrades: &[],
};

/// The columns of a document that [`read_document`] and [`SegmentWriter::add_document`] take.
pub(super) const DOCUMENT_COLUMNS: &str = "url, id, title, text";

/// Level of compression of texts.
const LEVEL: u32 = 1;

/// Memory in KiB for the pages of a new segment, which is written from start to end.
const CACHE_KIB: i64 = 4096;

/// A segment, opened for reading.
#[derive(Debug)]
pub(super) struct Segment {
    pub db: StateFile,
    /// The name of the file.
    pub name: String,
    /// The lengths of the documents in terms, quantised.
    pub lengths: Vec<u8>,
    /// The sum of the lengths.
    pub total_length: u64,
}

impl Segment {
    /// Opens the segment in a folder.
    pub fn open(folder: &Path, name: &str) -> IndexResult<Segment> {
        let db = forage_state::open_read_only(&folder.join(name), &SEGMENT)?;
        // One transaction, as each would lock the file.
        db.execute_batch("BEGIN")?;
        let lengths: Option<Vec<u8>> = db.find_value("SELECT codes FROM lengths", [])?;
        let lengths = lengths.ok_or_else(damaged)?;
        Ok(Segment {
            db,
            name: name.into(),
            total_length: lengths
                .iter()
                .map(|&code| u64::from(length_of_code(code)))
                .sum(),
            lengths,
        })
    }

    /// Returns `true` if a document has links.
    pub fn has_links(&self) -> Result<bool> {
        self.db.has_row("SELECT 1 FROM posting WHERE key < '!'", [])
    }

    /// Returns the number of documents that have a key.
    pub fn document_frequency(&self, key: &str) -> Result<u64> {
        let sql = "SELECT count FROM posting WHERE key = ?1 ORDER BY last DESC LIMIT 1";
        Ok(self.db.find_value(sql, [key])?.unwrap_or(0))
    }

    /// Returns the URL of a document.
    pub fn url(&self, document: u32) -> Result<String> {
        let sql = "SELECT url FROM document WHERE number = ?1";
        self.db.find_value(sql, [document])?.ok_or_else(damaged)
    }

    /// Returns `true` if the segment has a document with a URL.
    pub fn has_url(&self, url: &str) -> Result<bool> {
        self.db
            .has_row("SELECT 1 FROM document WHERE url = ?1", [url])
    }

    /// Returns the document with a URL.
    pub fn find_document(&self, url: &str) -> Result<Option<EngineDocument>> {
        let sql = format!("SELECT {DOCUMENT_COLUMNS} FROM document WHERE url = ?1");
        self.db.find_row(&sql, [url], read_document)
    }
}

/// Returns the number of documents of segments.
pub(super) fn count_documents(segments: &[Segment]) -> u64 {
    segments
        .iter()
        .map(|segment| segment.lengths.len() as u64)
        .sum()
}

/// Returns the key of the list of the documents that link to a page. No term starts with a blank.
pub(super) fn link_key(page: &str) -> String {
    format!(" {page}")
}

/// Returns the error of a value that makes no sense.
pub(super) fn damaged() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), None)
}

/// Returns the document of a row of [`DOCUMENT_COLUMNS`].
pub(super) fn read_document(row: &Row) -> Result<EngineDocument> {
    let compressed = row.get_ref(3)?.as_blob()?;
    let mut text = String::with_capacity(3 * compressed.len());
    let mut decoder = ZlibDecoder::new(compressed);
    decoder.read_to_string(&mut text).map_err(|_| damaged())?;
    Ok(EngineDocument {
        id: row.get(1)?,
        title: row.get(2)?,
        text,
    })
}

/// Compresses texts.
pub(super) struct TextEncoder(ZlibEncoder<Vec<u8>>);

impl Default for TextEncoder {
    fn default() -> TextEncoder {
        TextEncoder(ZlibEncoder::new(Vec::new(), Compression::new(LEVEL)))
    }
}

impl TextEncoder {
    /// Returns a text as it is stored.
    pub fn encode(&mut self, text: &str) -> std::io::Result<Vec<u8>> {
        self.0.write_all(text.as_bytes())?;
        self.0.reset(Vec::new())
    }
}

/// Writes a segment: first the documents, then the lists.
pub(super) struct SegmentWriter {
    db: StateFile,
    lengths: Vec<u8>,
}

/// Writes the segment `name` in a folder.
pub(super) fn write_segment(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut SegmentWriter) -> IndexResult<()>,
) -> IndexResult<()> {
    forage_state::replace(&folder.join(name), &SEGMENT, |db| {
        db.pragma_update(None, "cache_size", -CACHE_KIB)?;
        db.begin()?;
        let mut writer = SegmentWriter {
            db,
            lengths: Vec::new(),
        };
        fill(&mut writer)?;
        let SegmentWriter { db, lengths } = writer;
        db.execute_cached("INSERT INTO lengths VALUES (?1)", [lengths])?;
        Ok(db.commit()?)
    })
}

impl SegmentWriter {
    /// Adds a document, whose URL is greater than the one before, and returns its number. `length`
    /// is quantised.
    pub fn add_document(&mut self, columns: [ValueRef; 4], length: u8) -> IndexResult<u32> {
        let number = u32::try_from(self.lengths.len())
            .ok()
            .filter(|&n| n < u32::MAX - 1);
        let number = number
            .ok_or(ErrorKind::FileTooLarge)
            .map_err(std::io::Error::from)?;
        let [url, id, title, text] = columns.map(ToSqlOutput::Borrowed);
        let sql = "INSERT INTO document VALUES (?1, ?2, ?3, ?4, ?5)";
        self.db
            .execute_cached(sql, (number, url, id, title, text))?;
        self.lengths.push(length);
        Ok(number)
    }

    /// Adds the list of a key, which is greater than the one before.
    pub fn add_list(&self, key: &str, rows: Vec<ListRow>) -> IndexResult<()> {
        for row in rows {
            self.db.execute_cached(
                "INSERT INTO posting VALUES (?1, ?2, ?3, ?4, ?5)",
                (key, row.last, row.count, row.documents, row.positions),
            )?;
        }
        Ok(())
    }
}
