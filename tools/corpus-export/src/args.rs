//! Arguments of `corpus-export`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity};
use std::path::PathBuf;

/// Write the documents of a corpus as JSON lines or plain text
///
/// Of the folder of a run, or with --journal of its journal, the documents of
/// each target are written: those with its label, whichever target's query
/// brought them. Duplicates, initial documents and records with an error are
/// left out. Of other files of records, every document is written that is no
/// duplicate.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// The file to write, replaced when it is there, or `-` for standard output;
    /// one that ends in `/` is a folder, in which each class has a file per
    /// format, as in slv.jsonl, and documents without a class unlabelled.jsonl
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,

    /// jsonl (the records), text (the texts, blank lines between them), or both,
    /// separated by commas
    #[arg(
        long,
        value_name = "FORMATS",
        value_delimiter = ',',
        default_value = "jsonl"
    )]
    pub format: Vec<Format>,

    /// Only these classes, separated by commas; each has its files, also where
    /// it has no document [default: the targets of a run, by its run.conf; of
    /// another journal, those of the steps so far]
    #[arg(long, value_name = "CLASSES", value_delimiter = ',')]
    pub target: Vec<String>,

    /// The input is a journal: initial documents are no part of the corpus
    #[arg(long)]
    pub journal: bool,

    /// What is read. A folder is that of a run
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// A format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Format {
    /// The records, whole
    Jsonl,
    /// The texts
    Text,
}

impl Format {
    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Text => "txt",
        }
    }
}

impl Tool for Args {
    const NAME: &'static str = "corpus-export";

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const SECTIONS: &str = "\
READS
  text, label  a document and its class
  step         of a journal: records without it are initial documents
  dedup        a duplicate (`exact`, `near`) is left out
  error        such a record is left out

WRITES
The files are put in place by renaming, when all input was read: they are there
whole or not at all. What stands in a class and not in a file name is written as
in a URL. For each class a line on standard error says how many documents and
words it has.
The corpus of a run with --bootstrap-filter is not made so: its labels were given
along the way, and corpus-builder judges all documents anew by the last profile.

MEMORY AND TIME
A few MB, whatever the size of the input, and an open file per class and format;
some 300 MB a second.

EXIT STATUS
  0  the files were written
  1  they were, but some lines were not records; these were left out
  2  could not run: no such file, or PATH can't be written

EXAMPLES
The corpora of a run, as corpus-builder writes them at its end:

  $ corpus-export --format jsonl,text --out run/corpus/ run

What a filter of one's own accepts, as plain text:

  $ jq -c 'select(.langid.score > 0.9)' run/journal.jsonl |
      corpus-export --journal --target slv --format text --out sure.txt

Two corpora as one, without the duplicates between them:

  $ cat a.jsonl b.jsonl | dedup --index both.db --force |
      corpus-export --out both.jsonl

SEE ALSO
update-stats(1), dedup(1), langid(1), forage-records(5), forage(7)";
