//! The options of focused-crawl.

use super::shared::{
    Documents, Filter, Paper, Patience, RunArgs, TextField, checked, limit, positive,
};
use crate::pipeline::{Pipeline, printed};
use clap::Args;
use forage_cli::{Politeness, Seed};

/// focused-crawl: pages on a subject, by links.
pub const FOCUSED_CRAWL: Pipeline = Pipeline {
    name: "focused-crawl",
    about: "Collect the pages on a subject by following links",
    usage: "\
NAME --core FILE ... --seeds FILE --out RUN [options]
       NAME --filter COMMAND --seeds FILE --out RUN [options]
       NAME --resume RUN [limits]",
    sections: include_str!("../sections/focused-crawl.txt"),
    options: |command| {
        FocusedCrawlArgs::augment_args(command).mut_arg("target", |arg| arg.value_parser(label))
    },
    common: &[
        "core", "seeds", "profile", "filter", "contact", "pages", "out", "resume", "check", "quiet",
    ],
    defaults: &[
        ("target", "on-topic"),
        ("order", "best"),
        ("batch", "20"),
        ("seed", "0"),
        ("patience", "3600"),
    ],
    internal: &["folder"],
    renamed: &[("per-host", "per-host-step")],
    printed: &[
        printed("recognise", "0.65", &["filter", "thresholds"]),
        printed("directory", "1", &["filter"]),
        printed("variable-part", "500", &["filter"]),
        printed("order", "mean", &[]),
        printed("batch", "1", &[]),
    ],
    printed_for_tool: "topic-filter --paper",
};

#[derive(Args)]
struct FocusedCrawlArgs {
    /// Documents on the subject, 100 to 150 that a person chose
    ///
    /// They are from several hosts: HTML, PDF, PostScript or text, one document per file; or
    /// records.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    core: Vec<String>,

    #[command(flatten)]
    text_field: TextField,

    /// URLs from which the crawl starts: lines, or records
    #[arg(long, value_name = "FILE")]
    seeds: Option<String>,

    #[command(flatten)]
    language: topic_profile::LanguageArgs,

    /// Topic profile [default: proposed from the core]
    ///
    /// topic-profile proposes it, and people edit it.
    #[arg(long, value_name = "FILE")]
    profile: Option<String>,

    /// After every N relevant documents, add entries to the profile that are drawn from them
    ///
    /// See topic-profile. By default, the profile stays as it is.
    #[arg(long, value_name = "N", value_parser = positive)]
    variable_part: Option<u64>,

    #[command(flatten)]
    filter: Filter,

    #[command(flatten)]
    paper: Paper,

    #[command(flatten, next_help_heading = "Thresholds of the metrics of a profile")]
    metrics: topic_filter::MetricArgs,

    #[command(flatten)]
    choice: frontier::Choice,

    /// URLs per step; their pages are fetched at the same time
    #[arg(long, value_name = "K", value_parser = positive)]
    batch: Option<u64>,

    #[command(flatten)]
    scope: frontier::Scope,

    /// Engine that knows in-links: index:DIR, mediawiki: or yacy:, or none
    ///
    /// Also add the first ten pages that link to each relevant page, as this search engine knows
    /// them; see search. The index is one of records with links. A page for which the engine does
    /// not answer has none. none: no in-links, also from now on with --resume.
    #[arg(long, value_name = "SPEC")]
    in_links: Option<String>,

    #[command(flatten)]
    seed: Seed,

    #[command(flatten)]
    patience: Patience,

    #[command(flatten, next_help_heading = "Fetching")]
    politeness: Politeness,

    #[command(flatten)]
    documents: Documents,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    run: RunArgs,
}

/// The limit of what is fetched.
#[derive(Args)]
#[command(next_help_heading = "Limits (the first that is reached ends the run)")]
struct Limits {
    /// URLs fetched, dead links among them
    ///
    /// Those that robots.txt forbids count, too.
    #[arg(long, value_name = "N", value_parser = limit)]
    pages: Option<u64>,
}

fn label(text: &str) -> Result<String, &'static str> {
    let is_class = !text.contains(|c: char| "=/,".contains(c) || c.is_whitespace());
    checked(text, is_class, "is not a class")?;
    let message = "is the label of other documents; take another one";
    checked(text, text != "off-topic", message)
}
