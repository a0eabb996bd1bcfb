//! `stats.db`: the term statistics, to read. Its tables belong to the projections that write them.
//!
//! For each term the file knows its counts over all classes (`term`) and in each class that has it
//! (`count`). Terms are numbered in the order in which they were first met, over all (`term.id`)
//! and in each class (`count.n`): common words come early and lie together, so that a document
//! touches few pages, and a uniform draw is one look-up.
//!
//! `octave` is ⌊log2 tf⌋, NULL where that is 0: half of all terms occur once, and are in no index.
//! Ranking walks the octaves from above and stops when no lower one can reach the best found; an
//! index over the exact counts would have to move with every occurrence.

use forage_state::{StateError, StateFile};
use serde::Serialize;
use std::rc::Rc;

/// Why the statistics could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum StatisticsError {
    /// The file could not be opened, read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// A class that the statistics don't have.
    #[error("{path}: has no documents of class `{class}`; {known}")]
    UnknownClass {
        /// The file.
        path: String,
        /// The class that was named.
        class: String,
        /// Those that there are.
        known: String,
    },
}

/// The term statistics of a run.
#[derive(Debug, Clone)]
pub struct Statistics {
    pub(crate) db: Rc<StateFile>,
}

/// A class and what was counted of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    #[serde(skip)]
    pub(crate) id: i64,
    /// Its name: the label of its documents.
    #[serde(skip)]
    pub name: String,
    /// Documents: N_c.
    pub documents: u64,
    /// Occurrences of terms.
    pub tokens: u64,
    /// Different terms.
    pub terms: u64,
}

impl Statistics {
    /// Reads in one transaction. Outside of one, SQLite locks a file without a WAL anew for each
    /// statement: a query of 60 statements then takes half as long again.
    ///
    /// # Errors
    /// Those of `read`, and when the file can't be locked.
    pub fn read_in_transaction<T>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, StatisticsError>,
    ) -> Result<T, StatisticsError> {
        let _ends_when_dropped = self
            .db
            .unchecked_transaction()
            .map_err(|e| self.sqlite_error(e))?;
        read(self)
    }

    /// Names the file in an error of SQLite's.
    pub(crate) fn sqlite_error(&self, source: rusqlite::Error) -> StatisticsError {
        self.db.sqlite_error(source).into()
    }

    /// All classes, in the order in which they were first met.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn classes(&self) -> Result<Vec<ClassCounts>, StatisticsError> {
        let read = || {
            let mut rows = self.db.prepare_cached(
                "SELECT id, name, documents, tokens, terms FROM class ORDER BY id",
            )?;
            rows.query_map([], |row| {
                let (id, name) = (row.get(0)?, row.get(1)?);
                Ok(ClassCounts {
                    id,
                    name,
                    documents: row.get(2)?,
                    tokens: row.get(3)?,
                    terms: row.get(4)?,
                })
            })?
            .collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|e| self.sqlite_error(e))
    }

    /// The class of that name among `classes`.
    pub(crate) fn class<'a>(
        &self,
        classes: &'a [ClassCounts],
        name: &str,
    ) -> Result<&'a ClassCounts, StatisticsError> {
        classes
            .iter()
            .find(|class| class.name == name)
            .ok_or_else(|| {
                let known: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
                let known = if known.is_empty() {
                    "it has none at all".into()
                } else {
                    format!("it has {}", known.join(", "))
                };
                StatisticsError::UnknownClass {
                    path: self.db.name(),
                    class: name.into(),
                    known,
                }
            })
    }
}
