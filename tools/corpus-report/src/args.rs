//! Arguments of `corpus-report`, and the text of its man page.

use clap::Parser;
use forage_cli::{Tool, Verbosity};
use std::path::PathBuf;

/// Show what runs brought, in one HTML page
///
/// Computes figures from the journal of a run and draws them: relevant documents by their cost,
/// precision, coverage, words, languages, hosts, dates, licences, duplicates, errors and queries. A
/// table has the documents to search and sort, and to read if the page is in the folder of its run.
/// Several runs are shown side by side, without whole texts.
///
/// The page contains all that it needs. It works for runs of all pipelines, also while they run.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Folders of runs, or their journals
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,

    /// Output file [default: standard output]
    ///
    /// A page of one run in its folder gets the whole texts beside it, in report-texts/. An
    /// existing file is replaced if it is a page of this tool.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace an existing file of any kind, except the files of runs
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "corpus-report";
    const COMMON_OPTIONS: &'static [&'static str] = &["runs", "out", "force"];
    const INPUT_FIELDS: &'static [&'static str] = &[];
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();
