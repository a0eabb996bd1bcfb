//! The query log: every query of the regions strategy and of relevance feedback, and every probe,
//! with what it returned.
//!
//! A projection of the journal, stored in `stats.db`. Both strategies choose their next query from
//! it; `coverage` estimates the population from its probes. Queries of other strategies are
//! not logged.

use crate::term_tables::next_id;
use forage_record::{Hit, HitOutcome, MoreHits, Query};
use forage_run::{Event, StoredProjection};
use forage_state::{StateFile, read_count};
use rusqlite::ToSql;
use std::collections::BTreeMap;

/// The tables of the query log.
pub(crate) const SCHEMA: &str = "
CREATE TABLE query_log (            -- queries of the regions strategy and probes
    n INTEGER PRIMARY KEY,          -- 1, 2, ... in the order in which they were first sent
    id TEXT NOT NULL UNIQUE,
    target TEXT NOT NULL,
    literals TEXT NOT NULL,         -- separated by spaces
    purpose INTEGER NOT NULL,       -- 0: region; 1: exploration; 2: probe
    calls INTEGER NOT NULL,
    unseen_hits INTEGER NOT NULL,   -- retrieved from the engine, not yet returned
    more INTEGER NOT NULL,          -- 1: further pages; 2: hits beyond the last page; 0: neither
    page_relevant INTEGER NOT NULL, -- new relevant documents since the last call
    page_nonrelevant INTEGER NOT NULL,
    known_before INTEGER NOT NULL,  -- documents of the target when the query was first sent
    hits INTEGER NOT NULL,          -- hits returned
    max_rank INTEGER NOT NULL,      -- highest rank number among them
    relevant INTEGER NOT NULL,      -- new relevant documents in all
    probability REAL NOT NULL       -- inclusion probability of a probe's region; negative if the
                                    -- engine did not apply the exclusion terms
);
CREATE INDEX query_log_target ON query_log (target);
CREATE TABLE last_query (target TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE query_step (step INTEGER PRIMARY KEY, n INTEGER NOT NULL);
CREATE TABLE class_size (class TEXT PRIMARY KEY, documents INTEGER NOT NULL) WITHOUT ROWID;
";

/// The query log as a projection: the changes since the last write.
#[derive(Debug, Default)]
pub(crate) struct QueryLog {
    /// Changed rows, by query id.
    rows: BTreeMap<String, QueryLogRow>,
    /// The number of the last query of each target.
    last: BTreeMap<String, i64>,
    /// The number of the query that each step sent.
    steps: BTreeMap<u64, i64>,
    /// Documents of each class so far, duplicates not counted.
    class_sizes: BTreeMap<String, u64>,
    /// The highest number that a query has; `None` until it is read.
    max_number: Option<i64>,
}

/// A query in the log: a row of `query_log`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct QueryLogRow {
    /// The query's number, from 1, counted over all targets.
    pub number: i64,
    /// The class that the query looks for.
    pub target: String,
    /// The query's literals, separated by spaces. Those of a region are in the order of the splits.
    pub literals: String,
    /// The reason why the query was sent.
    pub purpose: QueryPurpose,
    /// Calls to the engine.
    pub calls: u64,
    /// Unseen hits in the cache: retrieved from the engine, not yet returned.
    pub unseen_hits: u64,
    /// Hits that the engine has beyond the pages retrieved.
    pub more: Option<MoreHits>,
    /// New relevant documents since the last call.
    pub page_relevant: u64,
    /// Nonrelevant documents since the last call.
    pub page_nonrelevant: u64,
    /// Documents of the target that had been counted when the query was first sent.
    pub known_before: u64,
    /// Hits that were returned.
    pub hits: u64,
    /// The highest rank number among these hits. `max_rank - hits` hits had been returned by
    /// earlier queries.
    pub max_rank: u64,
    /// New relevant documents in all.
    pub relevant: u64,
    /// The inclusion probability of a probe's region; 1 for other queries. Negative if the engine
    /// did not apply the exclusion terms, so that the hits are not those of the region.
    pub probability: f64,
}

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling each constant of this module.

