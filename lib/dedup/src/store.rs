//! The tables of an index, and the statements on them. What they mean is in `index`.
//!
//! `entry` holds a row for each new document; its number grows in the order of indexing. `band`
//! leads from a band's key and a number of shingles to entries, so that those whose size alone
//! rules a twin out are not even read. `shingles` holds the coded set of an entry in rows of 1,000
//! bytes, four of which fill a page: in one row it would leave nearly half of each page empty.

use crate::bands::{Bands, Threshold};
use crate::coding;
use crate::digest::Digest;
use crate::shingles::Shingles;
use forage_state::{StateFileKind, application_id};
use rusqlite::{Connection, OptionalExtension, Result, params};

/// Duplicate indexes.
pub(crate) const KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgDu"),
    version: 1,
    oldest_version: 1,
    name: "a duplicate index",
    schema: &["
        CREATE TABLE parameters (threshold REAL NOT NULL, bands INTEGER NOT NULL, rows INTEGER NOT NULL);
        CREATE TABLE entry (
            entry INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            size INTEGER NOT NULL,
            digest BLOB NOT NULL,
            id TEXT
        );
        CREATE UNIQUE INDEX entry_digest ON entry (digest);
        CREATE INDEX entry_step ON entry (step);
        CREATE TABLE shingles (part INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
        CREATE TABLE band (
            key INTEGER NOT NULL,
            size INTEGER NOT NULL,
            entry INTEGER NOT NULL,
            PRIMARY KEY (key, size, entry)
        ) WITHOUT ROWID;
    "],
};

/// Bytes of a coded set in one row of `shingles`.
const PART_BYTES: usize = 1000;
/// Parts that an entry may have: `part` is the entry's number times this, plus that of the part.
const PARTS: i64 = 1 << 24;

/// An entry: its number, and how many shingles it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) number: i64,
    pub(crate) size: i64,
}

fn read_entry(row: &rusqlite::Row) -> Result<Entry> {
    Ok(Entry {
        number: row.get(0)?,
        size: row.get(1)?,
    })
}

/// What the index was built for, once it is.
pub(crate) fn parameters(db: &Connection) -> Result<Option<(f64, Bands)>> {
    let row = |row: &rusqlite::Row| Ok((row.get(0)?, Bands::new(row.get(1)?, row.get(2)?)));
    db.query_row("SELECT threshold, bands, rows FROM parameters", [], row)
        .optional()
}

/// Notes what the index is built for.
pub(crate) fn set_parameters(db: &Connection, threshold: Threshold, bands: &Bands) -> Result<()> {
    db.execute(
        "INSERT INTO parameters VALUES (?, ?, ?)",
        params![threshold.value(), bands.bands, bands.rows],
    )?;
    Ok(())
}

/// Empties every table.
pub(crate) fn clear(db: &Connection) -> Result<()> {
    db.execute_batch(
        "DELETE FROM parameters; DELETE FROM entry; DELETE FROM shingles; DELETE FROM band;",
    )
}

/// The entry with this digest.
pub(crate) fn with_digest(db: &Connection, digest: &Digest) -> Result<Option<i64>> {
    let mut find = db.prepare_cached("SELECT entry FROM entry WHERE digest = ?")?;
    find.query_row([digest.as_bytes()], |row| row.get(0))
        .optional()
}

/// The `id` of the entry's document.
pub(crate) fn id(db: &Connection, entry: i64) -> Result<Option<String>> {
    db.prepare_cached("SELECT id FROM entry WHERE entry = ?")?
        .query_row([entry], |row| row.get(0))
}

/// Entries of a size in `sizes` that share a key, as often as they share one; in the order of
/// indexing.
pub(crate) fn with_keys(db: &Connection, keys: &[i64], sizes: (i64, i64)) -> Result<Vec<Entry>> {
    let mut find =
        db.prepare_cached("SELECT entry, size FROM band WHERE key = ? AND size BETWEEN ? AND ?")?;
    let mut found = Vec::new();
    for key in keys {
        for entry in find.query_map(params![key, sizes.0, sizes.1], read_entry)? {
            found.push(entry?);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Up to `limit` entries of steps from `step` on.
pub(crate) fn from_step(db: &Connection, step: i64, limit: u32) -> Result<Vec<Entry>> {
    let mut find = db.prepare_cached("SELECT entry, size FROM entry WHERE step >= ? LIMIT ?")?;
    find.query_map(params![step, limit], read_entry)?.collect()
}

/// The entry's shingles; `None` when they are damaged.
pub(crate) fn shingles(db: &Connection, entry: Entry) -> Result<Option<Shingles>> {
    let mut find = db
        .prepare_cached("SELECT hashes FROM shingles WHERE part >= ? AND part < ? ORDER BY part")?;
    let first = entry.number.saturating_mul(PARTS);
    let mut parts = find.query([first, first.saturating_add(PARTS)])?;
    let mut bytes = Vec::with_capacity(4 * PART_BYTES);
    while let Some(part) = parts.next()? {
        bytes.extend_from_slice(part.get_ref(0)?.as_blob()?);
    }
    Ok(usize::try_from(entry.size)
        .ok()
        .and_then(|size| coding::decode(&bytes, size)))
}

/// Adds an entry.
pub(crate) fn add(
    db: &Connection,
    (step, id): (i64, Option<&str>),
    digest: &Digest,
    shingles: &Shingles,
    keys: &[i64],
) -> Result<()> {
    let size = shingles.len() as i64;
    let mut put =
        db.prepare_cached("INSERT INTO entry (step, size, digest, id) VALUES (?, ?, ?, ?)")?;
    put.execute((step, size, digest.as_bytes(), id))?;
    let entry = db.last_insert_rowid();
    let mut part = db.prepare_cached("INSERT INTO shingles VALUES (?, ?)")?;
    for (number, bytes) in (entry * PARTS..).zip(coding::encode(shingles).chunks(PART_BYTES)) {
        part.execute(params![number, bytes])?;
    }
    let mut band = db.prepare_cached("INSERT OR IGNORE INTO band VALUES (?, ?, ?)")?;
    for key in keys {
        band.execute(params![key, size, entry])?;
    }
    Ok(())
}

/// Removes an entry that has these keys.
pub(crate) fn remove(db: &Connection, entry: Entry, keys: &[i64]) -> Result<()> {
    let mut band =
        db.prepare_cached("DELETE FROM band WHERE key = ? AND size = ? AND entry = ?")?;
    for key in keys {
        band.execute(params![key, entry.size, entry.number])?;
    }
    let first = entry.number * PARTS;
    db.prepare_cached("DELETE FROM shingles WHERE part >= ? AND part < ?")?
        .execute([first, first + PARTS])?;
    db.prepare_cached("DELETE FROM entry WHERE entry = ?")?
        .execute([entry.number])?;
    Ok(())
}
