//! The tables of a frontier, and the statements on URLs. `hosts` and `outcomes` have those on hosts
//! and judged pages.
//!
//! URLs are numbered in the order of discovery, so that new rows are appended, and the changes of
//! the last steps are removed from the end. A URL that waits has a row in `waiting`, which the
//! scores of its parents change, and one that was given a row in `given`. `priority` orders the
//! URLs that wait by mean, except those of hosts that are backed off, which are in `parked`. The
//! index `waiting_greatest` orders the same URLs by the greatest score.

use crate::state_file::score::{ParentScores, Score, ScoreSum};
use forage_state::{StateFile, read_count};
use rusqlite::types::ValueRef;
use rusqlite::{Result, Row, params};

/// The tables of URLs and steps.
/// The tables that [`reset_count`] and the partition need, when the others are emptied.
pub(crate) const KEPT_TABLES: [&str; 2] = ["counter", "partition"];

/// Sets the number of given URLs to 0.
pub(crate) fn reset_count(db: &StateFile) -> Result<()> {
    db.write_cached("UPDATE counter SET given = 0", [])
}

/// A URL that waits to be given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WaitingUrl {
    /// Links on the path from a seed by which it was found; 0 for a seed.
    pub(crate) depth: u32,
    /// The scores of its parents.
    pub(crate) parents: ParentScores,
    /// True if it is in `parked` instead of `priority`.
    pub(crate) is_parked: bool,
}

impl WaitingUrl {
    /// Returns the place in `priority`: ascending ranks are descending means, after the seeds.
    pub(crate) fn rank(&self) -> i64 {
        match self.depth {
            0 => i64::MIN,
            _ => self.parents.total.mean().0.saturating_neg(),
        }
    }
}

pub(crate) fn read_waiting(row: &Row, first: usize) -> Result<WaitingUrl> {
    Ok(WaitingUrl {
        depth: row.get(first)?,
        parents: read_parents(row, first + 1)?,
        is_parked: row.get(first + 4)?,
    })
}

/// Reads the columns `parents`, `sum` and `greatest`.
fn read_parents(row: &Row, first: usize) -> Result<ParentScores> {
    Ok(ParentScores {
        total: ScoreSum::read(row, first)?,
        greatest: Score::read(row, first + 2)?,
    })
}

/// Returns the URLs that a step was given.
pub(crate) fn given_in_step(db: &StateFile, step: u64) -> Result<Vec<String>> {
    let sql = "SELECT url.url FROM given JOIN url USING (id)
               WHERE given.step = ? AND given.is_request = 1";
    let step = i64::try_from(step).unwrap_or(i64::MAX);
    db.read_rows(sql, [step], |row| row.get(0))
}

/// Returns the number of the URL with this key.
pub(crate) fn url_id(db: &StateFile, key: i64) -> Result<Option<i64>> {
    let sql = "SELECT id FROM url_key WHERE key = ?";
    db.find_row(sql, [key], |row| read_count(row, 0))
}

/// Returns the URL with this number, if it waits.
pub(crate) fn waiting_url(db: &StateFile, id: i64) -> Result<Option<WaitingUrl>> {
    let sql = "SELECT depth, parents, sum, greatest, is_parked FROM waiting WHERE id = ?";
    db.find_row(sql, [id], |row| read_waiting(row, 0))
}

/// Returns the host of a URL.
pub(crate) fn host_of_url(db: &StateFile, id: i64) -> Result<i64> {
    db.prepare_cached("SELECT host FROM url WHERE id = ?")?
        .query_row([id], |row| read_count(row, 0))
}

