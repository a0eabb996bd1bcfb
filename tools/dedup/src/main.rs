//! dedup: mark duplicates of earlier documents, and index new documents.

mod args;
mod files;
mod stage;

use anyhow::Context;
use args::Args;
use forage_cli::Io;
use forage_dedup::DuplicateIndex;
use forage_run::{Event, Projection, ProjectionFile};
use stage::DedupStage;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if args.files.as_documents {
        return files::mark_files(&args, io);
    }
    let index = args.index.as_deref().context("--index is required")?;
    match &args.rebuild {
        Some(journal) => rebuild_index(&args, index, journal, io),
        None => mark_duplicates(&args, index, io),
    }
}

fn mark_duplicates(args: &Args, index: &Path, io: &mut Io) -> anyhow::Result<()> {
    let mut index = DuplicateIndex::open(index, args.threshold)?;
    if args.titles {
        index.compare_titles()?;
    }
    if let Some(step) = args.from_step {
        index.remove_documents_from(step)?;
        index.commit()?;
    }
    let mut others = Vec::with_capacity(args.against.len());
    for path in &args.against {
        let mut other = DuplicateIndex::open_read_only(path, args.threshold)?;
        if args.titles {
            other.compare_titles()?;
        }
        others.push(other);
    }
    let mut stage = DedupStage {
        index,
        others,
        drop: args.drop,
        force: args.force,
        titles: args.titles,
        is_step: args.from_step.is_some(),
        not_compared: 0,
        messages: io.messages.clone(),
    };
    io.run_stage(&args.input, &mut stage)
}

fn rebuild_index(args: &Args, path: &Path, journal: &Path, io: &mut Io) -> anyhow::Result<()> {
    if let Some(next) = args.if_behind {
        let mut index = DuplicateIndex::open(path, args.threshold)?;
        let lacks_titles = args.titles && index.lacks_titles()?;
        if !lacks_titles
            && index
                .keep_steps_before(next)
                .map_err(anyhow::Error::from_boxed)?
        {
            return Ok(());
        }
        let (index, journal) = (path.display(), journal.display());
        let missing = if lacks_titles { "titles" } else { "steps" };
        io.messages.warn(format_args!(
            "{index}: lacks {missing} of {journal}; rebuilding the index from the journal"
        ));
    }
    let input = args.input.with_file(journal);
    let mut index = DuplicateIndex::open_empty(path, args.threshold)?;
    if args.titles {
        index.compare_titles()?;
    }
    // In one transaction: the file keeps its old content until the last record is read.
    io.for_each_record(&input, |record| {
        index
            .apply(&Event::from_journal(&record)?)
            .map_err(anyhow::Error::from_boxed)
    })?;
    index.save().map_err(anyhow::Error::from_boxed)
}
