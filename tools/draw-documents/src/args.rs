//! Arguments of `draw-documents`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Draw documents of given classes and lengths at random
///
/// For each class and seed one document is drawn, and its text written to
/// DIR/CLASS-SEED.txt: an initial document for a run, as pipelines/experiment
/// begins its runs with. A file that is there is kept.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// The folder to write into
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// The true classes: lines of "url, tab, class"
    #[arg(long, value_name = "FILE")]
    pub truth: PathBuf,

    /// The classes to draw from, separated by commas
    #[arg(long, value_name = "CLASSES", value_delimiter = ',', required = true, value_parser = class)]
    pub class: Vec<String>,

    /// A document per class for each of these, separated by commas
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "1")]
    pub seed: Vec<u64>,

    /// How many words a document has, by blanks
    #[arg(long, value_name = "FROM-TO", default_value = "150-800", value_parser = words)]
    pub words: RangeInclusive<usize>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "draw-documents";

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

fn words(written: &str) -> Result<RangeInclusive<usize>, String> {
    let range = written
        .split_once('-')
        .and_then(|(from, to)| Some(from.parse().ok()?..=to.parse().ok()?));
    range
        .filter(|range| !range.is_empty())
        .ok_or_else(|| "two numbers are needed, the lesser one first, as in 150-800".into())
}

/// A class, of which the name of a file is made.
fn class(written: &str) -> Result<String, String> {
    let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let is_class =
        written.starts_with(|c: char| c.is_alphanumeric()) && written.chars().all(is_name);
    if is_class {
        Ok(written.into())
    } else {
        Err("a class is a word: letters, digits, - _ .".into())
    }
}

const SECTIONS: &str = "\
READS
  url   by which the class is found
  text  the document

The files are read twice, so that standard input can't be.

WRITES
DIR/CLASS-SEED.txt. Of the documents of a class that are long enough, in order
of their URLs, the one is taken that a checksum (POSIX cksum) of \"CLASS SEED\"
points to: the same on any machine.

MEMORY AND TIME
Some 100 bytes for each document; some 300 MB a second, twice.

EXIT STATUS
  0  the documents were written
  1  they were, but some lines were not records
  2  could not run: a class has no document of that length, or no such file

EXAMPLES
Initial documents for three runs:

  $ draw-documents --truth truth.tsv --class slv,eng --seed 1,2,3 \\
      --out init web.jsonl

SEE ALSO
measure-run(1), report-runs(1), forage-records(5), forage(7)";
