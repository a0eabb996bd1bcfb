//! The stages that add seeds and apply judged pages.

use crate::args::Args;
use forage_cli::{CommitOrder, LineLocation, Messages, Output, Stage, Tool};
use forage_frontier::{CrawlScope, Frontier};
use forage_record::{BadField, ErrorKind, Fetch, Record, Step, Topic, field};
use forage_run::Event;
use std::path::Path;

/// Adds the URLs of records as seeds.
pub(crate) struct SeedStage {
    pub(crate) frontier: Frontier,
    pub(crate) location: Option<LineLocation>,
    pub(crate) messages: Messages,
}

impl Stage for SeedStage {
    fn set_location(&mut self, location: &LineLocation) {
        self.location = Some(location.clone());
    }

    fn process_record(&mut self, record: Record, _: &mut Output) -> anyhow::Result<()> {
        if record.has_error() {
            return Ok(());
        }
        match record.string(field::URL) {
            Ok(None) => {}
            Err(e) => self.warn(e),
            Ok(Some(url)) => match self.frontier.add_seed(&url)? {
                Ok(true) => {}
                Ok(false) => self.warn(format_args!("`{url}`: the host is not in the scope")),
                Err(e) => self.warn(format_args!("`{url}`: {e}")),
            },
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.frontier.commit()?)
    }
}

impl SeedStage {
    fn warn(&self, cause: impl std::fmt::Display) {
        let place = self
            .location
            .as_ref()
            .map(|location| format!("{location}: "));
        let place = place.unwrap_or_default();
        self.messages
            .warn(format_args!("{place}{cause}; seed left out"));
    }
}

/// Applies judged pages, and passes them on.
pub(crate) struct JudgedStage<'a> {
    pub(crate) path: &'a Path,
    pub(crate) scope: CrawlScope,
    /// With `--from-step`: the step, which is repeated if it is interrupted.
    pub(crate) step: Option<u64>,
    /// Opened when the first record arrives, because the start of the pipe may have it open until
    /// then.
    pub(crate) frontier: Option<Frontier>,
}

impl JudgedStage<'_> {
    fn frontier(&mut self) -> anyhow::Result<&mut Frontier> {
        let frontier = match self.frontier.take() {
            Some(frontier) => frontier,
            None => {
                let mut frontier = Frontier::open(self.path, self.scope.clone())?;
                if let Some(step) = self.step {
                    frontier.remove_steps_from(step)?;
                    frontier.commit()?;
                }
                frontier
            }
        };
        Ok(self.frontier.insert(frontier))
    }
}

impl Stage for JudgedStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if !record.has_error()
            && let Err(e) = check_fields(&record)
        {
            record.set_error(Args::NAME, ErrorKind::BadField, e);
        }
        self.frontier()?
            .apply_judged(&Event::from_record(&record))?;
        out.write_record(&record);
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        match &mut self.frontier {
            Some(frontier) => Ok(frontier.commit()?),
            None => Ok(()),
        }
    }

    fn commit_order(&self) -> CommitOrder {
        match self.step {
            Some(_) => CommitOrder::BeforeOutput,
            None => CommitOrder::AfterOutput,
        }
    }

    fn close(&mut self) -> anyhow::Result<()> {
        // In a pipeline, the process of the next step opens the file again.
        match (&mut self.frontier, self.step) {
            (Some(frontier), None) => Ok(frontier.merge_wal()?),
            _ => Ok(()),
        }
    }

    fn finish(&mut self, _: &mut Output) -> anyhow::Result<()> {
        // Without a record, the file is opened here, so that a wrong one is always refused.
        self.frontier().map(drop)
    }
}

/// Checks the types of the fields that the frontier is made of.
fn check_fields(record: &Record) -> Result<(), BadField> {
    record.string(field::URL)?;
    record.view::<Step>(field::STEP)?;
    record.view::<Fetch>(field::FETCH)?;
    record.view::<Topic>(field::TOPIC)?;
    record.out_links()?;
    Ok(())
}
