//! The tables of a duplicate index and the statements on them. `index` gives them their meaning.
//!
//! `entry` holds one row per new document, numbered in the order of indexing. `shingles` holds the
//! set of an entry, and `words` that of the 5-grams of segmented words, if it differs, in rows of
//! 1,000 bytes, four of which fill a page of SQLite: a single row per set would leave nearly half
//! of each page empty. Nothing is inserted between existing rows, so that the cost of an entry does
//! not depend on the size of the index. Entries are found by the keys of a `KeyTable`.

use crate::banding::{MinHashBanding, ResemblanceThreshold};
use crate::digest::TextDigest;
use crate::document::PreparedDocument;
use crate::shingles::ShingleSet;
use crate::title::TitleKey;
use forage_state::{StateFileKind, application_id};
use rusqlite::{Connection, OptionalExtension, Result, Row, params};
use std::collections::HashSet;
use std::ops::Range;

/// The file format of a duplicate index.
///
/// The version increases when the form in which texts are compared changes
/// ([`forage_text::comparison_form`]), or their words, those of a lexicon too, or hashes.
pub(crate) const INDEX_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgDu"),
    version: 5,
    name: "a duplicate index",
    // SQLite keeps this text in the file, so that not even its white space can change.
    schema: &[
        "
        CREATE TABLE parameters (threshold REAL NOT NULL, bands INTEGER NOT NULL, \
                                 rows INTEGER NOT NULL, content INTEGER NOT NULL);
        CREATE TABLE entry (
            entry INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            digest BLOB NOT NULL,
            id TEXT,
            title INTEGER
        );
        CREATE INDEX entry_step ON entry (step);
        CREATE TABLE shingles (part INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
        CREATE TABLE words (part INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
    ",
        forage_state::LAST_STEP_TABLE,
    ],
    upgrades: &[],
};

/// The table of shingles.
pub(crate) const SHINGLES: &str = "shingles";
/// The table of the 5-grams of segmented words.
pub(crate) const WORDS: &str = "words";

/// Bytes of a set in one row of `shingles`: four rows fill a page of SQLite.
const PART_BYTES: usize = 1000;
/// Maximum number of parts per entry: `part` is the entry's number times this, plus the number of
/// the part.
const MAX_PARTS: i64 = 1 << 24;

/// What an index was built with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameters {
    /// The threshold that the banding is for.
    pub(crate) threshold: f64,
    pub(crate) banding: MinHashBanding,
    /// A random number, which changes when entries are removed.
    pub(crate) content: i64,
}

/// The properties of a document that are stored.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) step: i64,
    pub(crate) digest: TextDigest,
    pub(crate) id: Option<String>,
    pub(crate) title: Option<TitleKey>,
}

