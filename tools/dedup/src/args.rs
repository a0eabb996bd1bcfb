//! The command line of `dedup`.

use forage_cli::{Input, Tool, Verbosity};
use forage_dedup::Threshold;
use std::path::PathBuf;

/// Say of each document whether it is a twin of an earlier one
///
/// A document is `exact` when the index holds one with the same text (but for Unicode normalisation
/// and white space), `near` when it holds one whose set of shingles (five lower-cased words in a
/// row) resembles its own at least as much as the threshold says, and `new` otherwise. New
/// documents are added to the index; twins are not, so that each twin names the first document of
/// its kind.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = AFTER)]
pub struct Args {
    /// The index of documents seen; made when there is none
    #[arg(long, value_name = "FILE")]
    pub index: PathBuf,

    /// Least resemblance of near twins, 0.1 to 1; what an index was built for can be raised, not
    /// lowered [default: that of the index, 0.9 for a new one]
    #[arg(long, value_name = "RESEMBLANCE")]
    pub threshold: Option<Threshold>,

    /// Leave twins out
    #[arg(long)]
    pub drop: bool,

    /// Judge again what has `dedup` already
    #[arg(long)]
    pub force: bool,

    /// First forget the documents of steps from this one on (step.number; 0 is a document without a
    /// step)
    #[arg(long, value_name = "STEP")]
    pub from_step: Option<u64>,

    /// Read no input, but build the index anew from a journal
    #[arg(long, value_name = "JOURNAL", conflicts_with_all = ["files", "drop", "force", "from_step"])]
    pub rebuild: Option<PathBuf>,

    /// Rebuild only if the index lacks a step before this one; otherwise only forget steps from it
    /// on
    #[arg(long, value_name = "STEP", requires = "rebuild")]
    pub if_behind: Option<u64>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "dedup";

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const AFTER: &str = "\
READS
  text   the document; a record without it is passed on
  id     what later twins name as the first one
  step   number, which --from-step goes by

ADDS
  dedup  {status, of, resemblance}
         status is new, exact or near. of is the id of the indexed document
         that resembles this one most, the earliest of several; null where
         status is new, or that document has no id. resemblance (1 for exact)
         is the true one, of the two sets of shingles; absent where new.
  error  of kind bad-field, where text, id or query has the wrong type

STATE
  A document is remembered after its record has been written: when the output
  breaks off, give the same input again, and nothing is lost; what was written
  just before a kill may come twice. With --from-step, in a pipeline that
  repeats a broken step, it is remembered before.
  The initial documents of a run are in its journal: --rebuild takes them in, so
  that they are not new when an engine returns them.
  When dedup ends normally, FILE alone holds the index; with --from-step and
  after a kill, FILE-wal belongs to it.

MEMORY AND TIME
  Some 50 MB, however large the index; one record that is longer than that
  takes four times its own size. The index takes about 3 kB on disk for a
  document of 500 words. A document costs some 0.2 ms, and touches the same
  few pages of a small index and a large one; among thousands of pages that
  were made from one template up to 10 ms. A pair of documents at the threshold
  is found with a probability of 0.999 or more, but each document is compared
  with its 1,000 likeliest candidates at most. What is found is compared
  shingle by shingle, so that no pair below the threshold is told.

EXIT STATUS
  0  all input was read and answered
  1  some lines were not records
  2  it could not run or had to stop: the index is no index, damaged, full,
     or built for a higher threshold

EXAMPLES
  Mark twins, and count them:
    dedup --index seen.db < docs.jsonl | jq -r .dedup.status | sort | uniq -c

  Keep one document of each kind, near twins from a resemblance of 0.8:
    dedup --index seen.db --threshold 0.8 --drop < docs.jsonl > new.jsonl

  Build a lost index anew from the journal of a run:
    dedup --index RUN/seen.db --rebuild RUN/journal.jsonl

  The same, unless it contains all steps before the 60th:
    dedup --index RUN/seen.db --rebuild RUN/journal.jsonl --if-behind 60

SEE ALSO
  A. Z. Broder, On the resemblance and containment of documents, 1997.
  forage-records(5), forage(7)";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_threshold_must_be_one() {
        assert!(Args::try_parse_from(["dedup", "--index", "x", "--threshold", "0.8"]).is_ok());
        assert!(Args::try_parse_from(["dedup", "--index", "x", "--threshold", "8"]).is_err());
    }
}
