//! Options of several pipelines that no tool has, and checks of values.

use clap::Args;
use forage_cli::{Refresh, Verbosity};

/// The folder of a run, and what becomes of it.
#[derive(Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Folder of a new run
    #[arg(long, value_name = "RUN")]
    out: Option<String>,

    /// Continue a run, also beyond its original limits
    #[arg(long, value_name = "RUN")]
    resume: Option<String>,

    /// For cron: if the folder of --out has a run, continue it, as --resume does
    ///
    /// So limits count; --docs +20 is 20 more each time. Options of a new run must be those that it
    /// has.
    #[arg(long)]
    resume_if_there: bool,

    /// Try all that can fail later, and stop
    ///
    /// That is tools, codes, initial documents, filter, disk, contact, and three seeds of a crawl.
    /// Sends each engine two or three queries to see that it answers and honours exclusion terms.
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    refresh: Refresh,

    #[command(flatten)]
    trust: Trust,

    #[command(flatten)]
    verbosity: Verbosity,
}

/// The trust in a folder.
#[derive(Args)]
pub struct Trust {
    /// Use a folder that you have made yourself, whatever is in it
    ///
    /// That is symbolic links, and a --filter that is none of Forage's.
    #[arg(long)]
    trust: bool,
}

/// How little is reported.
#[derive(Args)]
pub struct Quiet {
    /// Report only the end, and what stops it
    #[arg(short, long)]
    quiet: bool,
}

/// The first limit of every run.
#[derive(Args)]
#[command(next_help_heading = "Limits (the first that is reached ends the run)")]
pub struct Documents {
    /// Documents retrieved, of any label; as +N, N more
    #[arg(long, value_name = "N", value_parser = limit)]
    docs: Option<u64>,
}

/// The limit of what a run costs.
#[derive(Args)]
#[command(next_help_heading = "Limits (the first that is reached ends the run)")]
pub struct Calls {
    /// Calls to the engines
    #[arg(long, value_name = "N", value_parser = limit)]
    calls: Option<u64>,
}

/// How long a run waits.
#[derive(Args)]
pub struct Patience {
    /// Maximum wait while an engine is down or asks to wait, or no page can be fetched
    ///
    /// Then the run stops, and --resume continues it. With `none`, pages that cannot be fetched get
    /// errors.
    #[arg(long, value_name = "SECONDS", value_parser = patience)]
    patience: Option<String>,
}

/// The field of the text in files of the user.
#[derive(Args)]
pub struct TextField {
    /// Field of the text in files of records, if it has another name than `text`
    #[arg(long, value_name = "NAME")]
    text_field: Option<String>,
}

/// A filter of the user.
#[derive(Args)]
pub struct Filter {
    /// Command that judges the documents instead
    ///
    /// It reads and writes records, in order, and sets `label`, as in 'langid --paragraphs'.
    #[arg(long, value_name = "COMMAND")]
    filter: Option<String>,
}

/// The system as it was printed.
#[derive(Args)]
pub struct Paper {
    /// The system as its paper prints it, to compare with
    ///
    /// What differs is in algorithms.md.
    #[arg(long)]
    paper: bool,
}

/// The shards of a corpus.
#[derive(Args)]
#[command(next_help_heading = "The shards, and what is done with them")]
pub struct Shards {
    /// slurm, parallel (GNU parallel), spark or ./PROGRAM
    ///
    /// The engine of the cluster. A program runs the command in its arguments N times, with the
    /// numbers from 0 to N - 1 as a further argument; N is its last argument.
    #[arg(long, value_name = "ENGINE", value_parser = cluster_engine)]
    on: Option<String>,

    /// The shards, as a quoted pattern
    ///
    /// JSON lines, plain or as .gz or .zst, which are decompressed; for cluster also WARC files,
    /// which the command gets as they are. Their order is that of the paths.
    #[arg(long = "in", value_name = "GLOB")]
    shards: Option<String>,

    /// Folder of the outputs
    ///
    /// It has for each shard a file of its name without .gz or .zst, and with .jsonl for .warc.
    #[arg(long, value_name = "DIR")]
    out: Option<String>,

    /// Number of tasks that the engine gets [default: one for each shard, at most 1000]
    ///
    /// Of dedup-at-scale, in each phase.
    #[arg(long, value_name = "N", value_parser = positive)]
    partitions: Option<u64>,

    #[command(flatten)]
    quiet: Quiet,
}

/// The largest number that an option takes: it and sums of a few are far from an overflow.
const MAX_NUMBER: u64 = 999_999_999_999_999;

/// Parses a number.
pub fn number(text: &str) -> Result<u64, &'static str> {
    let number = text.parse().ok();
    let number = number.filter(|number| *number <= MAX_NUMBER && !text.starts_with('+'));
    number.ok_or("is not a number")
}

/// Parses a limit: a number, or `+` and how many more.
pub fn limit(text: &str) -> Result<u64, &'static str> {
    number(text.strip_prefix('+').unwrap_or(text))
}

/// Parses a number of at least 1.
pub fn positive(text: &str) -> Result<u64, &'static str> {
    match number(text)? {
        0 => Err("must be at least 1"),
        number => Ok(number),
    }
}

fn patience(text: &str) -> Result<String, &'static str> {
    let is_valid = text == "none" || number(text).is_ok();
    checked(text, is_valid, "is neither none nor a number")
}

fn cluster_engine(text: &str) -> Result<String, &'static str> {
    let is_known = matches!(text, "slurm" | "parallel" | "spark") || text.contains('/');
    checked(
        text,
        is_known,
        "expected slurm, parallel, spark or ./PROGRAM",
    )
}

/// Returns a text that is valid, or else the message.
pub fn checked(text: &str, is_valid: bool, message: &'static str) -> Result<String, &'static str> {
    is_valid.then(|| text.to_owned()).ok_or(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        for text in ["0", "7", "999999999999999"] {
            assert_eq!(
                number(text).map(|number| number.to_string()),
                Ok(text.into())
            );
        }
        for text in ["", "-1", "+1", "1e3", "9999999999999999"] {
            assert!(number(text).is_err(), "{text}");
        }
        assert!(positive("1").is_ok() && positive("0").is_err());
        assert!(patience("none").is_ok() && patience("3600").is_ok() && patience("1.5").is_err());
        assert!(cluster_engine("./run").is_ok() && cluster_engine("yarn").is_err());
    }
}
