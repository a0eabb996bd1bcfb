//! Arguments of `gen-query`, and the text of its man page.

use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use forage_cli::{Tool, Verbosity, parse_positive};
use forage_query::select::{PruneOptions, SelectionSpec};
use forage_query::strategy::learned::LengthModel;
use forage_query::strategy::{
    LEARNERS, LearnerInfo, QueryRequest, RecoveryLimits, ResultWindow, Strategy, StrategyOptions,
};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// Put the next query together from what was learned
///
/// gen-query reads the term statistics that update-stats keeps, and writes one
/// record with a query: inclusion terms, which speak for the target class, and
/// exclusion terms, which speak for the others. The same statistics, step and
/// seed give the same query.
///
/// When the last query of the target brought nothing (`empty` or `exhausted`),
/// terms further down the ranking are taken, until a query brings a URL again.
/// When the ranking has been gone down to the end, nothing is written: the
/// target is spent.
#[derive(Debug, Parser)]
#[command(
    after_long_help = SECTIONS,
    override_usage = "gen-query [OPTIONS] --stats <FILE> --target <CLASS> --step <N> <STRATEGY>\n       gen-query [OPTIONS] --capabilities <STRATEGY>\n\n<STRATEGY> is --include <METHOD:K> --exclude <METHOD:K>, or --learn <LEARNER>"
)]
pub struct Args {
    /// Term statistics, kept by update-stats
    #[arg(long, value_name = "FILE", required_unless_present = "capabilities")]
    pub stats: Option<PathBuf>,

    /// The class that is looked for
    #[arg(
        long,
        value_name = "CLASS",
        required_unless_present = "capabilities",
        default_value = "",
        hide_default_value = true
    )]
    pub target: String,

    /// Classes that it is told from, or `all`
    #[arg(
        long,
        value_name = "CLASSES",
        value_delimiter = ',',
        default_value = "all"
    )]
    pub versus: Vec<String>,

    /// Method and number of inclusion terms
    #[arg(long, value_name = "METHOD:K", requires = "exclude")]
    pub include: Option<SelectionSpec>,

    /// Method and number of exclusion terms
    #[arg(long, value_name = "METHOD:K", requires = "include")]
    pub exclude: Option<SelectionSpec>,

    /// Let what was learned choose the query
    #[arg(long, value_name = "LEARNER", conflicts_with_all = ["include", "exclude"], value_parser = learner())]
    pub learn: Option<LearnerInfo>,

    /// With a learner of methods and lengths: how lengths are chosen, `if:I,E`,
    /// `ii`, `id`, `di` or `dd` [default: ii]
    #[arg(long, value_name = "MODEL", requires = "learn")]
    pub lengths: Option<LengthModel>,

    /// With a learner of methods and lengths: how many failures a query that
    /// brings no document counts as [default: 1]
    #[arg(long, value_name = "W", requires = "learn", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub no_result_penalty: Option<u32>,

    /// Documents that a step takes, as search is told by --next (for the bandits)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub batch: u32,

    /// Number of the step that the query is for
    #[arg(
        long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
        required_unless_present = "capabilities", default_value = "1", hide_default_value = true
    )]
    pub step: u64,

    /// Number of queries, for steps N, N+1 ...
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1)]
    pub count: u64,

    /// How many ranks to go down on either side when queries bring nothing
    #[arg(long, value_name = "I", default_value_t = 20)]
    pub recovery: u32,

    /// After so many ranks in vain make the query shorter by an inclusion term
    #[arg(long, value_name = "N", value_parser = parse_positive::<NonZeroU32>)]
    pub shorten: Option<NonZeroU32>,

    /// Leave out terms that two of the classes that the run began with have, in
    /// one of a hundred documents; and words of links that all sites have
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub prune: Vec<Pruned>,

    /// Stop when this share of what the engine can reach is collected, by an
    /// estimate: one in six calls is a probe's, which it is made from
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub until_coverage: Option<f64>,

    /// Hits on a page of the engine, as search is told (for --learn auto)
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub page_size: u32,

    /// Pages that a query may have, as search is told (for --learn auto)
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_pages: u32,

    /// Seed of what is drawn at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// What the engine can do, as search --capabilities says it, between blanks:
    /// exclusion, exclusion-alone, like [default: all of it]
    #[arg(long, value_name = "CAPABILITIES", value_parser = capabilities)]
    pub engine_can: Option<String>,

    /// Write instead of the query a line a term: side, rank, term, counts, score
    #[arg(long)]
    pub explain: bool,

    /// Write instead of a query what the strategy needs, in one line:
    /// `pages-itself` where it decides for each page of hits whether to call the
    /// engine again (search --by-page), `needs-like` and `needs-exclusion` where
    /// the engine must be able to do that
    #[arg(long)]
    pub capabilities: bool,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "gen-query";

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

