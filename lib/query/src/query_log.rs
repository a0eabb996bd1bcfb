//! The query log: the queries of the regions strategy and of probes, and what each brought.
//!
//! The regions strategy chooses by it, and `coverage` estimates from it.

use crate::counter::next_id;
use forage_record::{Hit, MoreHits, Query};
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use rusqlite::{OptionalExtension, ToSql};
use std::collections::BTreeMap;

/// The tables of the query log.
pub(crate) const SCHEMA: &str = "
CREATE TABLE asked (             -- queries by regions, probes, and what they brought
    n INTEGER PRIMARY KEY,       -- 1, 2, ... in the order in which they were first asked
    id TEXT NOT NULL UNIQUE,
    target TEXT NOT NULL,
    path TEXT NOT NULL,          -- literals between blanks
    kind INTEGER NOT NULL,       -- 0: asks for a region; 1: explores; 2: probes
    calls INTEGER NOT NULL,
    left INTEGER NOT NULL,       -- unseen hits that are paid for
    more INTEGER NOT NULL,       -- 1: the engine has further pages; 2: it has, but shows no more; 0: neither
    new INTEGER NOT NULL,        -- relevant new documents since the last call
    bad INTEGER NOT NULL,        -- documents of other classes since then
    known INTEGER NOT NULL,      -- documents of the target when it was first asked
    came INTEGER NOT NULL,       -- hits that came
    rank INTEGER NOT NULL,       -- the lowest rank of these
    found INTEGER NOT NULL,      -- relevant new documents in all
    probability REAL NOT NULL    -- inclusion probability of the region of a probe
);
CREATE INDEX asked_target ON asked (target);
CREATE TABLE last_asked (target TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE asked_step (step INTEGER PRIMARY KEY, n INTEGER NOT NULL);  -- which of them a step asked
CREATE TABLE class_size (class TEXT PRIMARY KEY, documents INTEGER NOT NULL) WITHOUT ROWID;  -- documents so far
";

/// The query log as a projection: what came since the last write.
#[derive(Debug, Default)]
pub(crate) struct QueryLog {
    rows: BTreeMap<String, Row>,
    /// The last query of each target.
    last: BTreeMap<String, i64>,
    /// The query of each step.
    steps: BTreeMap<u64, i64>,
    /// Documents of each class so far.
    class_sizes: BTreeMap<String, u64>,
    /// The highest number given, once it is known.
    highest: Option<i64>,
}

/// A row of `asked`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Row {
    /// The query's number, over all targets.
    pub n: i64,
    /// The class that it asked for.
    pub target: String,
    /// Its literals, between blanks: those of a region in the order in which it was split.
    pub path: String,
    /// What it was asked for.
    pub kind: Kind,
    /// Calls that it cost.
    pub calls: u64,
    /// Hits that are paid for and were not handed out yet.
    pub left: u64,
    /// What the engine has for it behind the pages that came.
    pub more: Option<MoreHits>,
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
    /// The inclusion probability of the region of a probe.
    pub probability: f64,
}

/// Most calls of a probe. Its region was expected to fit on a page or two.
const MAX_PROBE_CALLS: u64 = 5;

impl Row {
    /// Counts a record of the query.
    fn count(&mut self, hit: &Hit, event: &Event, is_last: bool) {
        if let Some(rank) = hit.rank {
            (self.came, self.rank) = (self.came + 1, self.rank.max(rank));
        }
        if hit.calls > 0 {
            (self.new, self.bad) = (0, 0);
            self.calls += hit.calls;
        }
        if event.is_document {
            self.found += u64::from(event.is_relevant());
            self.new += u64::from(event.is_relevant());
            self.bad += u64::from(!event.is_relevant() && !event.is_duplicate());
        }
        if is_last {
            (self.left, self.more) = (hit.unseen, hit.more);
        }
    }

    /// Whether it is a probe that is to be asked further: each is asked until it is exhausted,
    /// within limits.
    pub fn is_open_probe(&self) -> bool {
        let has_more = self.left > 0 || self.more == Some(MoreHits::Pages);
        self.kind == Kind::Probe && has_more && self.calls < MAX_PROBE_CALLS
    }
}

