//! The files of `--state` and `--feedback`, rebuilt from a journal.

use crate::args::Args;
use forage_cli::Io;
use forage_run::ProjectionFile;
use forage_step::RebuildRequest;
use std::error::Error;
use std::path::Path;

/// Rebuilds a file from a journal; with `--if-behind`, only if it lacks a step.
pub(crate) fn rebuild_file<P: ProjectionFile, E: Error + Send + Sync + 'static>(
    args: &Args,
    (state, journal): (&Path, &Path),
    io: &mut Io,
    open: impl FnOnce() -> Result<P, E>,
    open_empty: impl FnOnce() -> Result<P, E>,
) -> anyhow::Result<()> {
    let request = RebuildRequest {
        state,
        journal,
        if_behind: args.step.if_behind,
        input: &args.input,
        consequence: "",
    };
    forage_step::rebuild(&request, io, || Ok(Some(open()?)), || Ok(open_empty()?))
}
