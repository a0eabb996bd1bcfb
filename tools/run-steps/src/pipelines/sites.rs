//! The options of sites.

use super::shared::{Documents, Filter, Patience, RunArgs, positive};
use crate::pipeline::{PLAIN, Pipeline};
use clap::Args;
use forage_cli::Politeness;

/// sites: the pages of known sites.
pub const SITES: Pipeline = Pipeline {
    name: "sites",
    about: "Collect the pages of known sites, and keep them up to date",
    usage: "\
NAME --target CLASS --sites FILE|URL ... --out RUN [options]
       NAME --resume RUN [--refresh AGE]",
    sections: include_str!("../sections/sites.txt"),
    options: SitesArgs::augment_args,
    common: &[
        "target", "sites", "links", "contact", "refresh", "out", "resume", "check", "quiet",
    ],
    defaults: &[("batch", "100"), ("patience", "3600")],
    internal: &["folder"],
    ..PLAIN
};

#[derive(Args)]
struct SitesArgs {
    /// Class of the documents that are collected
    ///
    /// Of a language, its ISO 639 code (sl, slv).
    #[arg(long, value_name = "CLASS")]
    target: Option<String>,

    /// The sites: addresses, or files with one in each line
    ///
    /// Their pages are those in their sitemaps, which robots.txt names, and in the feeds to which
    /// their start pages link. An address with a path is that of a sitemap, a feed, or a page that
    /// links to feeds.
    #[arg(long, value_name = "FILE|URL", num_args = 1..)]
    sites: Vec<String>,

    /// Also follow links within the sites, from their start pages
    ///
    /// For sites without sitemaps.
    #[arg(long)]
    links: bool,

    /// Maximum number of pages of a host in its sitemaps and feeds [default: no limit]
    #[arg(long, value_name = "N", value_parser = positive)]
    per_host: Option<u64>,

    #[command(flatten)]
    filter: Filter,

    /// Pages per step, which are fetched at the same time
    #[arg(long, value_name = "K", value_parser = positive)]
    batch: Option<u64>,

    #[command(flatten)]
    patience: Patience,

    #[command(flatten, next_help_heading = "Fetching")]
    politeness: Politeness,

    #[command(flatten)]
    documents: Documents,

    #[command(flatten)]
    run: RunArgs,
}
