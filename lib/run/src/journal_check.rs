//! Checks that a journal is the one that the projections were derived from.
//!
//! All other state can be rebuilt from the journal, so no record of a journal is removed before the
//! journal has been identified. A store that has applied a part of a journal has hashes of that
//! part. A new store has none; then the file must be a journal, and nothing of it is removed but an
//! incomplete step.

use crate::event::{Event, is_journal_record};
use crate::journal::{END_BYTES, HASH_DIGITS, Journal, JournalLine, START_BYTES};
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
    // At the start of a session, and not in each step.
    if from_step == Some(u64::MAX) {
        check_stored_digest(ledger.store(), journal)?;
    }
    if applied_bytes > 0 || journal.length() == 0 {
        return Ok(());
    }
    // Of this file nothing is known but its content.
    check_is_journal(ledger)?;
    let (path, store) = (journal.display_path(), ledger.store().display_path());
    match from_step {
        Some(u64::MAX) | None => Ok(()),
        Some(step) if has_steps(journal, step.max(1))? => {
            Err(LedgerError::UnappliedSteps(path, store))
        }
        Some(0) => Err(LedgerError::UnappliedDocuments(path, store)),
        Some(_) => Ok(()),
    }
}

/// Checks that a record of the file may be one of a journal. A file that is only the beginning of a
/// record may be the journal of a run that was killed at its start.
///
/// # Errors
/// Fails if it is no journal, or a line is not a record.
pub(crate) fn check_is_journal(ledger: &Ledger) -> Result<(), LedgerError> {
    let Some(journal) = &ledger.journal else {
        return Ok(());
    };
    let mut may_be_started = journal.is_writable() && journal.length() > 0;
    for line in journal.lines(0)? {
        let line = line?;
        may_be_started &= !line.is_complete;
        if parse_line(journal, line)?.is_some_and(|record| is_journal_record(&record)) {
            return Ok(());
        }
    }
    match may_be_started {
        true => Ok(()),
        false => Err(LedgerError::NotAJournal(journal.display_path())),
    }
}

/// Returns the record of a line; `None` for a blank line, and for a last one that was cut short.
fn parse_line(journal: &Journal, line: JournalLine) -> Result<Option<Record>, LedgerError> {
    if line.bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    let is_cut_short = !line.is_complete && may_be_cut_short(&line.bytes);
    parse_record(journal, line, is_cut_short)
}

/// Returns the record of a line; `None` if it is none, and `may_be_none` is set.
pub(crate) fn parse_record(
    journal: &Journal,
    line: JournalLine,
    may_be_none: bool,
) -> Result<Option<Record>, LedgerError> {
    match Record::parse(line.bytes) {
        Ok(record) => Ok(Some(record)),
        Err(_) if may_be_none => Ok(None),
        Err((reason, _)) => Err(LedgerError::MalformedLine {
            journal: journal.display_path(),
            offset: line.start,
            reason,
        }),
    }
}

/// Returns the event of a record of the present schema, which is at an offset of the journal.
pub(crate) fn current_event<'a>(
    journal: &Journal,
    record: &'a Record,
    offset: u64,
) -> Result<Event<'a>, LedgerError> {
    Event::from_current_schema(record).map_err(|reason| LedgerError::OldSchema {
        journal: journal.display_path(),
        offset,
        reason,
    })
}

/// Length of the blocks of a journal of which the store has hashes.
const BLOCK_BYTES: u64 = 16 << 20;

/// Stores the hashes of the blocks of the journal, which is applied, by which a change of any byte
/// of it is detected. Complete blocks that have a hash are not read again: no byte of them was
/// removed, because the store is then cleared.
pub(crate) fn store_digest(store: &StateFile, journal: &Journal) -> Result<(), LedgerError> {
    let length = journal.length();
    let (known_length, mut hashes) = read_digest(store)?.unwrap_or_default();
    if known_length == length {
        return Ok(());
    }
    hashes.truncate((known_length.min(length) / BLOCK_BYTES) as usize);
    // The digest of a whole journal, as earlier versions stored it, is that of no block.
    hashes.retain(|hash| hash.len() == HASH_DIGITS);
    for start in (hashes.len() as u64 * BLOCK_BYTES..length).step_by(BLOCK_BYTES as usize) {
        hashes.push(journal.hash_range(start, length.min(start.saturating_add(BLOCK_BYTES)))?);
    }
    let digest = format!("{length} {}", hashes.join(" "));
    let sql = "INSERT OR REPLACE INTO meta VALUES ('journal_digest', ?1)";
    let written = store.execute(sql, [digest]).map(drop);
    Ok(written.map_err(|e| store.sqlite_error(e))?)
}

