//! Arguments of `langid`, and the text of its man page.

use crate::state_file::ClassProfiles;
use forage_cli::{FileArgs, Input, InputAdvice, Jobs, RecordOutput, Tool, Verbosity};
use forage_langid::{LanguageCode, Method};
use forage_record::field;
use forage_step::StepArgs;
use std::path::PathBuf;

/// Identify the language of each document
///
/// Each known word of a document adds evidence to the languages that use it, and more to those in
/// which it is more frequent. Unknown words add evidence by their n-grams of four letters. The
/// language with the most evidence is the result. Of a long document, eight windows are read, and
/// the whole of it only if they are not clearly in one language. The built-in model has more than
/// 1,600 languages; ngram-profile learns others.
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
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = LanguageCode::from_tag)]
    pub only: Vec<LanguageCode>,

    /// What is expected of a text: `web`, `none`, or a file of "code, tab, number"
    ///
    /// It decides short texts, and counts for little in long ones. `web` are the numbers of pages
    /// in each language in a crawl of the web; with `none`, all languages are equally likely. For
    /// the method `evidence`.
    #[arg(long, value_name = "PRIOR", default_value = "web")]
    pub prior: PathBuf,

    #[command(flatten)]
    pub evidence: MethodArgs,

    /// Add the share of each language, by paragraphs
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
    /// the other codes that the label covers, its macrolanguage, the other labels of that, kinds of
    /// texts, accuracy on sources that were left out, nearest languages; see LANGUAGES. A terminal
    /// shows some of these as a table. With --only, the lines of these languages.
    #[arg(long, conflicts_with_all = ["lines", "paragraphs", "force", "as_documents", "files", "tsv"])]
    pub list: bool,

    /// Write the label of each code instead of annotating
    ///
    /// One line per code: the code, the label of texts in it, the name of the language, and the
    /// other labels of its macrolanguage, separated by tabs. A code of three letters that the model
    /// lacks is its own label, without a name, and reported: a profile can have it. See
    /// LANGUAGES.
    #[arg(
        long,
        value_name = "CODES",
        value_delimiter = ',',
        conflicts_with_all = ["list", "lines", "paragraphs", "force", "files", "only"]
    )]
    pub resolve: Vec<String>,

    /// Compare `label` with the identified language instead of annotating
    ///
    /// Writes one line per label; see LABELS. The exit code is 1 if most documents of a label are
    /// in another language.
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
            "models", "profiles", "only", "without", "prior", "method", "paragraphs", "lines",
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

/// What documents are compared with, and how.
#[derive(Debug, clap::Args)]
pub struct MethodArgs {
    /// Remove these languages from the model, separated by commas
    ///
    /// A --profile of such a language is still used.
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = LanguageCode::from_tag)]
    pub without: Vec<LanguageCode>,

    /// Identification method: `evidence` or `out-of-place` (n-gram ranks)
    #[arg(long, value_name = "METHOD", default_value_t)]
    pub method: Method,
}

impl Tool for Args {
    const NAME: &'static str = "langid";
    const COMMON_OPTIONS: &'static [&'static str] =
        &["only", "profiles", "paragraphs", "lines", "list", "resolve"];

    fn output_field(&self) -> &'static str {
        field::LANGID
    }

    fn input_advice(&self) -> InputAdvice {
        InputAdvice {
            plain_text: Some("use --lines to identify each line, --files to identify each file"),
            ..InputAdvice::default()
        }
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
    fn aliases_of_codes_are_resolved() {
        let args = Args::try_parse_from(["langid", "--only", "SL, fil", "--only", "hrv"]).unwrap();
        assert_eq!(
            args.only.iter().map(|c| c.as_str()).collect::<Vec<_>>(),
            ["slv", "tgl", "hrv"]
        );
        assert!(Args::try_parse_from(["langid", "--without", "slovenian"]).is_err());
    }
}
