//! Arguments of `dedup`, and the text of its man page.

use forage_cli::{FileArgs, Input, Jobs, RecordOutput, Tool, Verbosity, parse_positive};
use forage_dedup::ResemblanceThreshold;
use forage_record::field;
use forage_step::StepArgs;
use std::path::PathBuf;

/// Mark each document as new or as a duplicate of an earlier one
///
/// A document is `exact` if the index contains one that reads the same, `near` if it contains one
/// whose set of shingles (five consecutive words) has a resemblance of at least the threshold, with
/// --titles `title` if it contains one with the same title, and `new` otherwise. Texts read the
/// same if they differ in white space, case, kinds of quotation marks, apostrophes and dashes,
/// invisible characters, optional marks such as vowel points, or full-width and other compatibility
/// forms only. New documents are added to the index. Duplicates are not, so each duplicate names
/// the first document of its group.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Index of the documents seen so far; created if missing
    ///
    /// Without it, the index is in memory, and the documents of the input are compared with each
    /// other.
    #[arg(long, value_name = "FILE", group = "state_file")]
    pub index: Option<PathBuf>,

    #[command(flatten)]
    pub comparison: Comparison,

    /// Also mark the paragraphs that repeat earlier text
    ///
    /// Adds dedup.repeated: the paragraphs of which more than SHARE of the sequences of five words
    /// are in an earlier new document, or before in the same one. SHARE is 0.5 if it is not given.
    #[arg(
        long,
        value_name = "SHARE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0.5",
        value_parser = parse_share,
        conflicts_with_all = ["as_documents", "merge", "rebuild"]
    )]
    pub paragraphs: Option<f64>,

    /// Also compare with the documents of FILE; repeatable
    ///
    /// FILE is the index of an earlier corpus, or records, and is not changed. A document that it
    /// has is a duplicate.
    #[arg(long, value_name = "FILE")]
    pub against: Vec<PathBuf>,

    /// Add the documents of these indexes instead of reading input
    ///
    /// In their order; those that are duplicates are left out. They may have other thresholds.
    #[arg(
        long,
        value_name = "INDEX",
        num_args = 1..,
        requires = "index",
        conflicts_with_all = [
            "files", "as_documents", "against", "drop", "force", "from_step", "rebuild"
        ]
    )]
    pub merge: Vec<PathBuf>,

    /// Remove the documents of the input from the index: those with the `id` of a record
    ///
    /// Writes no output.
    #[arg(
        long,
        requires = "index",
        conflicts_with_all = [
            "as_documents", "against", "drop", "force", "from_step", "merge", "paragraphs", "rebuild"
        ]
    )]
    pub remove: bool,

    #[command(flatten)]
    pub selection: Selection,

    /// Also process records that already have `dedup`
    #[arg(long, conflicts_with_all = ["as_documents", "rebuild"])]
    pub force: bool,

    #[command(flatten)]
    pub step: StepArgs,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub jobs: Jobs,

    #[command(flatten)]
    pub files: FileArgs,

    #[command(flatten)]
    pub shards: ShardArgs,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// How documents are compared.
#[derive(Debug, clap::Args)]
pub struct Comparison {
    /// Minimum resemblance of near-duplicates [default: the index's, or 0.9]
    ///
    /// A number from 0.1 to 1. The default for a new index is 0.9. The threshold that an index was
    /// built for can be raised, but not lowered.
    #[arg(long, value_name = "N")]
    pub threshold: Option<ResemblanceThreshold>,

    /// Also mark documents with the title of an earlier one
    ///
    /// Titles are compared like texts, without regard to case, white space and typography.
    /// Titles of fewer than four words, or 12 characters in scripts without blanks between words,
    /// are not compared: they are often generic, such as `Latest news`. Suited to news, where an
    /// article is reprinted in part; not to sites that give one long title to all pages. Give it
    /// with --rebuild as well.
    #[arg(long, conflicts_with = "as_documents")]
    pub titles: bool,
}

/// Which documents are written.
#[derive(Debug, clap::Args)]
pub struct Selection {
    /// Leave duplicates out of the output, and report their number
    #[arg(long, conflicts_with_all = ["as_documents", "rebuild"])]
    pub drop: bool,
}

impl Tool for Args {
    const NAME: &'static str = "dedup";
    const COMMON_OPTIONS: &'static [&'static str] =
        &["index", "threshold", "against", "drop", "force"];

    fn input_fields(&self) -> &'static [&'static str] {
        match self.remove {
            true => &[field::ID],
            false => Self::INPUT_FIELDS,
        }
    }

    fn output_field(&self) -> &'static str {
        match self.remove {
            true => "",
            false => field::DEDUP,
        }
    }
}

/// The steps of `dedup-at-scale`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Shards (see dedup-at-scale)")]
#[group(multiple = false, conflicts_with_all = ["as_documents", "against", "merge", "from_step", "rebuild"])]
pub struct ShardArgs {
    /// Write signatures instead of records: what is compared of each document of shard N
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_positive::<u64>,
        conflicts_with_all = ["index", "drop"]
    )]
    pub signatures: Option<u64>,

    /// Write the groups of connected documents from lines of a key and a document, by key
    #[arg(long, conflicts_with_all = ["index", "drop"])]
    pub groups: bool,

    /// Write the results of signatures, in their order
    #[arg(long, conflicts_with = "drop")]
    pub results: bool,

    /// Take the duplicates from FILE; all other documents are new
    #[arg(long, value_name = "FILE", conflicts_with = "index")]
    pub take_results: Option<PathBuf>,
}

/// Parses SHARE of `--paragraphs`.
fn parse_share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok();
    share
        .filter(|share| (0.0..1.0).contains(share))
        .ok_or("not a number from 0 to below 1")
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn rejects_a_threshold_above_1() {
        assert!(Args::try_parse_from(["dedup", "--index", "x", "--threshold", "0.8"]).is_ok());
        assert!(Args::try_parse_from(["dedup", "--index", "x", "--threshold", "8"]).is_err());
    }
}