/// Maximum number of calls of one probe. A probe's region is expected to fit on one or two
/// pages; a larger limit retrieves more of those that do not.
const MAX_PROBE_CALLS: u64 = 5;

impl QueryLogRow {
    /// Adds one record of the query.
    fn add_record(&mut self, hit: &Hit, event: &Event, is_last: bool) {
        if let Some(rank) = hit.rank {
            self.hits += 1;
            self.max_rank = self.max_rank.max(rank);
        }
        if hit.unexcluded && self.purpose == QueryPurpose::Probe {
            self.probability = -self.probability.abs();
        }
        // All hits had been returned by earlier queries.
        if self.hits == 0 && hit.outcome == Some(HitOutcome::Exhausted) {
            self.max_rank = self.max_rank.max(1);
        }
        if hit.calls > 0 {
            self.page_relevant = 0;
            self.page_nonrelevant = 0;
            self.calls = self.calls.saturating_add(hit.calls);
        }
        if event.is_document {
            self.relevant += u64::from(event.is_relevant());
            self.page_relevant += u64::from(event.is_relevant());
            self.page_nonrelevant += u64::from(!event.is_relevant() && !event.is_duplicate());
        }
        if is_last {
            self.unseen_hits = hit.unseen;
            self.more = hit.more;
        }
    }

    /// Returns `true` if this is a probe that is not exhausted and has calls left.
    pub fn is_open_probe(&self) -> bool {
        let has_more = self.unseen_hits > 0 || self.more == Some(MoreHits::Pages);
        self.purpose == QueryPurpose::Probe && has_more && self.calls < MAX_PROBE_CALLS
    }
}

/// The reason why a query was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum QueryPurpose {
    /// To collect the target's documents in a high-precision region.
    #[default]
    Region,
    /// To collect a broad sample of the target, from which regions are estimated.
    Exploration,
    /// To estimate coverage, or to find documents in a random region.
    Probe,
}

impl QueryPurpose {
    fn from_query(query: &Query) -> QueryPurpose {
        match query.strategy_named(REGIONS) {
            _ if is_probe(query) => QueryPurpose::Probe,
            Some(strategy) if strategy.literals.is_some() => QueryPurpose::Region,
            _ => QueryPurpose::Exploration,
        }
    }

    fn from_number(number: u64) -> QueryPurpose {
        match number {
            0 => QueryPurpose::Region,
            2 => QueryPurpose::Probe,
            _ => QueryPurpose::Exploration,
        }
    }
}

/// Returns `true` if the query is a probe with its inclusion probability, without which nothing
/// follows from it about unseen documents.
pub(crate) fn is_probe(query: &Query) -> bool {
    let strategy = query.strategy_named(PROBE);
    strategy.is_some_and(|strategy| strategy.probability.is_some())
}

/// Lower bound of an inclusion probability that is read from a journal, so that no document
/// represents more than a billion others. A guard against damaged records.
const MIN_PROBABILITY: f64 = 1e-9;

/// `query.strategy.name` of probes.
pub(crate) const PROBE: &str = "probe";
/// `query.strategy.name` of the regions strategy.
pub(crate) const REGIONS: &str = "regions";
/// `query.strategy.name` of the strategy of relevance feedback.
pub(crate) const ROCCHIO: &str = "rocchio";

/// Returns `true` if the query belongs in the log.
fn is_logged(query: &Query) -> bool {
    let name = query.strategy.as_ref().map(|strategy| &*strategy.name);
    matches!(name, Some(REGIONS | PROBE | ROCCHIO))
}

impl StoredProjection for QueryLog {
    fn apply(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        self.log_query(store, event)?;
        self.count_document(store, event)
    }

