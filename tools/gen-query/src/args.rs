//! Arguments of `gen-query`, and the text of its man page.

use crate::StrategyArgs;
use clap::Parser;
use forage_cli::{RecordOutput, Tool, Verbosity, parse_positive};
use forage_query::strategy::{SampleOptions, Strategy};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// Generate the next query from the term statistics
///
/// Reads the term statistics that update-stats maintains, and writes one record with a query:
/// inclusion terms, which are indicative of the target class, and exclusion terms, which are
/// indicative of the other classes. The same statistics, step and seed result in the same query.
///
/// After a query that returned nothing (`empty` or `exhausted`), terms further down the ranking are
/// selected, until a query returns a URL again. At the end of the ranking the target is exhausted,
/// and nothing is written.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS, override_usage = USAGE)]
pub struct Args {
    /// Term statistics of update-stats
    #[arg(long, value_name = "FILE", required_unless_present = "check")]
    pub stats: Option<PathBuf>,

    /// Target class of the query
    #[arg(
        long,
        value_name = "CLASS",
        required_unless_present = "check",
        default_value = "",
        hide_default_value = true
    )]
    pub target: String,

    #[command(flatten)]
    pub strategy: StrategyArgs,

    /// Step number of the query
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        required_unless_present = "check",
        default_value = "1",
        hide_default_value = true
    )]
    pub step: u64,

    /// Number of queries, for this step and the following ones
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1)]
    pub count: u64,

    /// Queries per sample article; for --learn samples
    #[arg(
        long,
        value_name = "N",
        default_value_t = SampleOptions::default().queries,
        value_parser = parse_positive::<NonZeroU32>
    )]
    pub queries: NonZeroU32,

    /// Keyphrases per query; for --learn samples
    #[arg(
        long,
        value_name = "N",
        default_value_t = SampleOptions::default().terms,
        value_parser = parse_positive::<NonZeroU32>
    )]
    pub terms: NonZeroU32,

    /// Best keyphrases of a sample that are drawn from, at most 50; for --learn samples
    #[arg(
        long,
        value_name = "N",
        default_value_t = SampleOptions::default().of,
        value_parser = parse_keyphrase_count
    )]
    pub of: NonZeroU32,

    /// Write the ranking of the terms instead of the query
    ///
    /// One line per term: side, rank, term, tf, df, df in the other classes, and score, separated
    /// by tabs.
    #[arg(long)]
    pub explain: bool,

    /// Check the options, also against what --engine can express, and stop
    #[arg(long)]
    pub check: bool,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

const USAGE: &str = "\
gen-query [OPTIONS] --stats <FILE> --target <CLASS> --step <N> <STRATEGY>
       gen-query [OPTIONS] --check <STRATEGY>

<STRATEGY> is --include <METHOD:K> --exclude <METHOD:K>, or --learn <LEARNER>";

impl Tool for Args {
    const NAME: &'static str = "gen-query";
    const COMMON_OPTIONS: &'static [&'static str] = &[
        "stats", "target", "step", "include", "exclude", "learn", "engine", "explain",
    ];
}

/// Parses a number of keyphrases: 1 to the number that is kept of a sample.
fn parse_keyphrase_count(text: &str) -> Result<NonZeroU32, String> {
    let max = SampleOptions::MAX_KEYPHRASES;
    text.parse::<NonZeroU32>()
        .ok()
        .filter(|count| count.get() <= max)
        .ok_or_else(|| format!("expected a number from 1 to {max}"))
}

impl Args {
    /// Returns the strategy that composes the queries.
    ///
    /// # Errors
    /// Fails if options contradict each other, or if the engine lacks a capability.
    pub fn strategy(&self) -> anyhow::Result<Box<dyn Strategy>> {
        anyhow::ensure!(
            self.terms <= self.of,
            "--terms {}: is more than the {} keyphrases of --of that are drawn from",
            self.terms,
            self.of
        );
        self.strategy.build_strategy(SampleOptions {
            queries: self.queries,
            terms: self.terms,
            of: self.of,
        })
    }
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();
