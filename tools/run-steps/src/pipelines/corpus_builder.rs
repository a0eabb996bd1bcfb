//! The options of corpus-builder, most of which autocor has, too.

use super::shared::{
    Calls, Documents, Filter, Paper, Patience, RunArgs, TextField, checked, limit,
};
use crate::pipeline::{PLAIN, Pipeline, printed};
use clap::{Args, Command};
use forage_cli::Politeness;

/// corpus-builder: one class, or several, against the others.
pub const CORPUS_BUILDER: Pipeline = Pipeline {
    name: "corpus-builder",
    about: "Collect a corpus from a search engine with learned queries",
    usage: "\
NAME --target CLASS --init CLASS=FILE ...
         --engine SPEC --out RUN [options]
       NAME --resume RUN [limits]",
    sections: include_str!("../sections/corpus-builder.txt"),
    options: |command| adapt(CorpusBuilderArgs::augment_args(command)),
    common: &[
        "target", "init", "engine", "contact", "docs", "relevant", "out", "resume", "check",
        "quiet",
    ],
    defaults: DEFAULTS,
    internal: &["folder"],
    printed: &[
        printed("include", "or:3", &["learn"]),
        printed("exclude", "or:3", &["learn"]),
        printed("probability", "tf", &[]),
        printed("recovery", "offsets", &[]),
        printed("batch", "1", &[]),
        printed(
            "langid-method",
            "out-of-place",
            &["filter", "classifier", "bootstrap-filter"],
        ),
    ],
    ..PLAIN
};

const DEFAULTS: &[(&str, &str)] = &[
    ("recovery", "shorten"),
    ("page-size", "10"),
    ("max-pages", "10"),
    ("patience", "3600"),
    ("seed", "0"),
];

/// Options of tools that differ here.
pub(super) fn adapt(command: Command) -> Command {
    command
        .mut_arg("known", |arg| {
            let help = "Skip what earlier corpora have: files of records, or folders of runs";
            arg.num_args(1..).help(help).long_help(help)
        })
        // The method of langid, not of the pipeline.
        .mut_arg("method", |arg| arg.long("langid-method"))
}

#[derive(Args)]
struct CorpusBuilderArgs {
    /// Target class, or several that take turns, separated by commas
    ///
    /// Of a language, its ISO 639 code (sl, slv).
    #[arg(long, value_name = "CLASS", value_parser = classes)]
    target: Option<String>,

    #[command(flatten)]
    corpus: CorpusArgs,

    #[command(flatten)]
    contrast: gen_query::Contrast,
}

/// The options that both have.
#[derive(Args)]
pub(super) struct CorpusArgs {
    /// An initial document of a class, or a list of words
    ///
    /// It is text, HTML or PDF; ten words are enough. One or more of the target, and of other
    /// languages to contrast it with. A file of records has one document per record.
    #[arg(long, value_name = "CLASS=FILE")]
    init: Vec<String>,

    #[command(flatten)]
    text_field: TextField,

    /// Start although langid takes an initial document for another language
    ///
    /// Or although its code seems to be misspelt.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    filter: Filter,

    /// What labels the documents: builtin, run or run:MARGIN [default: builtin; MARGIN 0.03]
    ///
    /// builtin: langid's model. run: among the classes of this run alone, by n-gram profiles that
    /// are learned in each step from its initial documents and those collected with this margin or
    /// more, as in AutoCor's paper with run:0.
    #[arg(long, value_name = "NAME", value_parser = classifier)]
    classifier: Option<String>,

    #[command(flatten)]
    counting: update_stats::Counting,

    /// Learn a language that langid does not know from the documents that the run collects
    ///
    /// Not from initial documents alone.
    #[arg(long)]
    bootstrap_filter: bool,

    #[command(flatten)]
    method: langid::MethodArgs,

    /// Engine, as in index:DIR or searxng:URL; see search --engines
    #[arg(long, value_name = "SPEC")]
    engine: Option<String>,

    #[command(flatten)]
    paper: Paper,

    #[command(flatten, next_help_heading = "Queries")]
    queries: gen_query::QueryArgs,

    #[command(flatten)]
    pace: search::Pace,

    #[command(flatten)]
    patience: Patience,

    #[command(flatten)]
    scope: search::Scope,

    #[command(flatten, next_help_heading = "Fetching")]
    politeness: Politeness,

    #[command(flatten)]
    documents: Documents,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    calls: Calls,

    /// Check the arguments only, and stop: for the laboratory
    #[arg(long, hide = true)]
    check_arguments: bool,

    /// Show the terms of the first query, and stop; nothing is sent
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    run: RunArgs,
}

/// Limits of a run that collects classes.
#[derive(Args)]
#[command(next_help_heading = "Limits (the first that is reached ends the run)")]
struct Limits {
    /// Documents in the corpus
    #[arg(long, value_name = "N", value_parser = limit)]
    relevant: Option<u64>,

    /// Words in the corpus, and about one document more
    #[arg(long, value_name = "N", value_parser = limit)]
    words: Option<u64>,

    /// Steps, each with one query that returns a URL
    ///
    /// Attempts of --recovery do not count.
    #[arg(long, value_name = "N", value_parser = limit)]
    queries: Option<u64>,
}

fn classifier(text: &str) -> Result<String, &'static str> {
    let margin = text.strip_prefix("run:").map(str::parse::<f64>);
    let has_margin = margin.is_some_and(|margin| margin.is_ok_and(|m| (0.0..=1.0).contains(&m)));
    let message = "expected builtin, run or run:MARGIN, with a MARGIN from 0 to 1";
    checked(
        text,
        matches!(text, "builtin" | "run") || has_margin,
        message,
    )
}

/// Checks classes that are separated by commas.
pub(super) fn classes(text: &str) -> Result<String, &'static str> {
    let has_blank = text.contains([' ', '\t']);
    checked(
        text,
        !has_blank,
        "classes are separated by commas, without spaces",
    )?;
    let is_list = text.split(',').all(|class| !class.is_empty());
    checked(text, is_list, "expected classes, separated by commas")
}

#[cfg(test)]
mod tests {
    use super::{classes, classifier};

    #[test]
    fn classes_and_classifiers_are_checked() {
        assert!(classes("slv").is_ok() && classes("slv,hrv").is_ok());
        for text in ["slv,", ",", "slv, hrv"] {
            assert!(classes(text).is_err(), "{text}");
        }
        for text in ["builtin", "run", "run:0", "run:0.03"] {
            assert!(classifier(text).is_ok(), "{text}");
        }
        for text in ["run:", "run:2", "x"] {
            assert!(classifier(text).is_err(), "{text}");
        }
    }
}
