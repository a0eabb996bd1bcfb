//! take-down: remove documents from runs, and keep them out.
//!
//! The request is written durably before anything changes. All that follows can be repeated: the
//! list of the run is completed from the journal, then each file loses what the list has. What is
//! derived from the journal is removed, and derived again by `run-steps`, as when a run is resumed:
//! so no page of a database and no part of a file keeps a text.

mod args;
mod file;
mod folder;
mod records;
mod request;

use anyhow::{Context, Result};
use args::Args;
use forage_cli::{Io, Messages, format_count};
use forage_run::{PENDING_TAKE_DOWN, TAKEN_DOWN, TakenDownList, has_pending_take_down};
use forage_state::StateError;
use std::fs::{self, File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> Result<()> {
    let requested = request::read(&args, io)?;
    for run in &args.runs {
        let name = run.display();
        let is_run = ["run.conf", "journal.jsonl"].map(|file| run.join(file).is_file());
        anyhow::ensure!(is_run == [true; 2], "{name}: is not the folder of a run");
        anyhow::ensure!(
            !requested.entries().is_empty() || run.join(PENDING_TAKE_DOWN).exists(),
            "{name}: nothing is to be finished; name what is to be removed, as by --url; see --help"
        );
    }
    for run in &args.runs {
        take_down(run, &requested, &io.messages)?;
    }
    let runs = args.runs.iter().map(PathBuf::as_path);
    let args = std::iter::once(Path::new("--rebuild")).chain(runs);
    // In place of this process, so that a kill leaves none that has not locked its run yet.
    Err(tool("run-steps", args)?.exec().into())
}

/// Removes what is requested, and what an interrupted call was to remove, from a run.
fn take_down(run: &Path, requested: &TakenDownList, messages: &Messages) -> Result<()> {
    let folders = [run.to_owned(), run.join("review")];
    let locks = folders
        .iter()
        .filter(|folder| folder.is_dir())
        .map(|folder| lock(folder));
    let locks: Vec<File> = locks.collect::<Result<_>>()?;
    let (pending, path) = (run.join(PENDING_TAKE_DOWN), run.join(TAKEN_DOWN));
    let (mut request, mut list) = (TakenDownList::default(), TakenDownList::default());
    request.read(&pending)?;
    for entry in requested.entries() {
        request.add(entry.clone());
    }
    file::write(&pending, &request.to_lines())?;
    list.read(&path)?;
    let documents = records::resolve(&run.join("journal.jsonl"), &mut list, &request)?;
    file::write(&path, &list.to_lines())?;
    folder::clean(run, run, &list, messages)?;
    let settings = fs::read_to_string(run.join("run.conf"))?;
    let engines = settings
        .lines()
        .filter_map(|line| line.strip_prefix("engine=index:"));
    for folder in engines {
        // It may be that of somebody else.
        if let Err(e) = folder::clean_index(folder.as_ref(), &list) {
            messages.warn(format_args!("{e:#}; it may still have the documents"));
        }
    }
    write_accepted(run)?;
    file::write(&pending, "")?;
    drop(locks);
    let name = run.display();
    if documents == 0 {
        messages.warn(format_args!(
            "{name}: has no document that is named; it is kept out from now on"
        ));
    } else {
        let documents = format_count(documents, "document");
        messages.info(format_args!(
            "{name}: {documents} removed, duplicates included"
        ));
    }
    Ok(())
}

/// Locks a folder as pipelines do.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let mut options = OpenOptions::new();
    let created = options.create(true).append(true).open(&path);
    created.with_context(|| path.display().to_string())?;
    loop {
        match forage_state::lock(&path) {
            // A call that was killed has left a process that derives the state again.
            Err(StateError::InUse(..)) if is_rebuilt(folder) => {}
            lock => {
                let cause = || format!("{}: is in use by a pipeline", folder.display());
                return lock.with_context(cause);
            }
        }
    }
}

/// Returns whether the documents are removed, and the state is being derived again.
fn is_rebuilt(run: &Path) -> bool {
    run.join(PENDING_TAKE_DOWN).exists() && !has_pending_take_down(run)
}

/// Writes the text of what a review has accepted again.
fn write_accepted(run: &Path) -> Result<()> {
    let [records, text] =
        ["jsonl", "txt"].map(|end| run.join("review/accepted").with_extension(end));
    if records.exists() {
        let args = ["--quiet", "--force", "--format", "text", "--out"].map(Path::new);
        let args = args.into_iter().chain([&*text, Path::new("--"), &*records]);
        let status = tool("corpus-export", args)?.status()?;
        anyhow::ensure!(status.success(), "{}: is not written", text.display());
    }
    Ok(())
}

/// Returns the command of another tool, which is beside this one or on the PATH.
fn tool<'a>(name: &str, args: impl Iterator<Item = &'a Path>) -> Result<Command> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = std::env::current_exe().unwrap_or_default();
    let folders = program.parent().map(Path::to_owned).into_iter();
    let folders = std::env::join_paths(folders.chain(std::env::split_paths(&path)))?;
    let mut command = Command::new(name);
    command.args(args).env("PATH", folders).stdin(Stdio::null());
    Ok(command)
}
