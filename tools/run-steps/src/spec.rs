//! The five kinds of pipelines: their options and help.

mod corpus;
mod crawl;
mod news;
mod review;

use crate::options::{
    Arity, Group, OptionSpec, flag, patience, positive_seconds, seconds, setting,
};
use std::iter::once;

/// A kind of pipeline.
pub struct PipelineSpec {
    /// The first argument of `run-steps`.
    pub kind: &'static str,
    pub about: &'static str,
    /// Usage lines after the name of the pipeline.
    pub usage: &'static [&'static str],
    groups: &'static [&'static [Group]],
    /// Options that `groups` have, and this kind does not offer; they are settings all the same.
    withheld: &'static [&'static str],
    /// Settings that are no options.
    internal: &'static [&'static str],
    /// Sections of `--help` after the options.
    pub sections: &'static str,
}

/// All kinds.
pub const PIPELINES: [PipelineSpec; 5] = [
    corpus::CORPUS,
    corpus::AUTOCOR,
    news::NEWS,
    crawl::CRAWL,
    review::REVIEW,
];

impl PipelineSpec {
    /// Whether documents of classes are collected by queries.
    pub fn is_corpus(&self) -> bool {
        matches!(self.kind, "corpus" | "autocor")
    }

    /// All options, with the headings of `--help`.
    pub fn options(&self) -> impl Iterator<Item = (&'static str, &'static OptionSpec)> {
        let withheld = self.withheld;
        self.all_options()
            .filter(move |(_, option)| !withheld.contains(&option.name))
    }

    fn all_options(&self) -> impl Iterator<Item = (&'static str, &'static OptionSpec)> + use<> {
        let groups: &'static [&'static [Group]] = self.groups;
        let groups = groups.iter().copied().flatten();
        groups.flat_map(|(heading, options)| options.iter().map(|option| (*heading, option)))
    }

    /// The setting of this name, if the pipeline has one.
    pub fn setting(&self, name: &str) -> Option<&'static OptionSpec> {
        let mut options = self.all_options().map(|(_, option)| option);
        options.find(|option| option.name == name && option.is_stored)
    }

    /// The names of settings with one value.
    pub fn single_settings(&self) -> impl Iterator<Item = &'static str> {
        let options = self.all_options().map(|(_, option)| option);
        let single = options.filter(|option| {
            option.is_stored && matches!(option.arity, Arity::Value | Arity::Flag)
        });
        let internal: &'static [&'static str] = self.internal;
        single
            .map(|option| option.name)
            .chain(internal.iter().copied())
    }

    /// The names of settings with several values: initial documents, and options.
    pub fn list_settings(&self) -> impl Iterator<Item = &'static str> {
        let options = self.all_options().map(|(_, option)| option);
        let lists = options.filter(|option| {
            option.is_stored && matches!(option.arity, Arity::Repeated | Arity::Many)
        });
        once("init").chain(
            lists
                .map(|option| option.name)
                .filter(|name| *name != "init"),
        )
    }
}

// --- options that several kinds have ---------------------------------------------------------------

const OUT: OptionSpec = setting("out", "RUN", "folder of a new run").unstored();

const QUIET: OptionSpec = flag(
    "quiet",
    "no messages about single steps; only about the end of the run, and about what stops it",
)
.unstored();

const TRUST: OptionSpec = flag(
    "trust",
    "for folders that you have made yourself: resume a run whose --filter is not one of Forage's, \
     or whose folder has symbolic links",
)
.unstored();

const CHECK_ARGUMENTS: OptionSpec = flag("check", "check the arguments, and stop").unstored();

const SEED: OptionSpec = setting("seed", "N", "seed of the random choices")
    .default("0")
    .checked(crate::options::number);

const RATE: OptionSpec = setting(
    "rate",
    "N",
    "calls to an engine per second [default: a pace that does not wear out engines which others \
     use, too; see search --engines]",
)
.changeable();

const PATIENCE: OptionSpec = setting(
    "patience",
    "SECONDS",
    "maximum wait while an engine is down or asks to wait, or no page can be fetched; then the run \
     stops, and --resume continues it; with none, pages that cannot be fetched get errors",
)
.default("3600")
.checked(patience)
.changeable();

/// Options of fetch-extract.
const FETCHING: &[OptionSpec] = &[
    setting(
        "contact",
        "MAIL",
        "sent to the engines and to the servers that pages are fetched from; required, here or in \
         $FORAGE_CONTACT",
    )
    .changeable(),
    flag(
        "respect-optout",
        "skip pages that opt out of text mining (noai, TDM Reservation Protocol)",
    ),
    setting(
        "delay",
        "SECONDS",
        "pause between two requests to a host [default: 1]",
    )
    .checked(seconds)
    .changeable(),
    setting("timeout", "SECONDS", "time limit per page [default: 30]")
        .checked(positive_seconds)
        .changeable(),
    setting(
        "connect-to",
        "HOST:PORT",
        "fetch all pages from there (for tests)",
    )
    .changeable(),
];

pub const EXIT_STATUS: &str = "EXIT STATUS
  0  the run ended, at a limit or because nothing is left to ask for
  2  it could not run or had to stop, and --resume continues it";

#[cfg(test)]
mod tests {
    use super::PIPELINES;
    use std::collections::BTreeSet;

    #[test]
    fn each_option_has_one_meaning_in_a_pipeline() {
        for spec in &PIPELINES {
            let mut names = BTreeSet::new();
            for (_, option) in spec.options() {
                assert!(names.insert(option.name), "{}: {}", spec.kind, option.name);
                assert!((option.check)(option.default).is_ok() || option.default.is_empty());
            }
        }
    }
}
