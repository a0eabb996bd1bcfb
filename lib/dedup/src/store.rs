//! The tables of a duplicate index and the statements on them. `index` gives them their meaning.
//!
//! `entry` holds one row per new document, numbered in the order of indexing. `band` maps a band's
//! key and a number of shingles to entries, so that entries whose size rules out a near-duplicate
//! are not even read. `shingles` holds the coded set of an entry in rows of 1,000 bytes, four of
//! which fill a page of SQLite: a single row per set would leave nearly half of each page empty.

use crate::banding::{MinHashBanding, ResemblanceThreshold};
use crate::coding;
use crate::digest::TextDigest;
use crate::shingles::ShingleSet;
use crate::title::TitleKey;
use forage_state::{StateFileKind, application_id};
use rusqlite::{Connection, OptionalExtension, Result, params};
use std::ops::Range;

/// The file format of a duplicate index.
pub(crate) const INDEX_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgDu"),
    version: 3,
    name: "a duplicate index",
    // SQLite keeps this text in the file, so that not even its white space can change.
    schema: &["
        CREATE TABLE parameters (threshold REAL NOT NULL, bands INTEGER NOT NULL, \
                                 rows INTEGER NOT NULL, \
                                 comparison INTEGER NOT NULL DEFAULT 1);
        CREATE TABLE entry (
            entry INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            size INTEGER NOT NULL,
            digest BLOB NOT NULL,
            id TEXT,
            title INTEGER
        );
        CREATE UNIQUE INDEX entry_digest ON entry (digest);
        CREATE INDEX entry_step ON entry (step);
        CREATE INDEX entry_title ON entry (title) WHERE title IS NOT NULL;
        CREATE TABLE shingles (part INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
        CREATE TABLE band (
            key INTEGER NOT NULL,
            size INTEGER NOT NULL,
            entry INTEGER NOT NULL,
            PRIMARY KEY (key, size, entry)
        ) WITHOUT ROWID;
    "],
    upgrades: &[&[UPGRADE_FROM_1], &[UPGRADE_FROM_2]],
};

/// Adds the keys of titles.
const UPGRADE_FROM_1: &str = "
    ALTER TABLE entry ADD COLUMN title INTEGER;
    CREATE INDEX entry_title ON entry (title) WHERE title IS NOT NULL;
";

/// Adds the version of the form in which texts are compared. The digests and shingles of the
/// documents in the file are of version 1, unless it is empty.
const UPGRADE_FROM_2: &str = "
    ALTER TABLE parameters ADD COLUMN comparison INTEGER NOT NULL DEFAULT 1;
    UPDATE parameters SET comparison = 2 WHERE NOT EXISTS (SELECT 1 FROM entry);
";

/// Version of the form in which texts are compared ([`forage_text::comparison_form`]). It increases
/// when the form of a text changes. Version 1 was NFC, with small letters in shingles.
const COMPARISON_VERSION: i64 = 2;

/// Bytes of a coded set in one row of `shingles`: four rows fill a page of SQLite.
const PART_BYTES: usize = 1000;
/// Maximum number of parts per entry: `part` is the entry's number times this, plus the number of
/// the part.
const MAX_PARTS: i64 = 1 << 24;

/// An entry of the index: its number, and the size of its shingle set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IndexEntry {
    pub(crate) number: i64,
    pub(crate) size: i64,
}

fn read_entry(row: &rusqlite::Row) -> Result<IndexEntry> {
    Ok(IndexEntry {
        number: row.get(0)?,
        size: row.get(1)?,
    })
}

/// Returns the threshold and the banding that the index was built with, or `None` for an empty one.
pub(crate) fn parameters(db: &Connection) -> Result<Option<(f64, MinHashBanding)>> {
    let sql = "SELECT threshold, bands, rows FROM parameters";
    db.query_row(sql, [], |row| {
        Ok((row.get(0)?, MinHashBanding::new(row.get(1)?, row.get(2)?)))
    })
    .optional()
}

/// Stores the threshold and the banding that the index is built with.
pub(crate) fn set_parameters(
    db: &Connection,
    threshold: ResemblanceThreshold,
    banding: &MinHashBanding,
) -> Result<()> {
    db.execute(
        "INSERT INTO parameters (threshold, bands, rows, comparison) VALUES (?, ?, ?, ?)",
        params![
            threshold.value(),
            banding.bands,
            banding.rows,
            COMPARISON_VERSION
        ],
    )?;
    Ok(())
}

/// Returns `true` if the index has documents that were compared in another form than the present
/// one.
pub(crate) fn has_other_comparison(db: &Connection) -> Result<bool> {
    let sql = "SELECT comparison FROM parameters";
    let comparison: Option<i64> = db.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(comparison.is_some_and(|comparison| comparison != COMPARISON_VERSION))
}

