//! What came of each query of `--learn auto`, and of each probe: the part of the fold that [`crate::auto`] chooses by,
//! and that [`crate::coverage`] estimates from.

use crate::event::Event;
use crate::statistics::Statistics;
use forage_record::{Hit, More, Query};
use rusqlite::OptionalExtension;
use std::collections::BTreeMap;

/// Queries met since the last commit, and which was the last of each target.
#[derive(Debug, Default)]
pub(crate) struct AskedQueries {
    rows: BTreeMap<String, Row>,
    last: BTreeMap<String, i64>,
    /// The highest number given, once it is known.
    highest: Option<i64>,
}

/// A row of `asked`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The query's number, over all targets.
    pub n: i64,
    /// The class that it asked for.
    pub target: String,
    /// Its signed words, between blanks: those of a region in the order in which it was cut.
    pub path: String,
    /// What it was asked for.
    pub kind: Kind,
    /// Calls that it cost.
    pub calls: u64,
    /// Hits that are paid for and were not handed out yet.
    pub left: u64,
    /// What the engine has for it behind the pages that came.
    pub more: Option<More>,
    /// Relevant new documents since the engine was last called for it.
    pub new: u64,
    /// Documents of other classes since then.
    pub bad: u64,
    /// Documents of the target that had been counted when it was first asked.
    pub known: u64,
    /// Hits that came, and the lowest rank among them: the others had been seen before.
    pub came: u64,
    pub rank: u64,
    /// Relevant new documents in all.
    pub found: u64,
    /// With what probability the region of a probe was drawn.
    pub chance: f64,
}

/// What a query was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A region of the target's documents.
    Region,
    /// A look around.
    Scout,
    /// The share of the target that is known.
    Probe,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Region, Kind::Scout, Kind::Probe];

    fn of(query: &Query) -> Kind {
        match query.path {
            _ if is_probe(query) => Kind::Probe,
            Some(_) => Kind::Region,
            None => Kind::Scout,
        }
    }

    fn from_number(number: u64) -> Kind {
        Kind::ALL.get(number as usize).copied().unwrap_or(Kind::Scout)
    }
}

/// Whether a query is a probe: without its chance it tells nothing of what is unseen.
pub(crate) fn is_probe(query: &Query) -> bool {
    query.learner.as_deref() == Some(PROBE) && query.chance.is_some()
}

/// Least chance that is believed: no document stands for more than this many.
const LEAST_CHANCE: f64 = 1e-9;

/// `query.learner` of a probe, and of the other queries that are kept here.
pub(crate) const PROBE: &str = "probe";
pub(crate) const AUTO: &str = "auto";

impl AskedQueries {
    /// Whether a query is kept here.
    pub fn is_of(query: &Query) -> bool {
        matches!(query.learner.as_deref(), Some(AUTO | PROBE))
    }

    /// Counts a record of a query, at which `known` documents of its target had been counted; gives the query's
    /// number. `None` for queries of others, and for what the engine did not answer.
    pub fn fold(
        &mut self,
        from: &Statistics,
        query: &Query,
        hit: Option<&Hit>,
        event: &Event,
        known: u64,
    ) -> rusqlite::Result<Option<i64>> {
        let Some(hit) = hit.filter(|_| Self::is_of(query) && !event.is_unanswered()) else {
            return Ok(None);
        };
        let row = self.row(from, query, known)?;
        if let Some(rank) = hit.rank {
            (row.came, row.rank) = (row.came + 1, row.rank.max(rank));
        }
        if hit.calls > 0 {
            (row.new, row.bad) = (0, 0);
            row.calls += hit.calls;
        }
        if event.is_document {
            row.found += u64::from(event.is_relevant());
            row.new += u64::from(event.is_relevant());
            row.bad += u64::from(!event.is_relevant() && !event.is_twin);
        }
        if hit.last {
            (row.left, row.more) = (hit.left, hit.more);
        }
        let n = row.n;
        self.last.insert(query.target.clone(), n);
        Ok(Some(n))
    }

