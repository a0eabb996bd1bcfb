//! The number of new documents per step, and the yields of queries, which `--batch auto` follows.

use forage_record::Query;
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use rusqlite::Result;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// The number of new documents that a step retrieves at most.
///
/// CorpusBuilder takes one, and names as future work that the number depend on "the number of
/// positive documents returned so far by the current query" (Ghani, Jones & Mladenić 2005, section
/// 2). Several documents make a run faster, but it learns less from each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchSize {
    /// A fixed number, from 1.
    Fixed(u32),
    /// As many as the query has returned new relevant documents so far, at least 1 and at most a
    /// page of hits: 1, 1, 2, 4, 8 if all are relevant.
    Auto,
}

/// Maximum of a fixed number.
const MAX_FIXED: u32 = 1_000_000;

impl BatchSize {
    /// Returns the number, if it is fixed.
    pub fn fixed(self) -> Option<u32> {
        match self {
            BatchSize::Fixed(documents) => Some(documents),
            BatchSize::Auto => None,
        }
    }
}

impl FromStr for BatchSize {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "auto" {
            return Ok(BatchSize::Auto);
        }
        match text.parse() {
            Ok(documents) if (1..=MAX_FIXED).contains(&documents) => {
                Ok(BatchSize::Fixed(documents))
            }
            _ => Err(format!("expected `auto` or a number from 1 to {MAX_FIXED}")),
        }
    }
}

impl fmt::Display for BatchSize {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            BatchSize::Fixed(documents) => write!(f, "{documents}"),
            BatchSize::Auto => f.write_str("auto"),
        }
    }
}

/// The queries that have returned relevant documents. A file of an earlier version gets the table
/// with the next one.
pub(crate) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS query_yield ( -- gen-query --batch auto: queries with relevant documents
    id TEXT NOT NULL,
    target TEXT NOT NULL,
    relevant INTEGER NOT NULL,   -- new relevant documents in all steps
    PRIMARY KEY (id, target)
) WITHOUT ROWID;
";

/// The yields of queries, as a projection.
#[derive(Debug, Default)]
pub(crate) struct QueryYields {
    /// New relevant documents since the last write, by query id and target.
    increments: BTreeMap<(String, String), u64>,
}

impl StoredProjection for QueryYields {
    fn apply(&mut self, _: &StateFile, event: &Event) -> Result<()> {
        if let Some(id) = event.query_id().filter(|_| event.is_relevant()) {
            let key = (id, event.target().to_owned());
            *self.increments.entry(key).or_default() += 1;
        }
        Ok(())
    }

    fn write(&mut self, store: &StateFile) -> Result<()> {
        if self.increments.is_empty() {
            return Ok(());
        }
        store.execute_batch(SCHEMA)?;
        let mut upsert = store.prepare_cached(
            "INSERT INTO query_yield VALUES (?1, ?2, ?3)
             ON CONFLICT (id, target) DO UPDATE SET relevant = relevant + ?3",
        )?;
        for ((id, target), relevant) in std::mem::take(&mut self.increments) {
            upsert.execute((id, target, relevant))?;
        }
        Ok(())
    }
}

/// Returns the new relevant documents that a query has returned for a target.
fn read_yield(store: &StateFile, id: &str, target: &str) -> Result<u64> {
    if !store.has_table("query_yield")? {
        return Ok(0);
    }
    let relevant = store.find_value(
        "SELECT relevant FROM query_yield WHERE id = ?1 AND target = ?2",
        [id, target],
    )?;
    Ok(relevant.unwrap_or(0))
}

/// Limits a query to the documents of [`BatchSize::Auto`], unless it is limited to fewer.
pub(super) fn limit_to_yield(
    query: &mut Query,
    store: &StateFile,
    target: &str,
    page_size: u32,
) -> Result<()> {
    let relevant = read_yield(store, &query.id, target)?;
    let documents = relevant.clamp(1, page_size.into()) as usize;
    let documents = query
        .limit
        .map_or(documents, |limit| documents.min(limit.get()));
    query.limit = NonZeroUsize::new(documents);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BatchSize, limit_to_yield};
    use crate::{Statistics, open_ledger};
    use forage_record::{Query, Record};
    use std::num::NonZeroUsize;

    #[test]
    fn is_written_as_it_is_parsed() {
        for text in ["auto", "1", "1000000"] {
            assert_eq!(text.parse::<BatchSize>().unwrap().to_string(), text);
        }
        for text in ["", "0", "1000001", "-1", "Auto"] {
            assert!(text.parse::<BatchSize>().is_err(), "{text}");
        }
    }

    /// Returns the record of a document that a query has retrieved.
    fn document(step: u64, target: &str, query: &str, label: &str) -> Record {
        let json = format!(
            r#"{{"step":{{"number":{step},"target":"{target}","last":true}},"query":{{"id":"{query}"}},
                "hit":{{"outcome":"hit","calls":0}},"url":"http://a.test/{step}","text":"dan {step}",
                "label":"{label}"}}"#
        );
        Record::parse(json.into_bytes()).unwrap()
    }

    #[test]
    fn the_limit_is_the_yield_of_the_query_for_the_target() {
        let dir = tempfile::tempdir().unwrap();
        let stats = dir.path().join("stats.db");
        let limit = |id: &str, before: Option<usize>| {
            let statistics = Statistics::open_read_only(&stats).unwrap();
            let mut query = Query {
                id: id.into(),
                limit: before.and_then(NonZeroUsize::new),
                ..Query::default()
            };
            limit_to_yield(&mut query, &statistics.db, "slv", 5).unwrap();
            query.limit.unwrap().get()
        };
        let steps = [
            ("slv", "a", "slv", 1),
            ("slv", "a", "slv", 2),
            ("slv", "a", "eng", 2),
            ("hrv", "a", "hrv", 2),
            ("slv", "b", "slv", 2),
            ("slv", "a", "slv", 3),
        ];
        drop(open_ledger(&stats, None, None).unwrap());
        assert_eq!(limit("a", None), 1);
        for (step, (target, query, label, expected)) in (1..).zip(steps) {
            let mut ledger = open_ledger(&stats, None, None).unwrap();
            ledger.apply(&document(step, target, query, label)).unwrap();
            ledger.commit().unwrap();
            drop(ledger);
            assert_eq!(limit("a", None), expected, "step {step}");
        }
        assert_eq!(limit("a", Some(1)), 1);
        for step in 7..20 {
            let mut ledger = open_ledger(&stats, None, None).unwrap();
            ledger.apply(&document(step, "slv", "a", "slv")).unwrap();
            ledger.commit().unwrap();
        }
        assert_eq!(limit("a", None), 5);
    }
}