/// Returns the text of a URL and the stored words of its anchor text.
pub(crate) fn url_text(db: &StateFile, id: i64) -> Result<(String, Vec<u8>)> {
    db.prepare_cached("SELECT url, words FROM url WHERE id = ?")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Returns the greatest number of a row in `url` or `host`; 0 if there is none.
pub(crate) fn last_id(db: &StateFile, table: &str) -> Result<i64> {
    db.query_row(
        &format!("SELECT max(id) FROM {table}"),
        [],
        |row| match row.get_ref(0)? {
            ValueRef::Null => Ok(0),
            _ => read_count(row, 0),
        },
    )
}

/// A URL to be added.
#[derive(Debug)]
pub(crate) struct NewUrl {
    pub(crate) id: i64,
    pub(crate) step: i64,
    pub(crate) host: i64,
    pub(crate) url: String,
    pub(crate) words: Vec<u8>,
}

/// Adds a URL, without its key.
pub(crate) fn add_url(db: &StateFile, new: &NewUrl) -> Result<()> {
    let sql = "INSERT INTO url VALUES (?, ?, ?, ?, ?)";
    db.write_cached(sql, params![new.id, new.step, new.host, new.url, new.words])
}

/// Adds the key of a URL.
pub(crate) fn add_key(db: &StateFile, key: i64, id: i64) -> Result<()> {
    db.write_cached("INSERT OR REPLACE INTO url_key VALUES (?, ?)", [key, id])
}

/// Makes a URL a seed, which no step has found.
pub(crate) fn set_seed(db: &StateFile, id: i64) -> Result<()> {
    db.write_cached("UPDATE url SET step = 0 WHERE id = ?", [id])
}

/// Adds a URL that waits, without its place in `priority`.
pub(crate) fn add_waiting(db: &StateFile, id: i64, url: &WaitingUrl) -> Result<()> {
    write_waiting(db, "INSERT INTO waiting VALUES (?, ?, ?, ?, ?, ?)", id, url)
}

/// Stores a changed URL that waits, without its place in `priority`.
pub(crate) fn set_waiting(db: &StateFile, id: i64, url: &WaitingUrl) -> Result<()> {
    let sql = "UPDATE waiting SET depth = ?2, parents = ?3, sum = ?4, greatest = ?5, \
               is_parked = ?6 WHERE id = ?1";
    write_waiting(db, sql, id, url)
}

fn write_waiting(db: &StateFile, sql: &str, id: i64, url: &WaitingUrl) -> Result<()> {
    db.write_cached(
        sql,
        params![
            id,
            url.depth,
            url.parents.total.count,
            url.parents.total.sum,
            url.parents.greatest.0,
            url.is_parked
        ],
    )
}

/// Stores another sum of parents' scores of a URL that waits, of which nothing else has changed. It
/// then keeps its place in `waiting_greatest`.
pub(crate) fn set_waiting_total(db: &StateFile, id: i64, total: ScoreSum) -> Result<()> {
    let sql = "UPDATE waiting SET parents = ?2, sum = ?3 WHERE id = ?1";
    db.write_cached(sql, [id, total.count, total.sum])
}

/// Deletes a URL that waits, without its place in `priority`.
pub(crate) fn delete_waiting(db: &StateFile, id: i64) -> Result<()> {
    db.write_cached("DELETE FROM waiting WHERE id = ?", [id])
}

/// Adds the place of a URL that waits: in `priority`, or in `parked` with its host.
pub(crate) fn add_place(db: &StateFile, id: i64, rank: i64, is_parked: bool) -> Result<()> {
    if is_parked {
        let sql = "INSERT INTO parked VALUES (?, ?, ?)";
        return db.write_cached(sql, [host_of_url(db, id)?, rank, id]);
    }
    db.write_cached("INSERT INTO priority VALUES (?, ?)", [rank, id])
}

/// Deletes the place of a URL that waits.
pub(crate) fn delete_place(db: &StateFile, id: i64, rank: i64, is_parked: bool) -> Result<()> {
    if is_parked {
        let sql = "DELETE FROM parked WHERE host = ? AND rank = ? AND id = ?";
        return db.write_cached(sql, [host_of_url(db, id)?, rank, id]);
    }
    db.write_cached("DELETE FROM priority WHERE rank = ? AND id = ?", [rank, id])
}

/// A URL that was given or fetched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GivenUrl {
    pub(crate) id: i64,
    pub(crate) step: i64,
    /// Its state when it was given.
    pub(crate) url: WaitingUrl,
    /// False for the target of a redirect.
    pub(crate) is_request: bool,
}

/// Adds a URL that was given.
pub(crate) fn add_given(db: &StateFile, given: &GivenUrl) -> Result<()> {
    let sql = "INSERT INTO given VALUES (?, ?, ?, ?, ?, ?, ?)";
    db.write_cached(
        sql,
        params![
            given.id,
            given.step,
            given.url.depth,
            given.url.parents.total.count,
            given.url.parents.total.sum,
            given.url.parents.greatest.0,
            given.is_request
        ],
    )?;
    add_to_given_count(db, i64::from(given.is_request))
}

/// Counts the target of a redirect as given, because the same step has requested it, too.
pub(crate) fn set_request(db: &StateFile, id: i64, step: i64) -> Result<()> {
    let sql = "UPDATE given SET is_request = 1 WHERE id = ? AND step = ? AND NOT is_request";
    let changed = db.execute_cached(sql, [id, step])?;
    add_to_given_count(db, changed as i64)
}

/// Returns the depth of a URL that was given; 0 if it was not.
pub(crate) fn given_depth(db: &StateFile, id: i64) -> Result<u32> {
    let depth = db.find_value("SELECT depth FROM given WHERE id = ?", [id])?;
    Ok(depth.unwrap_or(0))
}

/// Returns the URLs that were given in `step` or later.
pub(crate) fn given_from_step(db: &StateFile, step: i64) -> Result<Vec<GivenUrl>> {
    let sql = "SELECT id, step, is_request, depth, parents, sum, greatest, 0 FROM given \
               WHERE step >= ? ORDER BY id";
    db.read_rows(sql, [step], |row| {
        Ok(GivenUrl {
            id: read_count(row, 0)?,
            step: row.get(1)?,
            is_request: row.get(2)?,
            url: read_waiting(row, 3)?,
        })
    })
}

