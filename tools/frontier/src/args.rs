//! Arguments of `frontier`, and the text of its man page.

use crate::state_file::{LinkOrder, ScoreField};
use forage_cli::{HostLists, Input, RecordOutput, Tool, Verbosity, parse_positive};
use forage_record::field;
use forage_step::StepArgs;
use forage_web::page_url::Partition;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Keep the URLs that a focused crawl has found, and give the best ones
///
/// Reads judged pages behind a filter, and passes them on. Their links are added to the URLs that
/// wait, with the score of the page: the score of a URL is the mean score of the pages that link to
/// it. With --next, writes the best URLs as records to fetch. No URL is given twice.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// State file of the crawl; created if missing
    #[arg(long, value_name = "FILE", group = "state_file")]
    pub state: PathBuf,

    /// Add the URLs of the input as seeds, which are given first
    ///
    /// Nothing is written. A URL that was given before is not given again.
    #[arg(long)]
    pub add: bool,

    /// Write up to this many URLs, best first, and mark them as given
    #[arg(
        long,
        value_name = "K",
        value_parser = parse_positive::<NonZeroUsize>,
        conflicts_with_all = ["add", "files", "rebuild"]
    )]
    pub next: Option<NonZeroUsize>,

    /// Write numbers about the frontier as JSON
    #[arg(long, conflicts_with_all = ["add", "next", "files", "from_step", "rebuild"])]
    pub report: bool,

    /// Number of the step [default: one more than the last]
    #[arg(long = "step", value_name = "N", value_parser = parse_positive::<std::num::NonZeroU64>)]
    pub number: Option<std::num::NonZeroU64>,

    #[command(flatten)]
    pub choice: Choice,

    #[command(flatten)]
    pub scope: Scope,

    /// Keep only URLs of the K-th of N equal parts of the web, by host, with K from 1
    ///
    /// FILE of --state is of one partition, which is always given. See PARTITIONS below.
    #[arg(long, value_name = "K/N")]
    pub partition: Option<Partition>,

    #[command(flatten)]
    pub step: StepArgs,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// Arguments for the choice of URLs.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Choice of URLs (--next)")]
pub struct Choice {
    /// Class that the step looks for, for step.target
    #[arg(long, value_name = "LABEL", default_value = "on-topic")]
    pub target: String,

    /// Order in which URLs are given
    #[arg(long, value_enum, default_value_t)]
    pub order: LinkOrder,

    /// Maximum number of URLs of one host in a step [default: no limit]
    #[arg(long, value_name = "N", value_parser = parse_positive::<NonZeroUsize>)]
    pub per_host_step: Option<NonZeroUsize>,
}

/// Arguments for the links that are added.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Scope")]
pub struct Scope {
    /// Field with the score of a page: a number, as in langid.share.slv
    #[arg(long, value_name = "FIELD", default_value_t)]
    pub score: ScoreField,

    /// Maximum number of links from a seed [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,

    /// Follow the links of pages whose robots directives say nofollow
    #[arg(long)]
    pub follow_nofollow: bool,

    /// The hosts.
    #[command(flatten)]
    pub hosts: HostLists,
}

impl Tool for Args {
    const NAME: &'static str = "frontier";
    const COMMON_OPTIONS: &'static [&'static str] = &["state", "add", "next", "report", "score"];
    const INPUT_FIELDS: &'static [&'static str] = &[field::URL];
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
    fn one_thing_is_done_at_a_time() {
        let parse = |args: &str| {
            Args::try_parse_from(format!("frontier --state x {args}").split_whitespace()).is_ok()
        };
        assert!(parse("--next 5 --step 2 --from-step 2") && parse("--add seeds.jsonl"));
        for args in [
            "--next 0",
            "--next 5 --add",
            "--next 5 file",
            "--report --next 1",
        ] {
            assert!(!parse(args), "{args}");
        }
    }
}
