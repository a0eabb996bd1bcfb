//! The journal and the projections of `stats.db`, kept consistent.
//!
//! Lines are appended to the journal first. Then one transaction updates the projections and
//! records how many bytes of the journal they contain. If a run is killed in between, opening the
//! ledger repairs it (`repair.rs`): lines that the projections lack are applied, and the lines of
//! an incomplete step are cut off.

use crate::event::{Event, OldSchemaError};
use crate::journal::{Journal, JournalError};
use crate::projection::StoredProjection;
use crate::totals::{self, RunTotals};
use forage_record::{Record, RecordParseError};
use forage_state::{StateError, StateFile};
use rusqlite::types::FromSql;
use std::path::Path;
use std::rc::Rc;

/// The tables of the ledger: the totals of the run, and how much of the journal the file contains.
pub const LEDGER_SCHEMA: [&str; 2] = [
    totals::SCHEMA,
    "
CREATE TABLE meta (              -- how much of the journal the file contains
    key TEXT PRIMARY KEY,
    value
) WITHOUT ROWID;
",
];

/// Bytes of queued lines after which they should be committed.
const MAX_QUEUED_BYTES: usize = 16 << 20;

/// An error of opening, repairing or writing the ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file of the projections cannot be read or written.
    #[error(transparent)]
    Store(#[from] StateError),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A line of the journal is not a record.
    #[error("{journal}: byte {offset}: {reason}; restore the journal, or remove this line")]
    MalformedLine {
        /// Path of the journal.
        journal: String,
        /// Offset of the line in bytes.
        offset: u64,
        /// The parse error.
        reason: RecordParseError,
    },
    /// A line of the journal has the schema of an earlier version.
    #[error("{journal}: byte {offset}: {reason}")]
    OldSchema {
        /// Path of the journal.
        journal: String,
        /// Offset of the line in bytes.
        offset: u64,
        /// The schema error.
        reason: OldSchemaError,
    },
    /// A record of the input has the schema of an earlier version.
    #[error("input: {0}, with tools of one version")]
    OldInput(OldSchemaError),
    /// Steps would be removed from a journal of which the statistics contain nothing. Fields: path
    /// of the journal, path of the statistics.
    #[error("{0}: has steps that {1} lacks; nothing was removed; use --rebuild to read them")]
    UnappliedSteps(String, String),
    /// Initial documents would be removed from a file of which the statistics contain nothing.
    /// Fields: path of the journal, path of the statistics.
    #[error("{0}: has records that {1} lacks; nothing was removed; give the journal another name")]
    UnappliedDocuments(String, String),
    /// The content of the journal has changed since it was applied.
    #[error(
        "{0}: is damaged: its content has changed since it was written; restore it, or accept it as \
         it is with --rebuild {0}"
    )]
    ChangedJournal(String),
    /// The file has no record of a journal.
    #[error("{0}: is not a journal: no record has a step, a text or a url; nothing was changed")]
    NotAJournal(String),
    /// The journal is empty, but the statistics are not.
    #[error(
        "{0}: is empty or missing, but the statistics were derived from a journal; \
         restore the journal"
    )]
    EmptyJournal(String),
    /// The statistics were derived from a different journal.
    #[error(
        "{0}: is not the journal that the statistics were derived from; \
         use --rebuild {0} to derive them from it"
    )]
    DifferentJournal(String),
}

/// The journal of a run and the projections that share its store.
#[derive(Debug)]
pub struct Ledger {
    store: Rc<StateFile>,
    pub(crate) journal: Option<Journal>,
    projections: Vec<Box<dyn StoredProjection>>,
    totals: RunTotals,
    /// Lines to be appended to the journal by the next commit.
    lines: Vec<u8>,
    /// The highest step of a record that was applied; 0 before the first step.
    pub(crate) last_step: u64,
    /// True if the last record of the last step is missing. Possible only if the ledger was opened
    /// without `from_step`.
    pub(crate) is_step_open: bool,
    /// True if the projections have changed since the last commit.
    pub(crate) is_changed: bool,
    /// Offset of the incomplete last line of a read-only journal.
    pub(crate) incomplete_line: Option<u64>,
}

impl Ledger {
    /// Opens a journal and the store of its projections, and repairs both.
    ///
    /// With `from_step`, records of that step and later ones are removed, and so is a step without
    /// its last record.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written, or if the projections were derived from a
    /// different journal.
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

    pub(crate) fn new(
        store: Rc<StateFile>,
        projections: Vec<Box<dyn StoredProjection>>,
        journal: Option<Journal>,
    ) -> Result<Self, LedgerError> {
        Ok(Ledger {
            totals: RunTotals::read(&store).map_err(|e| store.sqlite_error(e))?,
            last_step: read_meta(&store, "last_step")?.unwrap_or(0),
            is_step_open: read_meta(&store, "step_open")?.unwrap_or(false),
            store,
            journal,
            projections,
            lines: Vec::new(),
            is_changed: false,
            incomplete_line: None,
        })
    }

    /// Returns the number of the next step; 0 if the journal has no step yet, so that the run has
    /// to be initialised.
    pub fn next_step(&self) -> u64 {
        self.last_step + u64::from(self.last_step > 0)
    }

    /// Returns the offset of an incomplete last line that was skipped. Set only by
    /// [`Ledger::rebuild`].
    pub fn incomplete_line_offset(&self) -> Option<u64> {
        self.incomplete_line
    }

    /// Sets the offset of [`Ledger::incomplete_line_offset`], for a store that was rebuilt by
    /// another ledger.
    #[must_use]
    pub fn with_incomplete_line_offset(self, offset: Option<u64>) -> Self {
        Ledger {
            incomplete_line: offset,
            ..self
        }
    }

