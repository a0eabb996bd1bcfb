//! gen-query: put the next query together from what was learned.

mod args;

use anyhow::Context;
use args::Args;
use forage_cli::{Io, Messages};
use forage_query::Statistics;
use forage_query::coverage::{Coverage, estimate_coverage};
use forage_query::select::SelectedTerm;
use forage_query::strategy::{ComposedQuery, QueryChoice, engine_never_repeats_hits};
use forage_record::{Record, Step, field};
use std::process::ExitCode;

/// Reported when probes bring anything but what is known.
const NO_REPEATS: &str = "the engine shows none of the documents again that are known to match a probe; how much is \
    covered can't be estimated, and --until-coverage does not end the run (--docs, --queries and --calls do)";

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let strategy = args.strategy()?;
    let Some(stats) = args.stats.as_ref().filter(|_| !args.capabilities) else {
        io.out.write_line(&strategy.needs().names());
        return Ok(());
    };
    let statistics = Statistics::open_read_only(stats)?;
    let last = args
        .step
        .checked_add(args.count)
        .context("--step and -n together are too large")?;
    for step in args.step..last {
        let request = args.request(args.contrast(), step);
        match statistics.read_in_transaction(|from| strategy.choose_query(from, &request))? {
            QueryChoice::Query(terms) => write(&terms, &args, step, io),
            QueryChoice::Probe {
                query,
                never_repeats_hits,
            } => {
                if never_repeats_hits {
                    io.messages
                        .warn(format_args!("{}: {NO_REPEATS}", args.target));
                }
                write(&query, &args, step, io);
            }
            QueryChoice::Exhausted => {
                io.messages.info(format_args!(
                    "{}: exhausted at step {step}: {}",
                    args.target,
                    strategy.exhaustion_reason()
                ));
                return report_coverage(&args, &statistics, &io.messages);
            }
            QueryChoice::CoverageReached => {
                io.messages
                    .info(format_args!("{}: done at step {step}", args.target));
                return report_coverage(&args, &statistics, &io.messages);
            }
        }
        io.out.flush_if_full()?;
    }
    Ok(())
}

/// Writes a query, or why it has these terms.
fn write(terms: &ComposedQuery, args: &Args, step: u64, io: &mut Io) {
    if args.explain {
        return explain(terms, io);
    }
    let mut record = Record::new();
    record.set(
        field::STEP,
        &Step {
            number: step,
            target: args.target.clone(),
            last: Some(true),
        },
    );
    record.set(field::QUERY, &terms.query);
    io.out.write_record(&record);
}

/// Reports how much is covered, where that is wanted and known.
fn report_coverage(
    args: &Args,
    statistics: &Statistics,
    messages: &Messages,
) -> anyhow::Result<()> {
    let target = &args.target;
    if args.until_coverage.is_none() {
        return Ok(());
    }
    match estimate_coverage(statistics, target)? {
        None if engine_never_repeats_hits(statistics, target)? => messages.warn(format_args!("{target}: {NO_REPEATS}")),
        None => messages.info(format_args!("{target}: too little was probed to say how much is covered")),
        Some(Coverage { collected, population, share, .. }) => messages.info(format_args!(
            "{target}: covers {:.2} ({:.2} to {:.2}): {collected} of an estimated {:.0} documents ({:.0} to {:.0})",
            share.value, share.low, share.high, population.value, population.low, population.high
        )),
    }
    Ok(())
}

/// A line per term: sign, rank, term, tf and df in its own classes, df in the others, score; one
/// for a document to be like.
fn explain(terms: &ComposedQuery, io: &mut Io) {
    io.out
        .write_line("side\trank\tterm\ttf\tdf\tdf_other\tscore");
    if let Some(url) = &terms.query.like {
        io.out.write_line(&format!("~\t-\t{url}\t-\t-\t-\t-"));
    }
    let is_selected = terms
        .query
        .strategy
        .as_ref()
        .is_some_and(|strategy| strategy.method.is_some());
    for (sign, side) in [('+', &terms.include), ('-', &terms.exclude)] {
        for SelectedTerm {
            term,
            tf,
            df,
            df_other,
            score,
            rank,
        } in side
        {
            let unranked = if is_selected { "drawn" } else { "-" };
            let rank = rank.map_or(unranked.into(), |rank| rank.to_string());
            io.out.write_line(&format!(
                "{sign}\t{rank}\t{term}\t{tf}\t{df}\t{df_other}\t{score:.4}"
            ));
        }
    }
}
