//! Checks that a journal is the one that the projections were derived from.
//!
//! All other state can be rebuilt from the journal, so no record of a journal is removed before the
//! journal has been identified. A store that has applied a part of a journal has hashes of that
//! part. A new store has none; then the journal must not have any steps that would be lost.

use crate::event::Event;
use crate::journal::{END_BYTES, Journal, START_BYTES};
use crate::ledger::{Ledger, LedgerError, read_meta};
use forage_record::Record;
use forage_state::StateFile;
use std::path::Path;

impl Ledger {
    /// Returns `true` if the store has applied a part of this journal.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn is_derived_from(store: &StateFile, journal: &Path) -> Result<bool, LedgerError> {
        let applied_bytes = read_meta(store, "journal_bytes")?.unwrap_or(0);
        Ok(applied_bytes > 0
            && matches_fingerprint(store, &Journal::open_read_only(journal)?, applied_bytes)?)
    }
}

/// Checks that the journal is the one of which `applied_bytes` are in the store. Called before
/// steps from `from_step` on are removed.
///
/// # Errors
/// Fails if it is a different journal, or if steps would be removed from a journal of which the
/// store contains nothing.
pub(crate) fn check_journal(
    ledger: &Ledger,
    applied_bytes: u64,
    from_step: Option<u64>,
) -> Result<(), LedgerError> {
    let Some(journal) = &ledger.journal else {
        return Ok(());
    };
    if !matches_fingerprint(ledger.store(), journal, applied_bytes)? {
        return Err(match journal.length() {
            0 => LedgerError::EmptyJournal(journal.display_path()),
            _ => LedgerError::DifferentJournal(journal.display_path()),
        });
    }
    // A run that was killed at its start may have initial documents in its journal and nothing in
    // its store.
    match from_step {
        Some(step) if applied_bytes == 0 && step < u64::MAX && has_steps(journal, step.max(1))? => {
            Err(LedgerError::UnappliedSteps(
                journal.display_path(),
                ledger.store().display_path(),
            ))
        }
        _ => Ok(()),
    }
}

/// Returns `true` if the journal has the bytes whose hash is in the store: the last ones of the
/// applied part, or the first ones if the journal has become shorter than that part. A store
/// without hashes matches any journal.
pub(crate) fn matches_fingerprint(
    store: &StateFile,
    journal: &Journal,
    applied_bytes: u64,
) -> Result<bool, LedgerError> {
    let (start, end, key) = if applied_bytes <= journal.length() {
        (
            applied_bytes.saturating_sub(END_BYTES),
            applied_bytes,
            "journal_end",
        )
    } else {
        (0, START_BYTES.min(applied_bytes), "journal_start")
    };
    let Some(hash) = read_meta::<String>(store, key)? else {
        return Ok(true);
    };
    Ok(end <= journal.length() && journal.hash_range(start, end)? == hash)
}

/// Returns `true` if the journal has a record of step `from` or later.
fn has_steps(journal: &Journal, from: u64) -> Result<bool, LedgerError> {
    for line in journal.lines(0)? {
        let line = line?;
        if line.bytes.trim_ascii().is_empty() {
            continue;
        }
        let offset = line.start;
        let is_cut_short = !line.is_complete && may_be_cut_short(&line.bytes);
        let record = match Record::parse(line.bytes) {
            Ok(record) => record,
            Err(_) if is_cut_short => continue,
            Err((reason, _)) => {
                return Err(LedgerError::MalformedLine {
                    journal: journal.display_path(),
                    offset,
                    reason,
                });
            }
        };
        let event =
            Event::from_current_schema(&record).map_err(|reason| LedgerError::OldSchema {
                journal: journal.display_path(),
                offset,
                reason,
            })?;
        if event.step_number() >= from {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns `true` if a line without a line feed may be the beginning of a record, so that the run
/// may have been killed while it wrote the line.
pub(crate) fn may_be_cut_short(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}
