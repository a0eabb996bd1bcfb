//! The pipelines.

mod autocor;
mod corpus_builder;
#[cfg(feature = "subjects")]
mod focused_crawl;
#[cfg(feature = "subjects")]
mod review;
mod shards;
mod shared;
#[cfg(feature = "subjects")]
mod sites;
#[cfg(feature = "subjects")]
mod special_domain;

use crate::pipeline::Pipeline;

/// All pipelines; the first is the one of a script that names none.
pub const PIPELINES: &[&Pipeline] = &[
    &corpus_builder::CORPUS_BUILDER,
    &autocor::AUTOCOR,
    #[cfg(feature = "subjects")]
    &special_domain::SPECIAL_DOMAIN,
    #[cfg(feature = "subjects")]
    &focused_crawl::FOCUSED_CRAWL,
    #[cfg(feature = "subjects")]
    &sites::SITES,
    #[cfg(feature = "subjects")]
    &review::REVIEW,
    &shards::CLUSTER,
    &shards::DEDUP_AT_SCALE,
];

/// Returns the pipeline of this name, if there is one.
pub fn find(name: &str) -> Option<&'static Pipeline> {
    PIPELINES
        .iter()
        .copied()
        .find(|pipeline| pipeline.name == name)
}

/// Returns the names of all pipelines, separated by commas.
pub fn list() -> String {
    let names: Vec<&str> = PIPELINES.iter().map(|pipeline| pipeline.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::set_printed;
    use crate::pipeline::{PAPER, name_of};
    use crate::settings::Settings;
    use std::collections::BTreeSet;

    #[test]
    fn the_definitions_are_valid() {
        for pipeline in PIPELINES {
            let command = pipeline.command(pipeline.name);
            command.clone().debug_assert();
            let names: BTreeSet<&str> = command.get_arguments().map(name_of).collect();
            let defaults = pipeline.defaults.iter().map(|(name, _)| name);
            for name in pipeline.common.iter().chain(defaults) {
                assert!(names.contains(name), "{}: {name}", pipeline.name);
            }
            assert!(names.contains("quiet"));
        }
        assert!(find("other").is_none());
    }

    #[test]
    fn the_printed_options_exist_and_have_valid_values() {
        for pipeline in PIPELINES {
            let options = pipeline.settings().single;
            let has_paper = options.iter().any(|name| name == PAPER);
            assert_eq!(has_paper, !pipeline.printed.is_empty(), "{}", pipeline.name);
            let mut settings = Settings::default();
            settings.set(PAPER, "yes");
            set_printed(pipeline, &mut settings);
            settings.check(pipeline).unwrap();
        }
    }

    #[test]
    fn a_given_option_or_one_that_excludes_it_precedes() {
        let crawl = find("focused-crawl").unwrap();
        let applied = |given: &[&str]| {
            let mut settings = Settings::default();
            for name in given.iter().chain([&PAPER]) {
                settings.set(name, "x");
            }
            set_printed(crawl, &mut settings);
            let names = ["recognise", "directory", "variable-part", "order", "batch"];
            let names = names
                .into_iter()
                .filter(|name| !matches!(settings.get(name), "" | "x"));
            names.collect::<Vec<_>>()
        };
        assert_eq!(
            applied(&["thresholds", "order"]),
            ["directory", "variable-part", "batch"]
        );
        assert_eq!(applied(&["filter"]), ["order", "batch"]);
    }
}