/// What a query was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A region of the target's documents.
    #[default]
    Region,
    /// Documents to learn from: an exploration query.
    Exploration,
    /// The share of the target that is known.
    Probe,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Region, Kind::Exploration, Kind::Probe];

    fn from_query(query: &Query) -> Kind {
        match query.strategy_named(REGIONS) {
            _ if is_probe(query) => Kind::Probe,
            Some(strategy) if strategy.path.is_some() => Kind::Region,
            _ => Kind::Exploration,
        }
    }

    fn from_number(number: u64) -> Kind {
        Kind::ALL
            .get(number as usize)
            .copied()
            .unwrap_or(Kind::Exploration)
    }
}

/// Whether a query is a probe: without its probability it tells nothing of what is unseen.
pub(crate) fn is_probe(query: &Query) -> bool {
    query
        .strategy_named(PROBE)
        .is_some_and(|strategy| strategy.probability.is_some())
}

/// Least inclusion probability that is believed: no document stands for more than this many.
const LEAST_PROBABILITY: f64 = 1e-9;

/// Names of the strategies whose queries are logged.
pub(crate) const PROBE: &str = "probe";
pub(crate) const REGIONS: &str = "regions";

/// Whether the log keeps a query.
fn is_logged(query: &Query) -> bool {
    matches!(
        query.strategy.as_ref().map(|strategy| &*strategy.name),
        Some(REGIONS | PROBE)
    )
}

impl StoredProjection for QueryLog {
    fn apply(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        self.log_query(store, event)?;
        self.count_document(store, event)
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let sql =
            "INSERT OR REPLACE INTO asked VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        let mut put = store.prepare_cached(sql)?;
        for (id, row) in &self.rows {
            let Row {
                n,
                target,
                path,
                kind,
                calls,
                left,
                more,
                new,
                bad,
                known,
                came,
                rank,
                found,
                ..
            } = row;
            let more = more.map_or(0, |more| if more == MoreHits::Pages { 1 } else { 2 });
            let (kind, chance) = (*kind as u64, row.probability);
            put.execute(rusqlite::params![
                n, id, target, path, kind, calls, left, more, new, bad, known, came, rank, found,
                chance
            ])?;
        }
        put_pairs(store, "last_asked", &self.last)?;
        put_pairs(store, "asked_step", &self.steps)?;
        put_pairs(store, "class_size", &self.class_sizes)?;
        *self = QueryLog::default();
        Ok(())
    }
}

/// Writes the rows of a table of two columns.
fn put_pairs(
    store: &StateFile,
    table: &str,
    rows: &BTreeMap<impl ToSql, impl ToSql>,
) -> rusqlite::Result<()> {
    let mut put =
        store.prepare_cached(&format!("INSERT OR REPLACE INTO {table} VALUES (?1, ?2)"))?;
    rows.iter().try_for_each(|pair| put.execute(pair).map(drop))
}

impl QueryLog {
    /// Logs what a record says of its query; an engine that did not answer says nothing.
    fn log_query(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        let (Some(step), Some(query), Some(hit)) = (&event.step, &event.query, &event.hit) else {
            return Ok(());
        };
        if !is_logged(query) || event.is_unanswered() {
            return Ok(());
        }
        let row = self.row(store, query, &step.target)?;
        row.count(hit, event, step.is_last());
        let n = row.n;
        self.last.insert(step.target.clone(), n);
        self.steps.insert(step.number, n);
        Ok(())
    }

    /// Counts a labelled document that is no duplicate.
    fn count_document(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        if let Some(label) = event.label.as_deref().filter(|_| !event.is_duplicate()) {
            let documents = self.documents(store, label)?;
            self.class_sizes.insert(label.into(), documents + 1);
        }
        Ok(())
    }

    /// Documents of a class so far.
    fn documents(&self, store: &StateFile, class: &str) -> rusqlite::Result<u64> {
        if let Some(documents) = self.class_sizes.get(class) {
            return Ok(*documents);
        }
        let mut documents =
            store.prepare_cached("SELECT documents FROM class_size WHERE class = ?1")?;
        Ok(documents
            .query_row([class], |row| row.get(0))
            .optional()?
            .unwrap_or(0))
    }

