//! The list of projections that share `stats.db`, and its schema as a whole.
//!
//! A new projection adds its tables to [`KIND`] and itself to `projections`.
//!
//! The version of the file has two parts: that of the schema, and that of the segmentation of text
//! into terms ([`forage_text::SEGMENTATION_VERSION`]), because terms of different versions must not
//! be counted together. Statistics of another version are derived again from their journal.

use crate::counter::TermCounter;
use crate::document_keys;
use crate::navigation_labels::NavigationLabels;
use crate::query_log::{self, QueryLog};
use crate::spelling;
use crate::statistics::{Result, Statistics, StatisticsError};
use crate::strategy::batch_size::{self, QueryYields};
use crate::strategy::learned::{self, LearnerProjection};
use crate::strategy::like::{self, LikeQueue};
use crate::strategy::recovery::{self, RecoveryProjection};
use crate::strategy::samples::{self, SampleQueue};
use crate::strategy::seedfinder::{self, SeedScores};
use crate::term_tables;
use forage_run::{LEDGER_SCHEMA, Ledger, LedgerError, StoredProjection};
use forage_state::{StateError, StateFile, StateFileKind, application_id};
use forage_text::SEGMENTATION_VERSION;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Version of the schema. It increases when a table changes its meaning.
const SCHEMA_VERSION: i32 = 8;

/// Factor of the version of the schema in the version of the file. Files of schema 7 and earlier
/// that have no more than the version of the schema have terms of segmentation version 1.
const SCHEMA_FACTOR: i32 = 100;

const _: () = assert!(SEGMENTATION_VERSION < SCHEMA_FACTOR as u32);

/// Application id, version and tables of `stats.db`.
pub(crate) const KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgSt"),
    // 803 is schema 8 with terms of segmentation version 3.
    version: SCHEMA_VERSION * SCHEMA_FACTOR + SEGMENTATION_VERSION as i32,
    name: "term statistics (update-stats)",
    schema: &[
        term_tables::SCHEMA,
        term_tables::INDEXES,
        document_keys::SCHEMA,
        query_log::SCHEMA,
        recovery::SCHEMA,
        learned::SCHEMA,
        like::SCHEMA,
        seedfinder::SCHEMA,
        samples::SCHEMA,
        batch_size::SCHEMA,
        LEDGER_SCHEMA[0],
        LEDGER_SCHEMA[1],
    ],
    // Rebuilt from the journal instead.
    upgrades: &[],
};

impl Statistics {
    /// Opens the file to read and write; creates an empty one if there is none.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = forage_state::open(path, &KIND).map_err(explain_version)?;
        Ok(Statistics::from_file(file))
    }

    /// Opens the file read-only.
    ///
    /// # Errors
    /// Fails if the file does not exist, cannot be opened, is not a file of statistics, or has
    /// terms of another segmentation version.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        let file = forage_state::open_read_only(path, &KIND).map_err(explain_version)?;
        Ok(Statistics::from_file(file))
    }

    /// Returns `true` if the documents have no order, because they were counted without a journal
    /// and without steps, or merged. Random draws then depend on the documents alone, and not on
    /// the order in which they were counted.
    pub(crate) fn is_unordered(&self) -> rusqlite::Result<bool> {
        let steps = "EXISTS (SELECT 1 FROM meta WHERE key = 'last_step' AND value > 0)";
        let sql = format!("{UNORDERED} AND NOT {steps}");
        self.db.has_row(&sql, [])
    }

    fn has_document(&self) -> rusqlite::Result<bool> {
        self.db.prepare("SELECT 1 FROM class")?.exists([])
    }

    fn from_file(file: impl Into<Rc<StateFile>>) -> Self {
        Statistics {
            db: file.into(),
            rankings: Rc::default(),
        }
    }

    /// Returns the statistics in the store of a ledger.
    pub fn from_ledger(ledger: &Ledger) -> Self {
        Statistics::from_file(ledger.store().clone())
    }
}

/// Returns all projections that share the store.
fn projections() -> Vec<Box<dyn StoredProjection>> {
    vec![
        Box::new(QueryLog::default()),
        Box::new(RecoveryProjection::default()),
        Box::new(LearnerProjection::default()),
        Box::new(LikeQueue::default()),
        Box::new(SeedScores::default()),
        Box::new(SampleQueue::default()),
        Box::new(QueryYields::default()),
        Box::new(TermCounter::default()),
        Box::new(NavigationLabels::default()),
    ]
}

