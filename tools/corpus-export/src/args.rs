//! Arguments of `corpus-export`, and the text of its man page.

use crate::corpus_format::{FieldNames, Format, LicenceFilter, Split};
use clap::Parser;
use forage_cli::{Seed, Tool, Verbosity, parse_positive};
use forage_step::DocumentArgs;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Write the documents of a corpus in a format of other programs
///
/// From the folder of a run, or with --journal from its journal, writes the documents of each
/// target: those with its label, whatever the target of the query that retrieved them. Duplicates,
/// initial documents and records with an error are skipped. From other files of records, writes all
/// documents except duplicates. Of several inputs, it leaves out the documents that read the same
/// as one of an earlier input, and names them.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Output file or folder; `-` is standard output
    ///
    /// A folder ends in `/`, or exists. A path that does not exist is one, too, if it has no
    /// extension and --split, several formats, or text or markdown alone write several files. An
    /// existing file is replaced if its first line is that of the export: what was appended to an
    /// earlier export is lost. Filters and --split do not write to the folder corpus of a run, and
    /// input other than the run only with --force. See OUTPUT.
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,

    /// Output formats, separated by commas [default: that of the extension of PATH, or jsonl]
    #[arg(long, value_name = "FORMATS", value_delimiter = ',')]
    pub format: Vec<Format>,

    /// Replace existing files of any kind, except the files of the input and of runs
    #[arg(long)]
    pub force: bool,

    /// Write no data card, table of metadata or registry beside the files
    #[arg(long)]
    pub bare: bool,

    #[command(flatten)]
    pub release: ReleaseArgs,

    #[command(flatten)]
    pub filter: FilterArgs,

    #[command(flatten)]
    pub split: SplitArgs,

    #[command(flatten)]
    pub details: DetailArgs,

    #[command(flatten)]
    pub documents: DocumentArgs,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// How the corpus is published.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Releases")]
pub struct ReleaseArgs {
    /// Write a release of this number or name to the folder PATH
    ///
    /// It has a card that data hubs read, croissant.json, CITATION.cff, a table of changes, and
    /// digests of all files and documents; no path of this machine. It appears when it is complete.
    /// See FILES OF A RELEASE.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = parse_release,
        conflicts_with_all = ["bare", "names"]
    )]
    pub release: Option<String>,

    /// Say in changes.tsv what has changed since the release in this folder
    #[arg(long, value_name = "FOLDER", requires = "release")]
    pub previous: Option<PathBuf>,
}

/// Parses the name of a release.
fn parse_release(text: &str) -> Result<String, String> {
    let is_name = !text.trim().is_empty() && !text.contains(char::is_control);
    is_name
        .then(|| text.trim().to_owned())
        .ok_or_else(|| "is no name".into())
}

/// Which documents are left out.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Filters")]
pub struct FilterArgs {
    /// Keep the documents with these licences, separated by commas
    ///
    /// A name such as CC-BY-SA-4.0, or CC-BY-SA for all versions; the start of a name or an address
    /// and `*`; `any`; or `none` for documents that name no licence.
    #[arg(long, value_name = "EXPR", value_parser = LicenceFilter::parse)]
    pub licence: Option<LicenceFilter>,

    /// Leave out documents that opt out of text and data mining
    ///
    /// Those whose fetch.optout is not empty.
    #[arg(long)]
    pub no_optout: bool,

    /// Leave out documents whose langid.margin is below M, or unknown
    #[arg(long, value_name = "M", value_parser = parse_margin)]
    pub min_margin: Option<f64>,

    /// Leave out the documents that FILE lists; repeatable
    ///
    /// A line has the id or the URL of a document, or is a record with one. If the record has a
    /// `reason`, as in the taken-down.jsonl of a run, it stands for all versions of the document:
    /// those with its id, its URL, or its `digest` (fetch.digest).
    #[arg(long, value_name = "FILE")]
    pub without: Vec<PathBuf>,

    /// Remove paragraphs that repeat earlier text
    ///
    /// Those of which more than half of the sequences of five words occur before; or those that
    /// `dedup --paragraphs` has marked, if it did. A document of which nothing is left is left out.
    #[arg(long)]
    pub dedup_paragraphs: bool,
}

/// How the corpus is split.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Parts")]
pub struct SplitArgs {
    /// Split into train, dev and test, or train and test, by these shares: 80,10,10
    ///
    /// All documents of a host are in one part, and a text that occurs twice is exported once. The
    /// parts have all classes.
    #[arg(long, value_name = "SHARES", value_parser = parse_shares)]
    pub split: Option<Shares>,

    #[command(flatten)]
    pub seed: Seed,
}

/// Parses a margin, 0 to 1.
fn parse_margin(text: &str) -> Result<f64, String> {
    let margin = text
        .parse()
        .ok()
        .filter(|margin| (0.0..=1.0).contains(margin));
    margin.ok_or_else(|| "is not a number from 0 to 1".into())
}

/// The shares of parts.
#[derive(Debug, Clone)]
pub struct Shares(pub Vec<f64>);

fn parse_shares(text: &str) -> Result<Shares, String> {
    Split::parse_shares(text).map(Shares)
}

/// Options of single formats.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Details of formats")]
pub struct DetailArgs {
    /// Names of the fields of jsonl
    #[arg(long, value_name = "NAMES", default_value = "forage")]
    pub names: FieldNames,

    /// Number of words of ngrams
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u8).range(1..=20))]
    pub order: u8,

    /// Lowest frequency of wordlist and ngrams
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_positive::<NonZeroU64>)]
    pub min_freq: NonZeroU64,
}

impl Tool for Args {
    const NAME: &'static str = "corpus-export";
    const COMMON_OPTIONS: &'static [&'static str] = &["out", "format", "force", "target"];
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();
