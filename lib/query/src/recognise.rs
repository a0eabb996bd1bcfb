//! Whether a journal is the one that the statistics were made from.
//!
//! A journal is what all else is made from anew, so that nothing of it is forgotten before it has been recognised: by
//! a hash of the bytes up to which it was folded, and where the statistics are new by having no steps to lose.

use crate::journal::Journal;
use crate::ledger::{LedgerError, step_of};
use crate::statistics::Statistics;
use forage_record::Record;

/// Bytes at the end of what was folded, and at the start of the journal, by which it is recognised.
const MARK: u64 = 4096;
const HEAD: u64 = 64;

/// The hashes by which a journal is recognised that was folded up to `end` bytes: of its last ones, and of its first.
pub(crate) fn marks(journal: &Journal, end: u64) -> Result<[String; 2], LedgerError> {
    Ok([journal.mark(end.saturating_sub(MARK), end)?, journal.mark(0, HEAD.min(end))?])
}

/// Recognises a journal of which `folded` bytes are in the statistics, before steps from `from_step` on are forgotten.
///
/// # Errors
/// When it is another journal, or has steps that would be forgotten though the statistics know nothing of it.
pub(crate) fn recognise(
    statistics: &Statistics,
    journal: &Journal,
    folded: u64,
    from_step: Option<u64>,
) -> Result<(), LedgerError> {
    if !is_known(statistics, journal, folded)? {
        let journal_of_no_steps = journal.length() == 0;
        let journal = journal.name();
        return Err(match journal_of_no_steps {
            true => LedgerError::EmptyJournal { journal },
            false => LedgerError::OtherJournal { journal },
        });
    }
    // A run that was only just begun has initial documents in its journal, and may have nothing in its statistics.
    match from_step {
        Some(step) if folded == 0 && step < u64::MAX && has_steps(journal, step.max(1))? => {
            Err(LedgerError::UnknownJournal { journal: journal.name(), stats: statistics.name().into() })
        }
        _ => Ok(()),
    }
}

/// Whether it is the journal that was folded: by its last bytes there, or if it has become shorter, by its first.
fn is_known(statistics: &Statistics, journal: &Journal, folded: u64) -> Result<bool, LedgerError> {
    let read = |key: &str| statistics.meta::<String>(key).map_err(|e| statistics.named(e));
    let (start, end, mark) = if folded <= journal.length() {
        (folded.saturating_sub(MARK), folded, read("journal_mark")?)
    } else {
        (0, HEAD.min(folded), read("journal_head")?)
    };
    let Some(mark) = mark else { return Ok(true) };
    Ok(end <= journal.length() && journal.mark(start, end)? == mark)
}

/// Whether the journal has a record of such a step or a later one.
fn has_steps(journal: &Journal, from: u64) -> Result<bool, LedgerError> {
    for line in journal.lines(0)? {
        let line = line?;
        if line.bytes.trim_ascii().is_empty() {
            continue;
        }
        let (is_torn, at) = (!line.is_whole && may_be_torn(&line.bytes), line.start);
        match Record::parse(line.bytes) {
            Ok(record) if step_of(&record) >= from => return Ok(true),
            Ok(_) => {}
            Err(_) if is_torn => {}
            Err((why, _)) => return Err(LedgerError::BadLine { journal: journal.name(), at, why }),
        }
    }
    Ok(false)
}

/// Whether a line without its line feed may be the beginning of a record: the run was killed while it wrote it.
pub(crate) fn may_be_torn(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}