    fn row(
        &mut self,
        store: &StateFile,
        query: &Query,
        target: &str,
    ) -> rusqlite::Result<&mut Row> {
        if !self.rows.contains_key(&query.id) {
            let row = match by_id(store, &query.id)? {
                Some(row) => row,
                None => self.new_row(store, query, target)?,
            };
            self.rows.insert(query.id.clone(), row);
        }
        self.rows
            .get_mut(&query.id)
            .ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    fn new_row(&mut self, store: &StateFile, query: &Query, target: &str) -> rusqlite::Result<Row> {
        let literals: Vec<String> = query
            .include
            .iter()
            .map(|term| format!("+{term}"))
            .collect();
        let strategy = query.strategy.as_ref();
        let path = strategy.and_then(|strategy| strategy.path.as_ref());
        Ok(Row {
            n: next_id(&mut self.highest, store, "asked")?,
            target: target.into(),
            path: path.unwrap_or(&literals).join(" "),
            kind: Kind::from_query(query),
            known: self.documents(store, target)?,
            probability: strategy
                .and_then(|strategy| strategy.probability)
                .unwrap_or(1.0)
                .max(LEAST_PROBABILITY),
            ..Row::default()
        })
    }
}

const COLUMNS: &str =
    "n, target, path, kind, calls, left, more, new, bad, known, came, rank, found, probability";

fn asked_row(row: &rusqlite::Row) -> rusqlite::Result<Row> {
    let more = match row.get(6)? {
        1 => Some(MoreHits::Pages),
        2 => Some(MoreHits::Hidden),
        _ => None,
    };
    let (n, target, path, kind) = (
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        Kind::from_number(row.get(3)?),
    );
    let (calls, left, new, bad) = (row.get(4)?, row.get(5)?, row.get(7)?, row.get(8)?);
    let (known, came, rank, found, probability) = (
        row.get(9)?,
        row.get(10)?,
        row.get(11)?,
        row.get(12)?,
        row.get(13)?,
    );
    Ok(Row {
        n,
        target,
        path,
        kind,
        calls,
        left,
        more,
        new,
        bad,
        known,
        came,
        rank,
        found,
        probability,
    })
}

fn by_id(store: &StateFile, id: &str) -> rusqlite::Result<Option<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM asked WHERE id = ?1");
    store
        .prepare_cached(&sql)?
        .query_row([id], asked_row)
        .optional()
}

/// For each step that asked one of these queries, the query's number.
pub(crate) fn by_step(store: &StateFile) -> rusqlite::Result<Vec<(i64, i64)>> {
    let mut steps = store.prepare_cached("SELECT step, n FROM asked_step")?;
    steps
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// The query that was asked last for a target.
pub(crate) fn last(store: &StateFile, target: &str) -> rusqlite::Result<Option<Row>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM asked WHERE n = (SELECT n FROM last_asked WHERE target = ?1)"
    );
    store
        .prepare_cached(&sql)?
        .query_row([target], asked_row)
        .optional()
}

/// All queries that were asked for a target, in the order in which they were first asked.
pub(crate) fn all(store: &StateFile, target: &str) -> rusqlite::Result<Vec<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM asked WHERE target = ?1 ORDER BY n");
    store
        .prepare_cached(&sql)?
        .query_map([target], asked_row)?
        .collect()
}

/// The probes of a target, in the order in which they were asked.
pub(crate) fn probes(store: &StateFile, target: &str) -> rusqlite::Result<Vec<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM asked WHERE target = ?1 AND kind = ?2 ORDER BY n");
    store
        .prepare_cached(&sql)?
        .query_map((target, Kind::Probe as u64), asked_row)?
        .collect()
}

/// Whether a query was asked.
pub(crate) fn is_known(store: &StateFile, id: &str) -> rusqlite::Result<bool> {
    store
        .prepare_cached("SELECT 1 FROM asked WHERE id = ?1")?
        .exists([id])
}
