//! Arguments of `draw-documents`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity, parse_positive};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Draw documents of given classes and lengths at random
///
/// For each class and seed, draws one document and writes its text to DIR/CLASS-SEED.txt, as an
/// initial document for a run; experiment starts its runs with such files. With --number, draws
/// several and writes their records to DIR/CLASS-SEED.jsonl. Existing files are kept.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Output folder
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// True classes: lines of "url, tab, class"
    #[arg(long, value_name = "FILE")]
    pub truth: PathBuf,

    /// Classes to draw documents of, separated by commas
    #[arg(
        long,
        value_name = "CLASSES",
        value_delimiter = ',',
        required = true,
        value_parser = parse_class
    )]
    pub class: Vec<String>,

    /// Seeds, separated by commas; each draws documents of each class
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "1")]
    pub seed: Vec<u64>,

    /// Number of documents per class and seed
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_positive::<NonZeroU32>)]
    pub number: NonZeroU32,

    /// Minimum and maximum length of a document, in words
    #[arg(long, value_name = "FROM-TO", default_value = "150-800", value_parser = parse_word_range)]
    pub words: RangeInclusive<usize>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "draw-documents";
}

fn parse_word_range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let range = text
        .split_once('-')
        .and_then(|(from, to)| Some(from.parse().ok()?..=to.parse().ok()?));
    range
        .filter(|range| !range.is_empty())
        .ok_or_else(|| "not a range of two numbers, such as 150-800".into())
}

/// Parses a class that is safe as a part of a file name.
fn parse_class(text: &str) -> Result<String, String> {
    let is_valid_char = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let is_class = text.starts_with(char::is_alphanumeric) && text.chars().all(is_valid_char);
    if is_class {
        Ok(text.into())
    } else {
        Err("not a class, which consists of letters, digits, - _ and .".into())
    }
}

const SECTIONS: &str = "\
READS
  url   the URL, by which the class is looked up
  text  the document

The files are read twice, so they cannot be standard input or pipes.

WRITES
DIR/CLASS-SEED.txt, or DIR/CLASS-SEED.jsonl if --number is greater than 1. The
documents of a class that have the right length are sorted by URL. The POSIX
cksum of \"CLASS SEED\", modulo their number, is the index of the document that
is drawn, so that it is the same on any machine. The second one is drawn from
the others by the cksum of \"CLASS SEED 2\", and so on.

MEMORY AND TIME
About 100 bytes per document, and the drawn documents; two passes at about
300 MB per second.

EXIT STATUS
  0  the documents were written
  1  the documents were written, but some lines were not records and were
     skipped
  2  could not run or had to stop: a class has too few documents of this
     length, a file is missing

EXAMPLES
Draw initial documents for three runs:

  $ draw-documents --truth truth.tsv --class slv,eng --seed 1,2,3 \\
      --out init web.jsonl

Draw ten documents of each language, for runs with --seeds-per-round:

  $ draw-documents --truth truth.tsv --class slv,eng --number 10 \\
      --out init web.jsonl

SEE ALSO
tests/lab/README.md, forage-records(5), forage(7)";
