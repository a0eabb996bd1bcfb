//! Arguments of `measure-run`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity};
use forage_experiment::Limits;
use std::path::PathBuf;

/// Write what a run brought for what it cost
///
/// Reads the journal of a run and writes one line: how many documents, queries
/// and calls there were, and how many relevant documents, at fixed numbers of
/// each. With the true classes of the documents, as on a closed web, it counts
/// by them as well as by the filter's labels. Lines of many runs, one after the
/// other, are what report-runs reads.
///
/// With --compare it reads the journals of several runs for one target, and
/// writes what they have in common.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// How the run asked: a name without blanks
    #[arg(long, value_name = "NAME", default_value = "run", value_parser = name)]
    pub setting: String,

    /// The seed of the run, as it is to stand in the line
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// The true classes: lines of "url, tab, class"
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,

    /// A limit that the run was to stop at: documents=N, steps=N or calls=N.
    /// A run that ended before all of its limits counts on with what it had
    #[arg(long, value_name = "COUNT=N", value_parser = limit)]
    pub limit: Vec<Limits>,

    /// Read the journals of several runs for a target, and write what they found
    /// in common as one JSON object: how many documents the engine can reach by
    /// Chapman and by Chao, and how vocabularies grow
    #[arg(long, requires = "files", conflicts_with_all = ["setting", "seed", "truth", "limit"])]
    pub compare: bool,

    /// With --compare, the class that the runs looked for [default: that of the
    /// first step]
    #[arg(long, value_name = "CLASS", requires = "compare")]
    pub target: Option<String>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "measure-run";
    // It tells itself when there is nothing to measure.
    const INPUT_FIELDS: &'static [&'static str] = &[];

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

/// Parses a limit of a run: `calls=600`.
fn limit(text: &str) -> Result<Limits, String> {
    let (count, most) = text
        .split_once('=')
        .ok_or("a limit is wanted, as in calls=600")?;
    let most = Some(most.parse().map_err(|_| format!("`{most}` is no number"))?);
    match count {
        "documents" => Ok(Limits {
            documents: most,
            ..Limits::default()
        }),
        "steps" => Ok(Limits {
            steps: most,
            ..Limits::default()
        }),
        "calls" => Ok(Limits {
            calls: most,
            ..Limits::default()
        }),
        _ => Err(format!("`{count}`: there are documents, steps and calls")),
    }
}

impl Args {
    /// All limits of the run; of two of a kind the last counts.
    pub fn limits(&self) -> Limits {
        self.limit
            .iter()
            .fold(Limits::default(), |all, limit| Limits {
                documents: limit.documents.or(all.documents),
                steps: limit.steps.or(all.steps),
                calls: limit.calls.or(all.calls),
            })
    }
}

/// Checks the name of a setting: in findings it stands between blanks, in arguments between commas.
fn name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',');
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| "a name has no blanks and no commas".into())
}

const SECTIONS: &str = "\
READS
The journal of a run. Initial documents, which have no step, are passed over.
Of each other record:

step        its number and target
query       its id, and the learner that chose it
hit         the calls that it cost, and whether the query brought nothing
url         by which its true class is found
text, label, dedup, error
            whether it is a document, relevant, or a twin

ADDS
Nothing: it writes one line for each target that was asked for, with

reachable   how many documents are truly of the target, with --truth
points      the counts just before each of the numbers 10, 25, 50, 100, 150,
            200, 300 to 900, 1000, 1500 ... of documents, queries and calls was
            exceeded, and at the end: steps; documents retrieved; queries sent,
            each once; queries that had no hit at all; calls; documents that
            the filter called relevant; those that truly are; those that are
            both. A twin counts as retrieved alone
columns     the names of these numbers
learned     the probabilities of ml, lta, ltm and fm over the steps
setting, target, seed, limits
            what the run was

With --compare it writes one object:

target      the class that the runs looked for
documents   relevant documents that any of the runs found
chapman, chao1
            how many documents the engine can reach, by the estimates of Chapman
            (of two runs) and Chao, with an interval of 95 %. Both are lower
            bounds: they assume that all documents are equally easy to find
runs        of each run: relevant documents, tokens, distinct words; the
            parameters of Heaps' law; the share of the other runs' vocabulary
            that it has, and that of their tokens (ctf_ratio)

MEMORY AND TIME
Memory grows with the number of queries, and with the file of true classes:
some 10 MB for 40,000. About 200 MB of journal a second. --compare holds the
terms of all the runs, and some bytes for each of their documents.

EXIT STATUS
  0  the run was measured
  1  it was, but some lines of the journal were not records
  2  could not run: a file that can't be read, a line of true classes that is
     none, no step in the journal; with --compare a journal that is given twice
     or has no relevant document

EXAMPLES
What a run brought, by its filter:

  $ measure-run run/journal.jsonl

Two runs on a closed web, and a report on them:

  $ measure-run --setting or:3 --seed 1 --truth truth.tsv \\
      --limit calls=300 or/journal.jsonl > results.jsonl
  $ measure-run --setting auto --seed 1 --truth truth.tsv \\
      --limit calls=300 auto/journal.jsonl >> results.jsonl
  $ report-runs --out report.md results.jsonl

The documents that two runs with different seeds share, and what that says of
how many there are:

  $ measure-run --compare one/journal.jsonl two/journal.jsonl |
      jq '{documents, chapman, chao1, runs}'

SEE ALSO
report-runs(1), experiment(1), update-stats(1), forage-records(5), forage(7)";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn names_and_limits_are_checked() {
        let is_right =
            |args: &[&str]| Args::try_parse_from([&["measure-run"], args].concat()).is_ok();
        assert!(is_right(&[
            "--setting",
            "un:2/un:0",
            "--limit",
            "calls=600",
            "--limit",
            "documents=10"
        ]));
        for wrong in [
            ["--setting", "a b"],
            ["--setting", ""],
            ["--limit", "calls"],
            ["--limit", "queries=1"],
        ] {
            assert!(!is_right(&wrong), "{wrong:?}");
        }
    }
}
