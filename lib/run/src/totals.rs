//! Running counts of a run, by target: what it cost and what it brought (`docs/algorithms.md`, "How
//! runs are measured").

use crate::event::Event;
use forage_record::HitOutcome;
use forage_state::StateFile;
use rusqlite::{OptionalExtension, Result};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Tables: `tally` has the counts, `query` the distinct queries that were sent.
pub(crate) const SCHEMA: &str = "
CREATE TABLE tally (             -- counts of the run, by target
    target TEXT NOT NULL,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (target, name)
) WITHOUT ROWID;
CREATE TABLE query (id TEXT PRIMARY KEY, target TEXT NOT NULL) WITHOUT ROWID;  -- distinct queries that were sent
";

/// The count of new documents of a class that steps for other classes brought; kept for each class,
/// as any may turn out to be a target.
pub const FROM_OTHER_TARGETS: &str = "from other targets";

/// Counts by target and name.
type Counts = BTreeMap<(String, String), i64>;

/// The counts of a run, kept in `stats.db`.
#[derive(Debug, Default)]
pub struct RunTotals {
    counts: Counts,
    /// Those of them that have changed since the last write.
    changed: BTreeSet<(String, String)>,
    /// Identities of queries met since the last write.
    queries: HashSet<String>,
    /// Those of them that had not been sent before, with their targets.
    new_queries: Vec<(String, String)>,
}

impl RunTotals {
    /// Reads the counts of a store.
    pub(crate) fn read(store: &StateFile) -> Result<Self> {
        Ok(RunTotals {
            counts: read_totals(store)?,
            ..RunTotals::default()
        })
    }

    /// A count of a target, by its name; 0 where nothing was counted.
    pub fn total_for_target(&self, target: &str, name: &str) -> i64 {
        self.counts
            .get(&(target.to_owned(), name.to_owned()))
            .copied()
            .unwrap_or(0)
    }

    /// A count of all targets together, by its name.
    pub fn total(&self, name: &str) -> i64 {
        self.counts
            .iter()
            .filter(|((_, counted), _)| counted == name)
            .map(|(_, value)| value)
            .sum()
    }

    /// Counts a record; `starts_step` says whether it is the first of its step.
    pub(crate) fn apply(
        &mut self,
        store: &StateFile,
        event: &Event,
        starts_step: bool,
    ) -> Result<()> {
        let target = event.target();
        if event.step.is_some() {
            self.count(target, "steps", i64::from(starts_step));
            self.count_query(store, event)?;
        } else if event.label.is_some() {
            self.count(target, "initial", 1);
        }
        // A document that the filter left without a label is retrieved all the same: it was paid
        // for.
        if event.is_document && event.step.is_some() {
            self.count(target, "documents", 1);
            self.count(target, "duplicates", i64::from(event.is_duplicate()));
            self.count(target, "relevant", i64::from(event.is_relevant()));
        }
        if let Some(label) = event.retrieved_label().filter(|label| *label != target) {
            self.count(label, FROM_OTHER_TARGETS, 1);
        }
        if let Some(error) = &event.error {
            let kind = serde_json::to_value(error.kind)
                .ok()
                .and_then(|kind| kind.as_str().map(str::to_owned));
            self.count(target, &format!("error {}", kind.unwrap_or_default()), 1);
        }
        Ok(())
    }

    /// Counts the calls of a record and its query, unless that was sent before.
    fn count_query(&mut self, store: &StateFile, event: &Event) -> Result<()> {
        let target = event.target();
        self.count(
            target,
            "calls",
            event.hit.as_ref().map_or(0, |hit| hit.calls as i64),
        );
        match event.outcome() {
            Some(HitOutcome::Empty) => self.count(target, "empty", 1),
            Some(HitOutcome::Exhausted) => self.count(target, "exhausted", 1),
            _ => {}
        }
        let Some(id) = event.query_id().filter(|_| !event.is_unanswered()) else {
            return Ok(());
        };
        let was_sent = || {
            store
                .prepare_cached("SELECT 1 FROM query WHERE id = ?1")?
                .exists([&*id])
        };
        if !self.queries.contains(&*id) && !was_sent()? {
            self.count(target, "queries", 1);
            self.queries.insert(id.clone());
            self.new_queries.push((id, target.into()));
        }
        Ok(())
    }

    fn count(&mut self, target: &str, name: &str, more: i64) {
        if more != 0 {
            let key = (target.to_owned(), name.to_owned());
            self.changed.insert(key.clone());
            let count = self.counts.entry(key).or_default();
            *count = count.saturating_add(more);
        }
    }

    /// Writes what has changed, within the caller's transaction.
    pub(crate) fn write(&mut self, store: &StateFile) -> Result<()> {
        let mut tally = store.prepare_cached("INSERT OR REPLACE INTO tally VALUES (?1, ?2, ?3)")?;
        for key @ (target, name) in &std::mem::take(&mut self.changed) {
            tally.execute((target, name, self.counts.get(key)))?;
        }
        let mut query = store.prepare_cached("INSERT OR IGNORE INTO query VALUES (?1, ?2)")?;
        for (id, target) in self.new_queries.drain(..) {
            query.execute((id, target))?;
        }
        self.queries.clear();
        Ok(())
    }
}

/// The counts of a store, by target and name.
///
/// # Errors
/// When the file can't be read.
pub fn read_totals(store: &StateFile) -> Result<BTreeMap<(String, String), i64>> {
    let mut rows = store.prepare("SELECT target, name, value FROM tally")?;
    rows.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?
        .collect()
}

/// One count of a target; 0 where nothing was counted.
///
/// # Errors
/// When the file can't be read.
pub fn read_total(store: &StateFile, target: &str, name: &str) -> Result<u64> {
    let mut value =
        store.prepare_cached("SELECT value FROM tally WHERE target = ?1 AND name = ?2")?;
    Ok(value
        .query_row((target, name), |row| row.get(0))
        .optional()?
        .unwrap_or(0))
}
