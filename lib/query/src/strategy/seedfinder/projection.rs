//! The scores of SeedFinder as a projection of the journal.

use super::NAME;
use super::rules::{QueryYield, next_length, score_change};
use forage_record::{MoreHits, Query};
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use forage_text::terms;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The tables of the scores and of the last query.
pub(crate) const SCHEMA: &str = "
CREATE TABLE seed_term (         -- gen-query --learn seedfinder: terms of collected documents
    target TEXT NOT NULL,
    term TEXT NOT NULL,
    score REAL NOT NULL,
    is_used INTEGER NOT NULL,    -- 1: a query has had it
    PRIMARY KEY (target, term)
) WITHOUT ROWID;
CREATE INDEX seed_term_score ON seed_term (target, score DESC, term);
CREATE TABLE seed_query (        -- the last query, with its results in all and since the last call
    target TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    include TEXT NOT NULL,       -- its terms, one per line
    documents INTEGER NOT NULL,
    relevant INTEGER NOT NULL,
    hits INTEGER NOT NULL,
    page_documents INTEGER NOT NULL,
    page_relevant INTEGER NOT NULL,
    is_finished INTEGER NOT NULL, -- 1: it is not sent again
    next_length INTEGER NOT NULL  -- terms of the next query
) WITHOUT ROWID;
";

/// The scores of terms and the last query of each target, as a projection: the changes since the
/// last write.
#[derive(Debug, Default)]
pub(crate) struct SeedScores {
    /// By target and term.
    terms: BTreeMap<(String, String), SeedTerm>,
    /// By target.
    queries: BTreeMap<String, LastSeedQuery>,
}

/// A row of `seed_term`.
#[derive(Debug, Clone, Copy, Default)]
struct SeedTerm {
    score: f64,
    is_used: bool,
}

/// The last query of a target: a row of `seed_query`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LastSeedQuery {
    /// The id of the query.
    pub id: String,
    /// Its terms, one per line.
    pub include: String,
    /// Its results in all.
    pub total: QueryYield,
    /// Its results since the last call; `hits` is not used.
    pub page: QueryYield,
    /// True if the query is not sent again.
    pub is_finished: bool,
    /// The number of terms of the next query.
    pub next_length: u32,
}

impl StoredProjection for SeedScores {
    /// Applies a record of a query of this strategy.
    fn apply(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        let (Some(query), Some(hit)) = (&event.query, &event.hit) else {
            return Ok(());
        };
        if query.strategy_named(NAME).is_none() || event.is_unanswered() {
            return Ok(());
        }
        let target = event.target();
        self.enter_query(store, query, target)?;
        if event.is_document && event.label.is_some() && !event.is_duplicate() {
            self.add_document(store, target, &event.text(), event.is_relevant())?;
        }
        let Some(last) = self.queries.get_mut(target) else {
            return Ok(());
        };
        if hit.calls > 0 {
            last.page = QueryYield::default();
        }
        for result in [&mut last.total, &mut last.page] {
            result.documents += u64::from(event.is_document);
            result.relevant += u64::from(event.is_relevant());
        }
        last.total.hits = last.total.hits.max(hit.rank.unwrap_or(0));
        let continues =
            hit.unseen > 0 || hit.more == Some(MoreHits::Pages) && last.page.is_precise();
        if event.ends_step() && !continues {
            last.is_finished = true;
            last.next_length = next_length(last.next_length, last.total);
            // The paper weighs the terms of a query by its precision, which is undefined without
            // documents.
            if let Some(precision) = last.total.precision() {
                for term in &query.include {
                    self.load_term(store, target, term)?.score *= precision;
                }
            }
        }
        Ok(())
    }

    fn forget_queries(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        store.execute_batch(
            "UPDATE seed_term SET is_used = 0; UPDATE seed_query SET is_finished = 1;",
        )
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut insert_term =
            store.prepare_cached("INSERT OR REPLACE INTO seed_term VALUES (?1, ?2, ?3, ?4)")?;
        for ((target, term), row) in &self.terms {
            insert_term.execute((target, term, row.score, row.is_used))?;
        }
        let mut insert_query = store.prepare_cached(
            "INSERT OR REPLACE INTO seed_query VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        for (target, query) in &self.queries {
            insert_query.execute((
                target,
                &query.id,
                &query.include,
                query.total.documents,
                query.total.relevant,
                query.total.hits,
                query.page.documents,
                query.page.relevant,
                query.is_finished,
                query.next_length,
            ))?;
        }
        *self = SeedScores::default();
        Ok(())
    }
}

impl SeedScores {
    /// Makes a query the last one of its target, if it is another one, or one that is sent again
    /// after it was finished. Its terms count as used.
    fn enter_query(
        &mut self,
        store: &StateFile,
        query: &Query,
        target: &str,
    ) -> rusqlite::Result<()> {
        let previous = match self.queries.get(target) {
            Some(last) => Some(last.clone()),
            None => read_last_query(store, target)?,
        };
        let last = match previous {
            Some(last) if last.id == query.id && !last.is_finished => last,
            _ => {
                for term in &query.include {
                    self.load_term(store, target, term)?.is_used = true;
                }
                LastSeedQuery {
                    id: query.id.clone(),
                    include: query.include.join("\n"),
                    next_length: query.include.len() as u32,
                    ..LastSeedQuery::default()
                }
            }
        };
        self.queries.insert(target.into(), last);
        Ok(())
    }

    /// Changes the scores of a document's terms.
    fn add_document(
        &mut self,
        store: &StateFile,
        target: &str,
        text: &str,
        is_relevant: bool,
    ) -> rusqlite::Result<()> {
        let mut frequencies: BTreeMap<String, u64> = BTreeMap::new();
        for term in terms(text).iter() {
            *frequencies.entry(term.into()).or_default() += 1;
        }
        let tokens = frequencies.values().sum();
        for (term, tf) in frequencies {
            self.load_term(store, target, &term)?.score += score_change(tf, tokens, is_relevant);
        }
        Ok(())
    }

    /// Returns the row of a term to be changed: from memory, from the store, or a new one.
    fn load_term(
        &mut self,
        store: &StateFile,
        target: &str,
        term: &str,
    ) -> rusqlite::Result<&mut SeedTerm> {
        match self.terms.entry((target.to_owned(), term.to_owned())) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => {
                let sql = "SELECT score, is_used FROM seed_term WHERE target = ?1 AND term = ?2";
                let stored = store.find_row(sql, (target, term), |row| {
                    Ok(SeedTerm {
                        score: row.get(0)?,
                        is_used: row.get(1)?,
                    })
                })?;
                Ok(new.insert(stored.unwrap_or_default()))
            }
        }
    }
}

/// Reads the last query of a target.
pub(super) fn read_last_query(
    store: &StateFile,
    target: &str,
) -> rusqlite::Result<Option<LastSeedQuery>> {
    let sql = "SELECT id, include, documents, relevant, hits, page_documents, page_relevant,
                is_finished, next_length
         FROM seed_query WHERE target = ?1";
    store.find_row(sql, [target], |row| {
        Ok(LastSeedQuery {
            id: row.get(0)?,
            include: row.get(1)?,
            total: QueryYield {
                documents: row.get(2)?,
                relevant: row.get(3)?,
                hits: row.get(4)?,
            },
            page: QueryYield {
                documents: row.get(5)?,
                relevant: row.get(6)?,
                hits: 0,
            },
            is_finished: row.get(7)?,
            next_length: row.get(8)?,
        })
    })
}
