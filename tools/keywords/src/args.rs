//! Arguments of `keywords`, and the text of its man page.

use forage_cli::{Input, Jobs, RecordOutput, Tool, Verbosity};
use forage_langid::{LanguageCode, WordProbabilities};
use forage_topic::keyphrases::{find_tagger, japanese};

/// Extract the keyphrases of each document
///
/// In English and Japanese, keyphrases are noun phrases: the longest sequences of adjectives and
/// nouns that end in a noun, by a part-of-speech tagger. In other languages they are the longest
/// sequences of words between stop words and punctuation. Stop words are the most frequent words of
/// the language, by the word lists of langid.
///
/// The score of a phrase is ln(n + t + f): n is its number of words, t the mean frequency of its
/// words in the document, and f its own frequency, without its occurrences inside longer phrases.
/// Words are counted by their stems, in title and text together. No other documents are needed.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Language of all documents, ISO 639-3 or 639-1
    ///
    /// Default: `langid.code` of the record; if it has none, the language is identified.
    #[arg(long, value_name = "CODE")]
    pub lang: Option<LanguageCode>,

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

/// How keyphrases are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Method {
    /// By noun phrases if the language has a tagger, else by statistics.
    #[default]
    Auto,
    /// By a grammar over parts of speech.
    NounPhrases,
    /// Between stop words and punctuation.
    Statistical,
}

impl Args {
    /// Checks that the language is known to the method.
    ///
    /// # Errors
    /// Fails if Japanese has no dictionary, or if `--lang` names a language that neither has a
    /// tagger nor is in the model of `langid`, or has no tagger and the method needs one.
    pub fn check(&self) -> anyhow::Result<()> {
        let Some(code) = self.lang else { return Ok(()) };
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
            "--lang: unknown language {code}; langid --list shows the languages, and with und only \
             punctuation and single letters end a phrase"
        );
        Ok(())
    }
}

impl Tool for Args {
    const NAME: &'static str = "keywords";

    fn record_output(&self) -> Option<&RecordOutput> {
        Some(&self.output)
    }

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const SECTIONS: &str = "\
READS
  text    the document; a record without it is passed on
  title   counts as part of the document, unless the text begins with it
  langid  its code is the language, unless --lang is given

ADDS
  keywords         [[phrase, score, key], ...], the best first; those with equal
                   scores in the order of their first occurrence. The phrase is
                   spelt as in the text, so that a query can have it. The key
                   has the stems of its words without stop words: Porter's
                   stems in English, Snowball's in 17 other languages, else the
                   words in small letters. Phrases with equal keys are one
                   keyphrase.
  keywords_method  noun-phrases or statistical
  error            of kind bad-field, if text, title or langid has the wrong
                   type

Adjectives and nouns that say little about the subject, such as same or Monday,
are stop words in English. They are removed from the ends of a phrase, and
inside from its key. Numbers alone are no keyphrase, nor are sequences of more
than 8 words; the words of such a sequence count as one phrase each. A line feed
ends a phrase.

Japanese needs a dictionary, IPADIC. make dictionary builds it from the package
mecab-ipadic of Debian, and make install installs it. Without it, --lang jpn
fails, and other Japanese documents have phrases between stop words. Nouns
exclude pronouns, adverbial and formal nouns, numbers, counters and honorifics,
and the stems of adjectives before na; other adjectives are a part of phrases.

MEMORY AND TIME
About 10 MB; in languages without a tagger, and where languages are identified,
also the model of langid (27 MB), which processes share; in Japanese also 10 MB
for the dictionary. Each thread adds 130 kB of input and a few times its longest
document, of which the first 2 MiB are read, and up to 100 MB for these. Start
and one record take about 5 ms, in Japanese 20 ms.

EXIT STATUS
  0  all input was processed, including records with an error
  1  some lines were not records, and were skipped
  2  could not run or had to stop: a language is unknown, Japanese has no
     dictionary, or a language has no tagger and --method noun-phrases is given

ENVIRONMENT
  FORAGE_DICTIONARY  the file with the Japanese dictionary; default:
                     ../share/forage/ipadic.dic or ../dictionary/ipadic.dic,
                     from the folder of the program

EXAMPLES
List the five best keyphrases of each document:

  $ keywords --top 5 < docs.jsonl | jq -c '[.keywords[][0]]'

SEE ALSO
langid(1), topic-filter(1), gen-query(1), forage-records(5), forage(7)

D. B. Bracewell, F. Ren, S. Kuroiwa: Creating special domain news collections by
keyphrases of sample articles. 2007. M. F. Porter: An algorithm for suffix
stripping. 1980. E. Brill: Some advances in transformation-based part of speech
tagging. 1994.";

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
