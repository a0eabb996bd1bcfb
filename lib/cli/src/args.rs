//! Arguments that tools share; each tool flattens the groups that it needs into its own.

use clap::ArgAction;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

/// Reads a whole number above nothing, for a flag; says so in our words, not in those of the
/// number's type.
///
/// # Errors
/// When it is none, or too large.
pub fn parse_positive<Number: FromStr>(text: &str) -> Result<Number, String> {
    text.parse()
        .map_err(|_| "not a whole number from 1, or too large".into())
}

/// For a tool that reads records.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Input {
    /// Files to read as one stream; `-`, or none, is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Longest line in bytes; a longer one is left out, and never held whole
    #[arg(long, value_name = "BYTES", default_value_t = 32 << 20)]
    pub max_line: usize,

    /// Keep lines that are left out in this file
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,

    /// Stop at the first line that is not a record (exit 2)
    #[arg(long)]
    pub strict: bool,

    /// Report records and rate: a bar on a terminal, else a line a second
    #[arg(long)]
    pub progress: bool,
}

impl Input {
    /// Files, with the defaults of the flags.
    pub fn from_files(files: Vec<PathBuf>) -> Input {
        Input {
            files,
            max_line: 32 << 20,
            rejects: None,
            strict: false,
            progress: false,
        }
    }
}

/// For every tool: how much it says on standard error.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Messages")]
pub struct Verbosity {
    /// Say nothing but what stops the tool
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say more
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

/// For a tool whose work on one record takes the processor.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Jobs {
    /// Threads [default: the cores available]; the output is the same for any number
    #[arg(short, long, value_name = "N", hide_default_value = true, value_parser = parse_positive::<NonZeroUsize>)]
    pub jobs: Option<NonZeroUsize>,
}

impl Jobs {
    /// How many threads to use.
    pub fn thread_count(&self) -> usize {
        /// More would only cost memory.
        const MOST: usize = 1024;
        self.jobs
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get)
            .min(MOST)
    }
}