fn share(written: &str) -> Result<f64, String> {
    let share = written
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share) && *share > 0.0);
    share.ok_or_else(|| "a share is a number above 0, and at most 1, such as 0.9".into())
}

/// Words that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Pruned {
    /// Those that two of the first classes have
    Common,
    /// Those of links that all sites have: home, contact ...
    Navigation,
}

impl Args {
    /// The strategy that puts the queries together.
    ///
    /// # Errors
    /// Where the options contradict each other, or the engine can't serve it.
    pub fn strategy(&self) -> anyhow::Result<Box<dyn Strategy>> {
        let options = StrategyOptions {
            sides: self.include.zip(self.exclude),
            learn: self.learn,
            lengths: self.lengths,
            no_result_penalty: self.no_result_penalty,
            batch: self.batch,
            recovery: RecoveryLimits {
                max_offset: self.recovery,
                shorten_after: self.shorten,
            },
            needs_inclusion: !self.engine_can("exclusion-alone"),
            until_coverage: self.until_coverage,
        };
        let strategy = options.build_strategy().map_err(anyhow::Error::msg)?;
        let needs = strategy.needs();
        anyhow::ensure!(
            !needs.like || self.engine_can("like"),
            "--learn like: the engine can't be asked for pages like one; index:DIR and mediawiki: can"
        );
        anyhow::ensure!(
            !needs.exclusion || self.engine_can("exclusion"),
            "--until-coverage: the engine can't be asked to exclude, and the estimate rests on that"
        );
        Ok(strategy)
    }

    fn engine_can(&self, capability: &str) -> bool {
        self.engine_can
            .as_ref()
            .is_none_or(|all| all.split_whitespace().any(|one| one == capability))
    }

    /// The query that is wanted for a step; `versus` is [`Args::contrast`].
    pub fn request<'a>(&'a self, versus: Option<&'a [String]>, step: u64) -> QueryRequest<'a> {
        let result_window = ResultWindow {
            page_size: self.page_size,
            max_pages: self.max_pages,
        };
        let has = |words| self.prune.contains(&words);
        let prune = PruneOptions {
            common: has(Pruned::Common),
            navigation: has(Pruned::Navigation),
        };
        QueryRequest {
            target: &self.target,
            versus,
            step,
            seed: self.seed,
            result_window,
            prune,
        }
    }

    /// The classes that the target is contrasted with; `None` for all others.
    pub fn contrast(&self) -> Option<&[String]> {
        (self.versus != ["all"]).then_some(&*self.versus)
    }
}

/// Parses a value of `--learn`.
fn learner() -> impl TypedValueParser<Value = LearnerInfo> {
    let values = LEARNERS
        .iter()
        .map(|learner| PossibleValue::new(learner.name).help(learner.summary));
    let find = |name: String| LEARNERS.into_iter().find(|learner| learner.name == name);
    PossibleValuesParser::new(values).try_map(move |name| find(name).ok_or("no such learner"))
}

/// Capabilities of an engine, as `search --capabilities` writes them.
fn capabilities(written: &str) -> Result<String, String> {
    let unknown = written
        .split_whitespace()
        .find(|one| !["exclusion", "exclusion-alone", "like"].contains(one));
    unknown.map_or(Ok(written.into()), |one| {
        Err(format!(
            "`{one}` is none; there are exclusion, exclusion-alone, like"
        ))
    })
}

const SECTIONS: &str = "\
METHODS
  un      uniformly at random from the class's vocabulary
  tf      the highest term frequencies
  ptf     at random, proportionally to the term frequency
  rtfidf  the highest tf · log(N/df)
  or      the highest odds ratios: in many documents of the class, in few others
  por     at random, proportionally to the odds ratio, where it is positive
  co      at random from one document of the class, proportionally to tf times
          the odds ratio: all occur together in it