/// Checks the part of the journal of which the store has a digest. After steps were removed, the
/// journal may be shorter.
fn check_stored_digest(store: &StateFile, journal: &Journal) -> Result<(), LedgerError> {
    let Some((length, hashes)) = read_digest(store)? else {
        return Ok(());
    };
    if length > journal.length() {
        return Ok(());
    }
    for (hash, start) in hashes.iter().zip((0_u64..).step_by(BLOCK_BYTES as usize)) {
        let end = length.min(start.saturating_add(BLOCK_BYTES));
        // Earlier versions stored the digest of the whole journal.
        let found = match hash.len() {
            HASH_DIGITS => journal.hash_range(start, end)?,
            _ => journal.digest(length)?,
        };
        if found != *hash {
            return Err(LedgerError::ChangedJournal(journal.display_path()));
        }
    }
    Ok(())
}

/// Returns the stored length of a journal, and the hashes of the blocks of that part.
fn read_digest(store: &StateFile) -> Result<Option<(u64, Vec<String>)>, LedgerError> {
    let stored: Option<String> = read_meta(store, "journal_digest")?;
    Ok(stored.and_then(|stored| {
        let mut values = stored.split_ascii_whitespace();
        let length = values.next()?.parse().ok()?;
        Some((length, values.map(str::to_owned).collect()))
    }))
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
        let start = applied_bytes.saturating_sub(END_BYTES);
        (start, applied_bytes, "journal_end")
    } else {
        (0, START_BYTES.min(applied_bytes), "journal_start")
    };
    let Some(hash) = read_meta::<String>(store, key)? else {
        return Ok(true);
    };
    Ok(end <= journal.length() && journal.hash_range(start, end)? == hash)
}

/// Returns `true` if the journal has a record of step `from` or later.
pub(crate) fn has_steps(journal: &Journal, from: u64) -> Result<bool, LedgerError> {
    for line in journal.lines(0)? {
        let line = line?;
        let offset = line.start;
        if let Some(record) = parse_line(journal, line)?
            && current_event(journal, &record, offset)?.step_number() >= from
        {
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

#[cfg(test)]
mod tests {
    use super::{BLOCK_BYTES, check_stored_digest, store_digest};
    use crate::journal::Journal;
    use crate::ledger::LEDGER_SCHEMA;
    use forage_state::{StateFile, StateFileKind};

    const KIND: StateFileKind = StateFileKind {
        application_id: 1,
        version: 1,
        name: "test data",
        schema: &LEDGER_SCHEMA,
        upgrades: &[],
    };

    #[test]
    fn a_changed_byte_of_a_journal_that_has_grown_is_detected() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let store = StateFile::in_memory(&KIND).unwrap();
        let block = BLOCK_BYTES as usize;
        for length in [0, 5, block, block + 7, 3 * block - 1] {
            std::fs::write(&path, vec![b'x'; length]).unwrap();
            store_digest(&store, &Journal::open(&path).unwrap()).unwrap();
            // What was appended later is not covered.
            std::fs::write(&path, vec![b'x'; length + 3]).unwrap();
            check_stored_digest(&store, &Journal::open(&path).unwrap()).unwrap();
            for at in [0, block - 1, block + 1, 3 * block - 2] {
                let mut changed = vec![b'x'; length];
                if let Some(byte) = changed.get_mut(at) {
                    *byte ^= 1;
                    std::fs::write(&path, &changed).unwrap();
                    let journal = Journal::open(&path).unwrap();
                    assert!(
                        check_stored_digest(&store, &journal).is_err(),
                        "{length} {at}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_digest_of_an_earlier_version_is_checked_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let store = StateFile::in_memory(&KIND).unwrap();
        let length = BLOCK_BYTES as usize + 9;
        std::fs::write(&path, vec![b'x'; length]).unwrap();
        let journal = Journal::open(&path).unwrap();
        let digest = format!("{length} {}", journal.digest(length as u64).unwrap());
        store
            .execute("INSERT INTO meta VALUES ('journal_digest', ?1)", [digest])
            .unwrap();
        check_stored_digest(&store, &journal).unwrap();
        std::fs::write(&path, vec![b'y'; length]).unwrap();
        assert!(check_stored_digest(&store, &journal).is_err());
        std::fs::write(&path, vec![b'x'; length + 1]).unwrap();
        store_digest(&store, &Journal::open(&path).unwrap()).unwrap();
        check_stored_digest(&store, &Journal::open(&path).unwrap()).unwrap();
    }
}
