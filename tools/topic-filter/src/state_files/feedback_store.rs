//! The tables of a feedback state, and the statements on them.
//!
//! Articles are numbered in the order of arrival, without gaps: the steps of a run ascend, so that
//! only the last articles are removed.

use forage_state::{LAST_STEP_TABLE, StateFile, StateFileKind, application_id, read_count};
use rusqlite::{Result, params};

/// The file format of a feedback state.
pub(crate) const FEEDBACK_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgFb"),
    version: 1,
    name: "articles for relevance feedback",
    // SQLite keeps this text in the file, so that not even its white space can change.
    schema: &[include_str!("articles.sql"), LAST_STEP_TABLE],
    upgrades: &[],
};

/// An article of the state.
#[derive(Debug)]
pub(crate) struct StoredArticle {
    pub(crate) is_sample: bool,
    /// The encoded words.
    pub(crate) words: Vec<u8>,
}

/// Adds an article with its `id` and encoded words.
pub(crate) fn add_article(
    db: &StateFile,
    step: i64,
    id: Option<&str>,
    is_sample: bool,
    words: &[u8],
) -> Result<()> {
    let sql = "INSERT INTO article (step, is_sample, id, words) VALUES (?, ?, ?, ?)";
    db.write_cached(sql, params![step, is_sample, id, words])?;
    Ok(())
}

/// Removes the articles of `step` and of later steps.
pub(crate) fn remove_from(db: &StateFile, step: i64) -> Result<()> {
    db.write_cached("DELETE FROM article WHERE step >= ?", [step])
}

/// Returns the number of the last article; 0 if there is none.
pub(crate) fn last_number(db: &StateFile) -> Result<i64> {
    db.query_row("SELECT coalesce(max(number), 0) FROM article", [], |row| {
        read_count(row, 0)
    })
}

/// Returns the numbers of the samples, in ascending order.
pub(crate) fn sample_numbers(db: &StateFile) -> Result<Vec<i64>> {
    db.prepare("SELECT number FROM article WHERE is_sample ORDER BY number")?
        .query_map([], |row| read_count(row, 0))?
        .collect()
}

/// Returns an article; `None` if there is none with this number.
pub(crate) fn article(db: &StateFile, number: i64) -> Result<Option<StoredArticle>> {
    let sql = "SELECT is_sample, words FROM article WHERE number = ?";
    db.find_row(sql, [number], |row| {
        Ok(StoredArticle {
            is_sample: row.get(0)?,
            words: row.get(1)?,
        })
    })
}