Their lengths are 0 to 10. A term never stands on both sides of a query.

LEARNERS
  auto    cuts the target's documents into regions that share none, by words
          that they must and must not have, each as small as the engine shows
          whole, and asks for the one that promises most new documents a call.
          How many are in one it reckons from the documents found so far; the
          first eight queries look around. When nothing is left that promises
          the target almost alone, it looks at regions that are drawn at random
          (by --seed), as long as they bring something, and at mixed ones last.
          A query has up to 10 words on either side. The first calls look
          around and bring more of other languages than later ones: it pays in
          runs of some dozens of calls.

Two are baselines, which others use:

  like        more-like-this: or:5 on both sides finds first documents; then the
              engine is asked for pages like each relevant one, in the order in
              which they came. Needs an engine that can be asked so: index:DIR,
              mediawiki:
  seedfinder  terms score by their share of relevant documents, less that of
              others; a query has the best ones and one that was never used, a
              term more after a query that was not precise, a term less after
              one that brought little. The first is or:3

The others draw a method (tf, ptf, or, por) and a length (0 to 10) for each
side, all four apart, from what update-stats learned. At first everything is
equally likely. Four are CorpusBuilder's: a new relevant document is a success;
a nonrelevant one, a twin, or none at all is a failure.

  ml      after a success that value alone, after a failure any other
  lta     by successes/(successes + failures), from 1 each
  ltm     a success multiplies by 1.1, a failure by 0.9; none falls below 1e-4
  fm      all fade to 0.9; a success gives 0.1 to the value, a failure to the
          others

Three are bandits. They learn once a step: the gain is the share of new relevant
documents among the --batch that it could bring (those that could not be
fetched are left out).

  thompson  a value is drawn with the probability that it is the best, by Beta
            distributions of what each gained and missed, from 1 each
  ucb       the highest mean gain + sqrt(2 ln n / times tried) of n steps; each
            value is tried once at first (UCB1)
  exp3      weights grow by e^(0.1 gain / (p M)), p being the value's probability
            and M their number; of ten draws one is even

Lengths, with --lengths:

  if:I,E  I inclusion and E exclusion terms, always
  ii      each length has a probability, learned as the methods are
  id      a Gamma distribution with the mean and variance of the lengths of
          successful queries
  di, dd  as ii and id, for each method apart

A bandit takes if, ii and di: id and dd fit what succeeded, and a share neither
succeeds nor fails. For ucb and thompson --no-result-penalty is a number of steps
without a gain; exp3 learns from gains alone and refuses it.

READS
The statistics alone; standard input is not read.

ADDS
  step   {number, target, last}
  query  {id, include, exclude, strategy}; with --learn like no terms, but
         like: the URL of the document to be like. strategy has the name of
         the strategy, fixed, learned, regions (--learn auto), probe (a region
         drawn at random), like or seedfinder, and its parameters: method and
         offset of selected terms, the learner, the literals of a region, the
         probability of a probe

MEMORY AND TIME
A few MB. A step touches only the terms that can be selected: some
milliseconds, at a million terms as at a thousand. For another query than the
last, auto looks at up to 1,500 documents, which takes some 20 ms and 10 MB; so
does a probe of --until-coverage.

EXIT STATUS
  0  a query was written, or the target is spent (nothing is written)
  2  could not run: no such file, no documents of a class, wrong usage

EXAMPLES
The three words that tell Slovenian best, and three that tell it isn't:

  $ gen-query --stats stats.db --target slv --include or:3 --exclude or:3 \\
      --step 1

The query that promises most for the call, in a run that search's hits and
update-stats went on with:

  $ gen-query --stats run/stats.db --target slv --learn auto --step 31

What CorpusBuilder's best learner draws, with lengths of its choice:

  $ gen-query --stats run/stats.db --target slv --learn ltm --lengths ii \\
      --step 31

Why these:

  $ gen-query --stats stats.db --target slv --include or:3 --exclude or:3 \\
      --step 1 --explain

Ten random pairs of words (BootCaT's way), sent to an engine:

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
