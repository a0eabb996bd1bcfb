//! The tables of the state, and the statements on them.
//!
//! Articles are numbered in the order of arrival, so that the numbers of rejected articles ascend
//! with their steps. Every row has its step, so that the last steps of an interrupted run can be
//! removed.

use forage_state::{StateFile, StateFileKind, application_id};
use forage_topic::samples::Sample;
use forage_topic::similarity::KeyphraseVector;
use rusqlite::{Result, Row, params};
use std::ops::Range;

/// The file format of the state.
pub(crate) const TOPIC_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgTo"),
    version: 1,
    name: "samples and rejected articles",
    // SQLite keeps this text in the file, so that not even its white space can change.
    schema: &[include_str!("samples.sql"), forage_state::LAST_STEP_TABLE],
    upgrades: &[],
};

/// A sample with the step in which it joined.
#[derive(Debug)]
pub(crate) struct StoredSample {
    pub(crate) number: i64,
    pub(crate) step: u64,
    /// True if the article was rejected in an earlier step.
    pub(crate) is_retry: bool,
    pub(crate) sample: Sample,
}

const SAMPLE_COLUMNS: &str = "number, step, is_retry, id, threshold, keywords FROM sample";

fn read_sample(row: &Row) -> Result<StoredSample> {
    let keywords: String = row.get(5)?;
    let keyphrases = serde_json::from_str(&keywords).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(5, rusqlite::types::Type::Text, Box::new(e))
    })?;
    Ok(StoredSample {
        number: row.get(0)?,
        step: row.get(1)?,
        is_retry: row.get(2)?,
        sample: Sample {
            id: Some(row.get(3)?),
            default_threshold: row.get(4)?,
            keyphrases: KeyphraseVector::new(keyphrases),
        },
    })
}

/// Returns the measure that the state was made for; `None` if it is empty.
pub(crate) fn measure(db: &StateFile) -> Result<Option<String>> {
    db.find_value("SELECT measure FROM parameters", [])
}

/// Stores the measure that the state is made for.
pub(crate) fn set_measure(db: &StateFile, name: &str) -> Result<()> {
    db.write_cached("INSERT INTO parameters VALUES (?1)", [name])
}

/// Adds a sample, unless there is one with its id. Returns its number if it was added.
pub(crate) fn add_sample(
    db: &StateFile,
    (step, is_retry): (i64, bool),
    id: &str,
    threshold: f64,
    keywords: &str,
) -> Result<Option<i64>> {
    let sql = "INSERT OR IGNORE INTO sample (step, is_retry, id, threshold, keywords) \
               VALUES (?1, ?2, ?3, ?4, ?5)";
    let added = db.execute_cached(sql, params![step, is_retry, id, threshold, keywords])?;
    Ok((added > 0).then(|| db.last_insert_rowid()))
}

/// Returns the sample with this id.
pub(crate) fn sample_with_id(db: &StateFile, id: &str) -> Result<Option<StoredSample>> {
    let sql = &format!("SELECT {SAMPLE_COLUMNS} WHERE id = ?1");
    db.find_row(sql, [id], read_sample)
}

/// Returns the sample with this number.
pub(crate) fn sample(db: &StateFile, number: i64) -> Result<StoredSample> {
    db.prepare_cached(&format!("SELECT {SAMPLE_COLUMNS} WHERE number = ?1"))?
        .query_row([number], read_sample)
}

/// Returns the first sample, by step and id.
pub(crate) fn first_sample(db: &StateFile) -> Result<Option<StoredSample>> {
    let sql = &format!("SELECT {SAMPLE_COLUMNS} ORDER BY step, id LIMIT 1");
    db.find_row(sql, [], read_sample)
}

/// Returns the samples that joined in `step` or later, by step and id.
pub(crate) fn samples_from_step(db: &StateFile, step: i64) -> Result<Vec<StoredSample>> {
    let sql = &format!("SELECT {SAMPLE_COLUMNS} WHERE step >= ?1 ORDER BY step, id");
    db.read_rows(sql, [step], read_sample)
}

/// Deletes a sample, without its words.
pub(crate) fn delete_sample(db: &StateFile, number: i64) -> Result<()> {
    db.write_cached("DELETE FROM sample WHERE number = ?1", [number])
}

/// Notes that the query of `step` names a sample, unless an earlier one did.
pub(crate) fn note_query(db: &StateFile, id: &str, step: i64) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO query_sample VALUES (?1, ?2)";
    db.write_cached(sql, params![id, step])
}

/// Returns the first step of which the query names the sample.
pub(crate) fn first_query(db: &StateFile, id: &str) -> Result<Option<u64>> {
    db.find_value("SELECT step FROM query_sample WHERE id = ?1", [id])
}

/// Adds a rejected article, unless there is one with its id. Returns its number if it was added.
pub(crate) fn add_rejected(db: &StateFile, step: i64, id: &str, line: &str) -> Result<Option<i64>> {
    let sql = "INSERT OR IGNORE INTO rejected (step, id, line) VALUES (?1, ?2, ?3)";
    let added = db.execute_cached(sql, params![step, id, line])?;
    Ok((added > 0).then(|| db.last_insert_rowid()))
}

/// Notes that a rejected article was accepted in `step`.
pub(crate) fn accept(db: &StateFile, id: &str, step: i64) -> Result<()> {
    let sql = "UPDATE rejected SET accepted = ?2 WHERE id = ?1 AND accepted IS NULL";
    db.write_cached(sql, params![id, step])
}

/// Returns the line of a rejected article; `None` if it was accepted later.
pub(crate) fn rejected_line(db: &StateFile, number: i64) -> Result<Option<String>> {
    let sql = "SELECT line FROM rejected WHERE number = ?1 AND accepted IS NULL";
    db.find_value(sql, [number])
}

/// Returns the numbers of the articles that were rejected in these steps.
pub(crate) fn rejected_in_steps(db: &StateFile, steps: Range<i64>) -> Result<Range<i64>> {
    let first = |step: i64| -> Result<i64> {
        let sql = "SELECT number FROM rejected WHERE step >= ?1 ORDER BY step, number";
        db.find_value(sql, [step])
            .map(|number| number.unwrap_or(i64::MAX))
    };
    Ok(first(steps.start)?..first(steps.end)?)
}

/// Returns up to `limit` articles that were rejected in `step` or later: number and line.
pub(crate) fn rejected_from_step(
    db: &StateFile,
    step: i64,
    limit: u32,
) -> Result<Vec<(i64, String)>> {
    let sql = "SELECT number, line FROM rejected WHERE step >= ?1 LIMIT ?2";
    db.read_rows(sql, params![step, limit], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Deletes a rejected article, without its words.
pub(crate) fn delete_rejected(db: &StateFile, number: i64) -> Result<()> {
    db.write_cached("DELETE FROM rejected WHERE number = ?1", [number])
}

/// Removes what the queries and acceptances of `step` and later steps have set.
pub(crate) fn forget_decisions(db: &StateFile, step: i64) -> Result<()> {
    let sql = "UPDATE rejected SET accepted = NULL WHERE accepted >= ?1";
    db.write_cached(sql, [step])?;
    db.write_cached("DELETE FROM query_sample WHERE step >= ?1", [step])
}
