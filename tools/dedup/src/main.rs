//! dedup: say of each document whether it is a twin of an earlier one, and remember those that are
//! new.
mod args;
mod twins;

use args::Args;
use forage_cli::Io;
use forage_dedup::Index;
use forage_run::{Event, Projection};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    match &args.rebuild {
        Some(journal) => rebuild(&args, journal, io),
        None => judge(&args, io),
    }
}

fn judge(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut index = Index::open(&args.index, args.threshold)?;
    if let Some(step) = args.from_step {
        index.forget_documents_from(step)?;
        index.commit()?;
    }
    let (is_step, messages) = (args.from_step.is_some(), io.messages.clone());
    let mut twins = twins::Twins {
        index,
        drop: args.drop,
        force: args.force,
        is_step,
        judged_before: 0,
        messages,
    };
    let judged = io.run_stage(&args.input, &mut twins);
    // Also where the output broke off, which is then what is reported: what was committed before is
    // complete.
    let settled = if is_step {
        Ok(())
    } else {
        twins.index.settle()
    };
    judged?;
    Ok(settled?)
}

fn rebuild(args: &Args, journal: &Path, io: &mut Io) -> anyhow::Result<()> {
    if let Some(next) = args.if_behind {
        let mut index = Index::open(&args.index, args.threshold)?;
        if !index.lacks_steps_before(next) {
            index.forget_documents_from(next)?;
            index.commit()?;
            return Ok(index.settle()?);
        }
        let (index, journal) = (args.index.display(), journal.display());
        io.messages.warn(format_args!(
            "{index}: lacks steps of {journal}; it is rebuilt from that"
        ));
    }
    let input = forage_cli::Input {
        files: vec![journal.into()],
        ..args.input.clone()
    };
    let mut index = Index::open_afresh(&args.index, args.threshold)?;
    // In one transaction: until the last record is read, the file is as it was.
    io.for_each_record(&input, |record| {
        index
            .apply(&Event::from_journal(&record)?)
            .map_err(anyhow::Error::from_boxed)
    })?;
    index.commit()?;
    Ok(index.settle()?)
}
