//! Arguments of `concordance`, and the text of its man page.

use crate::matcher::{Matcher, MatcherError};
use forage_cli::{Jobs, RecordOutput, Tool, Verbosity};
use forage_record::FieldPath;
use forage_step::DocumentArgs;
use std::sync::LazyLock;

/// Show the occurrences of a term in a corpus, with their contexts
///
/// Writes a line for each occurrence of TERM: the end of the text before it, the occurrence, and
/// the beginning of the text after it, in columns (KWIC). Occurrences do not overlap. Of the folder
/// of a run, the text is that of its relevant documents, without duplicates and initial documents;
/// of files of records, that of all documents but duplicates.
///
/// TERM is one or more words, with any white space between them; `*` stands for any letters, as in
/// 'hiš*', and `?` for itself: see --regex. Case (STRASSE is Straße, ΕΛΛΑΔΑ is Ελλάδα), optional
/// marks (vowel points of Arabic and Hebrew, stress of Cyrillic), soft hyphens and Unicode's
/// canonical forms do not count; a text with many ı has the Turkish capitals. In scripts without
/// blanks between words, such as those of Chinese, Japanese and Thai, each occurrence of the string
/// counts.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// The term
    pub term: String,

    /// Read TERM as a regular expression
    ///
    /// Case does not count, unless the expression begins with `(?-i)`; `\b` is the edge of a word,
    /// `^` and `$` are those of a line. The syntax is that of the crate regex for Rust.
    #[arg(long)]
    pub regex: bool,

    /// Order of the lines
    ///
    /// Contexts are compared word by word from the occurrence outwards. Case and punctuation do not
    /// count, and marks of letters only between words that are otherwise equal.
    #[arg(long, value_name = "ORDER", value_enum, default_value_t)]
    pub sort: Order,

    /// Columns of context on each side [default: 40; on a terminal, what fits]
    #[arg(long, value_name = "COLUMNS")]
    pub context: Option<u16>,

    /// End each line with the URL of the document, or else its id
    #[arg(long, conflicts_with = "tsv")]
    pub source: bool,

    /// Write a table of id, url, left, match and right, separated by tabs
    ///
    /// The first line has these names. Contexts are not aligned.
    #[arg(long)]
    pub tsv: bool,

    /// With --tsv, put an apostrophe before values that a spreadsheet may run as formulas
    ///
    /// These begin with =, +, -, @ or ", and are not numbers.
    #[arg(long, requires = "tsv")]
    pub defuse_formulas: bool,

    #[command(flatten)]
    pub documents: DocumentArgs,

    #[command(flatten)]
    pub jobs: Jobs,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// The order of the lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Order {
    /// By what follows the occurrence.
    #[default]
    Right,
    /// By what precedes it, the nearest word first.
    Left,
    /// That of the input; each line is written at once.
    Document,
}

/// The columns of a table.
pub const COLUMNS: [&str; 5] = ["id", "url", "left", "match", "right"];

/// The table, as it is and with defused formulas.
static TABLES: LazyLock<[RecordOutput; 2]> = LazyLock::new(|| {
    [false, true].map(|defuse_formulas| RecordOutput {
        tsv: COLUMNS
            .iter()
            .filter_map(|column| column.parse::<FieldPath>().ok())
            .collect(),
        defuse_formulas,
        fail_above: None,
    })
});

impl Args {
    /// Returns the matcher of the term.
    ///
    /// # Errors
    /// Fails if the term or the expression cannot be searched for.
    pub fn matcher(&self) -> anyhow::Result<Matcher> {
        let matcher = match self.regex {
            true => Matcher::expression(&self.term),
            false => Matcher::term(&self.term),
        };
        matcher.map_err(|error| match error {
            MatcherError::Empty => anyhow::anyhow!("{:?}: {error}", self.term),
            // The last line of a message over several lines.
            MatcherError::Expression(error) => {
                let error = error.to_string();
                let cause = error.lines().last().unwrap_or_default();
                let cause = cause.trim_start_matches("error: ");
                anyhow::anyhow!("--regex {:?}: {cause}", self.term)
            }
        })
    }
}

impl Tool for Args {
    const NAME: &'static str = "concordance";
    const COMMON_OPTIONS: &'static [&'static str] = &["term", "regex", "sort", "context", "source"];

    fn own_table(&self) -> Option<&RecordOutput> {
        self.tsv.then(|| &TABLES[usize::from(self.defuse_formulas)])
    }
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();

#[cfg(test)]
mod tests {
    use super::{Args, COLUMNS, TABLES};
    use clap::CommandFactory;

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
        assert_eq!(TABLES[0].tsv.len(), COLUMNS.len());
    }
}
