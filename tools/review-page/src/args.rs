//! Arguments of `review-page`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity};
use forage_record::field;
use std::path::PathBuf;

/// Judge a sample of documents on a local page
///
/// Serves a page on this machine in which people judge the documents that sample has drawn, one
/// after another, by keyboard. Writes the URL of the page to standard output. Each verdict is
/// saved at once, so the page and the tool can be stopped and started again. Ends when the user
/// clicks Finish on the page.
///
/// pipelines/review draws the sample, runs this tool, and writes what the verdicts accept.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// File of verdicts, for sample --judgements; created if it does not exist
    #[arg(long, value_name = "FILE")]
    pub judgements: PathBuf,

    /// Share of relevant documents that an accepted group must exceed, shown on the page
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.75,
        value_parser = forage_review::AcceptanceRule::parse_limit
    )]
    pub limit: f64,

    /// Open the page in the default browser
    #[arg(long)]
    pub open: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "review-page";
    const INPUT_FIELDS: &'static [&'static str] = &[field::SAMPLE];

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const SECTIONS: &str = "\
READS
  sample         id, group and size, as sample writes them
  title, url, text, langid
                 what the page shows of the document
  topic          shown on request: which metrics voted for the document

The file of verdicts has lines of \"id, tab, yes or no\". Verdicts that it has are
shown; documents without one follow in the order of the sample.

ADDS
Nothing: each verdict is a line at the end of the file of verdicts, and undoing
it removes the line. The file may be edited or replaced meanwhile: new verdicts
go to the file that has the name, and the page shows what was edited when the
tool is started again. Standard output has the URL of the page only.

KEYS
  y              the document is relevant
  n              it is not
  space          skip: the document comes again at the end
  u, backspace   undo the last verdict
  m              show the metrics that voted; hidden at first, because they
                 could influence the verdict
  ?              help

SECURITY
The server listens on 127.0.0.1 only, on a free port. The URL contains a random
token, without which nothing can be read or judged. The page loads nothing from
other servers; a link to a document's URL opens a new tab without a referrer.

MEMORY AND TIME
About 200 bytes per document; texts are kept in a temporary file.

EXIT STATUS
  0  the review was finished on the page
  1  the same, but some lines were not records and were skipped
  2  could not run or had to stop: a file is missing, a line of verdicts is
     malformed, the file of verdicts is open in another review, no document has
     `sample`, or its id cannot be in a line of verdicts

EXAMPLES
Judge a fifth of each group of a run:

  $ sample --share 0.2 --journal run/journal.jsonl > sample.jsonl
  $ review-page --judgements judged.tsv --open sample.jsonl
  $ sample --judgements judged.tsv --journal run/journal.jsonl > kept.jsonl

SEE ALSO
sample(1), review(1), topic-filter(1), forage-records(5), forage(7)";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::CommandFactory;

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }
}
