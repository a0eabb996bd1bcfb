//! Arguments of `langid`, and the text of its man page.

use forage_cli::{FileArgs, Input, InputAdvice, Jobs, RecordOutput, Tool, Verbosity};
use forage_langid::{LanguageCode, Method};
use forage_langid_state::ClassProfiles;
use forage_step::StepArgs;
use std::path::PathBuf;

/// Identify the language of each document
///
/// Each known word of a document adds evidence to the languages that use it, and more to those in
/// which it is more frequent. Unknown words add evidence by their n-grams of four letters. The
/// language with the most evidence is the result. The built-in model has more than 1,600 languages;
/// ngram-profile learns others.
///
/// The result is `und` for texts that are not natural language (addresses, source code, digits,
/// mojibake), and for texts that are probably in no known language. A single word may belong to
/// many languages; see the score.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
#[allow(missing_docs)] // of flattened arguments
pub struct Args {
    /// Model to use instead of the built-in one; repeatable
    ///
    /// A file written by ngram-profile --pack, or `builtin` for the built-in model.
    #[arg(long = "model", value_name = "MODEL")]
    pub models: Vec<PathBuf>,

    /// Profile to use in addition to the model; repeatable
    ///
    /// A file written by ngram-profile --out.
    #[arg(long = "profile", value_name = "PROFILE")]
    pub profiles: Vec<PathBuf>,

    /// Consider only these languages, separated by commas
    ///
    /// Codes are ISO 639-3 or 639-1. Each text is assigned to one of these languages, unless it is
    /// not natural language.
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub only: Vec<LanguageCode>,

    /// Remove these languages from the model, separated by commas
    ///
    /// A --profile of such a language is still used.
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub without: Vec<LanguageCode>,

    /// Identification method: `evidence` or `out-of-place` (n-gram ranks)
    #[arg(long, value_name = "METHOD", default_value_t)]
    pub method: Method,

    /// Add the share of each language, identified per paragraph
    #[arg(long, conflicts_with = "as_documents")]
    pub paragraphs: bool,

    /// Read plain text, and write "code, tab, score, tab, line" per line
    ///
    /// The code of a blank line is und.
    #[arg(long, conflicts_with_all = ["paragraphs", "force", "as_documents", "tsv"])]
    pub lines: bool,

    /// List the known languages instead of reading input
    ///
    /// One line per language and script: code, script, name, size of the sample in words, sources,
    /// the other codes that the label covers, its macrolanguage, and the other labels of that; see
    /// LANGUAGES. With --only, the lines of these languages.
    #[arg(long, conflicts_with_all = ["lines", "paragraphs", "force", "as_documents", "files", "tsv"])]
    pub list: bool,

    /// Write the label of each of these codes instead of reading input
    ///
    /// One line per code: the code, the label of texts in it, the name of the language, and the
    /// other labels of its macrolanguage, separated by tabs. A code of three letters that the model
    /// lacks is its own label, without a name: a profile can have it. See LANGUAGES.
    #[arg(
        long,
        value_name = "CODES",
        value_delimiter = ',',
        conflicts_with_all = ["list", "lines", "paragraphs", "force", "files", "only"]
    )]
    pub resolve: Vec<String>,

    /// Compare `label` with the identified language instead of annotating
    ///
    /// Writes one line per label; see LABELS. The exit code is 1 if most documents of a label are in
    /// another language.
    #[arg(long, conflicts_with_all = ["list", "lines", "paragraphs", "force", "resolve"])]
    pub check_labels: bool,

    /// Also process records that already have `langid`; replace `label`
    #[arg(long, conflicts_with_all = ["as_documents", "rebuild"])]
    pub force: bool,

    /// Consider only the classes of a run, with profiles learned from it
    ///
    /// Requires --from-step or --rebuild. See CLASSES OF A RUN.
    #[arg(
        long,
        value_name = "FILE",
        requires = "step_task",
        group = "state_file",
        conflicts_with_all = [
            "models", "profiles", "only", "without", "method", "paragraphs", "lines",
            "as_documents", "list", "resolve", "check_labels"
        ]
    )]
    pub state: Option<PathBuf>,

    /// With --state, learn from documents with at least this margin
    ///
    /// The field langid.margin, 0 to 1. Give the same with --rebuild. With 0, as in the paper, a
    /// class whose profile has few words may be lost to a related one.
    #[arg(
        long,
        value_name = "MARGIN",
        requires = "state",
        default_value_t = ClassProfiles::MIN_MARGIN
    )]
    pub min_margin: f64,

    #[command(flatten)]
    pub step: StepArgs,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub files: FileArgs,

    #[command(flatten)]
    pub jobs: Jobs,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "langid";

    fn input_advice(&self) -> InputAdvice {
        InputAdvice {
            plain_text: Some("use --lines to identify each line, --files to identify each file"),
            ..InputAdvice::default()
        }
    }

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

