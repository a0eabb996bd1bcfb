//! `stats.db`: the term statistics, read-only. Each table is written by the projection that owns
//! it; `counter.rs` defines those of the term statistics.
//!
//! For each term the file has its counts over all classes (`term`), and in each class that has the
//! term (`count`). Terms are numbered in order of first occurrence, over all classes (`term.id`)
//! and within each class (`count.n`). Frequent terms therefore get low numbers and are stored
//! together: a document touches few pages of the file, and a uniform draw is one lookup.
//!
//! `tf_band` is the log-frequency band ⌊log2 tf⌋, NULL for band 0. Bands 0 to 2, with most terms,
//! are in no index. Ranking walks the bands from the highest down and stops when
//! no lower band can reach the best scores found. An index over exact counts would have to be
//! updated with every occurrence.

use crate::class_counts::ClassCounts;
use crate::ranking_cache::RankingCache;
use forage_run::LedgerError;
use forage_state::{StateError, StateFile, read_count};
use forage_text::SEGMENTATION_VERSION;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// An error of reading or writing the statistics.
#[derive(Debug, thiserror::Error)]
pub enum StatisticsError {
    /// The file could not be opened, read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// The journal, or the statistics derived from it, could not be read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The terms of the statistics were made by another version of the segmentation of text.
    #[error(
        "{path}: has terms of segmentation version {found}, but this program has version \
         {SEGMENTATION_VERSION}; rebuild it by `update-stats --stats {path} --rebuild JOURNAL`, or \
         count its documents into a new file"
    )]
    OtherSegmentation {
        /// Path of the file.
        path: String,
        /// The version of its terms.
        found: u32,
    },
    /// The statistics contain documents that are not in their journal.
    #[error(
        "{path}: has terms of an earlier segmentation version, and documents that {journal} lacks; \
         count them into a new file, or rebuild it without them by `--rebuild {journal}`"
    )]
    MissingDocuments {
        /// Path of the file.
        path: String,
        /// Path of the journal.
        journal: String,
    },
    /// The statistics have terms with diacritics, and cannot be folded any more.
    #[error(
        "{path}: counts words with and without diacritics as different terms; count its documents \
         into a new file, or rebuild it by `update-stats --ascii-folding --stats {path} --rebuild \
         JOURNAL`"
    )]
    NotFolded {
        /// Path of the file.
        path: String,
    },
    /// Documents of the statistics have no key, so that they cannot be merged.
    #[error(
        "{path}: has documents that were counted by an earlier version, which cannot be merged; \
         rebuild it by `update-stats --stats {path} --rebuild JOURNAL`, or count its documents into \
         a new file"
    )]
    WithoutKeys {
        /// Path of the file.
        path: String,
    },
    /// Statistics would be merged into those of a run.
    #[error("{path}: belongs to a journal, which would lack what is merged; merge into a new file")]
    MergeIntoRun {
        /// Path of the file.
        path: String,
    },
    /// Statistics of different settings would be merged.
    #[error("{path}: has {setting}: cannot be merged with {other}")]
    OtherSettings {
        /// Path of the file.
        path: String,
        /// Path of the file with which it was compared.
        other: String,
        /// What differs.
        setting: String,
    },
    /// The statistics have no documents of a class.
    #[error("{path}: has no documents of class `{class}`; {available}")]
    UnknownClass {
        /// Path of the file.
        path: String,
        /// The requested class.
        class: String,
        /// A clause that lists the classes that the file has.
        available: String,
    },
}

/// The result of reading the statistics.
pub(crate) type Result<T, E = StatisticsError> = std::result::Result<T, E>;

/// The term statistics of a run.
#[derive(Debug, Clone)]
pub struct Statistics {
    pub(crate) db: Rc<StateFile>,
    pub(crate) rankings: Rc<RankingCache>,
}

/// Converts an error of SQLite. `Statistics::with_path` adds the path of the file.
impl From<rusqlite::Error> for StatisticsError {
    fn from(source: rusqlite::Error) -> Self {
        StateError::Sql(PathBuf::new(), source).into()
    }
}

impl Statistics {
    /// Calls `read` within one transaction. Without a transaction, SQLite locks a file that has no
    /// WAL once per statement, and composing a query of 60 statements takes 1.5 times as long.
    ///
    /// # Errors
    /// Fails if `read` fails or the file cannot be locked.
    pub fn read_in_transaction<T>(&self, read: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.with_path(|| {
            let _transaction = self.db.unchecked_transaction()?;
            read(self)
        })
    }

    /// Calls `read`, and adds the path of the file to an error of SQLite.
    pub(crate) fn with_path<T>(&self, read: impl FnOnce() -> Result<T>) -> Result<T> {
        read().map_err(|error| match error {
            StatisticsError::State(StateError::Sql(path, source)) if path == Path::new("") => {
                self.db.sqlite_error(source).into()
            }
            error => error,
        })
    }

    /// Returns all classes in order of their first document, or by name if documents have no order.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn classes(&self) -> Result<Vec<ClassCounts>> {
        let order = if self.is_unordered()? { "name" } else { "id" };
        let sql = format!("SELECT id, name, documents, tokens, terms FROM class ORDER BY {order}");
        let classes = self.db.read_rows(&sql, [], |row| {
            Ok(ClassCounts {
                id: read_count(row, 0)?,
                name: row.get(1)?,
                documents: read_count(row, 2)?,
                tokens: read_count(row, 3)?,
                terms: read_count(row, 4)?,
            })
        });
        Ok(classes?)
    }

    /// Returns the class called `name` among `classes`.
    pub(crate) fn find_class<'a>(
        &self,
        classes: &'a [ClassCounts],
        name: &str,
    ) -> Result<&'a ClassCounts> {
        let class = classes.iter().find(|class| class.name == name);
        class.ok_or_else(|| {
            let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
            StatisticsError::UnknownClass {
                path: self.db.display_path(),
                class: name.into(),
                available: match &names[..] {
                    [] => "it has no documents at all".into(),
                    names => format!("it has {}", names.join(", ")),
                },
            }
        })
    }
}
