//! Repair: makes journal and projections agree after a kill, or goes back to an earlier step.
//!
//! Lines that the projections lack are applied. Projections that contain more than they should, for
//! example a step that must be repeated, are cleared and derived from the whole journal. An
//! incomplete line or step at the end of the journal is cut off.

use crate::event::Event;
use crate::journal::JournalLine;
use crate::journal_check::{check_journal, may_be_cut_short};
use crate::ledger::{Ledger, LedgerError, read_meta};
use forage_record::Record;

impl Ledger {
    /// Applies the part of the journal that the projections lack, or rebuilds projections that
    /// contain more than they should.
    pub(crate) fn repair(&mut self, from_step: Option<u64>) -> Result<(), LedgerError> {
        let applied_bytes = read_meta(self.store(), "journal_bytes")?.unwrap_or(0);
        check_journal(self, applied_bytes, from_step)?;
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let removes_steps = |step: u64| step == 0 || self.last_step >= step || self.is_step_open;
        let before_step = from_step.unwrap_or(u64::MAX);
        let only_complete_steps = from_step.is_some();
        if applied_bytes > journal.length() || from_step.is_some_and(removes_steps) {
            self.replay_from_start(before_step, only_complete_steps)
        } else if applied_bytes < journal.length() {
            self.replay(applied_bytes, before_step, only_complete_steps)
        } else {
            Ok(())
        }
    }

    /// Clears the projections and derives them again from the whole journal; see
    /// [`Ledger::replay`].
    pub(crate) fn replay_from_start(
        &mut self,
        before_step: u64,
        only_complete_steps: bool,
    ) -> Result<(), LedgerError> {
        self.clear()?;
        self.replay(0, before_step, only_complete_steps)
    }

    /// Applies the journal from offset `start` up to the first record of `before_step`. Cuts off
    /// the rest, an incomplete last line, and with `only_complete_steps` a step without its last
    /// record.
    fn replay(
        &mut self,
        start: u64,
        before_step: u64,
        only_complete_steps: bool,
    ) -> Result<(), LedgerError> {
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let name = journal.display_path();
        let is_writable = journal.is_writable();
        let mut kept_bytes = start;
        let mut step_records = Vec::new();
        // An editor may have omitted the last line feed.
        let mut lacks_line_feed = false;
        for line in journal.lines(start)? {
            let line = line?;
            if !line.is_complete && !is_writable {
                self.incomplete_line = Some(line.start);
                break;
            }
            if line.bytes.trim_ascii().is_empty() {
                if step_records.is_empty() {
                    kept_bytes = line.end;
                }
                continue;
            }
            let JournalLine {
                start: offset,
                end,
                is_complete,
                ..
            } = line;
            // The run was killed while it wrote this line. If no line before it was a record, the
            // file may be something else; then the line must at least look like a record.
            let is_cut_short = !is_complete
                && (kept_bytes > 0 || only_complete_steps && may_be_cut_short(&line.bytes));
            let record = match Record::parse(line.bytes) {
                Ok(record) => record,
                Err(_) if is_cut_short => break,
                Err((reason, _)) => {
                    return Err(LedgerError::MalformedLine {
                        journal: name,
                        offset,
                        reason,
                    });
                }
            };
            let event =
                Event::from_current_schema(&record).map_err(|reason| LedgerError::OldSchema {
                    journal: name.clone(),
                    offset,
                    reason,
                })?;
            if event.step_number() >= before_step {
                break;
            }
            let ends_step = event.ends_step();
            step_records.push(record);
            if ends_step || !only_complete_steps {
                for record in step_records.drain(..) {
                    self.apply_to_projections(&record)?;
                }
                kept_bytes = end;
            }
            lacks_line_feed |= !is_complete;
            if self.is_full() {
                self.write_projections(Some(kept_bytes))?;
            }
        }
        if let Some(journal) = &mut self.journal {
            journal.truncate(kept_bytes)?;
            if lacks_line_feed && kept_bytes == journal.length() && kept_bytes > start {
                journal.append(b"\n")?;
            }
        }
        self.write_projections(None)
    }
}
