//! Arguments of `gen-query`, and the text of its man page.

use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use forage_cli::{Tool, Verbosity, parse_positive};
use forage_query::select::{PruneOptions, SelectionSpec, TermProbability};
use forage_query::strategy::learned::LengthModel;
use forage_query::strategy::{
    LEARNERS, LearnerInfo, QueryRequest, RecoveryMode, ResultWindow, SampleOptions, Strategy,
    StrategyOptions,
};
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
    #[arg(long, value_name = "FILE", required_unless_present = "capabilities")]
    pub stats: Option<PathBuf>,

    /// Target class of the query
    #[arg(
        long,
        value_name = "CLASS",
        required_unless_present = "capabilities",
        default_value = "",
        hide_default_value = true
    )]
    pub target: String,

    /// Classes to contrast with the target, separated by commas, or `all`
    #[arg(
        long,
        value_name = "CLASSES",
        value_delimiter = ',',
        default_value = "all"
    )]
    pub versus: Vec<String>,

    /// Method and number of inclusion terms, as in or:3
    #[arg(long, value_name = "METHOD:K", requires = "exclude")]
    pub include: Option<SelectionSpec>,

    /// Method and number of exclusion terms, as in or:3
    #[arg(long, value_name = "METHOD:K", requires = "include")]
    pub exclude: Option<SelectionSpec>,

    /// Choose the query by the results of earlier queries
    #[arg(
        long,
        value_name = "LEARNER",
        conflicts_with_all = ["include", "exclude"],
        value_parser = learner_parser()
    )]
    pub learn: Option<LearnerInfo>,

    /// Length model of the learner: if:I,E, ii, id, di or dd [default: ii]
    ///
    /// For learners of methods and lengths.
    #[arg(long, value_name = "MODEL", requires = "learn")]
    pub lengths: Option<LengthModel>,

    /// Failures that a query without a document counts as [default: 1]
    ///
    /// For learners of methods and lengths, except exp3.
    #[arg(
        long,
        value_name = "W",
        requires = "learn",
        value_parser = clap::value_parser!(u32).range(1..=100)
    )]
    pub no_result_penalty: Option<u32>,

    /// Documents per step, as in search --next; for the bandits
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub batch: u32,

    /// Step number of the query
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        required_unless_present = "capabilities",
        default_value = "1",
        hide_default_value = true
    )]
    pub step: u64,

    /// Number of queries, for this step and the following ones
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1)]
    pub count: u64,

    /// What to send after a query without a result: offsets[:I], shorten[:N] or none
    ///
    /// `offsets` selects terms further down the rankings, up to I ranks on either side
    /// (offsets:20). `shorten` also removes an inclusion term after N ranks without a result
    /// (shorten:3). With `none`, a ranking that returns nothing new is exhausted, and random terms
    /// are drawn again.
    #[arg(long, value_name = "MODE", default_value_t = RecoveryMode::DEFAULT)]
    pub recovery: RecoveryMode,

    /// Probability of a term in the odds ratio
    #[arg(long, value_name = "COUNT", value_enum, default_value_t = ProbabilityCount::Df)]
    pub probability: ProbabilityCount,

    /// Terms to leave out: common[:SHARE], navigation, or both, separated by a comma
    ///
    /// `common`: terms that at least two of the initial classes have. With a share, such as
    /// common:0.01, a class has a term if at least 1 % of its documents have it. `navigation`:
    /// words of navigation links, such as home and contact.
    #[arg(long, value_name = "TERMS", value_delimiter = ',', value_parser = parse_prune_kind)]
    pub prune: Vec<PruneKind>,

    /// Stop at this share of the reachable target documents, such as 0.9
    ///
    /// Reachable documents are those that the engine can return. The share that the run has
    /// collected is estimated from probes: one in six calls is a probe.
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub until_coverage: Option<f64>,

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

    /// Hits per page of the engine, as in search; for --learn auto
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub page_size: u32,

    /// Maximum number of pages per query, as in search; for --learn auto
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_pages: u32,

    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Capabilities of the engine, separated by spaces [default: all]
    ///
    /// As search --capabilities writes them: exclusion, exclusion-alone, like, in-links.
    #[arg(long, value_name = "CAPABILITIES", value_parser = parse_capabilities)]
    pub engine_can: Option<String>,

    /// Write the ranking of the terms instead of the query
    ///
    /// One line per term: side, rank, term, tf, df, df in the other classes, and score, separated
    /// by tabs.
    #[arg(long)]
    pub explain: bool,

    /// Write the requirements of the strategy instead of a query
    ///
    /// The line has `pages-itself` if the strategy decides after each page of hits whether to call
    /// the engine again (search --by-page), and `needs-like` or `needs-exclusion` if the engine
    /// must have that capability.
    #[arg(long)]
    pub capabilities: bool,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

const USAGE: &str = "\
gen-query [OPTIONS] --stats <FILE> --target <CLASS> --step <N> <STRATEGY>
       gen-query [OPTIONS] --capabilities <STRATEGY>

<STRATEGY> is --include <METHOD:K> --exclude <METHOD:K>, or --learn <LEARNER>";

/// The capabilities that `--engine-can` names.
const CAPABILITIES: [&str; 4] = ["exclusion", "exclusion-alone", "like", "in-links"];

impl Tool for Args {
    const NAME: &'static str = "gen-query";

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

/// Parses a share: a number greater than 0, at most 1.
fn parse_share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share) && *share > 0.0)
        .ok_or_else(|| "expected a number greater than 0 and at most 1, such as 0.9".into())
}

/// Terms that `--prune` leaves out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PruneKind {
    /// Terms that two of the initial classes have, each in at least this share of its documents.
    Common(f64),
    /// Words of navigation links, such as home and contact.
    Navigation,
}

