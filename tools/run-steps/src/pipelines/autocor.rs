//! The options of autocor.

use super::corpus_builder::{CORPUS_BUILDER, CorpusArgs, adapt, classes};
use crate::pipeline::{Pipeline, printed};
use clap::Args;

/// autocor: several languages, each against the others.
pub const AUTOCOR: Pipeline = Pipeline {
    name: "autocor",
    about: "Collect several closely related languages in one run, without mixing them",
    usage: "\
NAME --targets CLASSES --others CLASSES
         --init CLASS=FILE ... --engine SPEC --out RUN [options]
       NAME --resume RUN [limits]",
    sections: include_str!("../sections/autocor.txt"),
    options: |command| {
        // Of a learner, which takes the place of what the paper prints.
        adapt(AutocorArgs::augment_args(command)).mut_arg("no_result_penalty", |arg| arg.hide(true))
    },
    common: &[
        "targets", "others", "init", "engine", "contact", "docs", "relevant", "out", "resume",
        "check", "quiet",
    ],
    internal: &["folder", "target", "versus", "prune"],
    printed: &[
        printed("contrast", "others", &[]),
        printed("include", "or:3", &["learn"]),
        printed("exclude", "or:3", &["learn"]),
        printed("recovery", "offsets", &[]),
        printed("batch", "10", &[]),
        printed("seeds-per-round", "1", &[]),
        printed(
            "classifier",
            "run:0",
            &["filter", "without", "langid-method", "bootstrap-filter"],
        ),
    ],
    ..CORPUS_BUILDER
};

#[derive(Args)]
struct AutocorArgs {
    /// Target languages, separated by commas: ISO 639 codes
    #[arg(long, value_name = "CLASSES", value_parser = classes)]
    targets: Option<String>,

    /// Other languages, to contrast the targets with
    #[arg(long, value_name = "CLASSES", value_parser = classes)]
    others: Option<String>,

    /// Classes to contrast a target with: others or all [default: all]
    ///
    /// The other languages alone, as in the paper, or the other targets as well.
    #[arg(long, value_name = "CLASSES", value_parser = ["others", "all"], hide_possible_values = true)]
    contrast: Option<String>,

    /// Select from all terms
    ///
    /// By default, terms that two of the languages have, and words of navigation links, are left
    /// out.
    #[arg(long)]
    no_prune: bool,

    #[command(flatten)]
    corpus: CorpusArgs,
}
