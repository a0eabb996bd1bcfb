//! Repair: makes journal and projections agree after a kill, or goes back to an earlier step; and
//! the end of a session.
//!
//! Lines that the projections lack are applied. Projections that contain more than they should, for
//! example a step that must be repeated, are cleared and derived from the whole journal. An
//! incomplete line or step at the end of the journal is cut off.

use crate::journal::Journal;
use crate::journal_check::{
    check_is_journal, check_journal, current_event, has_steps, may_be_cut_short, parse_record,
    store_digest,
};
use crate::ledger::{Ledger, LedgerError, read_meta};
use crate::projection::StoredProjection;
use forage_state::StateFile;
use std::path::Path;
use std::rc::Rc;

impl Ledger {
    /// Clears the store and derives the projections again from a journal. The journal is only read.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written, or if a line of the journal is not a record.
    /// Nothing is changed if none is one of a journal.
    pub fn rebuild(
        store: Rc<StateFile>,
        projections: Vec<Box<dyn StoredProjection>>,
        journal: &Path,
    ) -> Result<Self, LedgerError> {
        let mut ledger = Ledger::new(store, projections, Some(Journal::open_read_only(journal)?))?;
        check_is_journal(&ledger)?;
        ledger.replay_from_start(ReplayScope {
            before_step: u64::MAX,
            only_complete_steps: false,
            may_cut: false,
        })?;
        Ok(ledger)
    }

    /// Copies all that was committed into the main file of the store, so that the file is complete
    /// without its WAL, and stores the digest of the journal. Called by a tool before it ends.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written.
    pub fn merge_wal(&self) -> Result<(), LedgerError> {
        if let Some(journal) = self.journal.as_ref().filter(|_| !self.is_changed) {
            store_digest(self.store(), journal)?;
        }
        let merged = self.store().merge_wal();
        Ok(merged.map_err(|e| self.store().sqlite_error(e))?)
    }

    /// Applies the part of the journal that the projections lack, or rebuilds projections that
    /// contain more than they should.
    pub(crate) fn repair(&mut self, from_step: Option<u64>) -> Result<(), LedgerError> {
        let applied_bytes = read_meta(self.store(), "journal_bytes")?.unwrap_or(0);
        check_journal(self, applied_bytes, from_step)?;
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let is_known = applied_bytes > 0 || journal.length() == 0;
        let removes_steps = |step: u64| step == 0 || self.last_step >= step || self.is_step_open;
        let scope = ReplayScope {
            before_step: from_step.unwrap_or(u64::MAX),
            only_complete_steps: from_step.is_some(),
            may_cut: is_known || has_steps(journal, 1)?,
        };
        if applied_bytes > journal.length() || from_step.is_some_and(removes_steps) {
            self.replay_from_start(scope)
        } else if applied_bytes < journal.length() {
            self.replay(applied_bytes, scope)
        } else {
            Ok(())
        }
    }

    /// Clears the projections and derives them again from the whole journal; see
    /// [`Ledger::replay`].
    pub(crate) fn replay_from_start(&mut self, scope: ReplayScope) -> Result<(), LedgerError> {
        self.clear()?;
        self.replay(0, scope)
    }

    /// Applies the journal from offset `start` up to the end of the scope, and cuts off the rest.
    fn replay(&mut self, start: u64, scope: ReplayScope) -> Result<(), LedgerError> {
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let is_writable = journal.is_writable();
        let mut replayed = Replayed {
            kept_bytes: start,
            lacks_line_feed: false,
        };
        let mut step_records = Vec::new();
        for line in journal.lines(start)? {
            let line = line?;
            if !line.is_complete && !is_writable {
                self.incomplete_line = Some(line.start);
                break;
            }
            let (end, is_complete) = (line.end, line.is_complete);
            if line.bytes.trim_ascii().is_empty() {
                if step_records.is_empty() {
                    replayed.kept_bytes = end;
                }
                continue;
            }
            // The run may have been killed while it wrote an incomplete line. If no line before it
            // was a record, the file may be something else; then it must at least look like a
            // record.
            let looks_cut_short = scope.only_complete_steps && may_be_cut_short(&line.bytes);
            let may_be_none = !is_complete && (replayed.kept_bytes > 0 || looks_cut_short);
            let offset = line.start;
            let Some(journal) = &self.journal else {
                break;
            };
            let Some(record) = parse_record(journal, line, may_be_none)? else {
                break;
            };
            let event = current_event(journal, &record, offset)?;
            if event.step_number() >= scope.before_step {
                break;
            }
            let ends_step = event.ends_step();
            step_records.push(record);
            if ends_step || !scope.only_complete_steps {
                for record in step_records.drain(..) {
                    self.apply_to_projections(&record)?;
                }
                replayed.kept_bytes = end;
            }
            replayed.lacks_line_feed |= !is_complete;
            if self.is_full() {
                self.write_projections(Some(replayed.kept_bytes))?;
            }
        }
        self.cut_off_rest(start, &replayed, &scope)?;
        self.write_projections(None)
    }

    /// Cuts off what was not applied, and adds the line feed that an editor may have omitted.
    fn cut_off_rest(
        &mut self,
        start: u64,
        replayed: &Replayed,
        scope: &ReplayScope,
    ) -> Result<(), LedgerError> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        if !scope.may_cut && replayed.kept_bytes < journal.length() {
            self.incomplete_line = Some(replayed.kept_bytes);
            journal.close_for_writing();
        }
        let kept_bytes = replayed.kept_bytes;
        journal.truncate(kept_bytes)?;
        if replayed.lacks_line_feed && kept_bytes == journal.length() && kept_bytes > start {
            journal.append(b"\n")?;
        }
        Ok(())
    }
}

/// The part of a journal that is applied to the projections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplayScope {
    /// The step before which it ends.
    pub(crate) before_step: u64,
    /// True if a step without its last record is left out.
    pub(crate) only_complete_steps: bool,
    /// True if the rest of the file may be cut off, as the file is known to be a journal of steps.
    pub(crate) may_cut: bool,
}

/// What a replay has found.
#[derive(Debug)]
struct Replayed {
    /// Offset of the first byte that was not applied.
    kept_bytes: u64,
    /// True if the last line has no line feed.
    lacks_line_feed: bool,
}
