//! The stage: each record in, judged, and out.

use crate::args::Args;
use forage_cli::{CommitOrder, Output, Speaker, Stage, Tool};
use forage_dedup::{Document, Index, Verdict};
use forage_record::{BadField, Dedup, DedupStatus, ErrorKind, Hit, Query, Record, field};
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
    pub say: Speaker,
}

impl Stage for Twins {
    fn record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if let Some(step) = whole_step_of(&record) {
            self.index.advance_to(step);
        }
        self.judged_before += u64::from(!self.force && record.has(field::DEDUP));
        if record.lacks(field::DEDUP, self.force) {
            match Found::read(&record) {
                Ok(Some(found)) => {
                    let verdict = self.index.judge(found.document())?;
                    record.set(field::DEDUP, &dedup(verdict));
                }
                Ok(None) => {}
                Err(bad) => record.set_error(Args::NAME, ErrorKind::BadField, bad),
            }
        }
        if !(self.drop && is_twin(&record)) {
            out.record(&record);
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.index.commit()?)
    }

    /// Who joins two corpora would be left with the duplicates of one in the other.
    fn end(&mut self, _: &mut Output) -> anyhow::Result<()> {
        if self.judged_before > 0 && self.drop {
            self.say.warn(format_args!(
                "{} records have `dedup` already and were not compared; --force compares them",
                self.judged_before
            ));
        }
        Ok(())
    }

    fn commit_order(&self) -> CommitOrder {
        if self.is_step { CommitOrder::BeforeOutput } else { CommitOrder::AfterOutput }
    }
}

/// The last step of which nothing is to come after a record: its own where it is the last one of that.
pub fn whole_step_of(record: &Record) -> Option<u64> {
    let step = record.view::<Query>(field::QUERY).ok().flatten()?.step;
    let is_last = record.view::<Hit>(field::HIT).is_ok_and(|hit| hit.is_some_and(|hit| hit.last));
    Some(if is_last { step } else { step.saturating_sub(1) })
}

/// What a record says of its document.
pub struct Found<'a> {
    text: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    step: u64,
}

impl<'a> Found<'a> {
    /// The document of a record, if it has one.
    pub fn read(record: &'a Record) -> Result<Option<Found<'a>>, BadField> {
        let Some(text) = record.text()? else { return Ok(None) };
        let step = record.view::<Query>(field::QUERY)?.map_or(0, |query| query.step);
        Ok(Some(Found { text, id: record.string(field::ID)?, step }))
    }

    /// As the index takes it.
    pub fn document(&self) -> Document<'_> {
        Document { text: &self.text, id: self.id.as_deref(), step: self.step }
    }
}

/// Whether the record was judged a twin, now or before.
fn is_twin(record: &Record) -> bool {
    matches!(record.view::<Dedup>(field::DEDUP), Ok(Some(dedup)) if dedup.status != DedupStatus::New)
}

/// The field that says a verdict.
fn dedup(verdict: Verdict) -> Dedup {
    match verdict {
        Verdict::New => Dedup { status: DedupStatus::New, of: None, resemblance: None },
        Verdict::Exact { of } => Dedup { status: DedupStatus::Exact, of, resemblance: Some(1.0) },
        Verdict::Near { of, resemblance } => Dedup { status: DedupStatus::Near, of, resemblance: Some(resemblance) },
    }
}
