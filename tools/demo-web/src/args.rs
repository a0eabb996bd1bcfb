//! The command line of `demo-web`.

use crate::sentences::{LANGUAGES, Language};
use forage_cli::{Tool, Verbosity};

/// Print the pages of a small closed web in many languages
///
/// Each page is 8 to 15 sentences of one language, drawn without replacement from the test
/// sentences of Lingua's language models, which the program carries. They are real sentences from
/// websites, but those on one page were never written together. Neither the host of a page nor its
/// place in the output tells its language. English has the most pages, if not many more than
/// another; Slovenian is one page in seventeen.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = AFTER)]
pub struct Args {
    /// What to print
    #[command(subcommand)]
    pub part: Option<Part>,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// What can be printed.
#[derive(Debug, Clone, Copy, clap::Subcommand)]
pub enum Part {
    /// The pages, as records with url, title and text (default)
    Docs,
    /// A text of 15 sentences in one language, none of which is on a page
    Seed {
        /// ISO 639-3 code
        #[arg(value_name = "LANG", value_parser = language)]
        language: &'static Language,
    },
    /// The language of each page: url, tab, ISO 639-3 code
    Truth,
}

impl Tool for Args {
    const NAME: &'static str = "demo-web";

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

fn language(code: &str) -> Result<&'static Language, String> {
    LANGUAGES
        .iter()
        .find(|language| language.code == code)
        .ok_or_else(|| {
            let known: Vec<&str> = LANGUAGES.iter().map(|language| language.code).collect();
            format!("not among {}", known.join(", "))
        })
}

const AFTER: &str = "\
READS
  Nothing.

ADDS
  Nothing: it starts records, with url, title and text.

MEMORY AND TIME
  10 MB, most of it the text; some 20 ms.

EXIT STATUS
  0  everything was printed, or standard output was closed
  2  it could not run

EXAMPLES
  Build an index of the web, and keep a Slovenian text to start from:
    demo-web | search --engine index:web --add
    demo-web seed slv > slv.txt

  How many pages each language has:
    demo-web truth | cut -f 2 | sort | uniq -c | sort -rn";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_arguments_are_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_language_that_is_not_there_is_refused_with_those_that_are() {
        let refusal = Args::try_parse_from(["demo-web", "seed", "xxx"])
            .unwrap_err()
            .to_string();
        assert!(refusal.contains("not among bos, "), "{refusal}");
    }
}
