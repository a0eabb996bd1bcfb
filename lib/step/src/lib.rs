//! How the tools of a step keep their state in agreement with the journal of a run.
//!
//! Each tool with state of its own has the options [`StepArgs`]. What they do is the same for all,
//! and is here: [`rebuild`], and the order of commit and output. Tools about finished corpora
//! select the documents of runs and files by [`DocumentArgs`].

mod document_search;
mod documents;
mod repeats;

use forage_cli::{CommitOrder, Input, Io};
use forage_run::{Event, ProjectionFile, is_journal_record};
use forage_state::check_file;
use std::path::{Path, PathBuf};

pub use documents::{DocumentArgs, SelectedDocument, describe};

/// The options by which a run repeats a step and repairs the state of a tool.
///
/// The tool puts its option of the state file into the group `state_file`.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(id = "step_task")]
pub struct StepArgs {
    /// First remove the state of this step and later steps
    ///
    /// The step of a record is step.number. A step is then complete or absent: the state is
    /// committed before the output is written.
    #[arg(
        long,
        value_name = "STEP",
        requires = "state_file",
        conflicts_with = "rebuild"
    )]
    pub from_step: Option<u64>,

    /// Rebuild the state from a journal instead of reading input
    #[arg(
        long,
        value_name = "JOURNAL",
        requires = "state_file",
        conflicts_with = "files"
    )]
    pub rebuild: Option<PathBuf>,

    /// Rebuild only if the state lacks a step before this one
    ///
    /// Otherwise, only remove the state of this step and later steps.
    #[arg(long, value_name = "STEP", requires = "rebuild")]
    pub if_behind: Option<u64>,
}

impl StepArgs {
    /// Returns `true` if the input is a step of a run, which is repeated if it fails.
    pub fn is_step(&self) -> bool {
        self.from_step.is_some()
    }
}

/// Returns the order of commit and output. A step that fails after its commit is removed by the
/// next `--from-step`; without steps, no record may be counted that was not written.
pub fn commit_order(is_step: bool) -> CommitOrder {
    if is_step {
        CommitOrder::BeforeOutput
    } else {
        CommitOrder::AfterOutput
    }
}

/// A request to derive the state of a tool from a journal again.
#[derive(Debug, Clone, Copy)]
pub struct RebuildRequest<'a> {
    /// The file of the state, for messages.
    pub state: &'a Path,
    /// The journal: the value of `--rebuild`.
    pub journal: &'a Path,
    /// The value of `--if-behind`: the state is rebuilt only if it lacks a step before this one.
    pub if_behind: Option<u64>,
    /// The options of the input, such as the longest line.
    pub input: &'a Input,
    /// What else the user should know if the state is rebuilt because it is behind; or nothing.
    pub consequence: &'a str,
}

/// Rebuilds a state from a journal; with `if_behind`, only if it lacks steps. Otherwise, only the
/// step `if_behind` and later ones are removed.
///
/// `open` opens the state as it is; `None` inside stands for one that must be rebuilt although it
/// may have all steps; all its pages are checked before. `open_empty` opens it with an open
/// transaction that empties it, so that the file keeps its content until the last record has been
/// read.
///
/// # Errors
/// Fails, and changes nothing, if the file is no journal, or a file cannot be read or written.
pub fn rebuild<P: ProjectionFile>(
    request: &RebuildRequest,
    io: &mut Io,
    open: impl FnOnce() -> anyhow::Result<Option<P>>,
    open_empty: impl FnOnce() -> anyhow::Result<P>,
) -> anyhow::Result<()> {
    let (state, journal) = (request.state.display(), request.journal.display());
    if let Some(next) = request.if_behind {
        check_file(request.state)?;
        let kept = match open()? {
            Some(mut projection) => projection.keep_steps_before(next),
            None => Ok(false),
        };
        if kept.map_err(anyhow::Error::from_boxed)? {
            return Ok(());
        }
        io.messages.warn(format_args!(
            "{state}: lacks steps of {journal}; rebuilding it from the journal{}",
            request.consequence
        ));
    }
    let mut projection = open_empty()?;
    let mut is_journal = false;
    io.for_each_record(&request.input.with_file(request.journal), |record| {
        is_journal |= is_journal_record(&record);
        projection
            .apply(&Event::from_journal(&record)?)
            .map_err(anyhow::Error::from_boxed)
    })?;
    anyhow::ensure!(
        is_journal,
        "{journal}: is not a journal: no record has a step, a text or a url; {state} is left unchanged"
    );
    projection.save().map_err(anyhow::Error::from_boxed)
}
