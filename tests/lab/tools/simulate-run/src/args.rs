//! Arguments of `simulate-run`, and the text of its man page.

use crate::classifier::Classifier;
use clap::Parser;
use forage_cli::{Tool, Verbosity};
use forage_query::select::SelectionSpec;
use gen_query::StrategyArgs;
use update_stats::{InitialFile, SeedRounds};

/// Run the loop of corpus-builder in one process
///
/// Writes the journal that corpus-builder writes with the same options and an embedded index, and
/// takes a fraction of the time: the state is in memory, and no process is started per step. It is
/// for comparisons of many settings on a closed web. Nothing is resumed: an interrupted run has to
/// be started again.
#[derive(Debug, Parser)]
#[command(
    after_long_help = SECTIONS,
    args_override_self = true,
    mut_arg("recovery", |recovery| recovery.default_value(DEFAULT_RECOVERY))
)]
pub struct Args {
    /// Target classes, separated by commas; several take turns
    #[arg(long, value_name = "CLASSES")]
    pub target: String,

    /// Initial document of a class, as in slv=seed.txt; repeatable
    #[arg(long, value_name = "CLASS=FILE", required = true)]
    pub init: Vec<InitialFile>,

    /// Embedded index: index:DIR
    #[arg(long, value_name = "SPEC")]
    pub engine: String,

    /// Number of initial documents of each class per round, one step of each target
    ///
    /// So many are counted at the start, drawn at random, and as many more in each round. By
    /// default, all are counted at the start.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds_per_round: Option<u64>,

    /// Classifier of documents: builtin, run or run:MARGIN
    ///
    /// langid's model, or n-gram profiles of the classes that are learned from the run: from its
    /// initial documents, and from the documents it has collected with this margin or more.
    #[arg(long, value_name = "NAME", default_value = "builtin")]
    pub classifier: Classifier,

    /// Method of langid: evidence or out-of-place [default: evidence]
    #[arg(long, value_name = "METHOD")]
    pub langid_method: Option<String>,

    /// Do not use langid's profiles of these languages
    #[arg(long, value_name = "CODES")]
    pub without: Option<String>,

    /// Count words with and without diacritics as one term
    #[arg(long)]
    pub ascii_folding: bool,

    /// Maximum number of documents [default: 1000, if no other limit is given]
    #[arg(long, value_name = "N")]
    docs: Option<u64>,

    /// Maximum number of steps, each with one query
    #[arg(long, value_name = "N")]
    queries: Option<u64>,

    /// Maximum number of calls to the engine
    #[arg(long, value_name = "N")]
    calls: Option<u64>,

    #[command(flatten)]
    pub strategy: StrategyArgs,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "simulate-run";
    const INPUT_FIELDS: &'static [&'static str] = &[];
}

/// The numbers at which a run ends.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Documents.
    pub documents: u64,
    /// Steps.
    pub steps: u64,
    /// Calls to the engine; `None` for no limit.
    pub calls: Option<u64>,
}

/// Selection on both sides, unless it or a learner is given: that of corpus-builder.
const DEFAULT_SELECTION: &str = "or:3";
/// Recovery, unless it is given: that of corpus-builder.
const DEFAULT_RECOVERY: &str = "shorten";
/// Documents, unless a limit is given: that of corpus-builder.
const DEFAULT_DOCUMENTS: u64 = 1_000;

impl Args {
    /// Returns the limits of the run.
    pub fn limits(&self) -> Limits {
        let has_limit = self.docs.is_some()
            || self.queries.is_some()
            || self.calls.is_some()
            || self.strategy.queries.until_coverage.is_some();
        let default = if has_limit {
            u64::MAX
        } else {
            DEFAULT_DOCUMENTS
        };
        Limits {
            documents: self.docs.unwrap_or(default),
            steps: self.queries.unwrap_or(u64::MAX),
            calls: self.calls,
        }
    }

    /// Returns the options of the strategy, with the defaults of corpus-builder.
    ///
    /// # Errors
    /// Fails if a default is no value of its option.
    pub fn strategy_with_defaults(&self) -> anyhow::Result<StrategyArgs> {
        let mut strategy = self.strategy.clone();
        let queries = &mut strategy.queries;
        if queries.learn.is_none() {
            let default = |side: Option<SelectionSpec>| match side {
                None => DEFAULT_SELECTION.parse().map_err(anyhow::Error::msg),
                Some(side) => Ok(side),
            };
            queries.include = Some(default(queries.include)?);
            queries.exclude = Some(default(queries.exclude)?);
        }
        Ok(strategy)
    }

    /// Returns the target classes.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        self.target.split(',')
    }

    /// Returns the rounds in which initial documents are counted, if there are several.
    pub fn seed_rounds(&self) -> Option<SeedRounds> {
        self.seeds_per_round.map(|seeds_per_round| SeedRounds {
            seeds_per_round,
            steps: self.targets().count() as u64,
            seed: self.strategy.queries.seed.seed,
        })
    }

    /// Returns the arguments of langid.
    ///
    /// # Errors
    /// Fails if langid does not accept them, or if the classifier excludes them.
    pub fn langid_args(&self) -> anyhow::Result<langid::Args> {
        let has_options = self.langid_method.is_some() || self.without.is_some();
        anyhow::ensure!(
            self.classifier == Classifier::Builtin || !has_options,
            "--without and --langid-method cannot be combined with --classifier run"
        );
        let mut words = vec![langid::Args::NAME];
        if let Some(method) = &self.langid_method {
            words.extend(["--method", method]);
        }
        if let Some(codes) = &self.without {
            words.extend(["--without", codes]);
        }
        Ok(langid::Args::try_parse_from(words)?)
    }
}

const SECTIONS: &str = "\
READS
Initial documents, as corpus-builder, and the documents of the index.

WRITES
The journal of the run to standard output: the records that update-stats appends
to journal.jsonl. measure-run reads it.

LIMITS
All options have the meaning and the default that they have in corpus-builder.
Not supported are engines on the web, other filters than langid, and, unless the
classifier is that of the run, languages that langid does not know. A run that
is killed leaves an incomplete journal.

MEMORY AND TIME
Statistics, hits and the duplicate index are in memory: 160 MB for a run of 1,000
documents. A step takes about 1 ms, where corpus-builder takes 20 to 40; with
--classifier run, and with random selection from the upper half of the odds
ratios (porh), which reads the whole vocabulary, several.

EXIT STATUS
  0  the run ended at a limit, or because the targets are exhausted
  2  it could not run

EXAMPLES
The papers' loop, one document per step, measured at the end:

  $ simulate-run --target slv --init slv=seed.txt --init eng=english.txt \\
      --engine index:web --include or:3 --exclude or:3 --recovery offsets \\
      --max-pages 1 --docs 1000 | measure-run

SEE ALSO
tests/lab/README.md, corpus-builder(1), forage-records(5), forage(7)";
