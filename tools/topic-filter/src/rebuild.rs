//! The files of `--state` and `--feedback`, rebuilt from a journal.

use crate::args::Args;
use forage_cli::Io;
use forage_run::{Event, ProjectionFile};
use std::error::Error;
use std::path::Path;

/// Rebuilds a file from a journal; with `--if-behind`, only if it lacks a step.
pub(crate) fn rebuild_file<P: ProjectionFile, E: Error + Send + Sync + 'static>(
    args: &Args,
    (path, journal): (&Path, &Path),
    io: &mut Io,
    open: impl FnOnce() -> Result<P, E>,
    open_empty: impl FnOnce() -> Result<P, E>,
) -> anyhow::Result<()> {
    if let Some(next) = args.if_behind {
        if open()?
            .keep_steps_before(next)
            .map_err(anyhow::Error::from_boxed)?
        {
            return Ok(());
        }
        io.messages.warn(format_args!(
            "{}: lacks steps of {}; rebuilding the state from the journal",
            path.display(),
            journal.display()
        ));
    }
    let mut file = open_empty()?;
    let mut is_empty = true;
    // In one transaction: the file keeps its old content until the last record is read.
    io.for_each_record(&args.input.with_file(journal), |record| {
        is_empty = false;
        file.apply(&Event::from_journal(&record)?)
            .map_err(anyhow::Error::from_boxed)
    })?;
    anyhow::ensure!(
        !is_empty,
        "{}: has no record; {} is left unchanged",
        journal.display(),
        path.display()
    );
    file.save().map_err(anyhow::Error::from_boxed)
}
