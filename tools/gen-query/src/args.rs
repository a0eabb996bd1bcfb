//! Arguments of `gen-query`, and the text of its man page.

use clap::Parser;
use forage_cli::{Speech, Tool};
use forage_query::Side;
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
    #[arg(long, value_name = "METHOD:K")]
    pub include: Side,

    /// Method and number of exclusion terms
    #[arg(long, value_name = "METHOD:K")]
    pub exclude: Side,

    /// Number of the step that the query is for
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub step: u64,

    /// Number of queries, for steps N, N+1 ...
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1)]
    pub count: u64,

    /// How many ranks to go down on either side when queries bring nothing
    #[arg(long, value_name = "I", default_value_t = 20)]
    pub recovery: u32,

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

const SECTIONS: &str = "\
METHODS
  un      uniformly at random from the class's vocabulary
  tf      the highest term frequencies
  ptf     at random, proportionally to the term frequency
  rtfidf  the highest tf · log(N/df)
  or      the highest odds ratios: in many documents of the class, in few others
  por     at random, proportionally to the odds ratio, where it is positive

Lengths are 0 to 10. A term never stands on both sides of a query.

READS
The statistics alone; standard input is not read.

ADDS
  query  id, step, target, include, exclude, method, offset

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
