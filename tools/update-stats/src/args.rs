//! Arguments of `update-stats`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity};
use std::path::PathBuf;
use std::str::FromStr;

/// Count finished records into the term statistics and the journal
///
/// A record with `text` and `label` is a document of that class: its terms are
/// counted into the statistics, from which gen-query learns what to ask next.
/// Every record is appended to the journal and passed on as it is.
///
/// The journal is the truth. The statistics note how far they have folded it
/// in; after a kill at any moment the next start makes the two agree again.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Term statistics; made if there are none
    #[arg(long, value_name = "FILE")]
    pub stats: PathBuf,

    /// Append each record to this file
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,

    /// Count a file as an initial document of a class: plain text or a list of
    /// words; a `.jsonl` file is one document a record
    #[arg(long, value_name = "CLASS=FILE")]
    pub init: Vec<Initial>,

    /// Make the statistics anew from a journal
    #[arg(long, value_name = "JOURNAL", conflicts_with_all = ["journal", "init", "from_step"])]
    pub rebuild: Option<PathBuf>,

    /// Write the run's figures as one JSON object; with -v also for people, on
    /// standard error
    #[arg(long)]
    pub report: bool,

    /// First forget steps from N on; take no step that lacks its last record
    #[arg(long, value_name = "N")]
    pub from_step: Option<u64>,

    /// Make statistics and journal whole, and write the same line as --tally:
    /// the next step is 0 where the run has not been initialised
    #[arg(long, requires = "journal", conflicts_with_all = ["init", "rebuild", "report", "from_step"])]
    pub next_step: bool,

    /// Write instead of the records one line: number of the next step,
    /// documents, calls, and what came last (hit, empty, exhausted or the kind
    /// of the engine's error)
    #[arg(long)]
    pub tally: bool,

    /// With --report, also these classes, separated by commas, which no query may
    /// have asked for yet
    #[arg(long, value_name = "CLASSES", requires = "report")]
    pub target: Option<String>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "update-stats";
    // Records without text are journalled.
    const INPUT_FIELDS: &'static [&'static str] = &[];

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

/// An initial document or list of words: `CLASS=FILE`.
#[derive(Debug, Clone)]
pub struct Initial {
    /// The class that it belongs to.
    pub class: String,
    /// The file.
    pub file: PathBuf,
}

impl FromStr for Initial {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((class, file)) if !class.is_empty() && !file.is_empty() => Ok(Initial {
                class: class.into(),
                file: file.into(),
            }),
            _ => Err("a class and a file are wanted, as in `slv=seed.txt`".into()),
        }
    }
}

const SECTIONS: &str = "\
READS
  text, label  a document and its class; without a label it is not counted
  step         number and target: relevant is what is labelled with the target
  query        its terms, and the strategy that learns from what it brought
  hit          the calls that it cost; whether the query brought nothing
  dedup        a twin (`exact`, `near`) is no new document: it is not counted,
               and not relevant
  error        such a record is noted in the journal alone

ADDS
Nothing: records are passed on as they are. With -v a line about each is said on
standard error.

STATE
The report has `coverage` where the run probed for it (gen-query
--until-coverage): documents collected, the population that the engine can
reach, and the share, both with an interval that holds the truth in 95 of 100
runs.

--stats is an SQLite file, to be read with sqlite3. --journal is plain JSON
lines; initial documents stand first in it. If only --stats is given, nothing is
kept but the counts.

A record is counted after it has been written: when the output breaks off, give
the same input again, and nothing is lost; what was written just before a kill
may come twice. With --from-step a run is repeated from that step on, whatever a
killed run left, and records are counted before.

When update-stats ends normally, the file of --stats alone holds all of it; with
--from-step and after a kill, the file beside it that ends in -wal belongs to it.

MEMORY AND TIME
Bounded for a long stream, which is counted in large transactions; a single
document of millions of different words takes more. One document takes about 5
ms at a million terms: only its own terms are touched.

EXIT STATUS
  0  all input was read and counted
  1  some lines were not records; they were left out and told of
  2  could not run or had to stop: a file that can't be written, is foreign or
     of a newer version, or a step whose last record did not come

EXAMPLES
Begin with a document of the language, and a list of English words:

  $ update-stats --stats stats.db --init slv=seed.txt --init eng=words.txt

Count documents that a script of one's own has labelled:

  $ jq -c '.label = \"slv\"' docs.jsonl |
      update-stats --stats stats.db > /dev/null


How far is the run?

  $ update-stats --stats run/stats.db --report | jq '{documents, PosDocs}'

SEE ALSO
gen-query(1), langid(1), dedup(1), forage-records(5), forage(7)";
