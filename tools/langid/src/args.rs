//! The command line of `langid`.

use forage_cli::{Input, Jobs, Tool, Verbosity};
use forage_langid::{LanguageCode, Method};
use std::path::PathBuf;

/// Say in which language each document is
///
/// Each word that some language is known to use speaks for that language, the more so the more
/// frequent it is there; the n-grams of four letters of other words speak in the same way. The
/// language with the most evidence is the document's. More than 1,600 languages come with the
/// program; others are learned with ngram-profile.
///
/// What is no language (addresses, code, digits, garbled text) and what seems to be in none that is
/// known is `und`. A single word may be of many languages: look at the score.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = AFTER)]
pub struct Args {
    /// Model to use instead of the one that comes with the program, whose name is `builtin`
    /// (ngram-profile --pack); may be repeated
    #[arg(long = "model", value_name = "MODEL")]
    pub models: Vec<PathBuf>,

    /// Profile to know besides (ngram-profile --out); may be repeated
    #[arg(long = "profile", value_name = "PROFILE")]
    pub profiles: Vec<PathBuf>,

    /// Let only these languages compete (ISO 639-3 or 639-1); a text is taken to be in one of them
    #[arg(long, value_name = "CODE,...", value_delimiter = ',')]
    pub only: Vec<LanguageCode>,

    /// Do as if the model did not know these languages; a --profile stays
    #[arg(long, value_name = "CODE,...", value_delimiter = ',')]
    pub without: Vec<LanguageCode>,

    /// How texts and languages are compared: `evidence`, or `out-of-place`, the ranks of n-grams
    #[arg(long, value_name = "METHOD", default_value_t)]
    pub method: Method,

    /// Add the share of each language, paragraph by paragraph
    #[arg(long)]
    pub paragraphs: bool,

    /// Read plain text, write "code, tab, score, tab, line" for each line; a blank one is und
    #[arg(long, conflicts_with_all = ["paragraphs", "force"])]
    pub lines: bool,

    /// Write what is known instead: code, script, name, words of the sample, source, separated by
    /// tabs
    #[arg(long, conflicts_with_all = ["lines", "paragraphs", "force", "files"])]
    pub list: bool,

    /// Identify again what has `langid` already, and replace `label`
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub jobs: Jobs,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "langid";

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const AFTER: &str = "\
READS
  text    the document; a record without it is passed on
  With --lines, plain text, of which each line is answered: one that is blank,
  or longer than --max-line, with und, 0, and nothing behind the last tab but
  its blanks.

ADDS
  langid  {code, script, score, margin, top, share}
          code is ISO 639-3, or und. script (ISO 15924) is that of most
          letters. score, 0 to 1, is the probability that code is right, und
          has 0. margin is how far the next language is behind, as a part of
          the best one's evidence. top holds the best languages, at most five,
          with their probabilities. share, with --paragraphs, is the share of
          each language by letters; paragraphs under 30 letters are joined with
          neighbours in their script. A page that resembles no language as a
          whole has its greatest shares in top then, and if one is at least
          half, that language as code, and the share as score.
  label   the code, unless there is a label already
  error   of kind bad-field, where text has the wrong type

MEMORY AND TIME
  Some 35 MB, most of them the table of words, which processes share; and for
  each thread 130 kB of input and three times its longest document, with the
  method out-of-place up to 35 times if all its words differ. Start and one
  record take about 3 ms; then some 50 MB a second and core, a third of that
  with --profile.

PROFILES
  A profile that was grown (ngram-profile --bootstrap) asks for a margin: a text
  in which its language is ahead by less is und.

EXIT STATUS
  0  all input was read and answered
  1  some lines were not records, or with --lines too long
  2  it could not run or had to stop: a model or profile that is none, is
     truncated or of a later version; a language that is not known

EXAMPLES
  How many documents are in which language:
    langid < docs.jsonl | jq -r .langid.code | sort | uniq -c

  A language that is not known, learned from one document:
    ngram-profile --lang bto --out bto.profile text.txt
    langid --profile bto.profile < docs.jsonl

  Lines of plain text, among three languages:
    langid --lines --only slv,hrv,srp < text.txt

SEE ALSO
  T. Jauhiainen, K. Linden, H. Jauhiainen, HeLI, a word-based backoff method
  for language identification, 2016. W. B. Cavnar and J. M. Trenkle,
  N-gram-based text categorization, 1994.
  ngram-profile(1), forage-records(5), forage(7)";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn codes_are_made_canonical() {
        let args = Args::try_parse_from(["langid", "--only", "SL, fil", "--only", "hrv"]).unwrap();
        assert_eq!(
            args.only.iter().map(|c| c.as_str()).collect::<Vec<_>>(),
            ["slv", "tgl", "hrv"]
        );
        assert!(Args::try_parse_from(["langid", "--without", "slovenian"]).is_err());
    }
}
