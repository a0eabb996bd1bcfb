//! The stage that adds `dedup` to each record.

use crate::args::Args;
use forage_cli::{CommitOrder, Messages, Output, Stage, Tool, format_count};
use forage_dedup::{DocumentComparer, DuplicateIndex, PreparedDocument};
use forage_record::{BadField, Dedup, DedupStatus, ErrorKind, Record, field};

/// Checks records against a duplicate index, to which it adds the new ones.
pub struct DedupStage {
    pub index: DuplicateIndex,
    /// The indexes of --against.
    pub others: Vec<DuplicateIndex>,
    pub preparation: Preparation,
    /// True if duplicates are left out of the output.
    pub drop: bool,
    /// True if the input is a step of a pipeline, which is repeated if it is interrupted.
    pub is_step: bool,
    /// Records that were left out.
    pub dropped: u64,
    pub records: u64,
    pub messages: Messages,
}

/// How records are prepared, on any thread.
#[derive(Debug, Clone, Copy)]
pub struct Preparation {
    pub comparer: DocumentComparer,
    /// True if records that have `dedup` are checked again.
    pub force: bool,
    /// True if titles are compared, so that a title of the wrong type is an error.
    pub titles: bool,
}

impl Preparation {
    /// Computes what is compared of a record.
    pub fn prepare(&self, record: &Record) -> CheckedDocument {
        match record.should_add(field::DEDUP, self.force) {
            true => self.comparer.prepare_record(record, self.titles),
            false => Ok(None),
        }
    }
}

/// The document of a record that is checked, if it has one, or a field of the wrong type.
pub type CheckedDocument = Result<Option<PreparedDocument>, BadField>;

impl DedupStage {
    /// Checks a record, and writes it.
    pub fn process(
        &mut self,
        mut record: Record,
        document: CheckedDocument,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        self.index.advance_to_record(&record);
        match document {
            Ok(None) => {}
            Ok(Some(document)) => self.index.annotate(&self.others, &mut record, &document)?,
            Err(field) => record.set_error(Args::NAME, ErrorKind::BadField, field),
        }
        self.records += 1;
        if self.drop && is_duplicate(&record) {
            self.dropped += 1;
        } else {
            out.write_record(&record);
        }
        Ok(())
    }
}

impl Stage for DedupStage {
    fn process_record(&mut self, record: Record, out: &mut Output) -> anyhow::Result<()> {
        let document = self.preparation.prepare(&record);
        self.process(record, document, out)
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
        Ok(self.index.merge_wal()?)
    }
}

/// Returns `true` if the record is marked as a duplicate, by this run or an earlier one.
pub fn is_duplicate(record: &Record) -> bool {
    let dedup = record.view::<Dedup>(field::DEDUP);
    matches!(dedup, Ok(Some(dedup)) if dedup.status != DedupStatus::New)
}
