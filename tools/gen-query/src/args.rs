//! Arguments of `gen-query`, and the text of its man page.

use clap::Parser;
use forage_cli::{Speech, Tool};
use forage_query::Side;
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
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Term statistics, kept by update-stats
    #[arg(long, value_name = "FILE")]
    pub stats: PathBuf,

    /// The class that is looked for
    #[arg(long, value_name = "CLASS")]
    pub target: String,

    /// Classes that it is told from, or `all`
    #[arg(long, value_name = "CLASSES", value_delimiter = ',', default_value = "all")]
    pub versus: Vec<String>,

    /// Method and number of inclusion terms
    #[arg(long, value_name = "METHOD:K", required_unless_present = "learn", requires = "exclude")]
    pub include: Option<Side>,

    /// Method and number of exclusion terms
    #[arg(long, value_name = "METHOD:K", requires = "include")]
    pub exclude: Option<Side>,

    /// Let what was learned choose the query
    #[arg(long, value_name = "LEARNER", conflicts_with_all = ["include", "exclude"])]
    pub learn: Option<Learner>,

    /// Number of the step that the query is for
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub step: u64,

    /// Number of queries, for steps N, N+1 ...
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1)]
    pub count: u64,

    /// How many ranks to go down on either side when queries bring nothing
    #[arg(long, value_name = "I", default_value_t = 20)]
    pub recovery: u32,

    /// After so many ranks in vain make the query shorter by an inclusion term
    #[arg(long, value_name = "N")]
    pub shorten: Option<NonZeroU32>,

    /// Leave out terms that two classes have, and words of links that all
    /// sites have
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub prune: Vec<Pruned>,

    /// Hits on a page of the engine, as search is told (for --learn auto)
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub page_size: u32,

    /// Pages that a query may have, as search is told (for --learn auto)
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_pages: u32,

    /// Seed of what is drawn at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Write instead of the query a line a term: side, rank, term, counts, score
    #[arg(long)]
    pub explain: bool,

    #[command(flatten)]
    pub speech: Speech,
}

impl Tool for Args {
    const NAME: &'static str = "gen-query";

    fn speech(&self) -> &Speech {
        &self.speech
    }
}

/// Words that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Pruned {
    /// Those that two classes have
    Common,
    /// Those of links that all sites have: home, contact ...
    Navigation,
}

/// Who chooses the parameters of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Learner {
    /// One region of the target's documents after the other
    Auto,
}

const SECTIONS: &str = "\
METHODS
  un      uniformly at random from the class's vocabulary
  tf      the highest term frequencies
  ptf     at random, proportionally to the term frequency
  rtfidf  the highest tf · log(N/df)
  or      the highest odds ratios: in many documents of the class, in few others
  por     at random, proportionally to the odds ratio, where it is positive

Lengths are 0 to 10. A term never stands on both sides of a query.

LEARNERS
  auto    cuts the target's documents into regions that share none, by words
          that they must and must not have, each as small as the engine shows
          whole, and asks for the one that promises most new documents a call.
          How many are in one it reckons from the documents found so far; the
          first eight queries look around. Nothing in it is drawn at random.

READS
The statistics alone; standard input is not read.

ADDS
  query  id, step, target, include, exclude, and method and offset, or with
         --learn learner and path: the signed words of the region

MEMORY AND TIME
A few MB. A step touches only the terms that can be selected: some
milliseconds, at a million terms as at a thousand.

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

Why these:

  $ gen-query --stats stats.db --target slv --include or:3 --exclude or:3 \\
      --step 1 --explain

Ten random pairs of words (BootCaT's way), sent to an engine:

  $ gen-query --stats stats.db --target slv --include un:2 --exclude un:0 \\
      --step 1 -n 10 | search --engine searxng:http://localhost:8888

SEE ALSO
update-stats(1), search(1), forage-records(5), forage(7)

R. Ghani, R. Jones, D. Mladenić: Mining the web to create minority language
corpora. CIKM 2001.";