    fn row(&mut self, from: &Statistics, query: &Query, known: u64) -> rusqlite::Result<&mut Row> {
        if !self.rows.contains_key(&query.id) {
            let row = match by_id(from, &query.id)? {
                Some(row) => row,
                None => self.new_row(from, query, known)?,
            };
            self.rows.insert(query.id.clone(), row);
        }
        self.rows.get_mut(&query.id).ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    fn new_row(&mut self, from: &Statistics, query: &Query, known: u64) -> rusqlite::Result<Row> {
        let highest = match self.highest {
            Some(highest) => highest,
            None => from.db.query_row("SELECT coalesce(max(n), 0) FROM asked", [], |row| row.get(0))?,
        };
        self.highest = Some(highest + 1);
        let scouting: Vec<String> = query.include.iter().map(|term| format!("+{term}")).collect();
        Ok(Row {
            n: highest + 1,
            target: query.target.clone(),
            path: query.path.as_ref().unwrap_or(&scouting).join(" "),
            kind: Kind::of(query),
            calls: 0,
            left: 0,
            more: None,
            new: 0,
            bad: 0,
            known,
            came: 0,
            rank: 0,
            found: 0,
            chance: query.chance.unwrap_or(1.0).max(LEAST_CHANCE),
        })
    }

    /// Writes what was counted, within the caller's transaction.
    pub fn write(&mut self, to: &Statistics) -> rusqlite::Result<()> {
        let values = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15";
        let mut put =
            to.db.prepare_cached(&format!("INSERT OR REPLACE INTO asked (id, {COLUMNS}) VALUES ({values})"))?;
        for (id, row) in &self.rows {
            let Row { n, target, path, kind, calls, left, more, new, bad, known, came, rank, found, chance } = row;
            let more = more.map_or(0, |more| if more == More::Pages { 1 } else { 2 });
            let kind = *kind as u64;
            let values = rusqlite::params![
                id, n, target, path, kind, calls, left, more, new, bad, known, came, rank, found, chance
            ];
            put.execute(values)?;
        }
        let mut last = to.db.prepare_cached("INSERT OR REPLACE INTO last_asked VALUES (?1, ?2)")?;
        for (target, n) in &self.last {
            last.execute((target, n))?;
        }
        self.discard();
        Ok(())
    }

    /// Forgets what is not written.
    pub fn discard(&mut self) {
        *self = AskedQueries::default();
    }
}

const COLUMNS: &str = "n, target, path, kind, calls, left, more, new, bad, known, came, rank, found, chance";

fn asked_row(row: &rusqlite::Row) -> rusqlite::Result<Row> {
    let more = match row.get(6)? {
        1 => Some(More::Pages),
        2 => Some(More::Hidden),
        _ => None,
    };
    let (n, target, path, kind) = (row.get(0)?, row.get(1)?, row.get(2)?, Kind::from_number(row.get(3)?));
    let (calls, left, new, bad) = (row.get(4)?, row.get(5)?, row.get(7)?, row.get(8)?);
    let (known, came, rank, found, chance) = (row.get(9)?, row.get(10)?, row.get(11)?, row.get(12)?, row.get(13)?);
    Ok(Row { n, target, path, kind, calls, left, more, new, bad, known, came, rank, found, chance })
}

fn by_id(from: &Statistics, id: &str) -> rusqlite::Result<Option<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM asked WHERE id = ?1");
    from.db.prepare_cached(&sql)?.query_row([id], asked_row).optional()
}

/// The query that was asked last for a target.
pub(crate) fn last(from: &Statistics, target: &str) -> rusqlite::Result<Option<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM asked WHERE n = (SELECT n FROM last_asked WHERE target = ?1)");
    from.db.prepare_cached(&sql)?.query_row([target], asked_row).optional()
}

/// All queries that were asked for a target, in the order in which they were first asked.
pub(crate) fn all(from: &Statistics, target: &str) -> rusqlite::Result<Vec<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM asked WHERE target = ?1 ORDER BY n");
    from.db.prepare_cached(&sql)?.query_map([target], asked_row)?.collect()
}

/// The probes of a target, in the order in which they were asked.
pub(crate) fn probes(from: &Statistics, target: &str) -> rusqlite::Result<Vec<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM asked WHERE target = ?1 AND kind = ?2 ORDER BY n");
    from.db.prepare_cached(&sql)?.query_map((target, Kind::Probe as u64), asked_row)?.collect()
}

/// Whether a query was asked.
pub(crate) fn is_known(from: &Statistics, id: &str) -> rusqlite::Result<bool> {
    from.db.prepare_cached("SELECT 1 FROM asked WHERE id = ?1")?.exists([id])
}