/// Deletes the mark of a URL that was given.
pub(crate) fn delete_given(db: &StateFile, given: &GivenUrl) -> Result<()> {
    db.write_cached("DELETE FROM given WHERE id = ?", [given.id])?;
    add_to_given_count(db, -i64::from(given.is_request))
}

/// Returns the scores of the parents of a URL that was given; `None` if it was not.
pub(crate) fn given_parents(db: &StateFile, id: i64) -> Result<Option<ParentScores>> {
    let sql = "SELECT parents, sum, greatest FROM given WHERE id = ?";
    db.find_row(sql, [id], |row| read_parents(row, 0))
}

/// Stores the scores of the parents of a URL that was given.
pub(crate) fn set_given_parents(db: &StateFile, id: i64, parents: ParentScores) -> Result<()> {
    let sql = "UPDATE given SET parents = ?2, sum = ?3, greatest = ?4 WHERE id = ?1";
    let total = parents.total;
    db.write_cached(sql, [id, total.count, total.sum, parents.greatest.0])
}

fn add_to_given_count(db: &StateFile, change: i64) -> Result<()> {
    if change == 0 {
        return Ok(());
    }
    db.write_cached("UPDATE counter SET given = given + ?", [change])
}

/// Returns the number of URLs that were given, without targets of redirects.
pub(crate) fn given_count(db: &StateFile) -> Result<i64> {
    db.prepare_cached("SELECT given FROM counter")?
        .query_row([], |row| read_count(row, 0))
}

/// The content of the frontier at the start of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepStart {
    pub(crate) given: i64,
    pub(crate) first_url: i64,
    pub(crate) first_host: i64,
}

fn read_step_start(row: &Row) -> Result<Option<StepStart>> {
    let Some(given) = row.get(0)? else {
        return Ok(None);
    };
    Ok(Some(StepStart {
        given,
        first_url: row.get(1)?,
        first_host: row.get(2)?,
    }))
}

/// Returns the start of `step`; `None` if it has not begun.
pub(crate) fn step_start(db: &StateFile, step: i64) -> Result<Option<StepStart>> {
    let sql = "SELECT given, first_url, first_host FROM step WHERE number = ?";
    db.find_row(sql, [step], read_step_start)
        .map(Option::flatten)
}

/// Returns the start of the earliest of `step` and later steps; `None` if none has begun.
pub(crate) fn first_start_from(db: &StateFile, step: i64) -> Result<Option<StepStart>> {
    db.prepare_cached(
        "SELECT min(given), min(first_url), min(first_host) FROM step WHERE number >= ?",
    )?
    .query_row([step], read_step_start)
}

/// Returns the greatest number of a step that has begun; 0 if none has.
pub(crate) fn last_begun_step(db: &StateFile) -> Result<u64> {
    db.prepare_cached("SELECT max(number) FROM step")?
        .query_row([], |row| Ok(row.get::<_, Option<u64>>(0)?.unwrap_or(0)))
}

/// Stores the start of a step.
pub(crate) fn add_step(db: &StateFile, step: i64, start: &StepStart) -> Result<()> {
    let sql = "INSERT INTO step VALUES (?, ?, ?, ?)";
    db.write_cached(sql, [step, start.given, start.first_url, start.first_host])
}

/// Deletes the starts of `step` and later steps.
pub(crate) fn delete_steps(db: &StateFile, step: i64) -> Result<()> {
    db.write_cached("DELETE FROM step WHERE number >= ?", [step])
}

/// Returns the URLs from number `first` that were found in `step` or later: number and text.
pub(crate) fn urls_found_from(
    db: &StateFile,
    first: i64,
    step: i64,
    limit: u32,
) -> Result<Vec<(i64, String)>> {
    let sql = "SELECT id, url FROM url WHERE id >= ? AND step >= ? LIMIT ?";
    let row = |row: &Row| Ok((row.get(0)?, row.get(1)?));
    db.read_rows(sql, params![first, step, limit], row)
}

/// Deletes a URL with its keys, without its other rows.
pub(crate) fn delete_url(
    db: &StateFile,
    id: i64,
    mut keys: impl Iterator<Item = i64>,
) -> Result<()> {
    db.write_cached("DELETE FROM url WHERE id = ?", [id])?;
    let mut delete = db.prepare_cached("DELETE FROM url_key WHERE key = ? AND id = ?")?;
    keys.try_for_each(|key| delete.execute([key, id]).map(drop))
}

/// Returns the number of URLs with this path and a query.
pub(crate) fn queries_of_path(db: &StateFile, path: i64) -> Result<u32> {
    let urls = db.find_value("SELECT urls FROM path_query WHERE path = ?", [path])?;
    Ok(urls.unwrap_or(0))
}

/// Adds to the number of URLs with this path and a query.
pub(crate) fn add_to_queries(db: &StateFile, path: i64, change: i64) -> Result<()> {
    let sql = "INSERT INTO path_query VALUES (?1, ?2) \
               ON CONFLICT (path) DO UPDATE SET urls = urls + ?2";
    db.write_cached(sql, [path, change])
}
