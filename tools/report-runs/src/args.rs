//! Arguments of `report-runs`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity};
use std::path::PathBuf;

/// Write tables, figures and findings of what runs brought
///
/// Reads the lines of measure-run and writes a report in Markdown, with figures
/// as SVG beside it. All numbers are means over targets and seeds; ranges and
/// bands are those of the seeds. With a table of findings, the report says of
/// each whether it holds.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// The report to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// The folder of its figures, as it is to be named in the report
    #[arg(long, value_name = "FOLDER", default_value = "figures")]
    pub figures: PathBuf,

    /// A text in Markdown that the report begins with, in place of a title
    #[arg(long, value_name = "FILE")]
    pub introduction: Option<PathBuf>,

    /// Findings to judge by the results: a table with tabs between its columns
    #[arg(long, value_name = "FILE")]
    pub findings: Option<PathBuf>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "report-runs";
    // It reads runs, not documents.
    const INPUT_FIELDS: &'static [&'static str] = &[];

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const SECTIONS: &str = "\
READS
Lines of measure-run, each of another setting, target and seed.

WRITES
The report: the introduction, how the runs were measured, the findings, and for
each limit that runs had (documents, calls)

figures     for each target its relevant documents by what they cost. Of more
            than eight settings it shows the best of each way of querying (the
            part of the name before `:` or `/`), then the best others
tables      of settings and checkpoints: means over each set of targets that
            settings were run for, and each target by itself
preferences the values that the learners came to prefer

A dash stands for what was not measured.

FINDINGS
The first line of the table names its columns, with tabs between them:

finding     a sentence
left        a setting, a quantity, a checkpoint and, unless all are meant, the
            targets: `or:3 PosCalls calls=300 slv,tgl`; a factor may precede it
            (`1.3 * or:3 PosCalls calls=300`). Or a number
relation    >, >=, <, <=, or ~, which allows a difference of 5 %
right       as left. The setting * stands for each other one

  OR brings more    or:3 PosCalls calls=300    >    por:3 PosCalls calls=300

A checkpoint is a number of documents, queries or calls. The quantities are

relevant     relevant documents; by the true label where it is known, else by
             the filter
PosDocs, PosQueries, PosCalls
             relevant documents per document, query, call
recall       relevant documents per document of the target that exists
documents, queries, calls
             how many there were
empty        the share of the queries that had no hit
precision    the share of the filter's positives that are true positives
negative-predictive-value
             the share of its negatives that are true negatives

With the relation `prefers`, the left side is a learner and its include-method,
exclude-method, include-length or exclude-length, and the right side the value
that is the most probable one at the end of its runs:

  LTM settles on OR    ltm include-method    prefers    or

Both sides are compared over the targets and seeds that both have. The report
has both numbers, their ratio, and over how many targets and seeds they are; a
finding holds, does not hold, or is not measured. A line that begins with # is a
heading.

MEMORY AND TIME
Some kilobytes a run; a thousand runs take about a second.

EXIT STATUS
  0  the report was written
  1  it was, but some lines were no runs
  2  it was not: a line of the findings that is none (its number is told), no
     run, a file that can't be written

EXAMPLES
  $ report-runs --out report.md results.jsonl
  $ report-runs --introduction introduction.md --findings findings.tsv \\
      --figures experiments --out docs/EXPERIMENTS.md results.jsonl

SEE ALSO
measure-run(1), experiment(1), forage(7)";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }
}
