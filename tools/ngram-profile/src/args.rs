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
        value_delimiter = ','
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

const SECTIONS: &str = "\
READS
Records, if the first line that is not blank is a JSON object, or begins with {\"
as a damaged one does; the sample is their text. Records with error or without
text are skipped. Otherwise the input is plain text.

With --wordlist, lines of \"word, tab, frequency\". Lines that begin with # or
whose second field is not a number are skipped. A frequency may be decimal (1.5,
1e3); it is rounded, to at least 1.

Words in another script than most letters of the sample are not counted.

With --bootstrap, the journal of a run. Documents without a step and with the
label --lang are the initial ones; documents with a step are the retrieved ones,
whatever their label. Duplicates and errors are skipped. The first level is
learned from 10 documents. The self-training sample has those documents that the
profile of the previous level accepts with a sufficient margin: half of the
upper quartile of their margins or, if that profile has no rejection threshold,
up to two thirds of the margin that the initial documents lead to expect. It has
at most 25 documents per host and 200 in all, and of each the first 2,500
characters. With 20 documents or more, only words that occur in two of them are
learned.

WRITES
The profile: code, script, name, source, size of the sample in words, the
n-grams with their counts, most frequent first, _ for the blank before and after
a word, the words with their counts, and a checksum, by which a truncated copy
is detected.

With --pack a model, which langid reads with --model.

With --bootstrap, the profile also has a rejection threshold, the minimum
margin at which a text is accepted. Margins are measured on documents held out
of the sample in turn; the threshold is their median, less four times the
difference of median and lower quartile. Documents below it are removed from the
sample. The previous profile stays in use in three cases: the sample has fewer
than four documents; the new profile, learned without the initial documents,
does not recognise them; or another language is nearer to the n-grams of the
initial documents than the new profile is, and the first profile accepts less
than half of the sample.

DIR/CODE-N.profile is the level of N documents. An existing file is kept, so use
DIR for one journal and one --without only. The paths of the profiles to use are
written to standard output. DIR/drift.jsonl has a line of JSON per level:
  documents            documents retrieved
  accepted             documents accepted by the profile of the previous level
  sample_documents     documents in the self-training sample
  sample_words         distinct words of the new profile
  rejection_threshold  minimum margin at which a text is accepted
  median_margin        median margin of the sample, held out in turn
  initial_margin       the same for the initial documents
  agreement            share of the sample that the first profile accepts
  distance             distance from the first profile's n-grams, 0 to 1
  nearest              the language nearest to these, and its distance
  fallback_reason      null, or why the previous profile stays in use: few
                       (documents), initial or distance

MEMORY AND TIME
Memory grows with the vocabulary of the sample: about 300 MB for a million
distinct words. About 50 MB per second. With --bootstrap, the text of the
journal is held in memory, and its documents are read about ten times, each up
to 2,500 characters.

EXIT STATUS
  0  the file was written
  1  the file was written, but some lines were not records and were skipped
  2  could not run or had to stop: the sample has no letters, the folder has no
     profiles, a profile is invalid or truncated

EXAMPLES
Learn Central Bikol from a document, and use the profile:

  $ ngram-profile --lang bcl --out bcl.profile text.txt
  $ langid --profile bcl.profile < docs.jsonl

Learn from collected documents, and from a word list:

  $ jq -c 'select(.label == \"bcl\")' journal.jsonl |
      ngram-profile --lang bcl --out bcl.profile
  $ ngram-profile --wordlist --lang slv --out slv.profile words.tsv

Bootstrap the profile of a language from the documents of a run (corpus-builder
--bootstrap-filter does this at each level):

  $ ngram-profile --lang bcl --bootstrap run/filter --final \\
      run/journal.jsonl

Merge profiles into one:

  $ ngram-profile --merge --lang bcl --out bcl.profile *.bcl.profile

Build a model, and use it alone or together with the built-in one:

  $ ngram-profile --pack profiles --out my.model
  $ langid --model my.model < docs.jsonl
  $ langid --model builtin --model my.model < docs.jsonl

SEE ALSO
langid(1), forage-records(5), forage(7)

W. B. Cavnar, J. M. Trenkle: N-gram-based text categorization. 1994.";

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