With --lines, the input is plain text, and each line results in one line of
output. For a line that is blank or longer than --max-line, that is und, 0, and
after the last tab only the blanks of the line.

FILES
With --files, each FILE is one document, and results in one line of output, in
the order of the arguments: path, code and score, separated by tabs. Tabs, line
ends and backslashes in a path are written as \\t, \\n, \\r and \\\\, other control
characters as in \\x1b. With -r, FILE may be a folder: its files are read in the
order of their names, and those of its subfolders; hidden and binary files,
symbolic links, pipes and devices are left out.

A file is plain text: UTF-8, UTF-16, or in a legacy encoding, which is detected.
Of a longer file, the first --max-line bytes are read, with a warning. HTML, PDF
and other files are und, 0, with a warning; fetch-extract extracts their text:

  $ fetch-extract --html page.html report.pdf | langid

A file that cannot be read is reported; the others are processed. So is a folder
without text files. Of each kind of problem, the first five files are named.

With --lines, a warning names a file that is HTML, PDF or not in UTF-8, and the
command that converts it.

ADDS
  langid  {code, script, score, margin, top, share}
          code is ISO 639-3, or und. script (ISO 15924) is that of most
          letters. score, 0 to 1, estimates the probability that code is right;
          0 for und. margin is the distance of the second language from the
          best, as a share of the best one's evidence. top has the best
          languages, at most five, with their probabilities. share, with
          --paragraphs, is the share of each language by letters; a paragraph
          ends at a line feed and is in one language; those under 30 letters are
          joined with neighbours in the same script. If the whole document is
          und, top has the largest shares, and a language with at least half of
          the letters is code, its share the score.
  label   the code, unless the record has a label already
  error   of kind bad-field, if text has the wrong type

LANGUAGES
A line of --list has eight fields, separated by tabs; the last three may be
empty:
  1  code: the label of texts in the language
  2  script (ISO 15924); a language in two scripts has two lines
  3  English name
  4  size of the sample in words, of which those of running text count twice,
     those of messages of programs .3; 200 if only n-grams are known
  5  sources of the sample
  6  other codes that the label covers, separated by blanks: the ISO 639-1 code,
     retired codes, and members of a macrolanguage
  7  macrolanguage (ISO 639-3) of which the language is a member, or the code
     itself if it is a macrolanguage
  8  other labels of that macrolanguage, separated by blanks

A macrolanguage has one code for several related languages: zho is Chinese, and
its members include cmn (Mandarin) and yue (Cantonese). A text in a member gets
the label zho if the member is in field 6 of zho, and its own label if it is in
field 8. A member in neither field has no label; texts in it get the label of a
related language, or und. The codes of field 6 can be used for --only and
--without, in place of the label. Some of them select one member of a
macrolanguage: msa is zsm without ind, nor is nob without nno, kur is kmr
without ckb. A macrolanguage may have no label of its own, as hbs, of which
field 7 shows the members with labels.

ISO 639-2, its bibliographic codes included (slo is slk), ISO 639-1 and retired
codes are aliases, too. --resolve shows the label of a code, and refuses a
macrolanguage without a label of its own, naming the labels of its languages. If
only some of several codes are refused, the labels of the others are shown.

