//! measure-run: measure the yield and cost of a run.

mod args;

use anyhow::Context;
use args::Args;
use forage_cli::{Input, Io};
use forage_experiment::{RunComparison, RunMeter, TrueClasses};
use forage_run::{Event, Projection};
use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if args.compare {
        return compare_runs(&args, io);
    }
    let true_classes = args
        .truth
        .as_deref()
        .map(|file| read_true_classes(file, io))
        .transpose()?;
    let mut meter = RunMeter::new(true_classes.as_ref());
    io.for_each_record(&args.input, |record| {
        meter
            .apply(&Event::from_journal(&record)?)
            .map_err(anyhow::Error::from_boxed)
    })?;
    let runs = meter.finish(&args.setting, args.seed, args.limits());
    anyhow::ensure!(
        !runs.is_empty(),
        "no record has a `step`; the input is not the journal of a run, or has no step yet"
    );
    for run in runs {
        io.messages.debug(run.summary());
        io.out.write_line(&serde_json::to_string(&run)?);
    }
    Ok(())
}

/// Compares runs by their journals, one per file.
fn compare_runs(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut comparison = RunComparison::new(args.target.clone());
    let mut seen_files = HashSet::new();
    for file in &args.input.files {
        let is_new = file
            .canonicalize()
            .map_or(true, |path| seen_files.insert(path));
        anyhow::ensure!(
            is_new,
            "{}: is given twice; compare runs with different seeds",
            file.display()
        );
        comparison.start_run();
        io.for_each_record(&args.input.with_file(file), |record| {
            comparison
                .apply(&Event::from_journal(&record)?)
                .map_err(anyhow::Error::from_boxed)
        })?;
        let file = file.display();
        let target = comparison.target();
        anyhow::ensure!(
            !target.is_empty(),
            "{file}: no record has a `step`; it is not the journal of a run"
        );
        anyhow::ensure!(
            comparison.documents() > 0,
            "{file}: has no relevant document of {target}"
        );
    }
    io.out
        .write_line(&serde_json::to_string(&comparison.compare()).context("the comparison")?);
    Ok(())
}

/// Reads the true classes. A malformed line stops the tool, because all figures would be wrong.
fn read_true_classes(file: &Path, io: &mut Io) -> anyhow::Result<TrueClasses> {
    let mut true_classes = TrueClasses::default();
    let mut input = Input::from_files(vec![file.to_path_buf()]);
    input.strict = true;
    io.for_each_line(&input, |line, _| true_classes.add_line(&line))
        .context("--truth")?;
    anyhow::ensure!(
        true_classes.documents() > 0,
        "--truth {}: has no lines",
        file.display()
    );
    Ok(true_classes)
}