/// Returns the versions of schema and segmentation of a file with `user_version`.
fn split_version(user_version: i32) -> (i32, u32) {
    if user_version < SCHEMA_FACTOR {
        return (user_version, 1);
    }
    let segmentation = (user_version % SCHEMA_FACTOR).unsigned_abs();
    (user_version / SCHEMA_FACTOR, segmentation)
}

/// Replaces an error about the version of a file by one about its segmentation version, if that is
/// what differs.
fn explain_version(error: StateError) -> StatisticsError {
    let (StateError::Older { path, found, .. } | StateError::Newer { path, found, .. }) = &error
    else {
        return error.into();
    };
    let (schema, segmentation) = split_version(*found);
    if schema > SCHEMA_VERSION || segmentation == SEGMENTATION_VERSION {
        return error.into();
    }
    StatisticsError::OtherSegmentation {
        path: path.display().to_string(),
        found: segmentation,
    }
}

/// Opens `stats.db` and its journal, and repairs both; see [`Ledger::open`].
///
/// # Errors
/// Fails as [`Ledger::open`], or if `stats` is not a file of statistics, or has terms of another
/// segmentation version.
pub fn open_ledger(stats: &Path, journal: Option<&Path>, from_step: Option<u64>) -> Result<Ledger> {
    let statistics = Statistics::open(stats)?;
    // Documents that were counted without a journal, or merged, would be counted twice.
    if let Some(journal) = journal
        && statistics.with_path(|| Ok(has_unordered_documents(&statistics)?))?
        && journal.metadata().is_ok_and(|file| file.len() > 0)
    {
        return Err(LedgerError::DifferentJournal(journal.display().to_string()).into());
    }
    statistics.with_path(|| {
        match journal {
            Some(_) => remove_unordered_mark(&statistics.db)?,
            None if statistics.has_document()? => {}
            None => mark_unordered(&statistics.db)?,
        }
        Ok(())
    })?;
    let ledger = Ledger::open(statistics.db, projections(), journal, from_step);
    Ok(ledger?)
}

fn has_unordered_documents(statistics: &Statistics) -> rusqlite::Result<bool> {
    Ok(statistics.db.prepare(UNORDERED)?.exists([])? && statistics.has_document()?)
}

/// Marks the documents of a new file as being without an order, see [`Statistics::is_unordered`].
pub(crate) fn mark_unordered(store: &StateFile) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO meta VALUES ('unordered', 1)";
    store.execute(sql, []).map(drop)
}

/// Removes the mark of [`mark_unordered`]: from now on, documents have the order of a journal.
fn remove_unordered_mark(store: &StateFile) -> rusqlite::Result<()> {
    // Written only if there is one: a pipeline opens the file in each step.
    if store.prepare(UNORDERED)?.exists([])? {
        store.execute("DELETE FROM meta WHERE key = 'unordered'", [])?;
    }
    Ok(())
}

/// Selects the mark of [`mark_unordered`].
const UNORDERED: &str = "SELECT 1 FROM meta WHERE key = 'unordered'";

/// Opens statistics in memory, without a journal. With `ascii_folding`, words with and without
/// diacritics are one term.
///
/// # Errors
/// Fails if SQLite is out of memory.
pub fn open_ledger_in_memory(ascii_folding: bool) -> Result<Ledger> {
    let file =
        StateFile::in_memory(&KIND).map_err(|source| StateError::Sql(PathBuf::new(), source))?;
    let statistics = Statistics::from_file(file);
    if ascii_folding {
        statistics.turn_on_ascii_folding()?;
    }
    Ok(Ledger::open(statistics.db, projections(), None, None)?)
}

