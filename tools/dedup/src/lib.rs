//! dedup: mark duplicates of earlier documents, and index new documents.

mod args;
mod files;
mod others;
mod shards;
mod stage;

pub use args::{Comparison, Selection};

use args::Args;
use forage_cli::{Io, format_count};
use forage_dedup::{DuplicateIndex, DuplicateIndexError};
use forage_state::StateError;
use forage_step::RebuildRequest;
use stage::{DedupStage, Preparation};
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if shards::run(&args, io)? {
        return Ok(());
    }
    if args.files.as_documents {
        anyhow::ensure!(
            args.step.from_step.is_none() && args.step.rebuild.is_none(),
            "--files cannot be used with --from-step or --rebuild"
        );
        return files::mark_files(&args, io);
    }
    if !args.merge.is_empty() {
        return others::merge(&args, io);
    }
    if args.remove {
        return remove_documents(&args, io);
    }
    match (&args.step.rebuild, &args.index) {
        (Some(journal), Some(index)) => rebuild_index(&args, index, journal, io),
        _ => mark_duplicates(&args, io),
    }
}

/// Removes the documents with the ids of the input from the index.
fn remove_documents(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut ids = HashSet::new();
    io.for_each_record(&args.input, |record| {
        ids.extend(record.id().map(Cow::into_owned));
        Ok(())
    })?;
    let mut index = open_index(args)?;
    let removed = index.remove_documents(&ids)?;
    index.merge_wal()?;
    let documents = format_count(ids.len() as u64, "document");
    io.messages
        .info(format_args!("{removed} of {documents} removed"));
    Ok(())
}

fn mark_duplicates(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut index = open_index(args)?;
    if args.comparison.titles {
        index.compare_titles();
    }
    if let Some(step) = args.step.from_step {
        index.remove_documents_from(step)?;
        index.commit()?;
    }
    if let Some(share) = args.paragraphs {
        index.compare_paragraphs(share)?;
    }
    let mut others = Vec::with_capacity(args.against.len());
    for path in &args.against {
        let mut other = others::open(path, args, index.threshold(), io)?;
        if args.comparison.titles {
            other.compare_titles();
        }
        if let Some(share) = args.paragraphs {
            other.compare_paragraphs(share)?;
        }
        others.push(other);
    }
    let preparation = Preparation {
        comparer: index.comparer(),
        force: args.force,
        titles: args.comparison.titles,
    };
    let mut stage = DedupStage {
        index,
        preparation,
        others,
        drop: args.selection.drop,
        is_step: args.step.is_step(),
        dropped: 0,
        records: 0,
        messages: io.messages.clone(),
    };
    io.run_prepared_stage(
        &args.input,
        args.jobs.thread_count(),
        &mut stage,
        |record| preparation.prepare(record),
        DedupStage::process,
    )
}

/// Opens the index of `--index`, or else an empty one in memory.
fn open_index(args: &Args) -> Result<DuplicateIndex, DuplicateIndexError> {
    match &args.index {
        Some(path) => DuplicateIndex::open(path, args.comparison.threshold),
        None => DuplicateIndex::in_memory(args.comparison.threshold),
    }
}

fn rebuild_index(args: &Args, path: &Path, journal: &Path, io: &mut Io) -> anyhow::Result<()> {
    let request = RebuildRequest {
        state: path,
        journal,
        if_behind: args.step.if_behind,
        input: &args.input,
        consequence: "",
    };
    let open = || match DuplicateIndex::open(path, args.comparison.threshold) {
        Err(DuplicateIndexError::State(StateError::Older { .. })) => Ok(None),
        index => Ok(Some(index?)),
    };
    let open_empty = || {
        let mut index = DuplicateIndex::open_empty(path, args.comparison.threshold)?;
        if args.comparison.titles {
            index.compare_titles();
        }
        Ok(index)
    };
    forage_step::rebuild(&request, io, open, open_empty)
}
