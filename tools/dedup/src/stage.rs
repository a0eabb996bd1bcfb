//! The stage that adds `dedup` to each record.

use crate::args::Args;
use forage_cli::{CommitOrder, Messages, Output, Stage, Tool, format_count};
use forage_dedup::DuplicateIndex;
use forage_record::{Dedup, DedupStatus, ErrorKind, Record, field};

/// Checks records against a duplicate index, to which it adds the new ones.
pub struct DedupStage {
    pub index: DuplicateIndex,
    /// The indexes of --against.
    pub others: Vec<DuplicateIndex>,
    /// True if duplicates are left out of the output.
    pub drop: bool,
    /// True if records that have `dedup` are checked again.
    pub force: bool,
    /// True if titles are compared, so that a title of the wrong type is an error.
    pub titles: bool,
    /// True if the input is a step of a pipeline, which is repeated if it is interrupted.
    pub is_step: bool,
    /// Records that were left out.
    pub dropped: u64,
    pub records: u64,
    pub messages: Messages,
}

impl Stage for DedupStage {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        self.index.advance_to_record(&record);
        if record.should_add(field::DEDUP, self.force)
            && let Err(bad_field) = self
                .index
                .annotate(&self.others, &mut record, self.titles)?
        {
            record.set_error(Args::NAME, ErrorKind::BadField, bad_field);
        }
        self.records += 1;
        if self.drop && is_duplicate(&record) {
            self.dropped += 1;
        } else {
            out.write_record(&record);
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.index.commit()?)
    }

    fn finish(&mut self, _: &mut Output) -> anyhow::Result<()> {
        if self.drop {
            let records = format_count(self.records, "record");
            self.messages
                .info(format_args!("{} of {records} left out", self.dropped));
        }
        Ok(())
    }

    fn commit_order(&self) -> CommitOrder {
        forage_step::commit_order(self.is_step)
    }

    fn close(&mut self) -> anyhow::Result<()> {
        // In a pipeline, the process of the next step opens the file again.
        if self.is_step {
            return Ok(());
        }
        Ok(self.index.merge_wal()?)
    }
}

/// Returns `true` if the record is marked as a duplicate, by this run or an earlier one.
fn is_duplicate(record: &Record) -> bool {
    let dedup = record.view::<Dedup>(field::DEDUP);
    matches!(dedup, Ok(Some(dedup)) if dedup.status != DedupStatus::New)
}
