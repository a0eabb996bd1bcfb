//! Arguments of `ngram-profile`, and the text of its man page.

use forage_cli::{Input, Tool, Verbosity};
use forage_langid::LanguageCode;
use std::path::PathBuf;

/// Learn the profile of a language for langid
///
/// The sample is plain text, records with `text`, or with --wordlist lines of "word, tab,
/// frequency". The profile has its 50,000 most frequent words and its 400 most frequent character
/// n-grams of one to five letters. It is a text file that langid reads with --profile. A document
/// of a few thousand letters is sufficient for a start.
///
/// A summary is written to standard error: the size of the sample, its frequent n-grams, and the
/// nearest language of the built-in model, which shows if the sample is in the expected language.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Language of the sample (ISO 639-3 or 639-1)
    ///
    /// qaa to qtz are for private use. With --bootstrap, one or more languages, separated by
    /// commas.
    #[arg(
        long,
        value_name = "CODE",
        required_unless_present = "pack",
        value_delimiter = ',',
        value_parser = LanguageCode::from_tag
    )]
    pub lang: Vec<LanguageCode>,

    /// Output file; an earlier profile or model is replaced
    ///
    /// Pipes and devices are written to directly.
    #[arg(long, value_name = "FILE", required_unless_present = "bootstrap")]
    pub out: Option<PathBuf>,

    /// Replace an existing file of any kind, except one that is read
    #[arg(long)]
    pub force: bool,

    /// Read a word list with frequencies
    #[arg(long)]
    pub wordlist: bool,

    /// Read profiles, and merge their words into one profile
    #[arg(long, conflicts_with_all = ["wordlist", "pack"], requires = "files")]
    pub merge: bool,

    /// Bundle the profiles of this folder (*.profile) into a model
    #[arg(long, value_name = "DIR", conflicts_with_all = ["lang", "wordlist", "files"])]
    pub pack: Option<PathBuf>,

    /// Bootstrap profiles in this folder from the journal of a run
    ///
    /// Learns a profile of --lang from the initial documents, and a new one each time the number of
    /// documents has doubled, from those that the previous profile accepts with a sufficient
    /// margin. The languages of the built-in model and of --profile, except those of --without,
    /// are those from which it must be distinguished.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["wordlist", "merge", "pack", "out"])]
    pub bootstrap: Option<PathBuf>,

    /// With --bootstrap, also learn a final profile from all documents
    #[arg(long = "final", requires = "bootstrap")]
    pub final_level: bool,

    /// With --bootstrap, profile of another language; repeatable
    #[arg(long = "profile", value_name = "PROFILE", requires = "bootstrap")]
    pub profiles: Vec<PathBuf>,

    /// With --bootstrap, languages to remove from the built-in model
    #[arg(
        long,
        value_name = "CODES",
        value_delimiter = ',',
        requires = "bootstrap",
        value_parser = LanguageCode::from_tag
    )]
    pub without: Vec<LanguageCode>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "ngram-profile";
    const COMMON_OPTIONS: &'static [&'static str] =
        &["lang", "out", "force", "wordlist", "merge", "pack"];
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
    fn a_sample_requires_a_language_and_pack_excludes_it() {
        assert!(Args::try_parse_from(["ngram-profile", "--out", "x"]).is_err());
        assert!(
            Args::try_parse_from(["ngram-profile", "--out", "x", "--lang", "bcl", "a", "b"])
                .is_ok()
        );
        assert!(Args::try_parse_from(["ngram-profile", "--out", "x", "--pack", "dir"]).is_ok());
        assert!(
            Args::try_parse_from([
                "ngram-profile",
                "--out",
                "x",
                "--pack",
                "dir",
                "--lang",
                "bcl"
            ])
            .is_err()
        );
    }
}
