//! Arguments of `quality`, and the text of its man page.

use forage_cli::{Input, Jobs, RecordOutput, Tool, Verbosity};
use forage_record::field;

/// Mark documents that are no prose, with the reasons
///
/// Adds `quality` to each document: figures of its text, and the reasons for which it is no prose,
/// such as a menu, a list of prices or names, code, or repetition. The measures are the same for
/// all languages and scripts, and have no list of words. Records keep their order, and each is
/// written before the end of the input: what is usual in a language, and what recurs over a host,
/// is known from the records before.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Also process records that already have `quality`
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub jobs: Jobs,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "quality";
    const COMMON_OPTIONS: &'static [&'static str] = &["force", "jobs"];

    fn output_field(&self) -> &'static str {
        field::QUALITY
    }
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
