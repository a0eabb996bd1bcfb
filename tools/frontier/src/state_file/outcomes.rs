//! Judged pages, with what each has changed, so that it can be undone; and what pages of a
//! directory, or pages reached by a word, have brought.

use crate::state_file::crawl_url::CrawlUrl;
use crate::state_file::hosts::{self, Outcome};
use crate::state_file::scope::LeftOut;
use crate::state_file::score::{Score, ScoreSum};
use crate::state_file::stored_links::{StoredLink, decode_links, encode_links};
use crate::state_file::words::WordKeys;
use forage_state::{StateFile, read_count};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Result, params};

impl ToSql for Outcome {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok((*self as i64).into())
    }
}

impl FromSql for Outcome {
    fn column_result(value: ValueRef) -> FromSqlResult<Self> {
        match value.as_i64()? {
            0 => Ok(Outcome::Unknown),
            1 => Ok(Outcome::Live),
            2 => Ok(Outcome::Dead),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

/// A judged page, or a URL that could not be fetched.
#[derive(Debug)]
pub(crate) struct StoredPage {
    pub(crate) step: i64,
    /// The URL that was requested.
    pub(crate) url: i64,
    /// The URL after redirects.
    pub(crate) final_url: i64,
    /// The host of the final URL.
    pub(crate) host: i64,
    pub(crate) outcome: Outcome,
    /// Dead links of the host before this page, and the number of URLs when it was due.
    pub(crate) host_before: (u32, i64),
    pub(crate) score: Score,
    /// The URLs that the page is a parent of, ascending; `None` if the page was not judged, or was
    /// judged under another URL.
    pub(crate) links: Option<Vec<StoredLink>>,
    /// Links that were left out, in the order of [`LeftOut::NAMES`].
    pub(crate) left_out: [u32; LeftOut::NAMES.len()],
}

/// Returns `true` if the URL was judged or failed before.
pub(crate) fn has_page(db: &StateFile, url: i64) -> Result<bool> {
    db.has_row("SELECT 1 FROM page WHERE url = ?", [url])
}

/// Returns `true` if the page at this final URL was judged.
pub(crate) fn is_judged(db: &StateFile, final_url: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM page WHERE final = ? AND links IS NOT NULL";
    db.has_row(sql, [final_url])
}

/// Adds a page.
pub(crate) fn add_page(db: &StateFile, page: &StoredPage) -> Result<()> {
    let links = page.links.as_deref();
    let links = links.map(|links| encode_links(links, page.score));
    let [scope, depth, length, repetition, queries] = page.left_out;
    let sql = "INSERT INTO page VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
    db.write_cached(
        sql,
        params![
            page.step,
            page.url,
            page.final_url,
            page.host,
            page.outcome,
            page.host_before.0,
            page.host_before.1,
            page.score.0,
            links,
            scope,
            depth,
            length,
            repetition,
            queries
        ],
    )
}

/// Removes the last page of `step` or later steps, and returns it; `None` if there is none.
pub(crate) fn take_last_page(db: &StateFile, step: i64) -> Result<Option<StoredPage>> {
    let last = db
        .prepare_cached("SELECT max(number) FROM page WHERE step >= ?")?
        .query_row([step], |row| row.get::<_, Option<i64>>(0))?;
    let Some(number) = last else { return Ok(None) };
    db.prepare_cached(
        "DELETE FROM page WHERE number = ? \
         RETURNING step, url, final, host, outcome, streak, resume, score, links",
    )?
    .query_row([number], |row| {
        let score = Score::read(row, 7)?;
        let links: Option<Vec<u8>> = row.get(8)?;
        Ok(StoredPage {
            step: row.get(0)?,
            url: row.get(1)?,
            final_url: row.get(2)?,
            host: read_count(row, 3)?,
            outcome: row.get(4)?,
            host_before: (row.get(5)?, row.get(6)?),
            score,
            links: links.map(|links| decode_links(&links, score)),
            left_out: Default::default(),
        })
    })
    .optional()
}

/// Adds (`sign` 1) or removes (−1) the score of a judged page: to its host, its directory and the
/// words of the link that led to it.
pub(crate) fn add_score(
    db: &StateFile,
    host: i64,
    url: &CrawlUrl,
    anchor: &WordKeys,
    score: Score,
    sign: i64,
) -> Result<()> {
    hosts::add_score(db, host, score, sign)?;
    let values = |key: i64| [key, sign, sign * score.0];
    let sql = "INSERT INTO directory VALUES (?1, 0, 0, ?2, ?3) \
               ON CONFLICT (key) DO UPDATE SET pages = pages + ?2, sum = sum + ?3";
    db.write_cached(sql, values(url.directory_key()))?;
    let mut add_to_word = db.prepare_cached(
        "INSERT INTO word VALUES (?1, ?2, ?3) \
         ON CONFLICT (key) DO UPDATE SET pages = pages + ?2, sum = sum + ?3",
    )?;
    for word in anchor.with_path(url).iter() {
        add_to_word.execute(values(i64::from(word)))?;
    }
    Ok(())
}

/// Adds (`sign` 1) or removes (−1) the outcome of following a link to its directory.
pub(crate) fn add_outcome(
    db: &StateFile,
    url: &CrawlUrl,
    outcome: Outcome,
    sign: i64,
) -> Result<()> {
    let (live, dead) = match outcome {
        Outcome::Unknown => return Ok(()),
        Outcome::Live => (sign, 0),
        Outcome::Dead => (0, sign),
    };
    let sql = "INSERT INTO directory VALUES (?1, ?2, ?3, 0, 0) \
               ON CONFLICT (key) DO UPDATE SET live = live + ?2, dead = dead + ?3";
    db.write_cached(sql, [url.directory_key(), live, dead])
}

/// What the links to a directory have brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DirectoryState {
    pub(crate) live: i64,
    pub(crate) dead: i64,
    /// The scores of its judged pages.
    pub(crate) scores: ScoreSum,
}

/// Returns what is known of a directory.
pub(crate) fn directory_state(db: &StateFile, key: i64) -> Result<DirectoryState> {
    let sql = "SELECT live, dead, pages, sum FROM directory WHERE key = ?";
    let found = db.find_row(sql, [key], |row| {
        Ok(DirectoryState {
            live: read_count(row, 0)?,
            dead: read_count(row, 1)?,
            scores: ScoreSum::read(row, 2)?,
        })
    })?;
    Ok(found.unwrap_or_default())
}

/// Returns the scores of the judged pages that were reached by a word.
pub(crate) fn word_scores(db: &StateFile, key: u32) -> Result<ScoreSum> {
    let sql = "SELECT pages, sum FROM word WHERE key = ?";
    let found = db.find_row(sql, [key], |row| ScoreSum::read(row, 0))?;
    Ok(found.unwrap_or_default())
}
