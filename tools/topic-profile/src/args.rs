//! Arguments of `topic-profile`, and the text of its man page.

use forage_cli::{Input, Tool, Verbosity, parse_positive};
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

    /// Language of the core, ISO 639-3 or 639-1
    ///
    /// Default: the most frequent langid.code of the records; if they have none, the language is
    /// identified. It determines the stemmer and the stop words; with `und`, words are reduced to
    /// small letters only.
    #[arg(long, value_name = "CODE")]
    pub lang: Option<LanguageCode>,

    /// General texts with which the core is contrasted, instead of the built-in word list
    ///
    /// Records with `text`, plain text, or lines "word, tab, frequency". May be repeated. Texts
    /// near the subject, such as rejected pages of an earlier crawl, make the profile more precise.
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

    /// With --update, the number by which the random choices are determined
    #[arg(long, value_name = "N", default_value_t = 0, requires = "update")]
    pub seed: u64,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
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
        let mut inputs = self.input.files.iter().chain(&self.background);
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

    const INPUT_FIELDS: &'static [&'static str] = &[field::TEXT];

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const SECTIONS: &str = "\
READS
  text       the document; records without it, or with an error, are ignored
  url        its host; fetch.url has precedence. A document without a URL counts
             as from a host of its own
  langid     code, the language of the document

WRITES
The profile, lines of tab-separated columns, the best entries of each class first:

  class   term, pair or triple
  stems   one to three, separated by blanks
  count   occurrences in the core
  weight  weight in the vector space model of topic-filter; if it is missing,
          1 + ln count

Blank lines and lines that start with # are ignored, except `# language: CODE`,
which names the language of the stems.

SELECTION
The score of an entry is the square root of the sum of 1 + ln tf over the
documents of the core, times the square of ln odds. The odds of a stem are its
frequency in the core over that in general text, and ln odds of a collocation is
the mean over its stems.

An entry occurs in three documents (two in a core of fewer than ten), on two
hosts if the core has several, and more frequently than in general text. If a
class has fewer than 20 such entries, others that occur twice are added. Numbers
and single letters are no part of an entry.

The built-in word lists have the 60,000 most frequent words of about 40
languages. For other languages the probabilities of words are estimated from the
model of langid, which lacks many common words; use --background.

STEMS
English stems are those of Porter's algorithm (1980); Arabic, Danish, Dutch,
Finnish, French, German, Greek, Hungarian, Italian, Norwegian, Portuguese,
Romanian, Russian, Spanish, Swedish, Tamil and Turkish ones are by Snowball.
Words of other languages are reduced to small letters. Scripts without blanks
are segmented into words.

VARIABLE PART
With --update, the input is the journal of a crawl. Each time that --every
further documents have been recommended, entries are drawn at random from them,
in each class 30 % of the number of entries of the profile, which is the
permanent part. They are drawn from the middle of the frequency range: from the
two inner quartiles by count of the entries that could be selected. Their
weights are multiplied by 0.2. They replace those drawn before.

The folder has a profile for each number of documents, such as 000000500.tsv,
with permanent and variable part, and drift.jsonl, a line for each of them:

  recommended      documents recommended so far; whole steps are counted
  documents        of these, those since the last profile
  hosts            hosts of these
  similarity       their median cosine with the terms of the permanent part
  core_similarity  that of the initial documents of the journal
  shared_terms     share of the terms that these documents would have as a core
                   which are in the permanent part
  terms            terms of the variable part; likewise pairs and triples

Profiles that are in the folder are not written again, unless they are damaged.
The path of the last one
is written to standard output; it is that of --profile before the first.

MEMORY AND TIME
The texts of the core, and 12 bytes for each of their words; about 60 MB for 150
documents of 10,000 words. A megabyte takes about 0.3 s. With --update, the same
for the texts of the last N recommended documents.

EXIT STATUS
  0  the profile was written
  1  some lines were not records and were skipped; the profile was written
  2  could not run: no document in the core, or no entry found

EXAMPLES
Propose a profile from files of any kind, and look at it:

  $ fetch-extract --html core/* > core.jsonl
  $ topic-profile --out filter.tsv core.jsonl
  $ topic-profile --explain core.jsonl | less

Contrast a subject with a neighbouring one:

  $ topic-profile --background rejected.jsonl --out filter.tsv core.jsonl

Add a variable part from the last 500 documents that a crawl has recommended:

  $ topic-profile --profile filter.tsv --update levels RUN/journal.jsonl

Use the profile, with thresholds by which 70 % of the core are recognised:

  $ topic-filter --profile filter.tsv --fit core.jsonl < docs.jsonl

SEE ALSO
topic-filter(1), frontier(1), focused-crawl(1), forage-records(5), forage(7)

V. Kluev: Compiling document collections from the Internet. ACM SIGIR Forum,
2000.";

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
