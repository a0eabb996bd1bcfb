//! Arguments of `report-runs`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity};
use std::path::PathBuf;

/// Report on runs with tables, figures and findings
///
/// Reads the output of measure-run and writes a report in Markdown, with figures as SVG files. All
/// numbers are means over targets and seeds; ranges and bands are over the seeds. With a table of
/// findings, the report has a verdict on each: confirmed, contradicted, undecided or not tested.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Output file
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Folder of the figures, relative to the report
    #[arg(long, value_name = "DIR", default_value = "figures")]
    pub figures: PathBuf,

    /// Page for the tables of the runs by cost, instead of the end of the report
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    pub tables: Option<PathBuf>,

    /// Introduction of the report in Markdown, instead of a title
    #[arg(long, value_name = "FILE")]
    pub introduction: Option<PathBuf>,

    /// Options of the settings to list: lines of "name, tab, options"
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    pub settings: Option<PathBuf>,

    /// Table of findings to test, with tab-separated columns
    #[arg(long, value_name = "FILE")]
    pub findings: Option<PathBuf>,

    /// Table of figures to draw, with tab-separated columns
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    pub figure_table: Option<PathBuf>,

    /// Page whose directives are replaced by tables, figures and findings
    ///
    /// The input is then measured tables instead of runs; see TEMPLATES.
    #[arg(long, value_name = "FILE", conflicts_with = "introduction")]
    pub template: Option<PathBuf>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "report-runs";
    // The tool reads measured runs, not documents.
    const INPUT_FIELDS: &'static [&'static str] = &[];
}

