//! Arguments of `report-runs`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Speech, Tool};
use std::path::PathBuf;

/// Write tables and figures of what runs brought
///
/// Reads the lines of measure-run and writes a report in Markdown, with figures
/// as SVG beside it. All numbers are means over targets and seeds; ranges and
/// bands are those of the seeds. With a template, the text is yours, and the
/// numbers, tables, figures and verdicts in it are put in from the results.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// The report to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// The folder of its figures, as it is to be named in the report
    #[arg(long, value_name = "FOLDER", default_value = "figures")]
    pub figures: PathBuf,

    /// A text with instructions between `{{` and `}}`
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub speech: Speech,
}

impl Tool for Args {
    const NAME: &'static str = "report-runs";
    // It reads runs, not documents.
    const NEEDS: &'static [&'static str] = &[];

    fn speech(&self) -> &Speech {
        &self.speech
    }
}

const SECTIONS: &str = "\
READS
Lines of measure-run, each of another setting, target and seed.

WRITES
The report, and one SVG for each figure in it. Without --template it has for
each limit that the runs had (documents, queries, calls) a table of all
settings and a figure of the best ones.

A template is a text with instructions. A figure of the results is written as
{{QUANTITY SETTING at COUNT=N}} or {{QUANTITY SETTING at COUNT=N in TARGETS}}:

  {{PosCalls auto at calls=300 in slv,tgl}}

The quantities are

relevant     relevant documents; by the true label where it is known, else by
             the filter, and always by it in relevant/filter
PosDocs, PosQueries, PosCalls
             relevant documents by documents, queries, calls
recall       relevant documents by all that there are
documents, queries, calls
             how many there were
empty        queries that had no hit, by queries
precision    of what the filter calls relevant, the part that is
rejection    of what it calls nonrelevant, the part that is

The other instructions are, without the brackets around them,

A over B     the ratio of two figures; like all comparisons over the targets and
             seeds that both have
confirmed A > B
             **confirmed**, **not confirmed**, or **not measured**. A and B are
             figures or numbers; a figure may go on with `times N` and `minus
             N`; several comparisons are joined by `and`
confirmed preferred PARAMETER of SETTING [in TARGETS] is VALUE
             whether a learner's most probable value at the end is this one
preferred PARAMETER of SETTING [in TARGETS]
             the values that are most probable at the end
beaten SETTING at COUNT=N,N less MARGIN
             the settings with more PosCalls, and PosDocs above its own less the
             margin
table COUNT=N,N QUANTITY ... [of SETTINGS] [in TARGETS] [sorted]
             a row for each setting; `by-target` in its place: a column for each
             target
figure NAME QUANTITY [of SETTINGS] by COUNT=N [in TARGETS]
             the path of a figure with a line for each setting, or for the eight
             best, up to N
figure NAME learned PARAMETER of SETTING [in TARGETS]
             a learner's probabilities of a parameter's values: of
             include-method, exclude-method, include-length, exclude-length
runs, settings, targets
             how many there are, or which

A dash stands for what was not measured.

MEMORY AND TIME
Some kilobytes a run; a thousand runs take about a second.

EXIT STATUS
  0  the report was written
  1  it was, but some lines were no runs
  2  it was not: a template with an instruction that is none (its line is told),
     no run, a file that can't be written

EXAMPLES
  $ report-runs --out report.md results.jsonl
  $ report-runs --template findings.md --figures experiments \\
      --out docs/FINDINGS.md results.jsonl

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
