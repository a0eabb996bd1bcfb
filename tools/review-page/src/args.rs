//! Arguments of `review-page`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, Tool, Verbosity};
use forage_record::field;
use std::path::PathBuf;

/// Judge a sample of documents on a local page
///
/// Serves a page on this machine in which people judge the documents that sample has drawn, one
/// after another, by keyboard. Writes the URL of the page to standard output. Each verdict is
/// saved at once, so the page and the tool can be stopped and started again. Ends when the user
/// clicks Finish on the page.
///
/// pipelines/review draws the sample, runs this tool, and writes what the verdicts accept.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// File of verdicts, for sample --judgements; created if it does not exist
    #[arg(long, value_name = "FILE")]
    pub judgements: PathBuf,

    /// Share of relevant documents that an accepted group must exceed, shown on the page
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.75,
        value_parser = forage_review::AcceptanceRule::parse_limit
    )]
    pub limit: f64,

    /// Open the page in the default browser
    #[arg(long)]
    pub open: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "review-page";
    const COMMON_OPTIONS: &'static [&'static str] = &["judgements", "limit", "open"];
    const INPUT_FIELDS: &'static [&'static str] = &[field::SAMPLE];
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
