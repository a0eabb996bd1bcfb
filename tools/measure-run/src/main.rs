//! measure-run: write what a run brought for what it cost.

mod args;

use anyhow::Context;
use args::Args;
use forage_cli::{Input, Io};
use forage_experiment::{Meter, RunComparison, Truth};
use forage_run::{Event, Projection};
use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if args.compare {
        return compare(&args, io);
    }
    let truth = args
        .truth
        .as_deref()
        .map(|file| read_truth(file, io))
        .transpose()?;
    let mut meter = Meter::new(truth.as_ref());
    io.for_each_record(&args.input, |record| {
        meter
            .apply(&Event::from_journal(&record)?)
            .map_err(anyhow::Error::from_boxed)
    })?;
    let runs = meter.finish(&args.setting, args.seed, args.limits());
    anyhow::ensure!(
        !runs.is_empty(),
        "no record has a `step`: this is no journal of a run, or one without a step"
    );
    for run in runs {
        io.messages.debug(run.described());
        io.out.write_line(&serde_json::to_string(&run)?);
    }
    Ok(())
}

/// Compares runs by their journals, each of which is one file.
fn compare(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut runs = RunComparison::new(args.target.clone());
    let mut known = HashSet::new();
    for file in &args.input.files {
        let is_new = file.canonicalize().map_or(true, |path| known.insert(path));
        anyhow::ensure!(
            is_new,
            "{}: is there twice; runs with different seeds can be compared",
            file.display()
        );
        runs.start_run();
        let input = Input {
            files: vec![file.clone()],
            ..args.input.clone()
        };
        io.for_each_record(&input, |record| {
            runs.apply(&Event::from_journal(&record)?)
                .map_err(anyhow::Error::from_boxed)
        })?;
        let (file, target) = (file.display(), runs.target());
        anyhow::ensure!(
            !target.is_empty(),
            "{file}: no record has a `step`: it is no journal of a run"
        );
        anyhow::ensure!(
            runs.documents() > 0,
            "{file}: has no relevant document of {target} to compare by"
        );
    }
    io.out
        .write_line(&serde_json::to_string(&runs.compare()).context("the comparison")?);
    Ok(())
}

/// Reads the true classes; a line that is none of them stops the tool, as all figures would be
/// wrong.
fn read_truth(file: &Path, io: &mut Io) -> anyhow::Result<Truth> {
    let mut truth = Truth::default();
    let mut input = Input::from_files(vec![file.to_path_buf()]);
    input.strict = true;
    io.for_each_line(&input, |line, _| truth.add(&line))
        .context("--truth")?;
    anyhow::ensure!(
        truth.documents() > 0,
        "--truth {}: holds no line",
        file.display()
    );
    Ok(truth)
}
