//! The command line of `ngram-profile`.

use forage_cli::{Input, Tool, Verbosity};
use forage_langid::LanguageCode;
use std::path::PathBuf;

/// Learn the n-gram profile of a language from a sample
///
/// The sample is plain text, or records with `text`, or with --wordlist lines of "word, tab,
/// frequency". Its words (the 50,000 most frequent) and its 400 most frequent character n-grams,
/// one to five letters, become the profile: a text file that langid reads with --profile. A
/// document of a few thousand letters is enough to begin with.
///
/// What was learned is said on standard error: the size of the sample, its typical n-grams, and the
/// nearest of the languages that are known, which shows whether the sample is what it should be.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = AFTER)]
pub struct Args {
    /// The sample's language (ISO 639-3 or 639-1; qaa to qtz are for private use); with --bootstrap
    /// one or more
    #[arg(
        long,
        value_name = "CODE",
        required_unless_present = "pack",
        value_delimiter = ','
    )]
    pub lang: Vec<LanguageCode>,

    /// The file to write, replaced when it is there; a pipe or device is written into
    #[arg(long, value_name = "FILE", required_unless_present = "bootstrap")]
    pub out: Option<PathBuf>,

    /// The sample is a list of words with their frequencies
    #[arg(long)]
    pub wordlist: bool,

    /// The sample is profiles, which are merged: all their words, in one profile
    #[arg(long, conflicts_with_all = ["wordlist", "pack"], requires = "files")]
    pub merge: bool,

    /// Learn nothing, but bundle the profiles in this folder (*.profile) into a model
    #[arg(long, value_name = "DIR", conflicts_with_all = ["lang", "wordlist", "files"])]
    pub pack: Option<PathBuf>,

    /// The sample is the journal of a run: in this folder, learn a profile of --lang from the
    /// initial documents, and a further one each time that the documents have doubled, from those
    /// that the former one is sure of. What is known besides, and --profile and --without, are the
    /// languages that it must be told from
    #[arg(long, value_name = "DIR", conflicts_with_all = ["wordlist", "merge", "pack", "out"])]
    pub bootstrap: Option<PathBuf>,

    /// With --bootstrap, learn a last profile from all documents
    #[arg(long = "final", requires = "bootstrap")]
    pub final_level: bool,

    /// Profile of another language that is not known; may be repeated
    #[arg(long = "profile", value_name = "PROFILE", requires = "bootstrap")]
    pub profiles: Vec<PathBuf>,

    /// Do as if these languages were not known, as langid does
    #[arg(
        long,
        value_name = "CODE,...",
        value_delimiter = ',',
        requires = "bootstrap"
    )]
    pub without: Vec<LanguageCode>,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "ngram-profile";

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
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
  With --bootstrap, the journal: documents without a step and with the label
  --lang are the initial ones, the others what came, whatever their label;
  duplicates and errors teach nothing. The first level is learned from 10
  documents. Of those that the former level accepts a document
  teaches if its margin is half of the upper quartile's or more, 25 of a host
  and 200 in all, each by its first 2,500 characters. From 20 documents on only
  words that two of them have are learned.

WRITES
  The profile: code, script, name, source, size of the sample in words, the
  n-grams with their counts, most frequent first, _ for the blank before and
  after a word, and the words with theirs; then a check sum, so that a truncated
  copy is refused.
  With --pack a model, which langid reads with --model.
  With --bootstrap the profile also asks texts for a margin: of documents that
  are left out of it in turn the median, less four times what the lower
  quartile is below that; documents with less are left out of it for good. The
  former profile is written again if it knows better: if the new one, without
  the initial documents, does not recognise these, or if another language is
  nearer to the initial documents' n-grams than the new profile is, and they
  accept less than half of its documents. DIR/CODE-N.profile is the level of N
  documents, and kept when it is there, so DIR is for one journal and --without
  alone; standard output names the profiles to use. A line of JSON per level in
  DIR/drift.jsonl tells how far it has moved:
    documents, accepted, taught  come, accepted by the former level, learned from
    rejection_threshold, median_margin  asked for; of those learned from
    initial_margin               of the initial documents, left out
    agreement                    share of them that the initial documents accept
    distance                     from the initial documents' n-grams, 0 to 1
    nearest                      the language nearest to these, its distance
    kept                         null, or why the former: few, initial, distance

MEMORY AND TIME
  Grows with the vocabulary of the sample: some 300 MB for a million distinct
  words. About 50 MB a second. With --bootstrap the text of the journal is kept,
  and its documents are read some ten times, by their beginnings.

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

  Bootstrap the profile of a language that is not known from what a run has
  brought (corpus-builder --bootstrap-filter does this at each level):
    ngram-profile --lang bcl --bootstrap run/filter --final run/journal.jsonl

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