    fn forget_queries(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        store
            .execute_batch("DELETE FROM query_log; DELETE FROM last_query; DELETE FROM query_step;")
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut insert = store.prepare_cached(
            "INSERT OR REPLACE INTO query_log
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        for (id, row) in &self.rows {
            insert.execute(rusqlite::params![
                row.number,
                id,
                row.target,
                row.literals,
                row.purpose as u64,
                row.calls,
                row.unseen_hits,
                encode_more(row.more),
                row.page_relevant,
                row.page_nonrelevant,
                row.known_before,
                row.hits,
                row.max_rank,
                row.relevant,
                row.probability,
            ])?;
        }
        write_pairs(store, "last_query", &self.last)?;
        write_pairs(store, "query_step", &self.steps)?;
        write_pairs(store, "class_size", &self.class_sizes)?;
        *self = QueryLog::default();
        Ok(())
    }
}

/// Writes the rows of a table of two columns.
fn write_pairs(
    store: &StateFile,
    table: &str,
    rows: &BTreeMap<impl ToSql, impl ToSql>,
) -> rusqlite::Result<()> {
    let mut insert =
        store.prepare_cached(&format!("INSERT OR REPLACE INTO {table} VALUES (?1, ?2)"))?;
    rows.iter()
        .try_for_each(|pair| insert.execute(pair).map(drop))
}

impl QueryLog {
    /// Adds a record to the row of its query. Records of an engine that did not answer are skipped.
    fn log_query(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        let (Some(step), Some(query), Some(hit)) = (&event.step, &event.query, &event.hit) else {
            return Ok(());
        };
        if !is_logged(query) || event.is_unanswered() {
            return Ok(());
        }
        let row = self.load_row(store, query, &step.target)?;
        row.add_record(hit, event, step.is_last());
        // A region of one term whose query was an exploration query before. The tree of regions
        // leaves those out, so that it would not know that this region is exhausted, and choose it
        // for ever.
        if hit.calls == 0
            && hit.is_exhausted()
            && row.purpose == QueryPurpose::Exploration
            && QueryPurpose::from_query(query) == QueryPurpose::Region
        {
            row.purpose = QueryPurpose::Region;
        }
        let number = row.number;
        self.last.insert(step.target.clone(), number);
        self.steps.insert(step.number, number);
        Ok(())
    }

    /// Counts a labelled document that is no duplicate.
    fn count_document(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        if let Some(label) = event.label.as_deref().filter(|_| !event.is_duplicate()) {
            let documents = self.class_size(store, label)?;
            self.class_sizes.insert(label.into(), documents + 1);
        }
        Ok(())
    }

    /// Documents of a class so far.
    fn class_size(&self, store: &StateFile, class: &str) -> rusqlite::Result<u64> {
        if let Some(documents) = self.class_sizes.get(class) {
            return Ok(*documents);
        }
        let sql = "SELECT documents FROM class_size WHERE class = ?1";
        let documents = store.find_row(sql, [class], |row| read_count(row, 0))?;
        Ok(documents.unwrap_or(0))
    }

