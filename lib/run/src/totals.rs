//! Running counts of a run, by target: its cost in steps, queries and calls, and its yield in
//! documents (`docs/algorithms.md`, "Measures").

use crate::event::Event;
use forage_record::HitOutcome;
use forage_state::StateFile;
use forage_text::count_words;
use rusqlite::Result;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The tables: `tally` has the counts, `query` the distinct queries that were sent.
pub(crate) const SCHEMA: &str = "
CREATE TABLE tally (             -- counts of the run, by target
    target TEXT NOT NULL,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (target, name)
) WITHOUT ROWID;
CREATE TABLE query (             -- distinct queries that were sent
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL
) WITHOUT ROWID;
";

/// Name of the count of new documents of a class that steps for other targets retrieved. It is kept
/// for every class, because any class may become a target.
pub const FROM_OTHER_TARGETS: &str = "from other targets";

/// Name of the count of words in the new documents of a class, whichever target's steps retrieved
/// them: the size of its corpus.
pub const WORDS: &str = "words";

/// Counts by target and name.
type CountsByTarget = BTreeMap<(String, String), i64>;

/// The counts of a run, stored in `stats.db`.
#[derive(Debug, Default)]
pub struct RunTotals {
    counts: CountsByTarget,
    /// Keys of the counts that have changed since the last write.
    changed: BTreeSet<(String, String)>,
    /// Ids of the new queries since the last write.
    queries: HashSet<String>,
    /// The same queries with their targets, in order.
    new_queries: Vec<(String, String)>,
}

impl RunTotals {
    /// Reads the counts from a store.
    pub(crate) fn read(store: &StateFile) -> Result<Self> {
        Ok(RunTotals {
            counts: read_totals(store)?,
            ..RunTotals::default()
        })
    }

    /// Returns a count of one target by its name; 0 if nothing was counted.
    pub fn total_for_target(&self, target: &str, name: &str) -> i64 {
        let count = self.counts.get(&(target.to_owned(), name.to_owned()));
        count.copied().unwrap_or(0)
    }

    /// Returns the sum of a count over all targets.
    pub fn total(&self, name: &str) -> i64 {
        let counts = self
            .counts
            .iter()
            .filter(|((_, counted), _)| counted == name);
        counts.fold(0, |sum: i64, (_, value)| sum.saturating_add(*value))
    }

    /// Returns the numbers of documents and of words in the corpora of all targets: of the new
    /// documents of each class that is the target of a step.
    pub fn corpus_size(&self) -> (i64, i64) {
        let (mut documents, mut words) = (0_i64, 0_i64);
        let targets = self.counts.keys().filter(|(_, name)| name == "steps");
        for (target, _) in targets {
            let count = |name| self.total_for_target(target, name);
            let new = count("relevant").saturating_add(count(FROM_OTHER_TARGETS));
            documents = documents.saturating_add(new);
            words = words.saturating_add(count(WORDS));
        }
        (documents, words)
    }

    /// Counts a record. `starts_step` is true for the first record of a step.
    pub(crate) fn apply(
        &mut self,
        store: &StateFile,
        event: &Event,
        starts_step: bool,
    ) -> Result<()> {
        let target = event.target();
        if event.step.is_some() {
            self.count(target, "steps", i64::from(starts_step));
            if event.is_attempt() || event.is_refresh() && event.ends_step() {
                self.count(target, "steps", -1);
                self.count(target, "attempts", 1);
            }
            self.count_query(store, event)?;
        } else if event.label.is_some() {
            self.count(target, "initial", 1);
        }
        // A document without a label counts as retrieved: it cost a hit.
        if event.is_document && event.step.is_some() {
            // A known page was not retrieved by a query.
            let previous = event.previous.as_ref();
            let is_known = previous.is_some_and(|previous| previous.id.is_some());
            if !event.is_retry && !is_known {
                self.count(target, "documents", 1);
                self.count(target, "duplicates", i64::from(event.is_duplicate()));
            }
            self.count(target, "relevant", i64::from(event.is_relevant()));
        }
        if let Some((label, target, words)) = event.superseded_counts() {
            let name = if label == target {
                "relevant"
            } else {
                FROM_OTHER_TARGETS
            };
            let target = if label == target { target } else { label };
            self.count(target, name, -1);
            self.count(label, WORDS, -i64::try_from(words).unwrap_or(i64::MAX));
        }
        // Only a document has a label.
        if let Some(label) = event.retrieved_label() {
            let is_other = label != target && !event.is_retry;
            self.count(label, FROM_OTHER_TARGETS, i64::from(is_other));
            self.count(label, WORDS, count_words(&event.text()) as i64);
        }
        if let Some(error) = &event.error {
            let kind = serde_json::to_value(error.kind).unwrap_or_default();
            let kind = kind.as_str().unwrap_or_default();
            self.count(target, &format!("error {kind}"), 1);
        }
        Ok(())
    }

    /// Counts the calls of a record, and its query if it was not sent before.
    fn count_query(&mut self, store: &StateFile, event: &Event) -> Result<()> {
        let target = event.target();
        let calls = event.hit.as_ref().map_or(0, |hit| hit.calls);
        self.count(target, "calls", i64::try_from(calls).unwrap_or(i64::MAX));
        match event.outcome() {
            Some(HitOutcome::Empty) => self.count(target, "empty", 1),
            Some(HitOutcome::Exhausted) => self.count(target, "exhausted", 1),
            _ => {}
        }
        let Some(id) = event.query_id().filter(|_| !event.is_unanswered()) else {
            return Ok(());
        };
        let was_sent = || store.has_row("SELECT 1 FROM query WHERE id = ?1", [&*id]);
        if !self.queries.contains(&*id) && !was_sent()? {
            self.count(target, "queries", 1);
            self.queries.insert(id.clone());
            self.new_queries.push((id, target.into()));
        }
        Ok(())
    }

    /// Adds `increment` to a count. Counts saturate instead of overflowing.
    fn count(&mut self, target: &str, name: &str, increment: i64) {
        if increment != 0 {
            let key = (target.to_owned(), name.to_owned());
            self.changed.insert(key.clone());
            let count = self.counts.entry(key).or_default();
            *count = count.saturating_add(increment);
        }
    }

    /// Writes the changed counts and the new queries, within a transaction of the caller.
    pub(crate) fn write(&mut self, store: &StateFile) -> Result<()> {
        let mut insert_count =
            store.prepare_cached("INSERT OR REPLACE INTO tally VALUES (?1, ?2, ?3)")?;
        for key @ (target, name) in &std::mem::take(&mut self.changed) {
            insert_count.execute((target, name, self.counts.get(key)))?;
        }
        let mut insert_query =
            store.prepare_cached("INSERT OR IGNORE INTO query VALUES (?1, ?2)")?;
        for (id, target) in self.new_queries.drain(..) {
            insert_query.execute((id, target))?;
        }
        self.queries.clear();
        Ok(())
    }
}

/// Reads all counts from a store, by target and name.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn read_totals(store: &StateFile) -> Result<BTreeMap<(String, String), i64>> {
    let mut statement = store.prepare("SELECT target, name, value FROM tally")?;
    let rows = statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
    rows.collect()
}

/// Reads one count of a target from a store; 0 if nothing was counted.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn read_total(store: &StateFile, target: &str, name: &str) -> Result<u64> {
    let sql = "SELECT value FROM tally WHERE target = ?1 AND name = ?2";
    Ok(store.find_value(sql, (target, name))?.unwrap_or(0))
}
