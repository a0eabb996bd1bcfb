//! The stages that add seeds and apply judged pages.

use crate::args::Args;
use crate::state_file::{CrawlScope, Frontier, ScoreField};
use forage_cli::{CommitOrder, LineLocation, Messages, Output, Stage, Tool};
use forage_record::{BadField, ErrorKind, Fetch, Record, Step, Topic, field};
use forage_run::{Event, ProjectionFile, StepProjection};
use forage_web::page_url::Partition;
use std::collections::BTreeSet;
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

/// What a pipe must do, for messages.
const PASS_ON: &str = "each tool between must pass on every record once, in order";

/// Checks that the frontier of a partition has all steps before one. A pipeline does so before its
/// first step; a crawl in partitions has none, and would go on with a file that was lost.
///
/// # Errors
/// Fails if it lacks one.
pub(crate) fn check_earlier_steps(
    frontier: &Frontier,
    partition: Option<Partition>,
    path: &Path,
    step: u64,
) -> anyhow::Result<()> {
    anyhow::ensure!(
        partition.is_none() || !frontier.lacks_steps_before(step),
        "{}: lacks steps before {step}; rebuild it from the seeds and the pages of all steps",
        path.display()
    );
    Ok(())
}

/// Applies judged pages, and passes them on.
pub(crate) struct JudgedStage<'a> {
    path: &'a Path,
    scope: CrawlScope,
    score_field: &'a ScoreField,
    messages: Messages,
    /// With `--from-step`: the step, which is repeated if it is interrupted.
    step: Option<u64>,
    /// Opened when the first record arrives, because the start of the pipe may have it open until
    /// then.
    frontier: Option<Frontier>,
    /// URLs that the step was given and that have not arrived; `None` if the frontier gave none.
    missing: Option<BTreeSet<String>>,
    /// True if a record has arrived.
    has_arrived: bool,
    /// True if a page without a score was reported.
    has_warned: bool,
}

impl<'a> JudgedStage<'a> {
    pub(crate) fn new(args: &'a Args, scope: CrawlScope, messages: Messages) -> JudgedStage<'a> {
        JudgedStage {
            path: &args.state,
            scope,
            score_field: &args.scope.score,
            messages,
            step: args.step.from_step,
            frontier: None,
            missing: None,
            has_arrived: false,
            has_warned: false,
        }
    }

    fn frontier(&mut self) -> anyhow::Result<&mut Frontier> {
        let frontier = match self.frontier.take() {
            Some(frontier) => frontier,
            None => {
                let frontier = Frontier::open(self.path, self.scope.clone())?;
                let mut frontier = frontier.with_score_field(self.score_field.clone());
                if let Some(step) = self.step {
                    check_earlier_steps(&frontier, self.scope.partition, self.path, step)?;
                    let given = frontier.given_in_step(step)?;
                    self.missing = (!given.is_empty()).then(|| given.into_iter().collect());
                    frontier.remove_from(step)?;
                    frontier.commit()?;
                }
                frontier
            }
        };
        Ok(self.frontier.insert(frontier))
    }

    /// Takes note of a record of the step. Each URL that the step was given must arrive once, and
    /// the last record last. Those of other partitions are not counted.
    ///
    /// # Errors
    /// Fails if a URL is missing, has arrived twice or was not given.
    fn count_record(&mut self, event: &Event) -> anyhow::Result<()> {
        self.has_arrived = true;
        if event.is_retry {
            return Ok(());
        }
        let url = event.url().unwrap_or_default();
        let partition = self.scope.partition;
        if partition.is_some_and(|partition| !partition.contains_url(&url)) {
            return Ok(());
        }
        if let Some(missing) = &mut self.missing {
            anyhow::ensure!(
                missing.remove(&*url),
                "step {}: {url}: came back twice, or was not given; {PASS_ON}",
                self.step.unwrap_or_default()
            );
        }
        if !event.ends_step() {
            return Ok(());
        }
        self.check_complete()
    }

    /// Checks that every URL of the step has arrived, if the frontier has given them. Without any
    /// record, the step is only removed.
    fn check_complete(&self) -> anyhow::Result<()> {
        if self.has_arrived
            && let Some(url) = self.missing.iter().flatten().next()
        {
            anyhow::bail!(
                "step {}: {url}: did not come back; {PASS_ON}",
                self.step.unwrap_or_default()
            );
        }
        Ok(())
    }

    /// Warns of a page without the field that has its score: the filter was left out, or the name
    /// of the field is wrong. A page that has a label was left out by a filter that judges only
    /// some labels.
    fn check_score(&mut self, event: &Event) {
        let is_left_out = event.label.is_some() && *self.score_field == ScoreField::default();
        if self.has_warned
            || !event.is_document
            || is_left_out
            || !self.score_field.is_missing(event.record())
        {
            return;
        }
        self.has_warned = true;
        self.messages.warn(format_args!(
            "{}: has no score, the number {}; the links of such pages have the score 0",
            event.url().unwrap_or_default(),
            self.score_field
        ));
    }
}

impl Stage for JudgedStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if !record.has_error()
            && let Err(e) = check_fields(&record)
        {
            record.set_error(Args::NAME, ErrorKind::BadField, e);
        }
        let event = Event::from_record(&record);
        self.frontier()?.apply_judged(&event)?;
        self.count_record(&event)?;
        self.check_score(&event);
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
        forage_step::commit_order(self.step.is_some())
    }

    fn close(&mut self) -> anyhow::Result<()> {
        match &mut self.frontier {
            Some(frontier) => Ok(frontier.merge_wal()?),
            None => Ok(()),
        }
    }

    fn finish(&mut self, _: &mut Output) -> anyhow::Result<()> {
        // Without a record, the file is opened here, so that a wrong one is always refused.
        self.frontier()?;
        self.check_complete()
    }
}

/// Checks the types of the fields that the frontier is made of.
fn check_fields(record: &Record) -> Result<(), BadField> {
    record.string(field::URL)?;
    record.view::<Step>(field::STEP)?;
    record.view::<Fetch>(field::FETCH)?;
    record.view::<Topic>(field::TOPIC)?;
    record.out_links()?;
    record.in_links()?;
    Ok(())
}
