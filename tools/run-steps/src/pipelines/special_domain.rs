//! The options of special-domain.

use super::shared::{Calls, Documents, Paper, Patience, RunArgs, TextField};
use crate::pipeline::{Pipeline, printed};
use clap::{ArgAction, Args};
use forage_cli::{Paging, Politeness, Seed};

/// special-domain: articles on the subject of samples.
pub const SPECIAL_DOMAIN: Pipeline = Pipeline {
    name: "special-domain",
    about: "Collect articles on the subject of a sample article",
    usage: "\
NAME --sample FILE|URL ... --engine SPEC ... --out RUN
         [options]
       NAME --resume RUN [limits]",
    sections: include_str!("../sections/special-domain.txt"),
    options: |command| {
        SpecialDomainArgs::augment_args(command).mut_arg("rules", |arg| arg.action(ArgAction::Set))
    },
    common: &[
        "sample", "engine", "contact", "docs", "calls", "out", "resume", "check", "quiet",
    ],
    defaults: &[
        ("page-size", "10"),
        ("max-pages", "10"),
        ("patience", "3600"),
        ("seed", "0"),
    ],
    internal: &["target"],
    renamed: &[("hits", "page-size")],
    printed: &[
        printed("learn", "samples", &[]),
        printed("extractor", "title-body-footer", &[]),
    ],
    printed_for_tool: "gen-query --recovery none",
};

#[derive(Args)]
struct SpecialDomainArgs {
    /// A sample article: a file, or the address of a page
    ///
    /// A file is text, HTML, PDF, or records. Several articles on one subject describe it better,
    /// and several subjects have equal shares of the queries.
    #[arg(long, value_name = "FILE|URL")]
    sample: Vec<String>,

    #[command(flatten)]
    text_field: TextField,

    /// Engine, as in index:DIR or gdelt:; see search --engines
    ///
    /// Each query is sent to all of them.
    #[arg(long, value_name = "SPEC")]
    engine: Vec<String>,

    #[command(flatten)]
    language: keywords::LanguageArgs,

    #[command(flatten)]
    extraction: fetch_extract::Extraction,

    #[command(flatten)]
    paper: Paper,

    /// How queries are chosen: rocchio, samples or auto [default: rocchio]
    ///
    /// rocchio: best terms of the articles collected so far, by relevance feedback; auto: regions
    /// (see gen-query), after a start by relevance feedback; samples: keyphrases of each collected
    /// article in turn (Bracewell et al. 2007).
    #[arg(
        long,
        value_name = "STRATEGY",
        value_parser = ["rocchio", "samples", "auto"],
        hide_possible_values = true
    )]
    learn: Option<String>,

    #[command(flatten)]
    similarity: topic_filter::SimilarityArgs,

    #[command(flatten)]
    paging: Paging,

    #[command(flatten)]
    pace: search::Pace,

    #[command(flatten)]
    patience: Patience,

    #[command(flatten)]
    seed: Seed,

    #[command(flatten, next_help_heading = "Fetching")]
    politeness: Politeness,

    #[command(flatten)]
    documents: Documents,

    #[command(flatten)]
    calls: Calls,

    #[command(flatten)]
    run: RunArgs,
}