    /// Returns the row of a query to be changed: from memory, from the store, or a new one.
    fn load_row(
        &mut self,
        store: &StateFile,
        query: &Query,
        target: &str,
    ) -> rusqlite::Result<&mut QueryLogRow> {
        if !self.rows.contains_key(&query.id) {
            let row = match read_by_id(store, &query.id)? {
                Some(row) => row,
                None => self.create_row(store, query, target)?,
            };
            self.rows.insert(query.id.clone(), row);
        }
        self.rows
            .get_mut(&query.id)
            .ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    fn create_row(
        &mut self,
        store: &StateFile,
        query: &Query,
        target: &str,
    ) -> rusqlite::Result<QueryLogRow> {
        let strategy = query.strategy.as_ref();
        let inclusion = query.include.iter().map(|term| format!("+{term}"));
        let literals = match strategy.and_then(|strategy| strategy.literals.as_ref()) {
            Some(literals) => literals.join(" "),
            None => inclusion.collect::<Vec<_>>().join(" "),
        };
        let probability = strategy.and_then(|strategy| strategy.probability);
        Ok(QueryLogRow {
            number: next_id(&mut self.max_number, store, "query_log")?,
            target: target.into(),
            literals,
            purpose: QueryPurpose::from_query(query),
            known_before: self.class_size(store, target)?,
            probability: probability.unwrap_or(1.0).max(MIN_PROBABILITY),
            ..QueryLogRow::default()
        })
    }
}

/// The value of the column `more`.
fn encode_more(more: Option<MoreHits>) -> u64 {
    match more {
        None => 0,
        Some(MoreHits::Pages) => 1,
        Some(MoreHits::Hidden) => 2,
    }
}

/// The meaning of a value of the column `more`.
fn decode_more(more: u64) -> Option<MoreHits> {
    match more {
        1 => Some(MoreHits::Pages),
        2 => Some(MoreHits::Hidden),
        _ => None,
    }
}

/// Columns in the order in which [`parse_row`] reads them.
const COLUMNS: &str = "n, target, literals, purpose, calls, unseen_hits, more, page_relevant, \
    page_nonrelevant, known_before, hits, max_rank, relevant, probability";

fn parse_row(row: &rusqlite::Row) -> rusqlite::Result<QueryLogRow> {
    Ok(QueryLogRow {
        number: read_count(row, 0)?,
        target: row.get(1)?,
        literals: row.get(2)?,
        purpose: QueryPurpose::from_number(row.get(3)?),
        calls: read_count(row, 4)?,
        unseen_hits: read_count(row, 5)?,
        more: decode_more(row.get(6)?),
        page_relevant: read_count(row, 7)?,
        page_nonrelevant: read_count(row, 8)?,
        known_before: read_count(row, 9)?,
        hits: read_count(row, 10)?,
        max_rank: read_count(row, 11)?,
        relevant: read_count(row, 12)?,
        probability: row.get(13)?,
    })
}

/// Reads the logged query with an id.
pub(crate) fn read_by_id(store: &StateFile, id: &str) -> rusqlite::Result<Option<QueryLogRow>> {
    let sql = format!("SELECT {COLUMNS} FROM query_log WHERE id = ?1");
    store.find_row(&sql, [id], parse_row)
}

/// Reads pairs of a step and the number of the logged query that it sent.
pub(crate) fn read_step_queries(store: &StateFile) -> rusqlite::Result<Vec<(i64, i64)>> {
    let sql = "SELECT step, n FROM query_step";
    store.read_rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Reads the last logged query of a target.
pub(crate) fn read_last(store: &StateFile, target: &str) -> rusqlite::Result<Option<QueryLogRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM query_log
         WHERE n = (SELECT n FROM last_query WHERE target = ?1)"
    );
    store.find_row(&sql, [target], parse_row)
}

/// Reads all logged queries of a target, in the order in which they were first sent.
pub(crate) fn read_all(store: &StateFile, target: &str) -> rusqlite::Result<Vec<QueryLogRow>> {
    let sql = format!("SELECT {COLUMNS} FROM query_log WHERE target = ?1 ORDER BY n");
    store.read_rows(&sql, [target], parse_row)
}

/// Reads the probes of a target, in the order in which they were first sent.
pub(crate) fn read_probes(store: &StateFile, target: &str) -> rusqlite::Result<Vec<QueryLogRow>> {
    let sql =
        format!("SELECT {COLUMNS} FROM query_log WHERE target = ?1 AND purpose = ?2 ORDER BY n");
    store.read_rows(&sql, (target, QueryPurpose::Probe as u64), parse_row)
}

/// Returns `true` if the log has a query with this id.
pub(crate) fn contains(store: &StateFile, id: &str) -> rusqlite::Result<bool> {
    store.has_row("SELECT 1 FROM query_log WHERE id = ?1", [id])
}
