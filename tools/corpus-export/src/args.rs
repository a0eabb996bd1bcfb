//! Arguments of `corpus-export`, and the text of its man page.

use clap::Parser;
use forage_cli::{Tool, Verbosity};
use forage_step::DocumentArgs;
use std::path::PathBuf;

/// Write the documents of a corpus as JSON lines or plain text
///
/// From the folder of a run, or with --journal from its journal, writes the documents of each
/// target: those with its label, whatever the target of the query that retrieved them. Duplicates,
/// initial documents and records with an error are skipped. From other files of records, writes all
/// documents except duplicates. Of several inputs, it leaves out the documents that read the same as
/// one of an earlier input, and names them.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Output file, or folder if PATH ends in `/`; `-` is standard output
    ///
    /// An existing file is replaced if its first line is that of the export: what was appended to
    /// an earlier export is lost. In a folder, each class has a file per format, such as
    /// slv.jsonl, even if it has no document; documents without a class are in unlabelled.jsonl.
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,

    /// Output formats, separated by commas
    ///
    /// jsonl writes the records; text writes the texts, with a blank line between two documents.
    #[arg(
        long,
        value_name = "FORMATS",
        value_delimiter = ',',
        default_value = "jsonl"
    )]
    pub format: Vec<Format>,

    /// Replace existing files of any kind, except the files of the input and of runs
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub documents: DocumentArgs,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// A format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Format {
    /// The complete records
    Jsonl,
    /// The texts
    Text,
}

impl Format {
    /// The extension of files in this format.
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

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();