/// Returns what the index was built with, or `None` for an empty one.
pub(crate) fn parameters(db: &Connection) -> Result<Option<Parameters>> {
    let sql = "SELECT threshold, bands, rows, content FROM parameters";
    db.query_row(sql, [], |row| {
        Ok(Parameters {
            threshold: row.get(0)?,
            banding: MinHashBanding {
                bands: row.get(1)?,
                rows: row.get(2)?,
            },
            content: row.get(3)?,
        })
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
        "INSERT INTO parameters (threshold, bands, rows, content) VALUES (?, ?, ?, random())",
        params![threshold.value(), banding.bands, banding.rows],
    )?;
    Ok(())
}

/// Empties every table but that of the last step.
pub(crate) fn clear(db: &Connection) -> Result<()> {
    db.execute_batch(
        "DELETE FROM parameters; DELETE FROM entry; DELETE FROM shingles; DELETE FROM words;",
    )
}

/// Returns the number of the last entry; 0 if there is none.
pub(crate) fn last_entry(db: &Connection) -> Result<i64> {
    db.query_row("SELECT ifnull(max(entry), 0) FROM entry", [], |row| {
        row.get(0)
    })
}

fn read_entry(row: &Row) -> Result<Entry> {
    Ok(Entry {
        step: row.get(0)?,
        digest: TextDigest::from_bytes(row.get(1)?),
        id: row.get(2)?,
        title: row.get::<_, Option<i64>>(3)?.map(TitleKey::from_integer),
    })
}

/// Returns the entry with this number, if it exists.
pub(crate) fn entry(db: &Connection, number: i64) -> Result<Option<Entry>> {
    db.prepare_cached("SELECT step, digest, id, title FROM entry WHERE entry = ?")?
        .query_row([number], read_entry)
        .optional()
}

/// Returns the number of the first entry after `number`, and the entry.
pub(crate) fn entry_after(db: &Connection, number: i64) -> Result<Option<(i64, Entry)>> {
    let sql = "SELECT step, digest, id, title, entry FROM entry WHERE entry > ? \
               ORDER BY entry LIMIT 1";
    db.prepare_cached(sql)?
        .query_row([number], |row| Ok((row.get(4)?, read_entry(row)?)))
        .optional()
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

/// Returns the entry's set in a table, which is empty if there is none, or `None` if it is damaged.
pub(crate) fn read_set(db: &Connection, table: &str, entry: i64) -> Result<Option<ShingleSet>> {
    let mut select = db.prepare_cached(&format!(
        "SELECT hashes FROM {table} WHERE part >= ? AND part < ? ORDER BY part"
    ))?;
    let Range { start, end } = parts_of(entry)?;
    let mut parts = select.query([start, end])?;
    let mut bytes = Vec::with_capacity(4 * PART_BYTES);
    while let Some(part) = parts.next()? {
        bytes.extend_from_slice(part.get_ref(0)?.as_blob()?);
    }
    Ok(ShingleSet::from_bytes(&bytes))
}

/// Adds the entry of a document, and returns its number.
pub(crate) fn add_entry(db: &Connection, document: &PreparedDocument) -> Result<i64> {
    let entry = &document.entry;
    let title = entry.title.map(TitleKey::as_integer);
    db.prepare_cached("INSERT INTO entry (step, digest, id, title) VALUES (?, ?, ?, ?)")?
        .execute((entry.step, entry.digest.as_bytes(), &entry.id, title))?;
    let number = db.last_insert_rowid();
    let words = document.words.iter().map(|words| (WORDS, words));
    for (table, set) in words.chain([(SHINGLES, &document.shingles)]) {
        let mut insert_part = db.prepare_cached(&format!("INSERT INTO {table} VALUES (?, ?)"))?;
        for (part, bytes) in parts_of(number)?.zip(set.to_bytes().chunks(PART_BYTES)) {
            insert_part.execute(params![part, bytes])?;
        }
    }
    Ok(number)
}

/// Removes the entries of step `step` or later, and returns their number.
pub(crate) fn remove_entries_from(db: &Connection, step: i64) -> Result<usize> {
    let mut select = db.prepare_cached("SELECT entry FROM entry WHERE step >= ?")?;
    let entries: Vec<i64> = select
        .query_map([step], |row| row.get(0))?
        .collect::<Result<_>>()?;
    remove_entries(db, &entries)
}

/// Removes the entries whose id is one of `ids`, and returns their number.
pub(crate) fn remove_entries_with_ids(db: &Connection, ids: &HashSet<String>) -> Result<usize> {
    let mut select = db.prepare("SELECT entry, id FROM entry WHERE id IS NOT NULL")?;
    let mut rows = select.query([])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        if ids.contains(row.get_ref(1)?.as_str()?) {
            entries.push(row.get(0)?);
        }
    }
    remove_entries(db, &entries)
}

fn remove_entries(db: &Connection, entries: &[i64]) -> Result<usize> {
    for table in [SHINGLES, WORDS] {
        let mut delete_parts =
            db.prepare_cached(&format!("DELETE FROM {table} WHERE part >= ? AND part < ?"))?;
        for &entry in entries {
            let Range { start, end } = parts_of(entry)?;
            delete_parts.execute([start, end])?;
        }
    }
    let mut delete_entry = db.prepare_cached("DELETE FROM entry WHERE entry = ?")?;
    for entry in entries {
        delete_entry.execute([entry])?;
    }
    if !entries.is_empty() {
        db.execute("UPDATE parameters SET content = random()", [])?;
    }
    Ok(entries.len())
}
