//! gen-query: put the next query together from what was learned.

mod args;

use anyhow::Context;
use args::Args;
use forage_cli::Io;
use forage_query::select::Ranked;
use forage_query::{Plan, Statistics, Terms, compose};
use forage_record::{Record, field};
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    anyhow::ensure!(
        args.include.length + args.exclude.length > 0,
        "a query needs a term: --include and --exclude can't both have length 0"
    );
    let statistics = Statistics::open_to_read(&args.stats)?;
    let last = args.step.checked_add(args.count).context("--step and -n together are too large")?;
    for step in args.step..last {
        let Some(terms) = compose(&statistics, &args.plan(step))? else {
            io.say.warn(format_args!(
                "{}: spent at step {step}: the terms that statistics and --recovery {} allow bring nothing more",
                args.target, args.recovery
            ));
            break;
        };
        if args.explain {
            explain(&terms, io);
        } else {
            let mut record = Record::new();
            record.set(field::QUERY, &terms.query);
            io.out.record(&record);
        }
        io.out.spill()?;
    }
    Ok(())
}

impl Args {
    fn plan(&self, step: u64) -> Plan {
        let versus = if self.versus == ["all"] { None } else { Some(self.versus.clone()) };
        Plan {
            target: self.target.clone(),
            versus,
            include: self.include,
            exclude: self.exclude,
            step,
            seed: self.seed,
            recovery: self.recovery,
        }
    }
}

/// A line a term: sign, rank, term, tf and df in its own classes, df in the others, score.
fn explain(terms: &Terms, io: &mut Io) {
    io.out.line("side\trank\tterm\ttf\tdf\tdf_other\tscore");
    for (sign, side) in [('+', &terms.include), ('-', &terms.exclude)] {
        for Ranked { term, tf, df, df_other, score, rank } in side {
            let rank = rank.map_or("drawn".into(), |rank| rank.to_string());
            io.out.line(&format!("{sign}\t{rank}\t{term}\t{tf}\t{df}\t{df_other}\t{score:.4}"));
        }
    }
}