/// Parses a kind of terms to leave out.
fn parse_prune_kind(text: &str) -> Result<PruneKind, String> {
    match text.split_once(':') {
        None if text == "common" => Ok(PruneKind::Common(0.0)),
        None if text == "navigation" => Ok(PruneKind::Navigation),
        Some(("common", share)) => parse_share(share).map(PruneKind::Common),
        _ => Err("expected common, common:SHARE (as in common:0.01) or navigation".into()),
    }
}

/// The counts of which the probability of a term in the odds ratio is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ProbabilityCount {
    /// Share of the documents of the class that have the term
    Df,
    /// Share of the term in the tokens of the class
    Tf,
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
        let options = StrategyOptions {
            sides: self.include.zip(self.exclude),
            learn: self.learn,
            lengths: self.lengths,
            no_result_penalty: self.no_result_penalty,
            batch: self.batch,
            recovery: self.recovery,
            needs_inclusion: !self.engine_can("exclusion-alone"),
            samples: SampleOptions {
                queries: self.queries,
                terms: self.terms,
                of: self.of,
            },
            until_coverage: self.until_coverage,
        };
        let strategy = options.build_strategy().map_err(anyhow::Error::msg)?;
        let needs = strategy.needs();
        anyhow::ensure!(
            !needs.like || self.engine_can("like"),
            "--learn like: the engine has no more-like-this query; \
             index:DIR and mediawiki: have one"
        );
        anyhow::ensure!(
            !needs.exclusion || self.engine_can("exclusion"),
            "--until-coverage: the engine cannot exclude terms, which the estimate requires"
        );
        Ok(strategy)
    }

    fn engine_can(&self, capability: &str) -> bool {
        self.engine_can.as_ref().is_none_or(|capabilities| {
            capabilities
                .split_whitespace()
                .any(|name| name == capability)
        })
    }

    /// Returns the request for the query of a step. `versus` is [`Args::contrast`].
    pub fn request<'a>(&'a self, versus: Option<&'a [String]>, step: u64) -> QueryRequest<'a> {
        QueryRequest {
            target: &self.target,
            versus,
            step,
            seed: self.seed,
            result_window: ResultWindow {
                page_size: self.page_size,
                max_pages: self.max_pages,
            },
            prune: PruneOptions {
                common: self.prune.iter().find_map(|kind| match kind {
                    PruneKind::Common(share) => Some(*share),
                    PruneKind::Navigation => None,
                }),
                navigation: self.prune.contains(&PruneKind::Navigation),
            },
            probability: match self.probability {
                ProbabilityCount::Df => TermProbability::Df,
                ProbabilityCount::Tf => TermProbability::Tf,
            },
        }
    }

    /// Returns the classes that the target is contrasted with; `None` for all others.
    pub fn contrast(&self) -> Option<&[String]> {
        (self.versus != ["all"]).then_some(&*self.versus)
    }
}

/// Returns the parser of `--learn`.
fn learner_parser() -> impl TypedValueParser<Value = LearnerInfo> {
    let values = LEARNERS
        .iter()
        .map(|learner| PossibleValue::new(learner.name).help(learner.summary));
    PossibleValuesParser::new(values).try_map(|name| {
        LEARNERS
            .into_iter()
            .find(|learner| learner.name == name)
            .ok_or("no such learner")
    })
}

/// Checks the names of capabilities, which are separated by spaces.
fn parse_capabilities(text: &str) -> Result<String, String> {
    match text
        .split_whitespace()
        .find(|name| !CAPABILITIES.contains(name))
    {
        None => Ok(text.into()),
        Some(unknown) => Err(format!(
            "no capability `{unknown}`; use one of {}",
            CAPABILITIES.join(", ")
        )),
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
  ltm     a success multiplies by 1.1, a failure by 0.9, down to 1e-4
  fm      all values fade to 0.9; a success adds 0.1 to the value, a failure
          divides 0.1 among the others

Three are bandits. They learn once per step: the gain is the share of new
relevant documents among the --batch that the step could return (documents that
could not be fetched are left out).

  thompson  draws a value with the probability that it is the best, by Beta
            distributions of gains and losses, both from 1
  ucb       the highest mean gain + sqrt(2 ln n / number of trials) after n
            steps; each value is tried once first (UCB1)
  exp3      weights grow by e^(0.1 gain / (p M)), where p is the probability of
            the value and M the number of values; one in ten draws is uniform

Length models, with --lengths:

  if:I,E  fixed: I inclusion and E exclusion terms
  ii      a probability for each length, learned like the methods
  id      a Gamma distribution with the mean and variance of the lengths of
          successful queries
  di, dd  as ii and id, separately for each method

Bandits support if, ii and di: id and dd are fitted to successes, and a share is
neither a success nor a failure. For ucb and thompson --no-result-penalty is a
number of steps without a gain; exp3 learns from gains alone and refuses it.

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
corpora. CIKM 2001. W. R. Thompson: On the likelihood that one unknown
probability exceeds another. Biometrika 25, 1933; S. Agrawal, N. Goyal: Analysis
of Thompson sampling for the multi-armed bandit problem. COLT 2012. P. Auer,
N. Cesa-Bianchi, P. Fischer: Finite-time analysis of the multiarmed bandit
problem. Machine Learning 47, 2002; with Y. Freund, R. Schapire: The
nonstochastic multiarmed bandit problem. SIAM J. Comput. 32, 2002. K. Vieira,
L. Barbosa, A. S. da Silva, J. Freire, E. Moura: Finding seeds to bootstrap
focused crawlers. World Wide Web 19, 2016.";
