//! The index as a fold of the journal.

use crate::twins::Found;
use forage_cli::{Output, Stage};
use forage_dedup::Index;
use forage_record::{Dedup, DedupStatus, Record, field};

/// Folds journal records into an index, in one transaction: until the last is read, the index is as it was.
pub struct Fold {
    index: Index,
    is_whole: bool,
}

impl Fold {
    /// A fold into `index`.
    pub fn new(index: Index) -> Fold {
        Fold { index, is_whole: false }
    }
}

impl Stage for Fold {
    fn record(&mut self, record: Record, _: &mut Output) -> anyhow::Result<()> {
        if record.has_error() {
            return Ok(());
        }
        let (Ok(Some(found)), Ok(judged)) = (Found::read(&record), record.view::<Dedup>(field::DEDUP)) else {
            return Ok(());
        };
        match judged.map(|dedup| dedup.status) {
            Some(DedupStatus::New) => self.index.add(found.document())?,
            Some(DedupStatus::Exact | DedupStatus::Near) => {}
            // An initial text, or a journal that was written without `dedup`.
            None => drop(self.index.judge(found.document())?),
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        if self.is_whole { Ok(self.index.commit()?) } else { Ok(()) }
    }

    fn end(&mut self, _: &mut Output) -> anyhow::Result<()> {
        self.is_whole = true;
        Ok(())
    }
}
