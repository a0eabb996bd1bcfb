//! The stage: each record in, judged, and out.

use crate::args::Args;
use forage_cli::{CommitOrder, Messages, Output, Stage, Tool};
use forage_dedup::{Document, Index, Verdict};
use forage_record::{BadField, Dedup, DedupStatus, ErrorKind, Record, Step, field};
use std::borrow::Cow;

/// Judges records against an index that grows with them.
pub struct Twins {
    pub index: Index,
    /// Whether twins are left out.
    pub drop: bool,
    /// Whether records that were judged before are judged again.
    pub force: bool,
    /// Whether the input is a step of a pipeline, which is repeated when it breaks off.
    pub is_step: bool,
    /// Records that were judged before, and not again.
    pub judged_before: u64,
    pub messages: Messages,
}

impl Stage for Twins {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if let Ok(Some(step)) = record.view::<Step>(field::STEP) {
            self.index.advance_to(step.last_complete_step());
        }
        self.judged_before += u64::from(!self.force && record.has_field(field::DEDUP));
        if record.should_add(field::DEDUP, self.force) {
            match read(&record) {
                Ok(Some((text, id, step))) => {
                    let document = Document {
                        text: &text,
                        id: id.as_deref(),
                        step,
                    };
                    let verdict = self.index.judge(document)?;
                    record.set(field::DEDUP, &dedup(verdict));
                }
                Ok(None) => {}
                Err(bad) => record.set_error(Args::NAME, ErrorKind::BadField, bad),
            }
        }
        if !(self.drop && is_twin(&record)) {
            out.write_record(&record);
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.index.commit()?)
    }

    /// Who joins two corpora would be left with the duplicates of one in the other.
    fn finish(&mut self, _: &mut Output) -> anyhow::Result<()> {
        if self.judged_before > 0 && self.drop {
            self.messages.warn(format_args!(
                "{} records have `dedup` already and were not compared; --force compares them",
                self.judged_before
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
}

/// Text, identity and step of a document.
type Parts<'a> = (Cow<'a, str>, Option<Cow<'a, str>>, u64);

/// The parts of a record's document, if it has one.
fn read(record: &Record) -> Result<Option<Parts<'_>>, BadField> {
    let Some(text) = record.text()? else {
        return Ok(None);
    };
    let step = record
        .view::<Step>(field::STEP)?
        .map_or(0, |step| step.number);
    Ok(Some((text, record.string(field::ID)?, step)))
}

/// Whether the record was judged a twin, now or before.
fn is_twin(record: &Record) -> bool {
    matches!(record.view::<Dedup>(field::DEDUP), Ok(Some(dedup)) if dedup.status != DedupStatus::New)
}

/// The field that says a verdict.
fn dedup(verdict: Verdict) -> Dedup {
    match verdict {
        Verdict::New => Dedup {
            status: DedupStatus::New,
            of: None,
            resemblance: None,
        },
        Verdict::Exact { of } => Dedup {
            status: DedupStatus::Exact,
            of,
            resemblance: Some(1.0),
        },
        Verdict::Near { of, resemblance } => Dedup {
            status: DedupStatus::Near,
            of,
            resemblance: Some(resemblance),
        },
    }
}