    /// Returns the store of the projections.
    pub fn store(&self) -> &Rc<StateFile> {
        &self.store
    }

    /// Returns the running counts.
    pub fn totals(&self) -> &RunTotals {
        &self.totals
    }

    /// Applies a finished record to the projections and queues its line for the journal.
    ///
    /// # Errors
    /// Fails if the record has the schema of an earlier version, or the projections cannot be read.
    pub fn apply<'a>(&mut self, record: &'a Record) -> Result<Event<'a>, LedgerError> {
        // Refused before it reaches the journal, which could not be read again.
        let event = Event::from_current_schema(record).map_err(LedgerError::OldInput)?;
        if self.journal.is_some() {
            record.write(&mut self.lines);
        }
        self.apply_event(&event)?;
        Ok(event)
    }

    /// Makes all applied records durable: first in the journal, then in the projections.
    ///
    /// # Errors
    /// Fails if a file cannot be written. Neither file then has the records since the last commit.
    pub fn commit(&mut self) -> Result<(), LedgerError> {
        let previous_length = self.journal.as_ref().map_or(0, Journal::length);
        self.commit_journal()?;
        if !self.is_changed {
            return Ok(());
        }
        self.write_projections(None).inspect_err(|_| {
            // The caller will repeat the same input.
            if let Some(journal) = &mut self.journal {
                let _ = journal.truncate(previous_length);
            }
        })
    }

    /// Appends all applied records to the journal. The projections keep them in memory until the
    /// next [`Ledger::commit`]; after a kill, they are derived from the journal when it is opened.
    ///
    /// # Errors
    /// Fails if the journal cannot be written. It then has no record since the last commit of
    /// either kind.
    pub fn commit_journal(&mut self) -> Result<(), LedgerError> {
        if let Some(journal) = &mut self.journal {
            journal.append(&self.lines)?;
            self.lines.clear();
        }
        Ok(())
    }

    /// Returns `true` if the uncommitted records in memory should be committed now.
    pub fn is_full(&self) -> bool {
        let mut projections = self.projections.iter();
        self.lines.len() > MAX_QUEUED_BYTES || projections.any(|projection| projection.is_full())
    }

    /// Empties the store before a rebuild. No record must have been applied since the ledger was
    /// opened.
    pub(crate) fn clear(&mut self) -> Result<(), LedgerError> {
        self.totals = RunTotals::default();
        self.last_step = 0;
        self.is_step_open = false;
        self.is_changed = true;
        Ok(self.store.clear().map_err(|e| self.store.sqlite_error(e))?)
    }

    /// Applies a record to the projections and the totals, in memory.
    pub(crate) fn apply_to_projections<'a>(
        &mut self,
        record: &'a Record,
    ) -> Result<Event<'a>, LedgerError> {
        let event = Event::from_record(record);
        self.apply_event(&event)?;
        Ok(event)
    }

    /// Applies an event to the projections and the totals, in memory.
    fn apply_event(&mut self, event: &Event) -> Result<(), LedgerError> {
        self.is_changed = true;
        // Without a transaction, SQLite locks the file for each term that is looked up.
        self.store.begin().map_err(|e| self.store.sqlite_error(e))?;
        if event.begins_refresh {
            let mut projections = self.projections.iter_mut();
            let forgotten = projections.try_for_each(|projection| {
                projection.write(&self.store)?;
                projection.forget_queries(&self.store)
            });
            forgotten.map_err(|e| self.store.sqlite_error(e))?;
        }
        let starts_step = event.step_number() > self.last_step;
        if event.step.is_some() {
            self.last_step = self.last_step.max(event.step_number());
            self.is_step_open = !event.ends_step();
        }
        let mut projections = self.projections.iter_mut();
        let applied = projections.try_for_each(|projection| projection.apply(&self.store, event));
        let applied = applied.and_then(|()| self.totals.apply(&self.store, event, starts_step));
        Ok(applied.map_err(|e| self.store.sqlite_error(e))?)
    }

    /// Writes all projections in one transaction, together with the number of bytes of the journal
    /// that they contain: `applied_bytes`, or the whole journal if `None`.
    pub(crate) fn write_projections(
        &mut self,
        applied_bytes: Option<u64>,
    ) -> Result<(), LedgerError> {
        let applied = match &self.journal {
            Some(journal) => {
                let bytes = applied_bytes.unwrap_or(journal.length());
                Some((bytes, journal.fingerprint(bytes)?))
            }
            None => None,
        };
        self.write_in_transaction(applied).map_err(|e| {
            self.store.roll_back();
            self.store.sqlite_error(e)
        })?;
        self.is_changed = false;
        Ok(())
    }

    fn write_in_transaction(
        &mut self,
        applied: Option<(u64, [String; 2])>,
    ) -> rusqlite::Result<()> {
        self.store.begin()?;
        for projection in &mut self.projections {
            projection.write(&self.store)?;
        }
        self.totals.write(&self.store)?;
        let sql = "INSERT OR REPLACE INTO meta VALUES (?1, ?2)";
        let mut insert_meta = self.store.prepare_cached(sql)?;
        insert_meta.execute(("last_step", self.last_step))?;
        insert_meta.execute(("step_open", self.is_step_open))?;
        if let Some((bytes, [end, start])) = applied {
            insert_meta.execute(("journal_bytes", bytes))?;
            insert_meta.execute(("journal_end", end))?;
            insert_meta.execute(("journal_start", start))?;
        }
        self.store.commit()
    }
}

/// Returns a value of the table `meta`; `None` if it is not set.
pub(crate) fn read_meta<T: FromSql>(store: &StateFile, key: &str) -> Result<Option<T>, StateError> {
    let value = store.find_value("SELECT value FROM meta WHERE key = ?1", [key]);
    value.map_err(|e| store.sqlite_error(e))
}
