//! The command line of `ngram-profile`.

use forage_cli::{Input, Speech, Tool};
use forage_langid::Code;
use std::path::PathBuf;

/// Learn the n-gram profile of a language from a sample
///
/// The sample is plain text, or records with `text`, or with --wordlist lines of "word, tab, frequency". Its words
/// (the 50,000 most frequent) and its 400 most frequent character n-grams, one to five letters, become the profile: a
/// text file that langid reads with --profile. A document of a few thousand letters is enough to begin with.
///
/// What was learned is said on standard error: the size of the sample, its typical n-grams, and the nearest of the
/// languages that are known, which shows whether the sample is what it should be.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = AFTER)]
pub struct Args {
    /// The sample's language (ISO 639-3 or 639-1; qaa to qtz are for private use)
    #[arg(long, value_name = "CODE", required_unless_present = "pack")]
    pub lang: Option<Code>,

    /// The file to write, replaced when it is there; a pipe or device is written into
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// The sample is a list of words with their frequencies
    #[arg(long)]
    pub wordlist: bool,

    /// The sample is profiles, which are merged: all their words, in one profile
    #[arg(long, conflicts_with_all = ["wordlist", "pack"], requires = "files")]
    pub merge: bool,

    /// Learn nothing, but bundle the profiles in this folder (*.profile) into a model
    #[arg(long, value_name = "DIR", conflicts_with_all = ["lang", "wordlist", "files"])]
    pub pack: Option<PathBuf>,

    /// What is read.
    #[command(flatten)]
    pub input: Input,

    /// How much is said on standard error.
    #[command(flatten)]
    pub speech: Speech,
}

impl Tool for Args {
    const NAME: &'static str = "ngram-profile";

    fn speech(&self) -> &Speech {
        &self.speech
    }
}

const AFTER: &str = "\
READS
  Records if the first line that is not blank is a JSON object, or begins with
  {\" as a damaged one does: their text; a record with error, or without text,
  teaches nothing. Otherwise plain text.
  With --wordlist, lines of \"word, tab, frequency\"; a line that begins with
  # and one whose second field is no number are passed over. A frequency may be
  decimal (1.5, 1e3); it is rounded, to 1 at least.
  Words in another script than most of the sample's letters are not counted.

WRITES
  The profile: code, script, name, source, size of the sample in words, the
  n-grams with their counts, most frequent first, _ for the blank before and
  after a word, and the words with theirs; then a check sum, so that a truncated
  copy is refused.
  With --pack a model, which langid reads with --model.

MEMORY AND TIME
  Grows with the vocabulary of the sample: some 300 MB for a million distinct
  words. About 50 MB a second.

EXIT STATUS
  0  the file was written
  1  it was, but some lines were not records
  2  it was not: no letters in the sample, a folder without profiles, a
     profile that is none or truncated

EXAMPLES
  Learn Central Bikol from a document, and use it:
    ngram-profile --lang bcl --out bcl.profile text.txt
    langid --profile bcl.profile < docs.jsonl

  From what was collected, and from a word list:
    jq -c 'select(.label == \"bcl\")' journal.jsonl |
      ngram-profile --lang bcl --out bcl.profile
    ngram-profile --wordlist --lang slv --out slv.profile words.tsv

  One profile of two:
    ngram-profile --merge --lang bcl --out bcl.profile *.bcl.profile

  A model of my own profiles, alone or besides the languages known anyway:
    ngram-profile --pack profiles --out my.model
    langid --model my.model < docs.jsonl
    langid --model builtin --model my.model < docs.jsonl

SEE ALSO
  W. B. Cavnar and J. M. Trenkle, N-gram-based text categorization, 1994.
  langid(1), forage-records(5), forage(7)";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_sample_needs_a_language_and_a_folder_does_not() {
        assert!(Args::try_parse_from(["ngram-profile", "--out", "x"]).is_err());
        assert!(Args::try_parse_from(["ngram-profile", "--out", "x", "--lang", "bcl", "a", "b"]).is_ok());
        assert!(Args::try_parse_from(["ngram-profile", "--out", "x", "--pack", "dir"]).is_ok());
        assert!(Args::try_parse_from(["ngram-profile", "--out", "x", "--pack", "dir", "--lang", "bcl"]).is_err());
    }
}
