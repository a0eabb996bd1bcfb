//! gen-query: put the next query together from what was learned.

mod args;
mod next;

use anyhow::Context;
use args::Args;
use forage_cli::Io;
use forage_query::select::Ranked;
use forage_query::{Statistics, Terms};
use forage_record::{Record, Step, field};
use next::{NO_REPEATS, Next};
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let chooser = args.chooser()?;
    let statistics = Statistics::open_to_read(&args.stats)?;
    let last = args.step.checked_add(args.count).context("--step and -n together are too large")?;
    for step in args.step..last {
        let terms = match args.next(chooser, &statistics, step)? {
            Next::Query(terms) => *terms,
            Next::Probe { terms, is_vain } => {
                if is_vain {
                    io.say.warn(format_args!("{}: {NO_REPEATS}", args.target));
                }
                *terms
            }
            Next::Spent => {
                io.say.info(format_args!("{}: spent at step {step}: {}", args.target, args.end(chooser)));
                args.tell_coverage(&statistics, io)?;
                break;
            }
            Next::Covered => {
                io.say.info(format_args!("{}: done at step {step}", args.target));
                args.tell_coverage(&statistics, io)?;
                break;
            }
        };
        if args.explain {
            explain(&terms, io);
        } else {
            let mut record = Record::new();
            record.set(field::STEP, &Step { number: step, target: args.target.clone(), last: Some(true) });
            record.set(field::QUERY, &terms.query);
            io.out.record(&record);
        }
        io.out.spill()?;
    }
    Ok(())
}

/// A line a term: sign, rank, term, tf and df in its own classes, df in the others, score; one for a document to be like.
fn explain(terms: &Terms, io: &mut Io) {
    io.out.line("side\trank\tterm\ttf\tdf\tdf_other\tscore");
    if let Some(url) = &terms.query.like {
        io.out.line(&format!("~\t-\t{url}\t-\t-\t-\t-"));
    }
    for (sign, side) in [('+', &terms.include), ('-', &terms.exclude)] {
        for Ranked { term, tf, df, df_other, score, rank } in side {
            let is_selected = terms.query.strategy.as_ref().is_some_and(|strategy| strategy.method.is_some());
            let unranked = if is_selected { "drawn" } else { "-" };
            let rank = rank.map_or(unranked.into(), |rank| rank.to_string());
            io.out.line(&format!("{sign}\t{rank}\t{term}\t{tf}\t{df}\t{df_other}\t{score:.4}"));
        }
    }
}
