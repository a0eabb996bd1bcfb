//! Arguments of `keywords`, and the text of its man page.

use forage_cli::{Input, Jobs, RecordOutput, Tool, Verbosity};
use forage_langid::{LanguageCode, WordProbabilities};
use forage_record::field;
use forage_topic::keyphrases::{find_tagger, japanese};

/// Extract the keyphrases of each document
///
/// In English and Japanese, keyphrases are noun phrases: the longest sequences of adjectives and
/// nouns that end in a noun, by a part-of-speech tagger. In other languages they are single words,
/// and two or three adjacent words that recur in the document. Stop words are the most frequent
/// words of the language, by the word lists of langid; of an unknown language, short words that
/// recur.
///
/// The score of a noun phrase is ln(n + t + f): n is its number of words, t the mean frequency of
/// its words in the document, and f its own frequency, without its occurrences inside longer
/// phrases. That of others is ln(1 + m): m is the mean of (t + f) s over the words, where s is the
/// logarithm of the frequency of the word relative to general text of the language. Words are
/// counted by their stems, in title and text together. No other documents are needed.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    #[command(flatten)]
    pub language: LanguageArgs,

    /// Extraction method: `auto`, `noun-phrases` or `statistical`
    ///
    /// `auto` extracts noun phrases if the language has a tagger. With `noun-phrases`, documents in
    /// other languages are passed on without keyphrases. `statistical` ignores the taggers.
    #[arg(long, value_name = "METHOD", value_enum, default_value_t)]
    pub method: Method,

    /// Maximum number of keyphrases per document; all if absent
    #[arg(long, value_name = "NUMBER")]
    pub top: Option<usize>,

    /// Also process records that already have `keywords`
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

/// The language of documents.
#[derive(Debug, clap::Args)]
pub struct LanguageArgs {
    /// Language of all documents, ISO 639-3 or 639-1
    ///
    /// Default: `langid.code` of the record; if it has none, the language is identified.
    #[arg(long, value_name = "CODE", value_parser = LanguageCode::from_tag)]
    pub lang: Option<LanguageCode>,
}

/// How keyphrases are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Method {
    /// By noun phrases if the language has a tagger, else by statistics.
    #[default]
    Auto,
    /// By a grammar over parts of speech.
    NounPhrases,
    /// By the frequencies of words.
    Statistical,
}

impl Args {
    /// Checks that the language is known to the method.
    ///
    /// # Errors
    /// Fails if Japanese has no dictionary, or if `--lang` names a language that neither has a
    /// tagger nor is in the model of `langid`, or has no tagger and the method needs one.
    pub fn check(&self) -> anyhow::Result<()> {
        let Some(code) = self.language.lang else {
            return Ok(());
        };
        if code.as_str() == "jpn"
            && self.method != Method::Statistical
            && let Err(error) = japanese::tagger()
        {
            anyhow::bail!("--lang jpn: {error}; without it use --method statistical");
        }
        let has_tagger = find_tagger(code).is_some();
        anyhow::ensure!(
            has_tagger || self.method != Method::NounPhrases,
            "--lang: no tagger of the language {code}; use --method statistical"
        );
        anyhow::ensure!(
            has_tagger
                || code == LanguageCode::UNDETERMINED
                || WordProbabilities::builtin(code).is_some(),
            "--lang: unknown language {code}; langid --list shows the languages, and with und stop \
             words are guessed from each document"
        );
        Ok(())
    }
}

impl Tool for Args {
    const NAME: &'static str = "keywords";
    const COMMON_OPTIONS: &'static [&'static str] = &["lang", "method", "top", "force"];

    fn output_field(&self) -> &'static str {
        field::KEYWORDS
    }
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
    fn unknown_languages_and_languages_without_a_required_tagger_are_refused() {
        let check = |args: &str| {
            let args = ["keywords"].into_iter().chain(args.split_whitespace());
            Args::try_parse_from(args).is_ok_and(|args| args.check().is_ok())
        };
        assert!(check("--lang en --method noun-phrases"));
        assert!(check("--lang slv"));
        assert!(check("--lang und"));
        assert!(!check("--lang slv --method noun-phrases"));
        assert!(!check("--lang xqz"));
        assert!(!check("--lang xx-nonsense"));
        assert!(!check("--method magic"));
        assert!(!check("--top -1"));
    }
}
