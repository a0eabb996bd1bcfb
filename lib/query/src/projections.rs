//! `stats.db` as a whole: the projections that share it, as one list.

use crate::counter::{self, Counter};
use crate::query_log::{self, QueryLog};
use crate::statistics::{Statistics, StatisticsError};
use crate::strategy::learned::{self, Learners};
use crate::strategy::like::{self, LikeQueue};
use crate::strategy::recovery::{self, Recovery};
use crate::strategy::seedfinder::{self, SeedScores};
use forage_run::{Ledger, LedgerError, STORE_SCHEMA, StoredProjection};
use forage_state::{Kind, application_id};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::rc::Rc;

/// The file's form.
const KIND: Kind = Kind {
    application_id: application_id(*b"FgSt"),
    version: 6,
    oldest: 6,
    name: "term statistics (update-stats)",
    schema: &[
        counter::SCHEMA,
        query_log::SCHEMA,
        recovery::SCHEMA,
        learned::SCHEMA,
        like::SCHEMA,
        seedfinder::SCHEMA,
        STORE_SCHEMA[0],
        STORE_SCHEMA[1],
    ],
};

impl Statistics {
    /// Opens the file to read and write, or makes an empty one.
    ///
    /// # Errors
    /// When it is another kind of file, or can't be opened.
    pub fn open(path: &Path) -> Result<Self, StatisticsError> {
        Ok(Statistics { db: Rc::new(forage_state::open(path, &KIND)?) })
    }

    /// Opens the file to read.
    ///
    /// # Errors
    /// As [`Statistics::open`], and when there is no such file.
    pub fn open_to_read(path: &Path) -> Result<Self, StatisticsError> {
        Ok(Statistics { db: Rc::new(forage_state::open_to_read(path, &KIND)?) })
    }
}

/// All projections that share the store.
fn projections(store: &Statistics) -> Vec<Box<dyn StoredProjection>> {
    vec![
        Box::new(QueryLog::new(store.clone())),
        Box::new(Recovery::new(store.clone())),
        Box::new(Learners::new(store.clone())),
        Box::new(LikeQueue::new(store.clone())),
        Box::new(SeedScores::new(store.clone())),
        Box::new(Counter::new(store.clone())),
    ]
}

/// `stats.db` and the journal that it is derived from.
#[derive(Debug)]
pub struct StatisticsLedger {
    ledger: Ledger,
    statistics: Statistics,
}

impl StatisticsLedger {
    /// Opens `stats.db` beside a journal, and repairs both; see [`Ledger::open`].
    ///
    /// # Errors
    /// As [`Ledger::open`], and when `stats` is no file of statistics.
    pub fn open(stats: &Path, journal: Option<&Path>, from_step: Option<u64>) -> Result<Self, LedgerError> {
        let statistics = Statistics::open(stats)?;
        let ledger = Ledger::open(statistics.db.clone(), projections(&statistics), journal, from_step)?;
        Ok(StatisticsLedger { ledger, statistics })
    }

    /// Makes `stats.db` anew from a journal, which is only read; see [`Ledger::rebuild`].
    ///
    /// # Errors
    /// As [`Ledger::rebuild`], and when `stats` is no file of statistics.
    pub fn rebuild(stats: &Path, journal: &Path) -> Result<Self, LedgerError> {
        let statistics = Statistics::open(stats)?;
        let ledger = Ledger::rebuild(statistics.db.clone(), projections(&statistics), journal)?;
        Ok(StatisticsLedger { ledger, statistics })
    }

    /// The statistics.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

impl Deref for StatisticsLedger {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        &self.ledger
    }
}

impl DerefMut for StatisticsLedger {
    fn deref_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }
}

impl From<StatisticsError> for LedgerError {
    fn from(error: StatisticsError) -> Self {
        match error {
            StatisticsError::State(error) => error.into(),
            other => LedgerError::Projection(other.into()),
        }
    }
}
