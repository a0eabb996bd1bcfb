//! gen-query: generate the next query from the term statistics.

use crate::args::Args;
use anyhow::Context;
use forage_cli::{Io, Messages};
use forage_query::Statistics;
use forage_query::coverage::{Coverage, estimate_coverage};
use forage_query::select::SelectedTerm;
use forage_query::strategy::{ComposedQuery, QueryChoice, choose_query, engine_never_repeats_hits};
use std::process::ExitCode;

/// Warning if probes return none of the documents that are known to match them.
const NO_REPEATS: &str = "\
    the engine returns none of the documents that are known to match a probe; \
    coverage cannot be estimated, and --until-coverage does not end the run \
    (--docs, --queries and --calls do)";

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let strategy = args.strategy()?;
    let Some(stats) = args.stats.as_ref().filter(|_| !args.check) else {
        return Ok(());
    };
    let statistics = Statistics::open_read_only(stats)?;
    let last = args
        .step
        .checked_add(args.count)
        .context("--step and -n together are too large")?;
    for step in args.step..last {
        let request = args.strategy.request(&statistics, &args.target, step);
        match choose_query(&*strategy, &request)? {
            QueryChoice::Query(query) => write_query(&query, &args, step, io),
            QueryChoice::Probe {
                query,
                never_repeats_hits,
            } => {
                if never_repeats_hits {
                    io.messages
                        .warn(format_args!("{}: {NO_REPEATS}", args.target));
                }
                write_query(&query, &args, step, io);
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
                io.messages.info(format_args!(
                    "{}: coverage reached at step {step}",
                    args.target
                ));
                return report_coverage(&args, &statistics, &io.messages);
            }
        }
        io.out.flush_if_full()?;
    }
    Ok(())
}

/// Writes the record of a query; with `--explain` its terms instead.
fn write_query(query: &ComposedQuery, args: &Args, step: u64, io: &mut Io) {
    if args.explain {
        return write_terms(query, io);
    }
    io.out.write_record(&query.to_record(&args.target, step));
}

/// Reports the estimated coverage. Without `--until-coverage`, only if there is an estimate.
fn report_coverage(
    args: &Args,
    statistics: &Statistics,
    messages: &Messages,
) -> anyhow::Result<()> {
    let target = &args.target;
    match estimate_coverage(statistics, target)? {
        None if args.strategy.queries.until_coverage.is_none() => {}
        None if engine_never_repeats_hits(statistics, target)? => {
            messages.warn(format_args!("{target}: {NO_REPEATS}"));
        }
        None => messages.info(format_args!(
            "{target}: too few probes to estimate the coverage"
        )),
        Some(Coverage {
            collected,
            population,
            share,
            ..
        }) => messages.info(format_args!(
            "{target}: covers {:.2} ({:.2} to {:.2}): {collected} of an estimated {:.0} documents \
             ({:.0} to {:.0})",
            share.value, share.low, share.high, population.value, population.low, population.high
        )),
    }
    Ok(())
}

/// Writes a line for each term: sign, rank, term, tf and df in the own classes, df in the
/// contrasting classes, score. For a more-like-this query, writes a line with the URL.
fn write_terms(query: &ComposedQuery, io: &mut Io) {
    io.out
        .write_line("side\trank\tterm\ttf\tdf\tdf_other\tscore");
    if let Some(url) = &query.query.like {
        io.out.write_line(&format!("~\t-\t{url}\t-\t-\t-\t-"));
    }
    let is_selected = query
        .query
        .strategy
        .as_ref()
        .is_some_and(|strategy| strategy.method.is_some());
    for (sign, side) in [('+', &query.include), ('-', &query.exclude)] {
        for SelectedTerm {
            term,
            tf,
            df,
            df_other,
            score,
            rank,
        } in side
        {
            // Terms of a strategy without selection methods have no rank, but are not drawn either.
            let unranked = if is_selected { "drawn" } else { "-" };
            let rank = rank.map_or(unranked.into(), |rank| rank.to_string());
            io.out.write_line(&format!(
                "{sign}\t{rank}\t{term}\t{tf}\t{df}\t{df_other}\t{score:.4}"
            ));
        }
    }
}
