//! The list of projections that share `stats.db`, and its schema as a whole.
//!
//! A new projection adds its tables to [`KIND`] and itself to `projections`.

use crate::counter::{self, TermCounter};
use crate::query_log::{self, QueryLog};
use crate::statistics::{Statistics, StatisticsError};
use crate::strategy::learned::{self, LearnerProjection};
use crate::strategy::like::{self, LikeQueue};
use crate::strategy::recovery::{self, RecoveryProjection};
use crate::strategy::seedfinder::{self, SeedScores};
use forage_run::{LEDGER_SCHEMA, Ledger, LedgerError, StoredProjection};
use forage_state::{StateError, StateFileKind, application_id};
use std::path::Path;
use std::rc::Rc;

/// Application id, version and tables of `stats.db`.
const KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgSt"),
    version: 7,
    name: "term statistics (update-stats)",
    schema: &[
        counter::SCHEMA,
        query_log::SCHEMA,
        recovery::SCHEMA,
        learned::SCHEMA,
        like::SCHEMA,
        seedfinder::SCHEMA,
        LEDGER_SCHEMA[0],
        LEDGER_SCHEMA[1],
    ],
    // Rebuilt from the journal instead.
    upgrades: &[],
};

impl Statistics {
    /// Opens the file to read and write; creates an empty one if there is none.
    pub(crate) fn open(path: &Path) -> Result<Self, StateError> {
        Ok(Statistics {
            db: Rc::new(forage_state::open(path, &KIND)?),
        })
    }

    /// Opens the file read-only.
    ///
    /// # Errors
    /// Fails if the file does not exist, cannot be opened, or is not a file of statistics.
    pub fn open_read_only(path: &Path) -> Result<Self, StatisticsError> {
        Ok(Statistics {
            db: Rc::new(forage_state::open_read_only(path, &KIND)?),
        })
    }

    /// Returns the statistics in the store of a ledger.
    pub fn from_ledger(ledger: &Ledger) -> Self {
        Statistics {
            db: ledger.store().clone(),
        }
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
        Box::new(TermCounter::default()),
    ]
}

/// Opens `stats.db` and its journal, and repairs both; see [`Ledger::open`].
///
/// # Errors
/// Fails as [`Ledger::open`], or if `stats` is not a file of statistics.
pub fn open_ledger(
    stats: &Path,
    journal: Option<&Path>,
    from_step: Option<u64>,
) -> Result<Ledger, LedgerError> {
    Ledger::open(
        Statistics::open(stats)?.db,
        projections(),
        journal,
        from_step,
    )
}

/// Rebuilds `stats.db` from a journal. The journal is only read; see [`Ledger::rebuild`].
///
/// # Errors
/// Fails as [`Ledger::rebuild`], or if `stats` is not a file of statistics.
pub fn rebuild_ledger(stats: &Path, journal: &Path) -> Result<Ledger, LedgerError> {
    Ledger::rebuild(Statistics::open(stats)?.db, projections(), journal)
}
