//! The queue of samples as a projection of the journal.

use super::{NAME, SampleOptions};
use forage_record::{HitOutcome, Keyphrase, KeywordsMethod, field};
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use forage_text::{document_id, terms};
use std::collections::HashSet;
use std::num::NonZeroU32;

/// Number of keyphrases that are kept of a sample with statistical keyphrases. Every word of the
/// article is one, and only the best are of its subject (BENCHMARKS.md, "Subjects in any
/// language").
const MAX_STATISTICAL_KEYPHRASES: usize = 15;

/// The tables of the queue. A file of an earlier version gets them with the first sample.
pub(crate) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS sample ( -- gen-query --learn samples: the queue of sample articles
    n INTEGER PRIMARY KEY,       -- 1, 2, ... in order of arrival
    class TEXT NOT NULL,
    id TEXT NOT NULL,
    keyphrases TEXT NOT NULL,    -- the best ones, one per line, best first
    queries INTEGER NOT NULL,    -- queries of its keyphrases that were sent
    UNIQUE (class, id)
);
CREATE INDEX IF NOT EXISTS sample_order ON sample (class, n, queries);
CREATE TABLE IF NOT EXISTS sample_query ( -- the last query of each class
    class TEXT PRIMARY KEY,
    sample TEXT NOT NULL,
    terms TEXT NOT NULL,         -- its keyphrases, one per line, best first
    shorter INTEGER NOT NULL,    -- keyphrases that were removed
    has_hit INTEGER NOT NULL     -- 1: it returned a new hit
) WITHOUT ROWID;
";

/// The last query of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LastSampleQuery {
    /// The id of the sample.
    pub sample: String,
    /// The keyphrases, best first.
    pub terms: Vec<String>,
    /// Number of keyphrases that were removed because the query with them returned nothing new.
    pub shorter: u32,
    /// True if it returned a new hit.
    pub has_hit: bool,
}

/// Reads the last query of a class.
pub(super) fn read_last_query(
    store: &StateFile,
    class: &str,
) -> rusqlite::Result<Option<LastSampleQuery>> {
    if !store.has_table("sample")? {
        return Ok(None);
    }
    let sql = "SELECT sample, terms, shorter, has_hit FROM sample_query WHERE class = ?1";
    store.find_row(sql, [class], |row| {
        let terms: String = row.get(1)?;
        Ok(LastSampleQuery {
            sample: row.get(0)?,
            terms: terms.lines().map(str::to_owned).collect(),
            shorter: row.get(2)?,
            has_hit: row.get(3)?,
        })
    })
}

/// A sample of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueuedSample {
    /// The id of the article.
    pub id: String,
    /// Its keyphrases, best first.
    pub keyphrases: Vec<String>,
}

/// Calls `choose` with the samples of a class that have had fewer than `max_queries` queries, in
/// the order of the queue, until it returns a value. Returns that value.
pub(super) fn find_in_queue<T>(
    store: &StateFile,
    class: &str,
    max_queries: NonZeroU32,
    mut choose: impl FnMut(&QueuedSample) -> rusqlite::Result<Option<T>>,
) -> rusqlite::Result<Option<T>> {
    if !store.has_table("sample")? {
        return Ok(None);
    }
    let mut select = store.prepare_cached(
        "SELECT id, keyphrases FROM sample WHERE class = ?1 AND queries < ?2 ORDER BY n",
    )?;
    let mut rows = select.query((class, max_queries.get()))?;
    while let Some(row) = rows.next()? {
        let keyphrases: String = row.get(1)?;
        let sample = QueuedSample {
            id: row.get(0)?,
            keyphrases: keyphrases.lines().map(str::to_owned).collect(),
        };
        if let Some(chosen) = choose(&sample)? {
            return Ok(Some(chosen));
        }
    }
    Ok(None)
}

/// Returns the best keyphrases of each of the first `samples` samples of a class, at most `count`,
/// best first; if the last of these has fewer, those of the next samples follow.
pub(crate) fn first_keyphrases(
    store: &StateFile,
    class: &str,
    samples: usize,
    count: usize,
) -> rusqlite::Result<Vec<Vec<String>>> {
    let mut lists: Vec<Vec<String>> = Vec::new();
    find_in_queue(store, class, NonZeroU32::MAX, |sample| {
        if lists.len() < samples {
            lists.push(Vec::new());
        }
        let is_last = lists.len() >= samples;
        let Some(phrases) = lists.last_mut() else {
            return Ok(Some(()));
        };
        for phrase in &sample.keyphrases {
            if phrases.len() < count && !phrases.contains(phrase) {
                phrases.push(phrase.clone());
            }
        }
        Ok((is_last && phrases.len() >= count).then_some(()))
    })?;
    Ok(lists)
}

/// Maximum number of samples whose keyphrases are read for the terms of a query, besides the first
/// one. Set by judgement, so that the cost of a step is bounded; not measured.
const MAX_SAMPLES_FOR_TERMS: u32 = 300;

