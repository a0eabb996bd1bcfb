//! The journal and the projections of `stats.db`, kept together.
//!
//! Lines go to the journal first and to the projections after it, in one transaction that also
//! records how much of the journal they contain. A run killed in between is repaired when the
//! ledger is opened again (`repair.rs`): lines that the projections lack are applied, and those of
//! a step that did not come to its end are cut off.

use crate::event::{Event, OldSchemaError};
use crate::journal::{Journal, JournalError};
use crate::projection::StoredProjection;
use crate::totals::{self, RunTotals};
use forage_record::{Record, RecordParseError};
use forage_state::{StateError, StateFile};
use rusqlite::OptionalExtension;
use rusqlite::types::FromSql;
use std::path::Path;
use std::rc::Rc;

/// The tables of the ledger itself.
pub const LEDGER_SCHEMA: [&str; 2] = [
    totals::SCHEMA,
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;  -- how much of the journal the file contains",
];

/// Why the ledger could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file of the projections failed.
    #[error(transparent)]
    Store(#[from] StateError),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A line of the journal is not a record.
    #[error("{journal}: byte {at}: {why}")]
    BadLine {
        /// The journal.
        journal: String,
        /// The offset of the line.
        at: u64,
        /// What is wrong with it.
        why: RecordParseError,
    },
    /// A line of the journal is of an earlier version.
    #[error("{journal}: byte {at}: {why}")]
    OldSchema {
        /// The journal.
        journal: String,
        /// The offset of the line.
        at: u64,
        /// How that is known.
        why: OldSchemaError,
    },
    /// Steps would be forgotten of a journal that the statistics know nothing of.
    #[error(
        "{0}: holds a run that {1} knows nothing of, so nothing of it is forgotten; take it with --rebuild"
    )]
    UnknownJournal(String, String),
    /// The journal is empty, and the statistics are not.
    #[error(
        "{0}: is empty or was not there, but the statistics were made from a journal; put that back"
    )]
    EmptyJournal(String),
    /// The statistics were made from another journal.
    #[error(
        "{0}: is not the journal that the statistics were made from; use --rebuild {0} to take it"
    )]
    OtherJournal(String),
}

/// The journal of a run and the projections that share its store.
#[derive(Debug)]
pub struct Ledger {
    store: Rc<StateFile>,
    pub(crate) journal: Option<Journal>,
    projections: Vec<Box<dyn StoredProjection>>,
    totals: RunTotals,
    /// Lines that are not in the journal yet.
    lines: Vec<u8>,
    pub(crate) last_step: u64,
    /// Whether the last step's last record has not come: only where steps are counted without
    /// `from_step`.
    pub(crate) is_step_open: bool,
    is_changed: bool,
    /// The offset of the incomplete line in which a journal that is only read ends.
    pub(crate) incomplete_line: Option<u64>,
}

impl Ledger {
    /// Opens a journal beside the store that holds its projections, and repairs both.
    ///
    /// With `from_step`, what belongs to that step or a later one is forgotten; so is a step
    /// without its last record.
    ///
    /// # Errors
    /// When a file can't be read or written, or the journal is not the one that the projections
    /// were derived from.
    pub fn open(
        store: Rc<StateFile>,
        projections: Vec<Box<dyn StoredProjection>>,
        journal: Option<&Path>,
        from_step: Option<u64>,
    ) -> Result<Self, LedgerError> {
        let mut ledger = Ledger::new(store, projections, journal.map(Journal::open).transpose()?)?;
        ledger.repair(from_step)?;
        Ok(ledger)
    }

    /// Derives the projections anew from a journal, which is only read.
    ///
    /// # Errors
    /// When a file can't be read or written, or a line of the journal is not a record.
    pub fn rebuild(
        store: Rc<StateFile>,
        projections: Vec<Box<dyn StoredProjection>>,
        journal: &Path,
    ) -> Result<Self, LedgerError> {
        let mut ledger = Ledger::new(store, projections, Some(Journal::open_to_read(journal)?))?;
        ledger.replay_from_start(u64::MAX, false)?;
        Ok(ledger)
    }

    fn new(
        store: Rc<StateFile>,
        projections: Vec<Box<dyn StoredProjection>>,
        journal: Option<Journal>,
    ) -> Result<Self, LedgerError> {
        Ok(Ledger {
            totals: RunTotals::read(&store).map_err(|e| store.sqlite_error(e))?,
            last_step: meta(&store, "last_step")?.unwrap_or(0),
            is_step_open: meta(&store, "step_open")?.unwrap_or(false),
            store,
            journal,
            projections,
            lines: Vec::new(),
            is_changed: false,
            incomplete_line: None,
        })
    }

