//! Arguments of `dedup`, and the text of its man page.

use forage_cli::{FileArgs, Input, RecordOutput, Tool, Verbosity};
use forage_dedup::ResemblanceThreshold;
use forage_step::StepArgs;
use std::path::PathBuf;

/// Mark each document as new or as a duplicate of an earlier one
///
/// A document is `exact` if the index contains one with the same text (except for Unicode
/// normalisation and white space), `near` if it contains one whose set of shingles (five
/// consecutive lower-cased words) has a resemblance of at least the threshold, with --titles
/// `title` if it contains one with the same title, and `new` otherwise. New documents are added to
/// the index. Duplicates are not, so each duplicate names the first document of its group.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS, override_usage = USAGE)]
pub struct Args {
    /// Index of the documents seen so far; created if missing
    ///
    /// Can be left out with --files: the index is then in memory.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "as_documents",
        group = "state_file"
    )]
    pub index: Option<PathBuf>,

    /// Minimum resemblance of near-duplicates [default: the index's, or 0.9]
    ///
    /// A number from 0.1 to 1. The default for a new index is 0.9. The threshold that an index was
    /// built for can be raised, but not lowered.
    #[arg(long, value_name = "RESEMBLANCE")]
    pub threshold: Option<ResemblanceThreshold>,

    /// Also mark documents with the title of an earlier one
    ///
    /// Titles are compared without regard to case, white space and compatibility forms of Unicode.
    /// Titles of fewer than four words, or 12 characters in scripts without blanks between words,
    /// are not compared: they are often generic, such as `Latest news`. Suited to news, where an
    /// article is reprinted in part; not to sites that give one long title to all pages. Give it
    /// with --rebuild as well.
    #[arg(long, conflicts_with = "as_documents")]
    pub titles: bool,

    /// Also compare with the documents of this index; repeatable
    ///
    /// The index of an earlier corpus, which is not changed. A document that it has is a duplicate.
    #[arg(long, value_name = "FILE")]
    pub against: Vec<PathBuf>,

    /// Leave duplicates out of the output
    #[arg(long, conflicts_with_all = ["as_documents", "rebuild"])]
    pub drop: bool,

    /// Also process records that already have `dedup`
    #[arg(long, conflicts_with_all = ["as_documents", "rebuild"])]
    pub force: bool,

    #[command(flatten)]
    pub step: StepArgs,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub files: FileArgs,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// The usage: the index can be left out for files only.
const USAGE: &str = "dedup [OPTIONS] --index <FILE> [FILE]...
       dedup [OPTIONS] --files [FILE]...";

impl Tool for Args {
    const NAME: &'static str = "dedup";

    fn record_output(&self) -> Option<&RecordOutput> {
        Some(&self.output)
    }

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const SECTIONS: &str = "\
READS
  text   the document; a record without it is passed on
  id     the name of the document, for dedup.of of its duplicates
  title  stored for --titles
  step   its number, which is compared with --from-step

FILES
With --files, each FILE is one document, and results in one line of output, in
the order of the arguments, with four fields separated by tabs:
  1  path of the file
  2  status: new, exact or near; unread for a file that is not plain text or is
     longer than --max-line, which is not compared
  3  path of the first file of the group, if the status is exact or near
  4  resemblance, 0 to 1, if the status is exact or near

Tabs, line ends and backslashes in a path are written as \\t, \\n, \\r and \\\\, other
control characters as in \\x1b. With -r, FILE may be a folder: its files are read
in the order of their names, and those of its subfolders; hidden and binary
files, symbolic links, pipes and devices are left out.

A file is plain text: UTF-8, UTF-16, or in a legacy encoding, which is detected.
A file that is longer than --max-line is not read, because two files with the
same beginning may differ. A warning names it, and a file that is HTML, PDF or
binary; fetch-extract extracts the text of pages. A file that cannot be read is
reported; the others are processed. So is a folder without text files. Of each
kind of problem, the first five files are named.

Without --index, only the files are compared with each other. With it, they are
also compared with the documents of the index, which all new files are added to
at the end; field 3 is then the id of that document, which may be empty.

ADDS
  dedup  {status, of, resemblance}
         status is new, exact, near or title. of is the id of the indexed
         document with the highest resemblance or the same title, the earliest
         of several; null if status is new, or that document has no id.
         resemblance (1 for exact) is exact, not estimated: it is computed from
         the two sets of shingles; absent if status is new or title.
  error  of kind bad-field, if text, id or step has the wrong type, or title
         with --titles

STATE
A document is added to the index after its record has been written. If the
output breaks off, run dedup again on the same input: nothing is lost, but
records that were written just before a kill may occur twice. With --from-step,
in a pipeline that repeats an interrupted step, it is added before.

Titles are stored also without --titles, so that it can be given later. An index
of an earlier version has none: with --titles, it is refused until --rebuild has
added them.

The initial documents of a run are in its journal: --rebuild adds them, so that
they are duplicates when an engine returns them.

When dedup ends normally, FILE of --index is complete on its own. With
--from-step and after a kill, FILE-wal belongs to it.

MEMORY AND TIME
Memory is about 50 MB for an index of any size; a record larger than that takes
four times its own size. With --files and without --index, the index is in
memory. The index takes about 3 kB on disk per document of 500
words. A document takes about 0.2 ms and reads equally few pages of a small and
a large index; among thousands of pages that were made from one template it
takes up to 10 ms.

A pair of documents at the threshold is found with a probability of at least
0.999, but each document is compared with its 1,000 most likely candidates at
most. Candidates are compared by all their shingles, so that no pair below the
threshold is reported.

EXIT STATUS
  0  all input was processed, including records with an error
  1  some lines were not records and were skipped, or some files of --files could
     not be read, are not plain text or are longer than --max-line
  2  could not run or had to stop: FILE is not an index, is damaged or full, or
     was built for a higher threshold or, with --titles, without titles; no file
     of --files could be read

EXAMPLES
Mark duplicates, and count them:

  $ dedup --index seen.db < docs.jsonl | jq -r .dedup.status |
      sort | uniq -c

Keep one document per group of duplicates, with a threshold of 0.8:

  $ dedup --index seen.db --threshold 0.8 --drop < docs.jsonl > new.jsonl

List the files in a folder that are duplicates of others:

  $ dedup --files -r texts/ | awk -F '\\t' '$2 != \"new\"'

Mark reprinted articles, also if their text was cut:

  $ dedup --index seen.db --titles < articles.jsonl

Rebuild a lost index from the journal of a run:

  $ dedup --index RUN/seen.db --rebuild RUN/journal.jsonl

The same, unless it contains all steps before step 60:

  $ dedup --index RUN/seen.db --rebuild RUN/journal.jsonl --if-behind 60

SEE ALSO
update-stats(1), corpus-export(1), forage-records(5), forage(7)

A. Z. Broder: On the resemblance and containment of documents. 1997.";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn rejects_a_threshold_above_1() {
        assert!(Args::try_parse_from(["dedup", "--index", "x", "--threshold", "0.8"]).is_ok());
        assert!(Args::try_parse_from(["dedup", "--index", "x", "--threshold", "8"]).is_err());
    }
}
