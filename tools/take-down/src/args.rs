//! Arguments of `take-down`, and the text of its man page.

use forage_cli::{Tool, Verbosity};
use std::path::PathBuf;

/// Remove documents from runs, and keep them out
///
/// Removes documents with all that the files of a run have of them, and their duplicates. A line in
/// the journal remains that has the URL, the digest of the text, the time and the reason. The pages
/// are not fetched again, and the texts not accepted under another URL.
///
/// Without an option, finishes a removal that was interrupted.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// The folders of the runs
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,

    /// Remove the document at URL; repeatable
    #[arg(long, value_name = "URL")]
    pub url: Vec<String>,

    /// Remove all documents of a host and its subdomains; repeatable
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,

    /// Remove the document with this `id`; repeatable
    #[arg(long, value_name = "ID")]
    pub id: Vec<String>,

    /// Remove the documents of LIST; repeatable
    ///
    /// It has a URL or an id per line, or records: those of another taken-down.jsonl keep their
    /// reason and time.
    #[arg(long, value_name = "LIST")]
    pub file: Vec<PathBuf>,

    /// The reason, which is kept with the time
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "take-down";
    const INPUT_FIELDS: &'static [&'static str] = &[];
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::CommandFactory;

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }
}
