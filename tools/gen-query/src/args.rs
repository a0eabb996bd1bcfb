//! Arguments of `gen-query`, and the text of its man page.

use clap::Parser;
use forage_cli::{RecordOutput, Tool, Verbosity, parse_positive};
use forage_query::strategy::{SampleOptions, Strategy};
use gen_query::StrategyArgs;
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

    fn record_output(&self) -> Option<&RecordOutput> {
        Some(&self.output)
    }

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
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

const SECTIONS: &str = "\
METHODS
  un      draws uniformly from the vocabulary of the class
  tf      the highest term frequencies
  ptf     draws with probability proportional to the term frequency
  rtfidf  the highest tf · log(N/df)
  or      the highest odds ratios: terms of many documents of the class, and of
          few others
  por     draws with probability proportional to the log odds ratio, where it is
          positive
  porh    as por, over the half of these terms with the highest odds ratios;
          reads the whole vocabulary for each query
  co      draws from one document of the class, with probability proportional
          to tf times the log odds ratio, so that all terms co-occur

K is 0 to 10. A term is never on both sides of a query.

LEARNERS
  auto    partitions the target's documents into disjoint regions by terms that
          they must and must not contain, each so small that the engine shows
          all of its hits, and selects the region with the highest expected
          yield per call. Estimates the size of a region from the documents
          collected so far; the first eight queries are for exploration. When
          no high-precision region is left, continues with regions drawn at
          random (by --seed) as long as they return something, and with mixed
          regions last. A query has up to 10 terms on either side. The first
          calls return more documents of other languages than later ones, so
          this pays off in runs of a few dozen calls or more

Two learners are baselines from the literature:

  like        more-like-this: or:5 on both sides finds first documents; then one
              query for pages like each relevant document, in order of
              retrieval. Needs an engine with more-like-this queries: index:DIR,
              mediawiki:
  seedfinder  scores terms by their share in relevant documents, minus that in
              others. A query has the best terms and one that was never used;
              it gets longer after a query with low precision, and shorter
              after a query with few documents. The first query is or:3

For special-domain collections:

  samples     the initial documents of the target and every relevant document
              form a queue of sample articles. Each gives --queries queries of
              --terms keyphrases, drawn from the --of best ones that the tool
              keywords has found in it. Learns no statistics of terms

The others draw a method (tf, ptf, or, por) and a length (0 to 10) for each
side, all four independently, from distributions that update-stats learns. The
initial distributions are uniform. Four learners are CorpusBuilder's: a new
relevant document is a success; a nonrelevant one, a duplicate, or no document
is a failure.

  ml      after a success the same value, after a failure any other
  lta     by successes/(successes + failures), both from 1
  ltm     a success divides by --beta, a failure multiplies by it, down to 1e-4
  fm      all values fade to 0.9; a success adds 0.1 to the value, a failure
          divides 0.1 among the others

Length models, with --lengths:

  if:I,E  fixed: I inclusion and E exclusion terms
  ii      a probability for each length, learned like the methods
  id      a Gamma distribution with the mean and variance of the lengths of
          successful queries
  di, dd  as ii and id, separately for each method

READS
The term statistics of update-stats. Standard input is not read.

ADDS
  step   {number, target, last}
  query  {id, include, exclude, strategy}; with --learn like, it has no terms
         but like: the URL of a document. limit is the maximum number of hits
         of this step, if --learn auto wants only a few. strategy has the name
         of the strategy (fixed, learned, regions for --learn auto, probe for a
         region drawn at random, like, seedfinder or samples), and its parameters:
         method and offset of selected terms, the learner, the literals of a
         region, the inclusion probability of a probe, the id of the sample

MEMORY AND TIME
A few MB. A step reads only the terms that can be selected, which takes a few
milliseconds for a thousand terms and for a million. When auto changes to
another query, it reads up to 1,500 documents, which takes about 20 ms and 10
MB; so does a probe of --until-coverage.

EXIT STATUS
  0  a query was written, or the target is exhausted and nothing was written
  2  could not run or had to stop: the statistics do not exist or have no
     document of a class

EXAMPLES
The three most indicative terms of Slovenian, and of the other languages:

  $ gen-query --stats stats.db --target slv --include or:3 --exclude or:3 \\
      --step 1

The query with the highest expected yield per call, from the statistics of a
run:

  $ gen-query --stats run/stats.db --target slv --learn auto --step 31

A query of the multiplicative learner, with learned lengths:

  $ gen-query --stats run/stats.db --target slv --learn ltm --lengths ii \\
      --step 31

The ranking of the terms:

  $ gen-query --stats stats.db --target slv --include or:3 --exclude or:3 \\
      --step 1 --explain

Ten random pairs of words, as in BootCaT, sent to an engine:

  $ gen-query --stats stats.db --target slv --include un:2 --exclude un:0 \\
      --step 1 -n 10 | search --engine searxng:http://localhost:8888

SEE ALSO
update-stats(1), search(1), forage-records(5), forage(7)

R. Ghani, R. Jones, D. Mladenić: Mining the web to create minority language
corpora. CIKM 2001. K. Vieira, L. Barbosa, A. S. da Silva, J. Freire, E. Moura:
Finding seeds to bootstrap focused crawlers. World Wide Web 19, 2016.";
