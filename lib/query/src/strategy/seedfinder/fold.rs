//! What SeedFinder knows, as a projection of the journal.

use super::NAME;
use super::rules::{Yield, gain, next_length};
use forage_record::{MoreHits, Query};
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use forage_text::terms;
use rusqlite::OptionalExtension;
use std::collections::BTreeMap;

/// The tables of the scores and the last query.
pub(crate) const SCHEMA: &str = "
CREATE TABLE seed_term (         -- gen-query --learn seedfinder: terms of collected documents
    target TEXT NOT NULL,
    term TEXT NOT NULL,
    score REAL NOT NULL,
    is_used INTEGER NOT NULL,    -- whether a query had it
    PRIMARY KEY (target, term)
) WITHOUT ROWID;
CREATE INDEX seed_term_score ON seed_term (target, score DESC, term);
CREATE TABLE seed_query (        -- its last query, and what that brought, in all and since the last call
    target TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    include TEXT NOT NULL,       -- its terms, one a line
    documents INTEGER NOT NULL,
    relevant INTEGER NOT NULL,
    hits INTEGER NOT NULL,
    page_documents INTEGER NOT NULL,
    page_relevant INTEGER NOT NULL,
    is_over INTEGER NOT NULL,    -- whether nothing more is asked of it
    length INTEGER NOT NULL      -- of the next query
) WITHOUT ROWID;
";

/// Scores of terms and the last query of each target, as a projection.
#[derive(Debug, Default)]
pub(crate) struct SeedScores {
    terms: BTreeMap<(String, String), Term>,
    queries: BTreeMap<String, Last>,
}

/// A row of `seed_term`.
#[derive(Debug, Clone, Copy, Default)]
struct Term {
    score: f64,
    is_used: bool,
}

/// The last query of a target: a row of `seed_query`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Last {
    /// Its identity.
    pub id: String,
    /// Its terms, one a line.
    pub include: String,
    /// What it brought.
    pub brought: Yield,
    /// Documents that it brought since the engine was last called for it.
    pub page: Yield,
    /// Whether nothing more is to be asked of it.
    pub is_over: bool,
    /// The length of the next query.
    pub length: u32,
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
        self.begin_query(store, query, target)?;
        if event.is_document && event.label.is_some() && !event.is_duplicate() {
            self.count_terms(store, target, &event.text(), event.is_relevant())?;
        }
        let Some(last) = self.queries.get_mut(target) else {
            return Ok(());
        };
        if hit.calls > 0 {
            last.page = Yield::default();
        }
        for brought in [&mut last.brought, &mut last.page] {
            brought.documents += u64::from(event.is_document);
            brought.relevant += u64::from(event.is_relevant());
        }
        last.brought.hits = last.brought.hits.max(hit.rank.unwrap_or(0));
        let goes_on = hit.unseen > 0 || hit.more == Some(MoreHits::Pages) && last.page.goes_on();
        if event.ends_step() && !goes_on {
            last.is_over = true;
            last.length = next_length(last.length, last.brought);
            // The paper weighs a query's terms by its precision; one without documents has none.
            if let Some(precision) = last.brought.precision() {
                for term in &query.include {
                    self.term(store, target, term)?.score *= precision;
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut put =
            store.prepare_cached("INSERT OR REPLACE INTO seed_term VALUES (?1, ?2, ?3, ?4)")?;
        for ((target, term), Term { score, is_used }) in &self.terms {
            put.execute((target, term, score, is_used))?;
        }
        let sql =
            "INSERT OR REPLACE INTO seed_query VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let mut put = store.prepare_cached(sql)?;
        for (
            target,
            Last {
                id,
                include,
                brought,
                page,
                is_over,
                length,
            },
        ) in &self.queries
        {
            let (all, new) = (
                (brought.documents, brought.relevant),
                (page.documents, page.relevant),
            );
            put.execute((
                target,
                id,
                include,
                all.0,
                all.1,
                brought.hits,
                new.0,
                new.1,
                is_over,
                length,
            ))?;
        }
        *self = SeedScores::default();
        Ok(())
    }
}

impl SeedScores {
    /// Notes a query that was not the last one, or that is asked anew.
    fn begin_query(
        &mut self,
        store: &StateFile,
        query: &Query,
        target: &str,
    ) -> rusqlite::Result<()> {
        let known = match self.queries.get(target) {
            Some(last) => Some(last.clone()),
            None => read(store, target)?,
        };
        let (id, include) = (query.id.clone(), query.include.join("\n"));
        let last = match known {
            Some(last) if last.id == id && !last.is_over => last,
            _ => {
                for term in &query.include {
                    self.term(store, target, term)?.is_used = true;
                }
                Last {
                    id,
                    include,
                    length: query.include.len() as u32,
                    ..Last::default()
                }
            }
        };
        self.queries.insert(target.into(), last);
        Ok(())
    }

    /// Moves the scores of a document's terms.
    fn count_terms(
        &mut self,
        store: &StateFile,
        target: &str,
        text: &str,
        is_relevant: bool,
    ) -> rusqlite::Result<()> {
        let (mut frequencies, mut tokens): (BTreeMap<String, u64>, u64) = (BTreeMap::new(), 0);
        for term in terms(text).iter() {
            *frequencies.entry(term.into()).or_default() += 1;
            tokens += 1;
        }
        for (term, tf) in frequencies {
            self.term(store, target, &term)?.score += gain(tf, tokens, is_relevant);
        }
        Ok(())
    }

    fn term(&mut self, store: &StateFile, target: &str, term: &str) -> rusqlite::Result<&mut Term> {
        let key = (target.to_owned(), term.to_owned());
        if !self.terms.contains_key(&key) {
            let sql = "SELECT score, is_used FROM seed_term WHERE target = ?1 AND term = ?2";
            let read = |row: &rusqlite::Row| {
                Ok(Term {
                    score: row.get(0)?,
                    is_used: row.get(1)?,
                })
            };
            let known = store
                .prepare_cached(sql)?
                .query_row((target, term), read)
                .optional()?;
            self.terms.insert(key.clone(), known.unwrap_or_default());
        }
        self.terms
            .get_mut(&key)
            .ok_or(rusqlite::Error::QueryReturnedNoRows)
    }
}

/// The last query of a target.
pub(super) fn read(store: &StateFile, target: &str) -> rusqlite::Result<Option<Last>> {
    let sql = "SELECT id, include, documents, relevant, hits, page_documents, page_relevant, is_over, length
               FROM seed_query WHERE target = ?1";
    let read = |row: &rusqlite::Row| {
        let brought = Yield {
            documents: row.get(2)?,
            relevant: row.get(3)?,
            hits: row.get(4)?,
        };
        let page = Yield {
            documents: row.get(5)?,
            relevant: row.get(6)?,
            hits: 0,
        };
        let (id, include, is_over, length) = (row.get(0)?, row.get(1)?, row.get(7)?, row.get(8)?);
        Ok(Last {
            id,
            include,
            brought,
            page,
            is_over,
            length,
        })
    };
    store
        .prepare_cached(sql)?
        .query_row([target], read)
        .optional()
}
