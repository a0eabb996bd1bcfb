//! Arguments of `update-stats`, and the text of its man page.

use crate::{InitialFile, SeedRounds};
use clap::Parser;
use forage_cli::{Input, RecordOutput, Seed, Tool, Verbosity};
use std::path::PathBuf;

/// Count finished records into the term statistics and the journal
///
/// A record with `text` and `label` is a document of that class: its terms are counted into the
/// statistics, from which gen-query generates queries. Every record is appended to the journal and
/// passed on unchanged.
///
/// The journal is the source of truth. The statistics record how much of it they contain; after a
/// kill at any moment, the next start makes the two agree again.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Term statistics; created if missing
    #[arg(long, value_name = "FILE", required_unless_present_any = STATISTICS_UNUSED)]
    pub stats: Option<PathBuf>,

    /// Journal, to which each record is appended
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,

    /// Count a file as an initial document of a class; repeatable
    ///
    /// The file is a text or a word list; ten words are enough. HTML, PDF and other encodings than
    /// UTF-8 are read as fetch-extract reads pages; of CoNLL-U, vertical files, subtitles and PO,
    /// the text. A file of records has one document per record.
    #[arg(long, value_name = "CLASS=FILE")]
    pub init: Vec<InitialFile>,

    /// With --init, write the documents as records instead of counting them
    #[arg(
        long,
        requires = "init",
        conflicts_with_all = ["stats", "journal", "rebuild", "report", "from_step", "next_step"]
    )]
    pub init_records: bool,

    #[command(flatten)]
    pub counting: Counting,

    /// With --seeds-per-round, number of steps in a round
    #[arg(
        long,
        value_name = "STEPS",
        default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub round: u64,

    #[command(flatten)]
    pub seed: Seed,

    /// Rebuild the statistics from a journal instead of reading input
    #[arg(
        long,
        value_name = "JOURNAL",
        conflicts_with_all = ["journal", "init", "from_step", "files"]
    )]
    pub rebuild: Option<PathBuf>,

    /// Merge statistics into --stats, instead of reading input
    ///
    /// A document that several files have is counted once. The result does not depend on the order
    /// of the files; see MERGING.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        requires = "stats",
        conflicts_with_all = ["journal", "init", "rebuild", "report", "from_step", "tally", "ascii_folding", "files"]
    )]
    pub merge: Vec<PathBuf>,

    /// Write the figures of the run as one JSON object
    ///
    /// With -v also as text on standard error.
    #[arg(long)]
    pub report: bool,

    /// First remove this step and later steps; count only complete steps
    #[arg(long, value_name = "STEP")]
    pub from_step: Option<u64>,

    /// Repair statistics and journal, and write the line of --tally
    ///
    /// The number of the next step is 0 if the run has not been initialised.
    #[arg(
        long,
        requires = "journal",
        conflicts_with_all = ["init", "rebuild", "report", "from_step"]
    )]
    pub next_step: bool,

    /// Write one line of totals instead of the records
    ///
    /// The line has the number of the next step, the numbers of documents and calls, the last
    /// outcome (hit, empty, exhausted or the kind of the engine's error), the number of relevant
    /// documents, and the numbers of documents and of words in the corpora of the targets,
    /// separated by spaces. A document in the language of a target is in its corpus whichever
    /// target's step retrieved it.
    #[arg(long)]
    pub tally: bool,

    /// With --report, further targets, separated by commas
    ///
    /// They are reported even if no query has been sent for them.
    #[arg(long, value_name = "CLASSES", requires = "report")]
    pub target: Option<String>,

    /// Write the text of the PDF on standard input
    ///
    /// The tool reads PDFs in a sandboxed subprocess, which is itself with this option.
    #[cfg(feature = "pages")]
    #[arg(long, hide = true)]
    pub read_pdf: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// How documents are counted.
#[derive(Debug, clap::Args)]
pub struct Counting {
    /// With --init, number of documents of each class to begin with
    ///
    /// As many further ones are counted in each round, until all are. They are drawn at random; see
    /// ROUNDS in update-stats(1). By default, all are counted at the start.
    #[arg(
        long,
        value_name = "N",
        requires = "init",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub seeds_per_round: Option<u64>,

    /// Count words with and without diacritics as one term
    ///
    /// `hiša` and `hisa` are then the term `hisa`, and queries ask for both. The option takes
    /// effect when the statistics are created or rebuilt, and they keep it from then on.
    #[arg(long)]
    pub ascii_folding: bool,
}

impl Tool for Args {
    const NAME: &'static str = "update-stats";
    const COMMON_OPTIONS: &'static [&'static str] =
        &["stats", "journal", "init", "report", "merge"];
    // Records without text are appended to the journal, too.
    const INPUT_FIELDS: &'static [&'static str] = &[];
}

impl Args {
    /// Returns the rounds in which initial documents are counted, if there are several.
    pub fn seed_rounds(&self) -> Option<SeedRounds> {
        self.counting
            .seeds_per_round
            .map(|seeds_per_round| SeedRounds {
                seeds_per_round,
                steps: self.round,
                seed: self.seed.seed,
            })
    }
}

/// The options with which no statistics are used.
const STATISTICS_UNUSED: &[&str] = if cfg!(feature = "pages") {
    &["init_records", "read_pdf"]
} else {
    &["init_records"]
};

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();
