//! The stage that adds `dedup` to each record.

use crate::args::Args;
use forage_cli::{CommitOrder, Messages, Output, Stage, Tool, format_count};
use forage_dedup::{DedupDocument, DuplicateIndex, DuplicateStatus};
use forage_record::{BadField, Dedup, DedupStatus, ErrorKind, Record, Step, field};
use std::borrow::Cow;

/// Checks records against a duplicate index, to which it adds the new ones.
pub struct DedupStage {
    pub index: DuplicateIndex,
    /// True if duplicates are left out of the output.
    pub drop: bool,
    /// True if records that have `dedup` are checked again.
    pub force: bool,
    /// True if titles are compared, so that a title of the wrong type is an error.
    pub titles: bool,
    /// True if the input is a step of a pipeline, which is repeated if it is interrupted.
    pub is_step: bool,
    /// Records that had `dedup` and were not checked again.
    pub not_compared: u64,
    pub messages: Messages,
}

impl Stage for DedupStage {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if let Ok(Some(step)) = record.view::<Step>(field::STEP) {
            self.index.advance_to(step.last_complete_step());
        }
        self.not_compared += u64::from(!self.force && record.has_field(field::DEDUP));
        if record.should_add(field::DEDUP, self.force) {
            match read_document(&record, self.titles) {
                Ok(Some(fields)) => {
                    let document = DedupDocument {
                        text: &fields.text,
                        id: fields.id.as_deref(),
                        title: fields.title.as_deref(),
                        step: fields.step,
                    };
                    let status = self.index.check_and_add(document)?;
                    record.set(field::DEDUP, &dedup_field(status));
                }
                Ok(None) => {}
                Err(e) => record.set_error(Args::NAME, ErrorKind::BadField, e),
            }
        }
        if !(self.drop && is_duplicate(&record)) {
            out.write_record(&record);
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.index.commit()?)
    }

    /// Warns about records that had `dedup` already: a user who joins two corpora would keep the
    /// duplicates of one in the other.
    fn finish(&mut self, _: &mut Output) -> anyhow::Result<()> {
        if self.not_compared > 0 && self.drop {
            self.messages.warn(format_args!(
                "{} with `dedup` not compared; use --force to compare them",
                format_count(self.not_compared, "record")
            ));
        }
        Ok(())
    }

    fn commit_order(&self) -> CommitOrder {
        if self.is_step {
            CommitOrder::BeforeOutput
        } else {
            CommitOrder::AfterOutput
        }
    }

    fn close(&mut self) -> anyhow::Result<()> {
        // In a pipeline, the process of the next step opens the file again.
        if self.is_step {
            return Ok(());
        }
        Ok(self.index.merge_wal()?)
    }
}

/// The fields of a document.
struct DocumentFields<'a> {
    text: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    title: Option<Cow<'a, str>>,
    step: u64,
}

/// Returns the fields of a record's document, or `None` if the record has no text. A title of the
/// wrong type is an error only if `needs_title`, and otherwise counts as absent.
fn read_document(
    record: &Record,
    needs_title: bool,
) -> Result<Option<DocumentFields<'_>>, BadField> {
    let Some(text) = record.text()? else {
        return Ok(None);
    };
    let step = record
        .view::<Step>(field::STEP)?
        .map_or(0, |step| step.number);
    let title = match record.string(field::TITLE) {
        Err(bad_field) if needs_title => return Err(bad_field),
        title => title.unwrap_or_default(),
    };
    Ok(Some(DocumentFields {
        text,
        id: record.string(field::ID)?,
        title,
        step,
    }))
}

/// Returns `true` if the record is marked as a duplicate, by this run or an earlier one.
fn is_duplicate(record: &Record) -> bool {
    let dedup = record.view::<Dedup>(field::DEDUP);
    matches!(dedup, Ok(Some(dedup)) if dedup.status != DedupStatus::New)
}

/// Converts a status to the record field `dedup`.
fn dedup_field(status: DuplicateStatus) -> Dedup {
    match status {
        DuplicateStatus::New => Dedup {
            status: DedupStatus::New,
            of: None,
            resemblance: None,
        },
        DuplicateStatus::Exact { of } => Dedup {
            status: DedupStatus::Exact,
            of,
            resemblance: Some(1.0),
        },
        DuplicateStatus::Near { of, resemblance } => Dedup {
            status: DedupStatus::Near,
            of,
            resemblance: Some(resemblance),
        },
        DuplicateStatus::Title { of } => Dedup {
            status: DedupStatus::Title,
            of,
            resemblance: None,
        },
    }
}