const SECTIONS: &str = "\
READS
The output of measure-run: a line for each setting, target and seed. With
--template, measured tables: a line for each experiment, target and setting,

  {\"experiment\":\"similarity\",\"target\":\"eng\",\"setting\":\"dice\",
   \"columns\":[\"threshold\",\"F\"],\"points\":[[0.1,0.35],[0.2,0.41]]}

WRITES
The report has the introduction, how the runs were measured, the findings, and
for each limit of the runs (documents, calls)

figures     for each target, its relevant documents by cost. If there are more
            than eight settings, the figure shows the best of each family (the
            part of the name before `:` or `/`), then the best of the others
tables      of settings and checkpoints: means over each set of targets that
            settings were run for, and for each target; of runs that only a
            number of steps limits, the precision and recall of their queries,
            also by recall level and by length
preferences the most probable values of the parameters of learners

A dash stands for a value that was not measured.

FINDINGS
The first line of the table names its columns, separated by tabs:

finding     a sentence
left        a setting, a quantity, a checkpoint, and optionally targets:
            `or:3 PosCalls calls=300 slv,tgl`; a factor may precede it
            (`1.3 * or:3 PosCalls calls=300`). Or a number
relation    >, >=, <, <=, or ~ with a tolerance: `~ 5%` allows a difference of
            5 % of the right side
right       as left. The setting * stands for every other setting

  OR brings more    or:3 PosCalls calls=300    >    por:3 PosCalls calls=300

A checkpoint is a number of documents, queries or calls; or a recall level of
0.1, 0.2 ... 1.0 (`recall=0.5`), the end of the step by which the run retrieved
this share of the documents of the target that exist, duplicates included.

Quantities:

relevant     relevant documents; by true class if it is known, else by the
             filter
PosDocs, PosQueries, PosCalls
             relevant documents per document, query, call
recall       relevant documents per document of the target that exists
documents, queries, calls
             numbers of documents, queries, calls
no-document  the share of the steps that retrieved no document, because their
             query was empty or exhausted, or no page could be fetched
empty        the share of the distinct queries that had no hit
query-precision
             the mean precision of the queries that retrieved documents: the
             share of the documents of a query that are of the target
query-recall
             the mean recall of these queries: the documents of the target that
             a query retrieved, per document of the target that exists
precision    the share of the filter's positives that are true positives
negative-predictive-value
             the share of its negatives that are true negatives
of-other-targets
             documents whose true class is another target of the run

With the relation `prefers`, the left side is a learner and its include-method,
exclude-method, include-length or exclude-length, and the right side a value.
The finding is that at the end of the runs this value is more probable than
every other one. Runs in which one value has a probability of at least .99 are
left out, because their learner is locked and compares no values:

  LTM settles on OR    ltm include-method    prefers    or

With `is below`, the right side is another parameter, and the finding is that
the expected value of the left one is lower:

  Few terms included   ltm include-length    is below   exclude-length

A line that starts with # is a heading. The report has an id for each finding,
the numbers of its heading and of the finding under it, as in 2.4.

FIGURES
The first line of the table of figures names its columns, separated by tabs:

figure      a name for the file: letters, digits and hyphens
caption     a sentence
x-axis      documents=N, queries=N or calls=N; or steps=N
y-axis      `relevant`, for the relevant documents of settings; or a parameter
            of a learner, such as include-method, for the probabilities of its
            values by steps
targets     one or several, separated by commas; a line is a mean over them
settings    at most eight, separated by commas, each of which has a line; or
            one learner

  learners  By documents.  documents=300  relevant  slv  ltm,lta,fm,ml

A line that starts with # is a heading. The caption names the settings that have
no line. A figure without any is reported as not measured.

VERDICTS
A pair is a target and a seed that both sides have. It is compared if both runs
reached the checkpoint or were exhausted before; a run that did not reach a
recall level, that another limit stopped before, or of which the quantity was
not measured, is left out.

The sides of a pair are compared by their ratio if both are counts or counts per
query or call, if one has a factor, and by ~; a count of 0 is taken as one half.
Two shares, or a value and a number, are compared by their difference. The
report has the mean difference, or the geometric mean ratio, and its 95 %
bootstrap interval over targets and seeds. The verdict is

confirmed     if the relation holds in the whole interval
contradicted  if it holds nowhere in the interval
undecided     otherwise, or with fewer than three pairs
not tested    if there is no pair

If the right side has *, the verdict is that of the other setting that supports
the finding least, of those with at least three pairs.

TEMPLATES
A template is a page in Markdown. These lines of it are replaced:

@table EXPERIMENT TARGET | HEADING: VALUE | ...
             a table with a row for each setting, in order of the input; or
             `Not measured` if there is none
@figure NAME EXPERIMENT TARGET X[<=END] Y: TITLE
             a figure with a line for each setting, at most eight, and the
             columns X (up to END) and Y as its axes; written to NAME.svg
@panels NAME EXPERIMENT TARGET,... X Y: TITLE
             a figure with a panel for each target, and a band from the column
             Y-low to Y-high around each line
@findings    the findings

A value is a column and conditions. It is the maximum of the column over the
points that fulfil the conditions, which are applied in order:

  F                       the highest F
  F threshold=0.2         F at the threshold .2
  threshold F=max         the threshold with the highest F
  recall precision=1      the highest recall with a precision of 1

In findings, the experiment, the target and the setting precede it:

  Dice is the best    similarity eng dice F    >    similarity eng * F

A measured table has no runs, and so there is no interval: the numbers are
compared, and a finding holds, does not hold, or was not tested.

MEMORY AND TIME
Some kilobytes per run; a thousand runs take about a second.

EXIT STATUS
  0  the report was written
  1  the report was written, but some lines were not runs and were skipped
  2  could not run or had to stop: a finding or a figure is malformed (the
     message has its line number), there is no run, a file cannot be written

EXAMPLES
Write a report on all measured runs:

  $ report-runs --out report.md results.jsonl

Also test findings, and put the tables on a page of their own:

  $ report-runs --introduction introduction.md --findings findings.tsv \\
      --figures experiments --tables report/tables.md \\
      --out report/runs.md results.jsonl

Write a page with the results of other experiments:

  $ report-runs --template page.md --findings findings.tsv \\
      --figures experiments --out report/page.md tables.jsonl

SEE ALSO
tests/lab/README.md, forage(7)";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::CommandFactory;

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }
}
