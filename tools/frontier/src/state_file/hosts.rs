//! Hosts: their dead links, and the queue of those that are backed off.
//!
//! After [`DEAD_LINKS`] dead links in a row, a host is backed off: its next URL is given only after
//! [`BACK_OFF`] more URLs of any host. If no link to the host was live so far, it is after twice as
//! many with each further dead link: the host itself may be dead.
//! URLs are counted from the end of the step in which the link was found dead, so that a frontier
//! that is rebuilt from its journal, where the URLs of a step are given one by one, counts alike.
//!
//! URLs of such a host are moved from `priority` to `parked` when a scan meets them, and back when
//! the host is due or live. Where a URL is does not change when it is given; it only spares the
//! scan.

use crate::state_file::score::{Score, ScoreSum};
use crate::state_file::store;
use forage_state::{StateFile, read_count};
use rusqlite::{Result, Row, params};

/// Dead links in a row after which a host is backed off. Two were measured to help on a web of
/// 14,436 pages with 57,000 dead links.
pub(crate) const DEAD_LINKS: u32 = 2;
/// URLs that are given before the next one of a host that is backed off.
///
/// On a web with four dead links for each page, it saves a third of the requests, and similar
/// values find as much (BENCHMARKS.md, "Topic profiles"). With 64, doubled for all hosts, crawls
/// for a narrow subject found 47 % of its pages with 1,000 documents; with 20 as here, 85 %.
const BACK_OFF: i64 = 20;
/// Maximum number of doublings of the back-off, which is then longer than any crawl.
const MAX_DOUBLINGS: u32 = 20;

/// The result of following a link, as far as it concerns the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing about the host: robots.txt forbids the URL, or the record was not fetched.
    #[default]
    Unknown,
    /// The host returned a page.
    Live,
    /// There is no host, no answer, or no page.
    Dead,
}

/// A host as the choice of URLs needs it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HostState {
    /// Dead links since the last live page.
    pub(crate) streak: u32,
    /// URLs given when the host is due again, if it is backed off.
    pub(crate) resume: i64,
    pub(crate) live: i64,
    pub(crate) dead: i64,
    /// The scores of its judged pages.
    pub(crate) scores: ScoreSum,
}

impl HostState {
    /// Returns `true` if no URL of the host should be given after `given` URLs.
    pub(crate) fn is_backed_off(&self, given: i64) -> bool {
        self.streak >= DEAD_LINKS && self.resume > given
    }

    /// Sets when the host is due again, from the end of a step after which `given` URLs were given.
    fn back_off_after(&mut self, given: i64) {
        if let Some(more) = self.streak.checked_sub(DEAD_LINKS) {
            let doublings = if self.live > 0 { 0 } else { more };
            self.resume = given.saturating_add(BACK_OFF << doublings.min(MAX_DOUBLINGS));
        }
    }
}

const HOST_COLUMNS: &str = "streak, resume, live, dead, pages, sum";

/// Reads a host from the six columns from `first` on, which are those of [`HOST_COLUMNS`].
pub(crate) fn read_host(row: &Row, first: usize) -> Result<HostState> {
    Ok(HostState {
        streak: row.get(first)?,
        resume: row.get(first + 1)?,
        live: read_count(row, first + 2)?,
        dead: read_count(row, first + 3)?,
        scores: ScoreSum::read(row, first + 4)?,
    })
}

/// Returns the number of the host with this key.
pub(crate) fn host_id(db: &StateFile, key: i64) -> Result<Option<i64>> {
    let sql = "SELECT id FROM host_key WHERE key = ?";
    db.find_row(sql, [key], |row| read_count(row, 0))
}

/// Adds a host.
pub(crate) fn add_host(db: &StateFile, id: i64, step: i64, key: i64, name: &str) -> Result<()> {
    let sql = "INSERT INTO host VALUES (?, ?, ?, 0, 0, 0, 0, 0, 0, NULL)";
    db.write_cached(sql, params![id, step, name])?;
    db.write_cached("INSERT OR REPLACE INTO host_key VALUES (?, ?)", [key, id])
}

/// Returns a host.
pub(crate) fn host_state(db: &StateFile, id: i64) -> Result<HostState> {
    db.prepare_cached(&format!("SELECT {HOST_COLUMNS} FROM host WHERE id = ?"))?
        .query_row([id], |row| read_host(row, 0))
}

/// Counts the outcome of a link to a host. `given` is the number of URLs given so far, as long as
/// that at the end of the step is not known.
pub(crate) fn count_outcome(db: &StateFile, id: i64, outcome: Outcome, given: i64) -> Result<()> {
    let mut host = host_state(db, id)?;
    match outcome {
        Outcome::Unknown => return Ok(()),
        Outcome::Live => {
            host.live += 1;
            (host.streak, host.resume) = (0, 0);
        }
        Outcome::Dead => {
            host.dead += 1;
            host.streak = host.streak.saturating_add(1);
            host.back_off_after(given);
        }
    }
    set_outcomes(db, id, &host)
}

/// Counts the back-off of the hosts that were found dead in the step before `step` from its end,
/// after which `given` URLs were given. Further calls change nothing.
pub(crate) fn end_step_before(db: &StateFile, step: i64, given: i64) -> Result<()> {
    let sql = "SELECT DISTINCT host FROM page WHERE outcome = ?2 AND step = \
               (SELECT max(number) FROM step WHERE number < ?1)";
    let dead: Vec<i64> = db.read_rows(sql, params![step, Outcome::Dead], |row| row.get(0))?;
    for id in dead {
        let mut host = host_state(db, id)?;
        host.back_off_after(given);
        set_outcomes(db, id, &host)?;
    }
    Ok(())
}