/// Empties every table.
pub(crate) fn clear(db: &Connection) -> Result<()> {
    db.execute_batch(
        "DELETE FROM parameters; DELETE FROM entry; DELETE FROM shingles; DELETE FROM band;",
    )
}

/// Returns the number of the entry with this digest.
pub(crate) fn entry_with_digest(db: &Connection, digest: &TextDigest) -> Result<Option<i64>> {
    let mut select = db.prepare_cached("SELECT entry FROM entry WHERE digest = ?")?;
    select
        .query_row([digest.as_bytes()], |row| row.get(0))
        .optional()
}

/// Returns the number of the earliest entry with this title.
pub(crate) fn entry_with_title(db: &Connection, title: TitleKey) -> Result<Option<i64>> {
    let mut select = db.prepare_cached("SELECT min(entry) FROM entry WHERE title = ?")?;
    select.query_row([title.as_integer()], |row| row.get(0))
}

/// Returns the `id` of the entry's document, if it has one.
pub(crate) fn document_id(db: &Connection, entry: i64) -> Result<Option<String>> {
    db.prepare_cached("SELECT id FROM entry WHERE entry = ?")?
        .query_row([entry], |row| row.get(0))
}

/// Returns the entries that have one of `keys` and a size in `sizes`, once per key that they have,
/// sorted in the order of indexing.
pub(crate) fn band_matches(
    db: &Connection,
    keys: &[i64],
    sizes: (i64, i64),
) -> Result<Vec<IndexEntry>> {
    let mut select =
        db.prepare_cached("SELECT entry, size FROM band WHERE key = ? AND size BETWEEN ? AND ?")?;
    let mut matches = Vec::new();
    for key in keys {
        for entry in select.query_map(params![key, sizes.0, sizes.1], read_entry)? {
            matches.push(entry?);
        }
    }
    matches.sort_unstable();
    Ok(matches)
}

/// Returns up to `limit` entries of step `step` or later.
pub(crate) fn entries_from_step(db: &Connection, step: i64, limit: u32) -> Result<Vec<IndexEntry>> {
    let mut select = db.prepare_cached("SELECT entry, size FROM entry WHERE step >= ? LIMIT ?")?;
    select
        .query_map(params![step, limit], read_entry)?
        .collect()
}

/// Returns the numbers that the parts of an entry's shingle set may have.
///
/// # Errors
/// Fails if no index has so many entries, in a damaged file.
fn parts_of(entry: i64) -> Result<Range<i64>> {
    let parts = |entry: i64| entry.checked_mul(MAX_PARTS);
    parts(entry)
        .zip(entry.checked_add(1).and_then(parts))
        .map(|(start, end)| start..end)
        .ok_or(rusqlite::Error::IntegralValueOutOfRange(0, entry))
}

/// Returns the entry's shingle set, or `None` if it is damaged.
pub(crate) fn shingles(db: &Connection, entry: IndexEntry) -> Result<Option<ShingleSet>> {
    let mut select = db
        .prepare_cached("SELECT hashes FROM shingles WHERE part >= ? AND part < ? ORDER BY part")?;
    let Range { start, end } = parts_of(entry.number)?;
    let mut parts = select.query([start, end])?;
    let mut bytes = Vec::with_capacity(4 * PART_BYTES);
    while let Some(part) = parts.next()? {
        bytes.extend_from_slice(part.get_ref(0)?.as_blob()?);
    }
    Ok(usize::try_from(entry.size)
        .ok()
        .and_then(|size| coding::decode(&bytes, size)))
}

/// Adds an entry for a document, given by its step, `id`, title, digest, shingles and band keys.
pub(crate) fn add_entry(
    db: &Connection,
    (step, id, title): (i64, Option<&str>, Option<TitleKey>),
    digest: &TextDigest,
    shingles: &ShingleSet,
    keys: &[i64],
) -> Result<()> {
    let size = shingles.len() as i64;
    let title = title.map(TitleKey::as_integer);
    db.prepare_cached("INSERT INTO entry (step, size, digest, id, title) VALUES (?, ?, ?, ?, ?)")?
        .execute((step, size, digest.as_bytes(), id, title))?;
    let entry = db.last_insert_rowid();
    let parts = parts_of(entry)?;
    let mut insert_part = db.prepare_cached("INSERT INTO shingles VALUES (?, ?)")?;
    let coded = coding::encode(shingles);
    for (number, bytes) in parts.zip(coded.chunks(PART_BYTES)) {
        insert_part.execute(params![number, bytes])?;
    }
    let mut insert_band = db.prepare_cached("INSERT OR IGNORE INTO band VALUES (?, ?, ?)")?;
    for key in keys {
        insert_band.execute(params![key, size, entry])?;
    }
    Ok(())
}

