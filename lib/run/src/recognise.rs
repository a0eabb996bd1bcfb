//! Whether a journal is the one that the projections were derived from.
//!
//! All else is derived from a journal, so nothing of it is forgotten before it has been recognised:
//! by a hash of the bytes that the store contains, and where the store is new by having no steps to
//! lose.

use crate::event::Event;
use crate::journal::{END_BYTES, Journal, START_BYTES};
use crate::ledger::{Ledger, LedgerError, meta};
use forage_record::Record;

/// Checks that the journal is the one of which `contained` bytes are in the store, before steps
/// from `from_step` on are forgotten.
///
/// # Errors
/// When it is another journal, or has steps that would be forgotten though the store contains
/// nothing of it.
pub(crate) fn check_journal(
    ledger: &Ledger,
    contained: u64,
    from_step: Option<u64>,
) -> Result<(), LedgerError> {
    let Some(journal) = &ledger.journal else {
        return Ok(());
    };
    if !is_known(ledger, journal, contained)? {
        return Err(match journal.length() {
            0 => LedgerError::EmptyJournal(journal.name()),
            _ => LedgerError::OtherJournal(journal.name()),
        });
    }
    // A run that was only just begun has initial documents in its journal, and may have nothing in
    // its store.
    match from_step {
        Some(step) if contained == 0 && step < u64::MAX && has_steps(journal, step.max(1))? => Err(
            LedgerError::UnknownJournal(journal.name(), ledger.store().name()),
        ),
        _ => Ok(()),
    }
}

/// Whether the journal has the bytes that the store contains: the last ones, or if it has become
/// shorter, the first.
fn is_known(ledger: &Ledger, journal: &Journal, contained: u64) -> Result<bool, LedgerError> {
    let (start, end, key) = if contained <= journal.length() {
        (
            contained.saturating_sub(END_BYTES),
            contained,
            "journal_end",
        )
    } else {
        (0, START_BYTES.min(contained), "journal_start")
    };
    let Some(hash) = meta::<String>(ledger.store(), key)? else {
        return Ok(true);
    };
    Ok(end <= journal.length() && journal.hash_of(start, end)? == hash)
}

/// Whether the journal has a record of such a step or a later one.
fn has_steps(journal: &Journal, from: u64) -> Result<bool, LedgerError> {
    for line in journal.lines(0)? {
        let line = line?;
        if line.bytes.trim_ascii().is_empty() {
            continue;
        }
        let (is_torn, at) = (!line.is_whole && may_be_torn(&line.bytes), line.start);
        let record = match Record::parse(line.bytes) {
            Ok(record) => record,
            Err(_) if is_torn => continue,
            Err((why, _)) => {
                return Err(LedgerError::BadLine {
                    journal: journal.name(),
                    at,
                    why,
                });
            }
        };
        let old_schema = |why| LedgerError::OldSchema {
            journal: journal.name(),
            at,
            why,
        };
        if Event::from_journal(&record)
            .map_err(old_schema)?
            .step_number()
            >= from
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a line without its line feed may be the beginning of a record: the run was killed while
/// it wrote it.
pub(crate) fn may_be_torn(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}