/// Returns the terms of the keyphrases of the first and the last samples of a class. None of them
/// is a stop word.
pub(crate) fn read_keyphrase_terms(
    store: &StateFile,
    class: &str,
) -> rusqlite::Result<HashSet<String>> {
    if !store.has_table("sample")? {
        return Ok(HashSet::new());
    }
    let mut select = store.prepare_cached(
        "SELECT keyphrases FROM sample
         WHERE n = (SELECT min(n) FROM sample WHERE class = ?1)
            OR n IN (SELECT n FROM sample WHERE class = ?1 ORDER BY n DESC LIMIT ?2)",
    )?;
    let mut rows = select.query((class, MAX_SAMPLES_FOR_TERMS))?;
    let mut found = HashSet::new();
    while let Some(row) = rows.next()? {
        let keyphrases: String = row.get(0)?;
        found.extend(terms(&keyphrases).iter().map(str::to_owned));
    }
    Ok(found)
}

/// A change of the queue.
#[derive(Debug)]
enum QueueChange {
    /// An article joins the queue.
    Join {
        class: String,
        id: String,
        keyphrases: String,
    },
    /// A query was answered.
    Query {
        class: String,
        query: LastSampleQuery,
    },
}

/// The queue as a projection: the changes since the last write, in order.
#[derive(Debug, Default)]
pub(crate) struct SampleQueue {
    changes: Vec<QueueChange>,
    /// The step of the last record with a new hit.
    last_hit_step: u64,
}

impl StoredProjection for SampleQueue {
    fn apply(&mut self, _: &StateFile, event: &Event) -> rusqlite::Result<()> {
        if let Some(class) = sample_class(event) {
            self.join(event, class);
        }
        if event.outcome() == Some(HitOutcome::Hit) {
            self.last_hit_step = event.step_number();
        }
        if event.ends_step() && !event.is_unanswered() {
            self.log_query(event);
        }
        Ok(())
    }

    fn forget_queries(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        if !store.has_table("sample")? {
            return Ok(());
        }
        store.execute_batch("UPDATE sample SET queries = 0; DELETE FROM sample_query;")
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        if self.changes.is_empty() {
            return Ok(());
        }
        store.execute_batch(SCHEMA)?;
        let mut insert =
            store.prepare_cached("INSERT OR IGNORE INTO sample VALUES (NULL, ?1, ?2, ?3, 0)")?;
        // A shortened query is none of the queries of its sample.
        let mut count = store.prepare_cached(
            "UPDATE sample SET queries = queries + 1 WHERE class = ?1 AND id = ?2",
        )?;
        let mut log =
            store.prepare_cached("INSERT OR REPLACE INTO sample_query VALUES (?, ?, ?, ?, ?)")?;
        for change in self.changes.drain(..) {
            match change {
                QueueChange::Join {
                    class,
                    id,
                    keyphrases,
                } => insert.execute((class, id, keyphrases))?,
                QueueChange::Query { class, query } => {
                    if query.shorter == 0 {
                        count.execute((&class, &query.sample))?;
                    }
                    let terms = query.terms.join("\n");
                    log.execute((class, query.sample, terms, query.shorter, query.has_hit))?
                }
            };
        }
        Ok(())
    }
}

/// Returns the class for which a document is a sample: its own, if it is an initial or a relevant
/// document.
fn sample_class<'a>(event: &'a Event) -> Option<&'a str> {
    let class = event.label.as_deref()?;
    let is_initial = event.step.is_none() && !event.is_duplicate();
    (is_initial || event.is_relevant()).then_some(class)
}

impl SampleQueue {
    /// Logs the query of a step, if it is of this strategy.
    fn log_query(&mut self, event: &Event) {
        let Some(query) = &event.query else {
            return;
        };
        let Some(strategy) = query.strategy_named(NAME) else {
            return;
        };
        if let Some(sample) = &strategy.sample {
            self.changes.push(QueueChange::Query {
                class: event.target().into(),
                query: LastSampleQuery {
                    sample: sample.clone(),
                    terms: query.include.clone(),
                    shorter: strategy.offset.map_or(0, |offset| offset.shorter),
                    has_hit: self.last_hit_step == event.step_number(),
                },
            });
        }
    }

    /// Adds an article to the queue, if it has keyphrases. An article with neither id nor URL gets
    /// the id that `fetch-extract` would give it.
    fn join(&mut self, event: &Event, class: &str) {
        let id = event
            .id()
            .or_else(|| event.url())
            .unwrap_or_else(|| document_id("", &event.text()).into());
        let record = event.record();
        // Other programs may name other methods.
        let method: Option<KeywordsMethod> = record.get(field::KEYWORDS_METHOD).ok().flatten();
        let max_keyphrases = match method {
            Some(KeywordsMethod::Statistical) => MAX_STATISTICAL_KEYPHRASES,
            _ => SampleOptions::MAX_KEYPHRASES as usize,
        };
        let keyphrases: Vec<Keyphrase> = record
            .get(field::KEYWORDS)
            .ok()
            .flatten()
            .unwrap_or_default();
        let phrases: Vec<&str> = keyphrases
            .iter()
            .map(|keyphrase| keyphrase.phrase.as_str())
            .filter(|phrase| !phrase.contains('\n'))
            // An index refuses a query of a phrase without a term, such as `G-7`.
            .filter(|phrase| !terms(phrase).is_empty())
            .take(max_keyphrases)
            .collect();
        if !phrases.is_empty() {
            self.changes.push(QueueChange::Join {
                class: class.into(),
                id: id.into_owned(),
                keyphrases: phrases.join("\n"),
            });
        }
    }
}
