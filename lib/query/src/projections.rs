//! `stats.db` as a whole: the projections that share it, as one list.

use crate::counter::{self, Counter};
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

/// The file's form.
const KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgSt"),
    version: 7,
    oldest_version: 7,
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
};

impl Statistics {
    /// Opens the file to read and write, or makes an empty one.
    pub(crate) fn open(path: &Path) -> Result<Self, StateError> {
        Ok(Statistics {
            db: Rc::new(forage_state::open(path, &KIND)?),
        })
    }

    /// Opens the file to read.
    ///
    /// # Errors
    /// When it is another kind of file, can't be opened, or is not there.
    pub fn open_to_read(path: &Path) -> Result<Self, StatisticsError> {
        Ok(Statistics {
            db: Rc::new(forage_state::open_read_only(path, &KIND)?),
        })
    }

    /// The statistics that a ledger keeps.
    pub fn from_ledger(ledger: &Ledger) -> Self {
        Statistics {
            db: ledger.store().clone(),
        }
    }
}

/// All projections that share the store.
fn projections() -> Vec<Box<dyn StoredProjection>> {
    vec![
        Box::new(QueryLog::default()),
        Box::new(RecoveryProjection::default()),
        Box::new(LearnerProjection::default()),
        Box::new(LikeQueue::default()),
        Box::new(SeedScores::default()),
        Box::new(Counter::default()),
    ]
}

/// Opens `stats.db` beside its journal, and repairs both; see [`Ledger::open`].
///
/// # Errors
/// As [`Ledger::open`], and when `stats` is no file of statistics.
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

/// Makes `stats.db` anew from a journal, which is only read; see [`Ledger::rebuild`].
///
/// # Errors
/// As [`Ledger::rebuild`], and when `stats` is no file of statistics.
pub fn rebuild_ledger(stats: &Path, journal: &Path) -> Result<Ledger, LedgerError> {
    Ledger::rebuild(Statistics::open(stats)?.db, projections(), journal)
}
