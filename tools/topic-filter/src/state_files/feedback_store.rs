//! The tables of a feedback state, and the statements on them.
//!
//! Articles are numbered in the order of arrival, without gaps: the steps of a run ascend, so that
//! only the last articles are removed.

use forage_state::{LAST_STEP_TABLE, StateFileKind, application_id, read_count};
use rusqlite::{Connection, OptionalExtension, Result, params};

/// The file format of a feedback state.
pub(crate) const FEEDBACK_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgFb"),
    version: 1,
    name: "articles for relevance feedback",
    // SQLite keeps this text in the file, so that not even its white space can change.
    schema: &[
        "
        CREATE TABLE article (
            number INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            is_sample INTEGER NOT NULL,
            id TEXT,
            words BLOB NOT NULL
        );
        CREATE INDEX article_step ON article (step);
        CREATE INDEX sample_number ON article (number) WHERE is_sample;
        ",
        LAST_STEP_TABLE,
    ],
    upgrades: &[],
};

/// An article of the state.
#[derive(Debug)]
pub(crate) struct StoredArticle {
    pub(crate) is_sample: bool,
    /// The encoded words.
    pub(crate) words: Vec<u8>,
}

/// Empties every table.
pub(crate) fn clear(db: &Connection) -> Result<()> {
    db.execute_batch("DELETE FROM article; DELETE FROM last_step;")
}

/// Adds an article with its `id` and encoded words.
pub(crate) fn add_article(
    db: &Connection,
    step: i64,
    id: Option<&str>,
    is_sample: bool,
    words: &[u8],
) -> Result<()> {
    let sql = "INSERT INTO article (step, is_sample, id, words) VALUES (?, ?, ?, ?)";
    db.prepare_cached(sql)?
        .execute(params![step, is_sample, id, words])?;
    Ok(())
}

/// Removes the articles of `step` and of later steps.
pub(crate) fn remove_from(db: &Connection, step: i64) -> Result<()> {
    db.execute("DELETE FROM article WHERE step >= ?", [step])?;
    Ok(())
}

/// Returns the number of the last article; 0 if there is none.
pub(crate) fn last_number(db: &Connection) -> Result<i64> {
    db.query_row("SELECT coalesce(max(number), 0) FROM article", [], |row| {
        read_count(row, 0)
    })
}

/// Returns the numbers of the samples, in ascending order.
pub(crate) fn sample_numbers(db: &Connection) -> Result<Vec<i64>> {
    db.prepare("SELECT number FROM article WHERE is_sample ORDER BY number")?
        .query_map([], |row| read_count(row, 0))?
        .collect()
}

/// Returns an article; `None` if there is none with this number.
pub(crate) fn article(db: &Connection, number: i64) -> Result<Option<StoredArticle>> {
    db.prepare_cached("SELECT is_sample, words FROM article WHERE number = ?")?
        .query_row([number], |row| {
            Ok(StoredArticle {
                is_sample: row.get(0)?,
                words: row.get(1)?,
            })
        })
        .optional()
}
