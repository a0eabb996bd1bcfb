//! The tables of the profiles, and the statements on them.
//!
//! Counts only grow, so the most frequent n-grams after an update are among the earlier ones and
//! those that were updated. An update therefore reads and writes only the n-grams of its
//! documents and those of the profile, whatever the number of documents.

use forage_langid::{LanguageCode, NGram, PROFILE_SIZE, Profile, Script};
use forage_state::{LAST_STEP_TABLE, StateFileKind, application_id};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Params, Result, Row, params};
use std::collections::BTreeMap;

/// The file format of the profiles.
pub(crate) const PROFILES_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgLp"),
    version: 1,
    name: "profiles of a run (langid)",
    // SQLite keeps this text in the file, so that not even its white space can change.
    schema: &[
        "
        CREATE TABLE class (             -- the labels of initial documents
            code TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        CREATE TABLE profile (
            id INTEGER PRIMARY KEY,
            code TEXT NOT NULL,
            script TEXT NOT NULL,
            documents INTEGER NOT NULL,
            tokens INTEGER NOT NULL,
            UNIQUE (code, script)
        );
        CREATE TABLE ngram (             -- _ is the blank
            profile INTEGER NOT NULL,
            ngram TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (profile, ngram)
        ) WITHOUT ROWID;
        CREATE TABLE top_ngram (         -- the most frequent n-grams of a profile, from rank 0 on
            profile INTEGER NOT NULL,
            rank INTEGER NOT NULL,
            ngram TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (profile, rank)
        ) WITHOUT ROWID;
        CREATE TABLE waiting (           -- documents that are not counted yet
            id INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,       -- counted from the next step on
            is_initial INTEGER NOT NULL,
            code TEXT NOT NULL,
            text TEXT NOT NULL
        );
        CREATE INDEX waiting_step ON waiting (step);
        CREATE TABLE counted (           -- the documents of all steps before this one are counted
            only INTEGER PRIMARY KEY CHECK (only = 1),
            step INTEGER NOT NULL
        );
        ",
        LAST_STEP_TABLE,
    ],
    upgrades: &[],
};

/// Returns the step before which all documents are counted; 0 if none is.
pub(crate) fn counted_before(db: &Connection) -> Result<u64> {
    let mut select = db.prepare_cached("SELECT step FROM counted")?;
    let step = select.query_row([], |row| row.get(0)).optional()?;
    Ok(step.unwrap_or(0))
}

pub(crate) fn set_counted_before(db: &Connection, step: u64) -> Result<()> {
    execute(db, "INSERT OR REPLACE INTO counted VALUES (1, ?)", [step])
}

pub(crate) fn add_class(db: &Connection, code: &str) -> Result<()> {
    execute(db, "INSERT OR IGNORE INTO class VALUES (?)", [code])
}

pub(crate) fn has_class(db: &Connection, code: &str) -> Result<bool> {
    db.prepare_cached("SELECT 1 FROM class WHERE code = ?")?
        .exists([code])
}

/// Adds a document that will be counted after `step`.
pub(crate) fn add_waiting(
    db: &Connection,
    step: i64,
    is_initial: bool,
    code: &str,
    text: &str,
) -> Result<()> {
    let sql = "INSERT INTO waiting (step, is_initial, code, text) VALUES (?, ?, ?, ?)";
    execute(db, sql, params![step, is_initial, code, text])
}

/// Removes the retrieved documents of `step` and of later steps.
pub(crate) fn remove_waiting_from(db: &Connection, step: i64) -> Result<()> {
    let sql = "DELETE FROM waiting WHERE step >= ? AND NOT is_initial";
    execute(db, sql, [step])
}

/// Removes and returns class and text of the documents of the steps before `step`, in the order of
/// the journal.
pub(crate) fn take_waiting_before(db: &Connection, step: i64) -> Result<Vec<(String, String)>> {
    let sql = "SELECT code, text FROM waiting WHERE step < ? ORDER BY id";
    let mut select = db.prepare_cached(sql)?;
    let documents = select.query_map([step], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let documents = documents.collect::<Result<Vec<_>>>()?;
    if !documents.is_empty() {
        execute(db, "DELETE FROM waiting WHERE step < ?", [step])?;
    }
    Ok(documents)
}

/// Executes a statement, which stays prepared.
fn execute(db: &Connection, sql: &str, params: impl Params) -> Result<()> {
    db.prepare_cached(sql)?.execute(params).map(drop)
}

/// Adds documents to a profile: their number, their words, and the counts of their n-grams.
pub(crate) fn add_to_profile(
    db: &Connection,
    (code, script): (&str, &str),
    (documents, tokens): (u64, u64),
    counts: &BTreeMap<NGram, u64>,
) -> Result<()> {
    let sql = "INSERT INTO profile (code, script, documents, tokens) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (code, script)
               DO UPDATE SET documents = documents + ?3, tokens = tokens + ?4 RETURNING id";
    let values = params![code, script, documents, tokens];
    let id: i64 = (db.prepare_cached(sql)?).query_row(values, |row| row.get(0))?;
    let mut top: BTreeMap<NGram, u64> = read_top(db, id)?.into_iter().collect();
    let mut upsert = db.prepare_cached(
        "INSERT INTO ngram VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET count = count + ?3 RETURNING count",
    )?;
    for (ngram, count) in counts {
        let values = params![id, ngram.to_string(), count];
        let sum = upsert.query_row(values, |row| row.get(0))?;
        top.insert(*ngram, sum);
    }
    write_top(db, id, top)
}

/// Returns the most frequent n-grams of a profile.
fn read_top(db: &Connection, profile: i64) -> Result<Vec<(NGram, u64)>> {
    db.prepare_cached("SELECT ngram, count FROM top_ngram WHERE profile = ?")?
        .query_map([profile], |row| {
            Ok((parse_column(row, 0, NGram::parse)?, row.get(1)?))
        })?
        .collect()
}

/// Writes the most frequent of these n-grams as those of a profile.
fn write_top(db: &Connection, profile: i64, counts: BTreeMap<NGram, u64>) -> Result<()> {
    let mut ranked: Vec<(NGram, u64)> = counts.into_iter().collect();
    // Stable: ties remain in the order of code points.
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO top_ngram VALUES (?, ?, ?, ?)")?;
    for (rank, (ngram, count)) in ranked.iter().take(PROFILE_SIZE).enumerate() {
        insert.execute(params![profile, rank as i64, ngram.to_string(), count])?;
    }
    Ok(())
}

/// Returns all profiles, by code and script.
pub(crate) fn read_profiles(db: &Connection) -> Result<Vec<Profile>> {
    let mut select =
        db.prepare_cached("SELECT id, code, script, tokens FROM profile ORDER BY code, script")?;
    let rows = select.query_map([], |row| {
        let code = parse_column(row, 1, |code| code.parse::<LanguageCode>().ok())?;
        let script = parse_column(row, 2, Script::new)?;
        Ok((row.get::<_, i64>(0)?, code, script, row.get::<_, u64>(3)?))
    })?;
    let profiles = rows.map(|row| {
        let (id, code, script, tokens) = row?;
        let ngrams = read_top(db, id)?;
        Ok(Profile::from_ngrams(code, script, tokens, ngrams))
    });
    profiles.collect()
}

/// Returns a text column that `parse` accepts.
fn parse_column<T>(row: &Row, column: usize, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let text: String = row.get(column)?;
    parse(&text).ok_or_else(|| {
        let damaged = format!("column {column} has the invalid value `{text}`");
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, damaged.into())
    })
}