/// Takes back the outcome of a link to a host, which had `before` before it.
pub(crate) fn undo_outcome(
    db: &StateFile,
    id: i64,
    outcome: Outcome,
    (streak, resume): (u32, i64),
) -> Result<()> {
    let mut host = host_state(db, id)?;
    match outcome {
        Outcome::Unknown => return Ok(()),
        Outcome::Live => host.live -= 1,
        Outcome::Dead => host.dead -= 1,
    }
    (host.streak, host.resume) = (streak, resume);
    set_outcomes(db, id, &host)
}

fn set_outcomes(db: &StateFile, id: i64, host: &HostState) -> Result<()> {
    let mut update = db.prepare_cached(
        "UPDATE host SET streak = ?2, resume = ?3, live = ?4, dead = ?5 WHERE id = ?1 \
         RETURNING parked",
    )?;
    let values = params![id, host.streak, host.resume, host.live, host.dead];
    let parked: Option<i64> = update.query_row(values, |row| row.get(0))?;
    match parked {
        Some(place) if host.streak < DEAD_LINKS => release(db, place, id),
        Some(place) if place != host.resume => {
            remove_from_queue(db, place, id)?;
            add_to_queue(db, host.resume, id)
        }
        _ => Ok(()),
    }
}

/// Adds the score of a judged page to those of its host, or removes it.
pub(crate) fn add_score(db: &StateFile, id: i64, score: Score, sign: i64) -> Result<()> {
    let sql = "UPDATE host SET pages = pages + ?2, sum = sum + ?3 WHERE id = ?1";
    db.write_cached(sql, [id, sign, sign * score.0])
}

/// Moves a URL of a host that is backed off from `priority` to `parked`.
pub(crate) fn park(db: &StateFile, host: i64, resume: i64, (rank, id): (i64, i64)) -> Result<()> {
    store::delete_place(db, id, rank, false)?;
    db.write_cached("INSERT INTO parked VALUES (?, ?, ?)", [host, rank, id])?;
    db.write_cached("UPDATE waiting SET is_parked = 1 WHERE id = ?", [id])?;
    add_to_queue(db, resume, host)
}

fn add_to_queue(db: &StateFile, resume: i64, host: i64) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO parked_host VALUES (?, ?)";
    db.write_cached(sql, [resume, host])?;
    db.write_cached("UPDATE host SET parked = ? WHERE id = ?", [resume, host])
}

fn remove_from_queue(db: &StateFile, place: i64, host: i64) -> Result<()> {
    let sql = "DELETE FROM parked_host WHERE resume = ? AND host = ?";
    db.write_cached(sql, [place, host])?;
    db.write_cached("UPDATE host SET parked = NULL WHERE id = ?", [host])
}

/// Moves the URLs of a host from `parked` to `priority`.
fn release(db: &StateFile, place: i64, host: i64) -> Result<()> {
    remove_from_queue(db, place, host)?;
    let sql = "INSERT INTO priority SELECT rank, id FROM parked WHERE host = ?";
    db.write_cached(sql, [host])?;
    let sql = "UPDATE waiting SET is_parked = 0 WHERE id IN (SELECT id FROM parked WHERE host = ?)";
    db.write_cached(sql, [host])?;
    db.write_cached("DELETE FROM parked WHERE host = ?", [host])
}

/// Releases the hosts that are due after `given` URLs.
pub(crate) fn release_due(db: &StateFile, given: i64) -> Result<()> {
    let sql = "SELECT resume, host FROM parked_host WHERE resume <= ?";
    for (place, host) in db.read_rows(sql, [given], |row| Ok((row.get(0)?, row.get(1)?)))? {
        release(db, place, host)?;
    }
    Ok(())
}

/// Returns the best parked URL of each of the `limit` hosts that are due first.
pub(crate) fn best_parked(db: &StateFile, limit: usize) -> Result<Vec<i64>> {
    // The last URL of a host may have been given, or found in a step that was removed.
    db.prepare_cached(
        "SELECT (SELECT id FROM parked WHERE host = queue.host ORDER BY rank, id LIMIT 1) AS best \
         FROM parked_host AS queue WHERE best IS NOT NULL ORDER BY resume, queue.host LIMIT ?",
    )?
    .query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |row| row.get(0))?
    .collect()
}

/// Deletes the hosts from number `first` that were found in `step` or later.
pub(crate) fn delete_hosts_found_from(db: &StateFile, first: i64, step: i64) -> Result<()> {
    let sql = "SELECT id, name FROM host WHERE id >= ? AND step >= ?";
    let row = |row: &Row| Ok((row.get(0)?, row.get(1)?));
    let hosts: Vec<(i64, String)> = db.read_rows(sql, [first, step], row)?;
    for (id, name) in hosts {
        let place: Option<i64> = db
            .prepare_cached("DELETE FROM host WHERE id = ? RETURNING parked")?
            .query_row([id], |row| row.get(0))?;
        if let Some(place) = place {
            remove_from_queue(db, place, id)?;
        }
        let sql = "DELETE FROM host_key WHERE key = ?";
        db.write_cached(sql, [crate::state_file::crawl_url::hash_key(&name)])?;
    }
    Ok(())
}
