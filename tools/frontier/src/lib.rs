//! frontier: keep the URLs that a focused crawl has found, and give the best ones.

mod args;
mod scope_files;
mod stages;
pub mod state_file;

pub use args::{Choice, Scope};

use crate::state_file::{BatchRequest, Frontier, QueuedUrl};
use args::Args;
use forage_cli::Io;
use forage_record::{Record, Step, field};
use forage_run::{ProjectionFile, StepProjection};
use forage_step::RebuildRequest;
use scope_files::read_scope;
use stages::{JudgedStage, SeedStage, check_earlier_steps};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    match (&args.step.rebuild, args.next) {
        (Some(journal), _) => rebuild(&args, journal, io),
        (None, Some(count)) => write_next(&args, count, io),
        (None, None) if args.add => add_seeds(&args, io),
        (None, None) if args.report => write_report(&args, io),
        (None, None) => apply_judged(&args, io),
    }
}

fn open(args: &Args) -> anyhow::Result<Frontier> {
    let frontier = Frontier::open(&args.state, read_scope(args)?)?;
    Ok(frontier.with_score_field(args.scope.score.clone()))
}

fn add_seeds(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut stage = SeedStage {
        frontier: open(args)?,
        location: None,
        messages: io.messages.clone(),
    };
    io.run_stage(&args.input, &mut stage)?;
    stage.frontier.advance_to(0);
    stage.frontier.save().map_err(anyhow::Error::from_boxed)
}

fn apply_judged(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut stage = JudgedStage::new(args, read_scope(args)?, io.messages.clone());
    io.run_stage(&args.input, &mut stage)
}

fn write_next(args: &Args, count: NonZeroUsize, io: &mut Io) -> anyhow::Result<()> {
    let mut frontier = open(args)?;
    if let Some(step) = args.step.from_step {
        check_earlier_steps(&frontier, args.partition, &args.state, step)?;
        frontier.remove_from(step)?;
    }
    let step = match args.number {
        Some(step) => step.get(),
        None => frontier.next_step()?,
    };
    let batch = frontier.take_batch(&BatchRequest {
        count: count.get(),
        per_host: args.choice.per_host_step.map(NonZeroUsize::get),
        step,
        order: args.choice.order,
    })?;
    for (index, queued) in batch.iter().enumerate() {
        let step = Step {
            number: step,
            target: args.choice.target.clone(),
            last: (index + 1 == batch.len()).then_some(true),
        };
        io.out.write_record(&to_record(queued, &step));
    }
    if args.step.is_step() {
        frontier.commit()?;
        return io.out.flush();
    }
    io.out.flush()?;
    frontier.commit()?;
    Ok(frontier.merge_wal()?)
}

fn to_record(queued: &QueuedUrl, step: &Step) -> Record {
    let mut record = Record::new();
    record.set(field::STEP, step);
    record.set(field::URL, &queued.url);
    record.set(field::FRONTIER, &queued.entry);
    record
}

fn write_report(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    anyhow::ensure!(
        args.state.exists(),
        "{}: no such file",
        args.state.display()
    );
    let report = open(args)?.report()?;
    io.out.write_line(&serde_json::to_string_pretty(&report)?);
    io.out.flush()
}

fn rebuild(args: &Args, journal: &Path, io: &mut Io) -> anyhow::Result<()> {
    let request = RebuildRequest {
        state: &args.state,
        journal,
        if_behind: args.step.if_behind,
        input: &args.input,
        consequence: "",
    };
    let open_empty = || {
        let frontier = Frontier::open_empty(&args.state, read_scope(args)?)?;
        Ok(frontier.with_score_field(args.scope.score.clone()))
    };
    forage_step::rebuild(&request, io, || open(args).map(Some), open_empty)
}
