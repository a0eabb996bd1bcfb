//! The index as a fold of the journal.

use crate::twins::{Found, whole_step_of};
use forage_cli::{Input, Io};
use forage_dedup::Index;
use forage_record::{Dedup, DedupStatus, Record, field};

/// Folds a journal into an index, in one transaction: until the last record is read, the file is as it was.
pub fn run(mut index: Index, journal: &Input, io: &mut Io) -> anyhow::Result<()> {
    io.fold(journal, |record| fold(&record, &mut index))?;
    index.commit()?;
    Ok(index.settle()?)
}

fn fold(record: &Record, index: &mut Index) -> anyhow::Result<()> {
    index.advance_to(whole_step_of(record).unwrap_or(0));
    let (Ok(Some(found)), Ok(judged)) = (Found::read(record), record.view::<Dedup>(field::DEDUP)) else {
        return Ok(());
    };
    match judged.map(|dedup| dedup.status) {
        Some(DedupStatus::New) => index.add(found.document())?,
        Some(DedupStatus::Exact | DedupStatus::Near) => {}
        // It had failed before `dedup` came to it.
        None if record.has_error() => {}
        // An initial text, or a journal that was written without `dedup`.
        None => drop(index.judge(found.document())?),
    }
    Ok(())
}