/// Removes an entry that has these band keys.
pub(crate) fn remove_entry(db: &Connection, entry: IndexEntry, keys: &[i64]) -> Result<()> {
    let mut delete_band =
        db.prepare_cached("DELETE FROM band WHERE key = ? AND size = ? AND entry = ?")?;
    for key in keys {
        delete_band.execute(params![key, entry.size, entry.number])?;
    }
    let Range { start, end } = parts_of(entry.number)?;
    db.prepare_cached("DELETE FROM shingles WHERE part >= ? AND part < ?")?
        .execute([start, end])?;
    db.prepare_cached("DELETE FROM entry WHERE entry = ?")?
        .execute([entry.number])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::INDEX_FILE_KIND;
    use crate::index::{DedupDocument, DuplicateIndex, DuplicateIndexError, DuplicateStatus};
    use rusqlite::Connection;
    use std::path::Path;

    /// The tables of version 1, with the parameters of the default threshold.
    const VERSION_1: &str = "
        CREATE TABLE parameters (threshold REAL NOT NULL, bands INTEGER NOT NULL, \
                                 rows INTEGER NOT NULL);
        CREATE TABLE entry (
            entry INTEGER PRIMARY KEY, step INTEGER NOT NULL, size INTEGER NOT NULL,
            digest BLOB NOT NULL, id TEXT
        );
        CREATE UNIQUE INDEX entry_digest ON entry (digest);
        CREATE INDEX entry_step ON entry (step);
        CREATE TABLE shingles (part INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
        CREATE TABLE band (
            key INTEGER NOT NULL, size INTEGER NOT NULL, entry INTEGER NOT NULL,
            PRIMARY KEY (key, size, entry)
        ) WITHOUT ROWID;
        INSERT INTO parameters VALUES (0.9, 14, 8);
        PRAGMA user_version = 1;
    ";

    /// Writes an index of version 1: an empty one, or one with an entry.
    fn write_version_1(path: &Path, entry: &str) {
        let id = INDEX_FILE_KIND.application_id;
        Connection::open(path)
            .unwrap()
            .execute_batch(&format!(
                "{VERSION_1} {entry} PRAGMA application_id = {id};"
            ))
            .unwrap();
    }

    /// Returns the version, the columns and the indexes of a file.
    fn layout(path: &Path) -> Vec<String> {
        let db = Connection::open(path).unwrap();
        let sql = "
            SELECT 'version ' || user_version FROM pragma_user_version
            UNION ALL
            SELECT s.name || ' ' || c.name || ' ' || c.type || ' ' || c.\"notnull\"
            FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
            UNION ALL SELECT name FROM sqlite_schema
            ORDER BY 1";
        let mut select = db.prepare(sql).unwrap();
        let rows = select.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    fn document<'a>(text: &'a str, title: &'a str) -> DedupDocument<'a> {
        DedupDocument {
            text,
            title: Some(title),
            ..DedupDocument::default()
        }
    }

    #[test]
    fn an_empty_index_of_version_1_gets_titles() {
        let dir = tempfile::tempdir().unwrap();
        let [path, new] = ["old.db", "new.db"].map(|name| dir.path().join(name));
        write_version_1(&path, "");
        let mut index = DuplicateIndex::open(&path, None).unwrap();
        index.compare_titles();
        let title = "gold mine reopens in Peru";
        index.check_and_add(document("a", title)).unwrap();
        assert_eq!(
            index.check_and_add(document("b", title)).unwrap(),
            DuplicateStatus::Title { of: None }
        );
        index.commit().unwrap();
        index.merge_wal().unwrap();
        drop(index);
        DuplicateIndex::open(&new, None)
            .unwrap()
            .merge_wal()
            .unwrap();
        assert_eq!(layout(&path), layout(&new));
    }

    #[test]
    fn an_index_of_version_1_with_documents_is_refused_until_it_is_emptied() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("old.db");
        write_version_1(&path, "INSERT INTO entry VALUES (1, 3, 0, x'00', 'x');");
        for _ in 0..2 {
            let result = DuplicateIndex::open(&path, None);
            assert!(
                matches!(result, Err(DuplicateIndexError::OtherComparison(_))),
                "{result:?}"
            );
        }
        let mut index = DuplicateIndex::open_empty(&path, None).unwrap();
        index.commit().unwrap();
        drop(index);
        DuplicateIndex::open(&path, None).unwrap();
    }
}