/// Creates `stats.db` with ASCII folding if there is none: words with and without diacritics are
/// one term. A file of another version is left alone.
///
/// # Errors
/// Fails if the file counts them as different terms, is not a file of statistics, or cannot be
/// written.
pub fn turn_on_ascii_folding(stats: &Path) -> Result<()> {
    match Statistics::open(stats) {
        Ok(statistics) => statistics.turn_on_ascii_folding(),
        Err(StatisticsError::OtherSegmentation { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Rebuilds `stats.db` from a journal. The journal is only read; see [`Ledger::rebuild`].
///
/// A file of an earlier version, or of another segmentation version, is replaced. A file that has
/// ASCII folding keeps it; with `ascii_folding`, it gets it.
///
/// # Errors
/// Fails as [`Ledger::rebuild`], or if `stats` is not a file of statistics.
pub fn rebuild_ledger(stats: &Path, journal: &Path, ascii_folding: bool) -> Result<Ledger> {
    match Statistics::open(stats) {
        Ok(statistics) if !ascii_folding => {
            match Ledger::rebuild(statistics.db, projections(), journal) {
                Err(LedgerError::Store(error)) if error.is_damage() => {}
                result => return Ok(result?),
            }
        }
        // If the rebuild fails, terms that are not folded must stay: the file is replaced at the
        // end.
        Ok(statistics) => drop(statistics),
        Err(
            StatisticsError::OtherSegmentation { .. }
            | StatisticsError::State(StateError::Older { .. }),
        ) => {}
        Err(StatisticsError::State(error)) if error.is_damage() => {}
        Err(error) => return Err(error),
    }
    let incomplete_line = replace_by_rebuilt(stats, journal, 0, ascii_folding)?;
    let ledger = open_ledger(stats, None, None)?;
    Ok(ledger.with_incomplete_line_offset(incomplete_line))
}

/// Rebuilds `stats.db` if it has terms of an earlier segmentation version and was derived from this
/// journal, and returns that version. Otherwise returns `None`, and changes nothing. With
/// `ascii_folding`, it is rebuilt with it.
///
/// # Errors
/// Fails, and changes nothing, if the journal cannot be read or has fewer documents than the file,
/// or the file cannot be replaced.
pub fn rebuild_if_earlier(
    stats: &Path,
    journal: &Path,
    ascii_folding: bool,
) -> Result<Option<u32>> {
    let Some(version) = earlier_version(stats) else {
        return Ok(None);
    };
    if !journal.exists() {
        return Ok(None);
    }
    // Of the same schema, so that its tables can be read.
    let kind = StateFileKind {
        version,
        upgrades: &[],
        ..KIND
    };
    let earlier = Statistics::from_file(forage_state::open_read_only(stats, &kind)?);
    let documents = count_documents(&earlier)?;
    if documents > 0 && !Ledger::is_derived_from(&earlier.db, journal)? {
        return Ok(None);
    }
    let is_folded = earlier.with_path(|| Ok(spelling::has_ascii_folding(&earlier.db)?))?;
    drop(earlier);
    replace_by_rebuilt(stats, journal, documents, is_folded || ascii_folding)?;
    Ok(Some(split_version(version).1))
}

/// Returns the version of a file that has the current schema and terms of an earlier segmentation
/// version.
fn earlier_version(stats: &Path) -> Option<i32> {
    let error = forage_state::open_read_only(stats, &KIND).err()?;
    let (StateError::Older { found, .. } | StateError::Newer { found, .. }) = error else {
        return None;
    };
    let (schema, segmentation) = split_version(found);
    (schema == SCHEMA_VERSION && segmentation < SEGMENTATION_VERSION).then_some(found)
}

/// Replaces `stats.db` by one that is derived from the journal. Returns the offset of an incomplete
/// last line of the journal.
///
/// # Errors
/// Fails, and keeps the file, if the journal has fewer than `min_documents`, or cannot be read.
fn replace_by_rebuilt(
    stats: &Path,
    journal: &Path,
    min_documents: u64,
    ascii_folding: bool,
) -> Result<Option<u64>> {
    forage_state::replace(stats, &KIND, |file| {
        let statistics = Statistics::from_file(file);
        if ascii_folding {
            statistics.turn_on_ascii_folding()?;
        }
        let ledger = Ledger::rebuild(statistics.db, projections(), journal)?;
        if count_documents(&Statistics::from_ledger(&ledger))? < min_documents {
            return Err(StatisticsError::MissingDocuments {
                path: stats.display().to_string(),
                journal: journal.display().to_string(),
            });
        }
        ledger.merge_wal()?;
        Ok(ledger.incomplete_line_offset())
    })
}

/// Returns the number of documents over all classes.
fn count_documents(statistics: &Statistics) -> Result<u64> {
    let classes = statistics.classes()?;
    Ok(classes.iter().map(|class| class.documents).sum())
}
