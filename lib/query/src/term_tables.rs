//! The tables of the term statistics, and their rows while they are cached: see `counter.rs`.

use forage_state::{MAX_COUNT, StateFile, read_count};
use rusqlite::types::ValueRef;
use rusqlite::{CachedStatement, Error, OptionalExtension, Result, Row};

/// The tables of the term statistics.
pub(crate) const SCHEMA: &str = "
CREATE TABLE class (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    documents INTEGER NOT NULL,  -- number of documents: N_c
    tokens INTEGER NOT NULL,     -- number of tokens: the sum of tf
    terms INTEGER NOT NULL       -- number of distinct terms
);
CREATE TABLE term (
    id INTEGER PRIMARY KEY,      -- 1, 2, ... in order of first occurrence
    text TEXT NOT NULL UNIQUE,
    tf INTEGER NOT NULL,         -- over all classes
    df INTEGER NOT NULL,
    tf_band INTEGER,             -- log-frequency band: floor(log2(tf)); NULL for 0
    class INTEGER                -- the class, if only one has the term; else NULL
);
CREATE TABLE count (
    class INTEGER NOT NULL,
    n INTEGER NOT NULL,          -- 1, 2, ... in order of first occurrence in the class
    term INTEGER NOT NULL,
    tf INTEGER NOT NULL,
    df INTEGER NOT NULL,
    tf_band INTEGER,
    PRIMARY KEY (class, n)
) WITHOUT ROWID;
CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    class INTEGER NOT NULL,
    n INTEGER NOT NULL,          -- 1, 2, ... within the class
    start INTEGER NOT NULL,      -- number of tokens of the class before this document
    step INTEGER NOT NULL,
    terms BLOB NOT NULL          -- pairs of LEB128 numbers: difference of term ids, tf
);
CREATE UNIQUE INDEX document_start ON document (class, start);
CREATE UNIQUE INDEX document_n ON document (class, n);
";

/// The indexes of the terms. They cost less if they are made after the rows.
///
/// Those of bands leave out the lower ones: a rare term would change its band with every second
/// occurrence. Files of earlier versions leave out band 0 only; queries use either.
pub(crate) const INDEXES: &str = "
CREATE INDEX IF NOT EXISTS term_tf_band ON term (tf_band) WHERE tf_band >= 3;
CREATE INDEX IF NOT EXISTS term_only ON term (class, tf_band)
    WHERE class IS NOT NULL AND tf_band >= 3;
CREATE UNIQUE INDEX IF NOT EXISTS count_term ON count (class, term);
CREATE INDEX IF NOT EXISTS count_tf_band ON count (class, tf_band) WHERE tf_band >= 3;
";

/// The lowest band that is in the indexes.
pub(crate) const MIN_INDEXED_BAND: u32 = 3;
/// The SQL condition of a row that is in the indexes of bands, as they have it.
pub(crate) const IS_INDEXED: &str = "tf_band >= 3";
/// The SQL condition of a row that is not.
pub(crate) const IS_UNINDEXED: &str = "(tf_band IS NULL OR tf_band < 3)";

/// Drops [`INDEXES`].
pub(crate) const DROP_INDEXES: &str = "
DROP INDEX IF EXISTS term_tf_band;
DROP INDEX IF EXISTS term_only;
DROP INDEX IF EXISTS count_term;
DROP INDEX IF EXISTS count_tf_band;
";

/// A row of `class`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CachedClass {
    pub id: i64,
    pub documents: i64,
    pub tokens: i64,
    pub terms: i64,
    pub change: RowChange,
}

/// The counts of a term, in all classes or in one, and what has to be written of their row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CachedCounts {
    pub tf: i64,
    pub df: i64,
    pub tf_band: Option<u8>,
    pub change: RowChange,
}

impl CachedCounts {
    /// The counts of a new row.
    pub const NEW: CachedCounts = CachedCounts {
        tf: 0,
        df: 0,
        tf_band: None,
        change: RowChange::New,
    };

    /// Counts one more document, with `tf` occurrences of the term.
    pub fn count_document(&mut self, tf: i64) {
        self.tf += tf;
        self.df += 1;
        self.change = self.change.max(RowChange::Counts);
        if tf_band(self.tf) != self.tf_band {
            self.tf_band = tf_band(self.tf);
            self.change = self.change.max(RowChange::Indexed);
        }
    }

    /// Adds the stored counts, which were not known when the documents were counted.
    pub fn add_stored(&mut self, stored: CachedCounts) {
        self.tf += stored.tf;
        self.df += stored.df;
        self.tf_band = tf_band(self.tf);
        self.change = match self.tf_band == stored.tf_band {
            true => RowChange::Counts,
            false => RowChange::Indexed,
        };
    }

    /// Reads the columns tf, df and tf_band, which are those after the first.
    fn read(row: &Row) -> Result<Self> {
        Ok(CachedCounts {
            tf: read_count(row, 1)?,
            df: read_count(row, 2)?,
            tf_band: row.get(3)?,
            change: RowChange::None,
        })
    }
}