    /// The step after the last one that came to its end; 0 where there is none, so that the run has
    /// to be initialised.
    pub fn next_step(&self) -> u64 {
        if self.last_step == 0 {
            0
        } else {
            self.last_step + 1
        }
    }

    /// The offset of an incomplete last line that was left out: only with [`Ledger::rebuild`].
    pub fn incomplete_line_offset(&self) -> Option<u64> {
        self.incomplete_line
    }

    /// The store that holds the projections.
    pub fn store(&self) -> &Rc<StateFile> {
        &self.store
    }

    /// Running counts.
    pub fn totals(&self) -> &RunTotals {
        &self.totals
    }

    /// Applies a finished record, and keeps its line for the journal.
    ///
    /// # Errors
    /// When the projections can't be read.
    pub fn apply<'a>(&mut self, record: &'a Record) -> Result<Event<'a>, LedgerError> {
        if self.journal.is_some() {
            record.write(&mut self.lines);
        }
        self.apply_to_projections(record)
    }

    /// Makes what was applied durable: the journal first, then the projections.
    ///
    /// # Errors
    /// When a file can't be written; then nothing since the last commit counts.
    pub fn commit(&mut self) -> Result<(), LedgerError> {
        let before = self.journal.as_ref().map_or(0, Journal::length);
        if let Some(journal) = &mut self.journal {
            journal.append(&self.lines)?;
            self.lines.clear();
        }
        if !self.is_changed {
            return Ok(());
        }
        self.write_projections(None).inspect_err(|_| {
            // The same input will be given again.
            let _ = self.journal.as_mut().map(|journal| journal.cut(before));
        })
    }

    /// Leaves all that was committed in the one file of the store, for a tool that ends.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn settle(&self) -> Result<(), LedgerError> {
        Ok(self
            .store
            .merge_wal()
            .map_err(|e| self.store.sqlite_error(e))?)
    }

    /// Whether so much waits in memory that it should be committed.
    pub fn is_full(&self) -> bool {
        self.lines.len() > 16 << 20
            || self
                .projections
                .iter()
                .any(|projection| projection.is_full())
    }

    /// Empties the store of a ledger to which nothing was applied yet, for a rebuild.
    pub(crate) fn clear(&mut self) -> Result<(), LedgerError> {
        self.totals = RunTotals::default();
        (self.last_step, self.is_step_open, self.is_changed) = (0, false, true);
        Ok(self.store.clear().map_err(|e| self.store.sqlite_error(e))?)
    }

    pub(crate) fn apply_to_projections<'a>(
        &mut self,
        record: &'a Record,
    ) -> Result<Event<'a>, LedgerError> {
        self.is_changed = true;
        let event = Event::from_record(record);
        let starts_step = event.step_number() > self.last_step;
        if event.step.is_some() {
            self.last_step = self.last_step.max(event.step_number());
            self.is_step_open = !event.ends_step();
        }
        for projection in &mut self.projections {
            projection
                .apply(&self.store, &event)
                .map_err(|e| self.store.sqlite_error(e))?;
        }
        self.totals
            .apply(&self.store, &event, starts_step)
            .map_err(|e| self.store.sqlite_error(e))?;
        Ok(event)
    }

    /// Writes all projections in one transaction, with the length of the journal that they contain:
    /// all of it, unless `contained` says how much.
    pub(crate) fn write_projections(&mut self, contained: Option<u64>) -> Result<(), LedgerError> {
        let contained = match &self.journal {
            Some(journal) => {
                let end = contained.unwrap_or(journal.length());
                Some((end, journal.fingerprint(end)?))
            }
            None => None,
        };
        self.write_in_transaction(contained).map_err(|e| {
            self.store.roll_back();
            self.store.sqlite_error(e)
        })?;
        self.is_changed = false;
        Ok(())
    }

    fn write_in_transaction(
        &mut self,
        contained: Option<(u64, [String; 2])>,
    ) -> rusqlite::Result<()> {
        self.store.begin()?;
        for projection in &mut self.projections {
            projection.write(&self.store)?;
        }
        self.totals.write(&self.store)?;
        let mut meta = self
            .store
            .prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
        meta.execute(("last_step", self.last_step))?;
        meta.execute(("step_open", self.is_step_open))?;
        if let Some((bytes, [end, start])) = contained {
            meta.execute(("journal_bytes", bytes))?;
            meta.execute(("journal_end", end))?;
            meta.execute(("journal_start", start))?;
        }
        self.store.commit()
    }
}

/// A value of the ledger's own table.
pub(crate) fn meta<T: FromSql>(store: &StateFile, key: &str) -> Result<Option<T>, StateError> {
    let read = || {
        let mut value = store.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        value.query_row([key], |row| row.get(0)).optional()
    };
    read().map_err(|e| store.sqlite_error(e))
}
