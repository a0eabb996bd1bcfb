//! The keys by which documents are recognised in statistics that are merged (`merge.rs`).
//!
//! A document is the same in two files if it has the same URL and text. The file has no URLs or
//! texts, so that it keeps a hash of them. Statistics whose documents have no order
//! (`Statistics::is_unordered`) also draw documents in the order of the keys.

use crate::term_list::{pack_words, unpack_words};
use forage_state::StateFile;
use rusqlite::{Result, Row, Rows, Statement};
use std::collections::BTreeMap;

/// The table of keys. Files of earlier versions have none.
pub(crate) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS document_key (
    class INTEGER NOT NULL,
    key BLOB NOT NULL,           -- first 128 bits of BLAKE3 of the URL, NUL and text
    n INTEGER NOT NULL,          -- within the class; a document without terms has no other row
    spellings BLOB,              -- with ASCII folding: its words with diacritics, each with tf
    PRIMARY KEY (class, key, n)
) WITHOUT ROWID;
";

/// A key.
pub(crate) type DocumentKey = [u8; 16];

/// Words of a document with their frequencies.
pub(crate) type WordCounts<'a> = Vec<(&'a str, i64)>;

/// The keys of documents since the last write.
#[derive(Debug, Default)]
pub(crate) struct DocumentKeys {
    /// Packed spellings by class id, key and number of the document within the class. In the order
    /// of the table.
    pending: BTreeMap<(i64, DocumentKey, i64), Option<Vec<u8>>>,
    /// True if the table is known to exist.
    has_table: bool,
}

impl DocumentKeys {
    /// Adds the document number `n` of a class.
    pub fn add(&mut self, class: i64, key: DocumentKey, n: i64, spellings: &WordCounts) {
        let packed = (!spellings.is_empty()).then(|| pack_words(spellings));
        self.pending.insert((class, key, n), packed);
    }

    /// Writes the added keys, within a transaction of the caller.
    pub fn write(&mut self, store: &StateFile) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if !self.has_table {
            store.execute_batch(SCHEMA)?;
            self.has_table = true;
        }
        let mut insert =
            store.prepare_cached("INSERT INTO document_key VALUES (?1, ?2, ?3, ?4)")?;
        for ((class, key, n), spellings) in std::mem::take(&mut self.pending) {
            insert.execute((class, key, n, spellings))?;
        }
        Ok(())
    }
}

/// Returns the number of documents with a key, by class id.
pub(crate) fn count_keys(store: &StateFile) -> Result<BTreeMap<i64, u64>> {
    if !store.has_table("document_key")? {
        return Ok(BTreeMap::new());
    }
    let sql = "SELECT class, count(*) FROM document_key GROUP BY class";
    let counts = store.read_rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(counts.into_iter().collect())
}

/// A document of a file that is merged.
#[derive(Debug)]
pub(crate) struct KeyedDocument {
    pub key: DocumentKey,
    /// Its number within the class.
    pub n: i64,
    spellings: Option<Vec<u8>>,
}

impl KeyedDocument {
    fn from_row(row: &Row) -> Result<Self> {
        Ok(KeyedDocument {
            key: row.get(0)?,
            n: row.get(1)?,
            spellings: row.get(2)?,
        })
    }

    /// Returns its words with diacritics; none without ASCII folding.
    pub fn spellings(&self) -> WordCounts<'_> {
        unpack_words(self.spellings.as_deref().unwrap_or_default())
    }
}

/// Prepares the statement of [`KeyStream::new`].
pub(crate) fn prepare_stream(store: &StateFile) -> Result<Statement<'_>> {
    store.prepare("SELECT key, n, spellings FROM document_key WHERE class = ?1 ORDER BY key, n")
}

/// The documents of a class of one file, in order of their keys.
pub(crate) struct KeyStream<'a> {
    rows: Rows<'a>,
    next: Option<KeyedDocument>,
}

impl<'a> KeyStream<'a> {
    /// Starts the stream of a class; an empty one if the file lacks the class.
    pub fn new(statement: &'a mut Statement, class: Option<i64>) -> Result<Self> {
        let mut rows = statement.query([class])?;
        let next = rows.next()?.map(KeyedDocument::from_row).transpose()?;
        Ok(KeyStream { rows, next })
    }

    /// Returns the key of the next document.
    pub fn next_key(&self) -> Option<DocumentKey> {
        self.next.as_ref().map(|document| document.key)
    }

    /// Removes and returns the documents with this key, if the next one has it.
    pub fn take_all(&mut self, key: &DocumentKey) -> Result<Vec<KeyedDocument>> {
        let mut taken = Vec::new();
        while let Some(document) = self.next.take_if(|document| document.key == *key) {
            taken.push(document);
            let row = self.rows.next()?;
            self.next = row.map(KeyedDocument::from_row).transpose()?;
        }
        Ok(taken)
    }
}