/// A row of `term`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CachedTerm {
    pub id: i64,
    pub counts: CachedCounts,
    /// The class, if only one has the term.
    pub class: Option<i64>,
}

impl CachedTerm {
    /// Counts one more document, of `class`, with `tf` occurrences of the term.
    pub fn count_document(&mut self, class: i64, tf: i64) {
        self.counts.count_document(tf);
        if self.class.take_if(|only| *only != class).is_some() {
            self.counts.change = self.counts.change.max(RowChange::Indexed);
        }
    }

    /// Adds the stored row of the term, which was not known when its documents were counted.
    pub fn add_stored(&mut self, stored: CachedTerm) {
        self.id = stored.id;
        self.counts.add_stored(stored.counts);
        self.class = self.class.filter(|_| self.class == stored.class);
        if self.class != stored.class {
            self.counts.change = RowChange::Indexed;
        }
    }
}

/// A row of `count`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CachedCount {
    pub n: i64,
    pub counts: CachedCounts,
}

/// The part of a cached row that has to be written. A greater value includes the smaller ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowChange {
    /// Nothing has changed.
    None,
    /// The counts have changed, which are in no index.
    Counts,
    /// An indexed column has changed.
    Indexed,
    /// The row has to be inserted.
    New,
}

/// A row of `document` to be inserted.
#[derive(Debug)]
pub(crate) struct PendingDocument {
    pub class: i64,
    pub n: i64,
    pub start: i64,
    pub step: u64,
    /// Pairs of term id and tf.
    pub terms: Vec<(i64, i64)>,
}

/// The prepared statements that find the stored counts of a term.
pub(crate) struct CountLookup<'a> {
    /// The highest id of a stored term.
    pub last_term: i64,
    term: CachedStatement<'a>,
    count: CachedStatement<'a>,
}

impl<'a> CountLookup<'a> {
    pub fn prepare(store: &'a StateFile) -> Result<Self> {
        Ok(CountLookup {
            last_term: highest_id(store, "term")?,
            term: store
                .prepare_cached("SELECT id, tf, df, tf_band, class FROM term WHERE text = ?1")?,
            count: store.prepare_cached(
                "SELECT n, tf, df, tf_band FROM count WHERE class = ?1 AND term = ?2",
            )?,
        })
    }

    pub fn find_term(&mut self, text: &str) -> Result<Option<CachedTerm>> {
        if self.last_term == 0 {
            return Ok(None);
        }
        self.term
            .query_row([text], |row| {
                Ok(CachedTerm {
                    id: read_count(row, 0)?,
                    counts: CachedCounts::read(row)?,
                    class: row.get(4)?,
                })
            })
            .optional()
    }

    pub fn find_count(&mut self, class: i64, term: i64) -> Result<Option<CachedCount>> {
        if term > self.last_term {
            return Ok(None);
        }
        self.count
            .query_row([class, term], |row| {
                let (n, counts) = (read_count(row, 0)?, CachedCounts::read(row)?);
                Ok(CachedCount { n, counts })
            })
            .optional()
    }
}

/// Returns the log-frequency band ⌊log2 tf⌋; `None` for band 0.
pub(crate) fn tf_band(tf: i64) -> Option<u8> {
    // At most 62.
    Some(tf.max(1).ilog2() as u8).filter(|&band| band > 0)
}

/// Returns the highest log-frequency band, a column that has the maximum of indexed bands; 0 if
/// there is none.
///
/// # Errors
/// Fails if no count has this band, in a damaged file.
pub(crate) fn read_highest_band(row: &Row) -> Result<u32> {
    if row.get_ref(0)? == ValueRef::Null {
        return Ok(0);
    }
    let band: u32 = read_count(row, 0)?;
    if band > MAX_COUNT.ilog2() {
        return Err(Error::IntegralValueOutOfRange(0, band.into()));
    }
    Ok(band)
}

/// Returns a new row id for a table. `last` caches the highest id of the table.
pub(crate) fn next_id(last: &mut Option<i64>, store: &StateFile, table: &str) -> Result<i64> {
    let next = 1 + match *last {
        Some(last) => last,
        None => highest_id(store, table)?,
    };
    Ok(*last.insert(next))
}

fn highest_id(store: &StateFile, table: &str) -> Result<i64> {
    let sql = format!("SELECT coalesce(max(rowid), 0) FROM {table}");
    store.query_row(&sql, [], |row| read_count(row, 0))
}

#[cfg(test)]
mod tests {
    use super::tf_band;

    #[test]
    fn log_frequency_bands_begin_at_powers_of_two() {
        assert_eq!(
            [1, 2, 3, 4, 7, 8].map(tf_band),
            [None, Some(1), Some(1), Some(2), Some(2), Some(3)]
        );
    }
}
