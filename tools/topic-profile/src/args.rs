//! Arguments of `topic-profile`, and the text of its man page.

use forage_cli::{Input, Seed, Tool, Verbosity, parse_positive};
use forage_langid::LanguageCode;
use forage_record::field;
use forage_topic::profile::ProfileSizes;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Propose the topic profile of a focused crawl from relevant documents
///
/// The core, 100 to 150 documents on a subject from several hosts that a person chose, is split
/// into stems and into collocations of two and three stems. Those that are frequent in the core and
/// rare in general text are the profile, by which topic-filter judges pages. The file is made to be
/// edited: a line that is deleted no longer counts.
///
/// A collocation is a sequence of words that neither stop words nor punctuation separate; a hyphen
/// does not separate.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Write the profile to this file; an earlier profile is replaced
    #[arg(long, value_name = "FILE", required_unless_present_any = ["explain", "update"])]
    pub out: Option<PathBuf>,

    /// Replace an existing file of any kind, except one that is read
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub language: LanguageArgs,

    /// General texts with which the core is contrasted, instead of the built-in word list
    ///
    /// Records with `text`, plain text in any encoding, or lines "word, tab, frequency". May be
    /// repeated. Texts near the subject, such as rejected pages of an earlier crawl, make the
    /// profile more precise.
    #[arg(long, value_name = "FILE")]
    pub background: Vec<PathBuf>,

    /// Maximum number of terms
    #[arg(long, value_name = "NUMBER", default_value_t = ProfileSizes::default().terms)]
    pub terms: usize,

    /// Maximum number of collocations of two words
    #[arg(long, value_name = "NUMBER", default_value_t = ProfileSizes::default().pairs)]
    pub pairs: usize,

    /// Maximum number of collocations of three words
    #[arg(long, value_name = "NUMBER", default_value_t = ProfileSizes::default().triples)]
    pub triples: usize,

    /// Write why each entry was selected, tab-separated
    #[arg(long)]
    pub explain: bool,

    /// Write profiles with a variable part to this folder, from the journal of a crawl
    ///
    /// See VARIABLE PART.
    #[arg(
        long,
        value_name = "FOLDER",
        requires = "profile",
        conflicts_with_all = ["out", "explain", "lang", "terms", "pairs", "triples"]
    )]
    pub update: Option<PathBuf>,

    /// With --update, the profile that is the permanent part
    #[arg(long, value_name = "FILE", requires = "update")]
    pub profile: Option<PathBuf>,

    /// With --update, the number of recommended documents after which the variable part changes
    #[arg(
        long,
        value_name = "N",
        default_value = "500",
        requires = "update",
        value_parser = parse_positive::<NonZeroUsize>
    )]
    pub every: NonZeroUsize,

    #[command(flatten)]
    pub seed: Seed,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// The language of a core.
#[derive(Debug, clap::Args)]
pub struct LanguageArgs {
    /// Language of the core, ISO 639-3 or 639-1
    ///
    /// Default: the most frequent langid.code of the records; if they have none, the language is
    /// identified. It determines the stemmer and the stop words; with `und`, words are reduced to
    /// small letters only.
    #[arg(long, value_name = "CODE", value_parser = LanguageCode::from_tag)]
    pub lang: Option<LanguageCode>,
}

impl Args {
    /// Checks that the profile would not replace a file that is read, and that it may have terms.
    ///
    /// # Errors
    /// Fails if it would, or if no term is allowed.
    pub fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(self.terms > 0, "--terms: must be at least 1");
        let Some(out) = &self.out else { return Ok(()) };
        let Ok(out) = out.canonicalize() else {
            return Ok(());
        };
        let files = self.input.list_files(&self.input.files)?;
        let mut inputs = files.iter().chain(&self.background);
        let is_input = inputs.any(|file| file.canonicalize().is_ok_and(|file| file == out));
        anyhow::ensure!(
            !is_input,
            "--out {}: is read as input and would be replaced; name another file",
            out.display()
        );
        Ok(())
    }

    /// Returns the greatest numbers of entries.
    pub fn sizes(&self) -> ProfileSizes {
        ProfileSizes {
            terms: self.terms,
            pairs: self.pairs,
            triples: self.triples,
        }
    }
}

impl Tool for Args {
    const NAME: &'static str = "topic-profile";
    const COMMON_OPTIONS: &'static [&'static str] =
        &["out", "force", "lang", "background", "explain"];

    const INPUT_FIELDS: &'static [&'static str] = &[field::TEXT];
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
    fn an_update_needs_a_profile_and_writes_nothing_else() {
        let parse = |args: &str| {
            Args::try_parse_from(format!("topic-profile {args}").split_whitespace()).is_ok()
        };
        assert!(parse(
            "--update folder --profile f.tsv --every 100 --seed 1 journal.jsonl"
        ));
        for args in [
            "--update folder",
            "--update folder --profile f --out o",
            "--update folder --profile f --every 0",
            "--out o --every 10",
            "--update folder --profile f --explain",
        ] {
            assert!(!parse(args), "{args}");
        }
    }
}
