//! Bringing journal and projections to the same place, after a kill or to go back to a step.

use crate::event::Event;
use crate::journal::JournalLine;
use crate::ledger::{Ledger, LedgerError, meta};
use crate::recognise::{check_journal, may_be_torn};
use forage_record::Record;

impl Ledger {
    /// Applies what the projections lack of the journal, or derives them anew where they contain
    /// more than they should.
    pub(crate) fn repair(&mut self, from_step: Option<u64>) -> Result<(), LedgerError> {
        let contained = meta(self.store(), "journal_bytes")?.unwrap_or(0);
        check_journal(self, contained, from_step)?;
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let goes_back = |step: u64| step == 0 || self.last_step >= step || self.is_step_open;
        let (before_step, whole_steps) = (from_step.unwrap_or(u64::MAX), from_step.is_some());
        if contained > journal.length() || from_step.is_some_and(goes_back) {
            self.replay_from_start(before_step, whole_steps)
        } else if contained < journal.length() {
            self.replay(contained, before_step, whole_steps)
        } else {
            Ok(())
        }
    }

    /// Derives the projections anew from the journal, as [`Ledger::replay`].
    pub(crate) fn replay_from_start(
        &mut self,
        before_step: u64,
        whole_steps: bool,
    ) -> Result<(), LedgerError> {
        self.clear()?;
        self.replay(0, before_step, whole_steps)
    }

    /// Applies the journal from `start` bytes on, up to the first record of `before_step`; cuts off
    /// the rest, an incomplete line, and with `whole_steps` a step without its last record.
    fn replay(
        &mut self,
        start: u64,
        before_step: u64,
        whole_steps: bool,
    ) -> Result<(), LedgerError> {
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let (name, is_writable) = (journal.name(), journal.is_writable());
        let mut kept = start;
        let mut waiting = Vec::new();
        // An editor may have left out the last line feed.
        let mut lacks_line_feed = false;
        for line in journal.lines(start)? {
            let line = line?;
            if !line.is_whole && !is_writable {
                self.incomplete_line = Some(line.start);
                break;
            }
            if line.bytes.trim_ascii().is_empty() {
                kept = if waiting.is_empty() { line.end } else { kept };
                continue;
            }
            let JournalLine {
                start: at,
                end,
                is_whole,
                ..
            } = line;
            // The run was killed while it wrote this line. In a file of which nothing was
            // recognised it may be anything.
            let is_torn = !is_whole && (kept > 0 || whole_steps && may_be_torn(&line.bytes));
            let record = match Record::parse(line.bytes) {
                Ok(record) => record,
                Err(_) if is_torn => break,
                Err((why, _)) => {
                    return Err(LedgerError::BadLine {
                        journal: name,
                        at,
                        why,
                    });
                }
            };
            let event = Event::from_journal(&record).map_err(|why| LedgerError::OldSchema {
                journal: name.clone(),
                at,
                why,
            })?;
            if event.step_number() >= before_step {
                break;
            }
            let ends_step = event.ends_step();
            waiting.push(record);
            if ends_step || !whole_steps {
                for record in waiting.drain(..) {
                    self.apply_to_projections(&record)?;
                }
                kept = end;
            }
            lacks_line_feed |= !is_whole;
            if self.is_full() {
                self.write_projections(Some(kept))?;
            }
        }
        if let Some(journal) = &mut self.journal {
            journal.cut(kept)?;
            if lacks_line_feed && kept == journal.length() && kept > start {
                journal.append(b"\n")?;
            }
        }
        self.write_projections(None)
    }
}