LABELS
A line of --check-labels has six fields, separated by tabs:
  1  the label
  2  agrees, unknown or differs: most documents of the label may be in its
     language, are und, or are in other languages; of none is it most: unknown
  3  number of documents with the label
  4  those that may be in its language: the identified language is the label,
     or the label has at least a probability of .05
  5  most frequent other language, empty if there is none
  6  number of documents in it

CLASSES OF A RUN
With --state, the classes are the labels of the initial documents in the journal
of a run, which --rebuild reads, and the languages of the built-in model are not
considered. A class has a profile in each script: the 400 most frequent n-grams
of its initial documents and of the documents that were given its label, without
duplicates (dedup.status) and without those that --min-margin excludes. Initial
documents with from_step are added in that step. Documents are compared by
out-of-place distance. Those of step N are compared with the profiles of the
steps before N, so that a repeated step gives the same labels. A text that is
far from all profiles is und.

FILE of --state is a projection of the journal: a file that grew with the run
equals one that was rebuilt. Only the n-grams of new documents are updated.
With --from-step, a document is added before its record is written. When langid
ends with --rebuild, FILE is complete on its own; otherwise FILE-wal belongs to
it.

MEMORY AND TIME
About 35 MB, mostly for the table of words, which processes share. Each thread
adds 130 kB of input and three times its longest document, or with the method
out-of-place up to 35 times if all words of the document differ. Start and one
record take about 3 ms. The rate is about 80 MB per second and core, a quarter
of that with --profile. With --state, a document of 500 words takes about 6 ms,
with profiles of any size, and profiles of six languages about 10 MB on disk.
With --files, each thread holds the part of a file that is read, and its text.

PROFILES
A bootstrapped profile (ngram-profile --bootstrap) has a rejection threshold: a
text in which its language leads by a smaller margin is und.

EXIT STATUS
  0  all input was processed, including records with an error
  1  some lines were not records, or with --lines too long, and were skipped;
     some files of --files could not be read or are not plain text; some codes
     of --resolve were refused; with --check-labels, a label differs
  2  could not run or had to stop: a model or profile is invalid, truncated or
     of a later version; a code in --only or --without is not in the model; no
     file of --files could be read; all codes of --resolve were refused

EXAMPLES
Count documents by language:

  $ langid < docs.jsonl | jq -r .langid.code | sort | uniq -c

Add a language that the model lacks, learned from one document:

  $ ngram-profile --lang qaa --out qaa.profile text.txt
  $ langid --profile qaa.profile < docs.jsonl

Identify lines of plain text, among three languages:

  $ langid --lines --only slv,hrv,srp < text.txt

Identify files, and count those in a folder by language:

  $ langid --files *.txt
  $ langid --files -r texts/ | cut -f 2 | sort | uniq -c

Label the documents of step 7 with the classes of a run:

  $ langid --state run/profiles.db --rebuild run/journal.jsonl
  $ langid --state run/profiles.db --from-step 7 < docs.jsonl

Check that seed documents are in the languages that their labels say:

  $ jq -c '.label = \"slv\"' seeds.jsonl | langid --check-labels

Show the label of Mandarin (cmn), and all labels of Chinese (zho):

  $ langid --resolve cmn
  $ langid --list | awk -F '\\t' '$7 == \"zho\"'

SEE ALSO
ngram-profile(1), update-stats(1), forage-records(5), forage(7)

T. Jauhiainen, K. Lindén, H. Jauhiainen: HeLI, a word-based backoff method for
language identification. 2016. W. B. Cavnar, J. M. Trenkle: N-gram-based text
categorization. 1994.";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn aliases_of_codes_are_resolved() {
        let args = Args::try_parse_from(["langid", "--only", "SL, fil", "--only", "hrv"]).unwrap();
        assert_eq!(
            args.only.iter().map(|c| c.as_str()).collect::<Vec<_>>(),
            ["slv", "tgl", "hrv"]
        );
        assert!(Args::try_parse_from(["langid", "--without", "slovenian"]).is_err());
    }
}
