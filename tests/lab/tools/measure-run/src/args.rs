//! Arguments of `measure-run`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity};
use forage_experiment::RunLimits;
use std::path::PathBuf;

/// Measure the yield and cost of a run
///
/// Reads the journal of a run and writes one line: the numbers of documents, queries and calls, and
/// the number of relevant documents, at fixed numbers of each. If the true classes of the documents
/// are known, as on a closed web, documents are counted by true class as well as by the filter's
/// labels. report-runs reads the concatenated lines of many runs.
///
/// With --compare, reads the journals of several runs for one target, and writes their common
/// documents and vocabularies.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Name of the setting, copied to the output; no spaces, no commas
    #[arg(long, value_name = "NAME", default_value = "run", value_parser = parse_setting_name)]
    pub setting: String,

    /// Seed of the run, copied to the output
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// True classes: lines of "url, tab, class"
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,

    /// Limit of the run: documents=N, steps=N or calls=N; repeatable
    ///
    /// A run that ended before it reached any of its limits was exhausted, and keeps its final
    /// counts. Limits count all targets of the run together, as in corpus-builder; see ADDS.
    #[arg(long, value_name = "COUNT=N", value_parser = parse_limit)]
    pub limit: Vec<RunLimits>,

    /// Compare the journals of several runs for one target
    ///
    /// Writes one JSON object: the common documents of the runs, the estimates of Chapman and Chao
    /// of the number of documents that the engine can reach, and the growth of the vocabularies.
    #[arg(
        long,
        requires = "files",
        conflicts_with_all = ["setting", "seed", "truth", "limit"]
    )]
    pub compare: bool,

    /// With --compare, target class [default: target of the first step]
    #[arg(long, value_name = "CLASS", requires = "compare")]
    pub target: Option<String>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "measure-run";
    // The tool itself reports if there is nothing to measure.
    const INPUT_FIELDS: &'static [&'static str] = &[];
}

/// Parses a limit of a run, such as `calls=600`.
fn parse_limit(text: &str) -> Result<RunLimits, String> {
    let (count, limit) = text
        .split_once('=')
        .ok_or("expected a limit such as calls=600")?;
    let limit = Some(
        limit
            .parse()
            .map_err(|_| format!("`{limit}` is not a number"))?,
    );
    match count {
        "documents" => Ok(RunLimits {
            documents: limit,
            ..RunLimits::default()
        }),
        "steps" => Ok(RunLimits {
            steps: limit,
            ..RunLimits::default()
        }),
        "calls" => Ok(RunLimits {
            calls: limit,
            ..RunLimits::default()
        }),
        _ => Err(format!("`{count}`: expected documents, steps or calls")),
    }
}

impl Args {
    /// Returns all limits of the run. If a limit is given twice, the last one counts.
    pub fn limits(&self) -> RunLimits {
        self.limit
            .iter()
            .fold(RunLimits::default(), |all, limit| RunLimits {
                documents: limit.documents.or(all.documents),
                steps: limit.steps.or(all.steps),
                calls: limit.calls.or(all.calls),
            })
    }
}

/// Checks the name of a setting. Names are separated by spaces in findings, and by commas in
/// arguments.
fn parse_setting_name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',');
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| "a name must not be empty, and has no spaces and no commas".into())
}

const SECTIONS: &str = "\
READS
The journal of a run. Initial documents, which have no step, are skipped. Of
each other record:

step        its number and target
query       its id, and the learner that chose it
hit         the number of calls, and the outcome
url         the key of its true class
text, label, dedup, error
            whether it is a document, relevant, or a duplicate

ADDS
Nothing: writes one line for each target, with

reachable   the number of documents that truly are of the target; with --truth
points      the counts just before each of the numbers 10, 25, 50, 100, 150,
            200, 300 to 900, 1000, 1500 ... of documents, queries and calls was
            exceeded, at the end of a step that reached one tenth, two tenths
            ... of the documents of the target, and at the end: steps; documents
            retrieved; distinct queries sent; distinct queries without a hit;
            calls; relevant documents by the filter; by true class; by both;
            finished steps that retrieved no document although the engine
            answered; queries that retrieved documents; the sum of their
            precisions, in millionths; duplicates; documents of the target by
            true class. A duplicate is not relevant, but counts in the precision
            of its query, and as a document of its true class
columns     the names of these numbers
learned     the probabilities of ml, lta, ltm and fm over the steps
setting, target, seed, limits
            the setting, target, seed and limits of the run. Each of several
            targets has its share of the steps; if the run ended at its number
            of documents or calls, no target has a limit

With --compare it writes one object:

target      the target class of the runs
documents   the number of distinct relevant documents of all runs
chapman, chao1
            estimates of the number of documents that the engine can reach, by
            Chapman (for two runs) and Chao, with 95 % intervals. Both are lower
            bounds: they assume that all documents are equally easy to find
runs        for each run: relevant documents, tokens, distinct words; the
            parameters of Heaps' law; the shares of the other runs' vocabulary
            and of their tokens that it covers (vocabulary, ctf_ratio)

MEMORY AND TIME
Memory grows with the number of queries, and with the file of true classes:
about 10 MB for 40,000 documents. Reads about 200 MB of journal per second.
--compare keeps the vocabulary of all runs in memory, and some bytes per
document.

EXIT STATUS
  0  the run was measured
  1  the run was measured, but some lines were not records and were skipped
  2  could not run or had to stop: a file cannot be read, a line of true
     classes is malformed, the journal has no step; with --compare, a journal is
     given twice or has no relevant document

EXAMPLES
Measure a run by its filter:

  $ measure-run run/journal.jsonl

Report on two runs on a closed web:

  $ measure-run --setting or:3 --seed 1 --truth truth.tsv \\
      --limit calls=300 or/journal.jsonl > results.jsonl
  $ measure-run --setting auto --seed 1 --truth truth.tsv \\
      --limit calls=300 auto/journal.jsonl >> results.jsonl
  $ report-runs --out report.md results.jsonl

Estimate the number of documents from two runs with different seeds:

  $ measure-run --compare one/journal.jsonl two/journal.jsonl |
      jq '{documents, chapman, chao1, runs}'

SEE ALSO
tests/lab/README.md, update-stats(1), forage-records(5), forage(7)";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn names_and_limits_are_checked() {
        let is_valid =
            |args: &[&str]| Args::try_parse_from([&["measure-run"], args].concat()).is_ok();
        assert!(is_valid(&[
            "--setting",
            "un:2/un:0",
            "--limit",
            "calls=600",
            "--limit",
            "documents=10"
        ]));
        for invalid in [
            ["--setting", "a b"],
            ["--setting", ""],
            ["--limit", "calls"],
            ["--limit", "queries=1"],
        ] {
            assert!(!is_valid(&invalid), "{invalid:?}");
        }
    }
}
