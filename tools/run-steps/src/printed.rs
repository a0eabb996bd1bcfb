//! `--paper`: the options by which a pipeline is the system that its paper prints.
//!
//! They are set when a run starts, and are then settings like others. What is printed and is no
//! option of a pipeline follows from the setting `paper` itself. `docs/algorithms.md`, "Mechanisms of
//! the papers", has what differs from the defaults.

/// The flag, and the setting.
pub const PAPER: &str = "paper";

/// An option that `--paper` sets, unless it is given, or one that excludes it.
pub struct PrintedOption {
    pub name: &'static str,
    pub value: &'static str,
    unless: &'static [&'static str],
}

const fn printed(
    name: &'static str,
    value: &'static str,
    unless: &'static [&'static str],
) -> PrintedOption {
    PrintedOption {
        name,
        value,
        unless,
    }
}

/// The loop of Ghani, Jones and Mladenić (2001, 2005).
const CORPUS: &[PrintedOption] = &[
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
];

/// The loop of Dimalen and Roxas (2007).
const AUTOCOR: &[PrintedOption] = &[
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
];

/// The loop of Bracewell, Ren and Kuroiwa (2007).
const NEWS: &[PrintedOption] = &[
    printed("learn", "samples", &[]),
    printed("extractor", "title-body-footer", &[]),
];

/// The crawler of Kluev (2000).
const CRAWL: &[PrintedOption] = &[
    printed("recognise", "0.65", &["filter", "thresholds"]),
    printed("directory", "1", &["filter"]),
    printed("variable-part", "500", &["filter"]),
    printed("order", "mean", &[]),
    printed("batch", "1", &[]),
];

/// The review of Kluev (2000).
const REVIEW: &[PrintedOption] = &[
    printed("by", "directory,topic.metrics", &[]),
    printed("share", "0.2", &["number"]),
    printed("rejected", "0.2", &[]),
];

/// Returns the options of a kind of pipeline.
pub fn options_of(kind: &str) -> &'static [PrintedOption] {
    match kind {
        "corpus" => CORPUS,
        "autocor" => AUTOCOR,
        "news" => NEWS,
        "crawl" => CRAWL,
        "review" => REVIEW,
        _ => &[],
    }
}

impl PrintedOption {
    /// Returns whether `--paper` sets the option, where `is_given` tells those of the user.
    pub fn applies(&self, is_given: impl Fn(&str) -> bool) -> bool {
        !is_given(self.name) && !self.unless.iter().any(|other| is_given(other))
    }
}

/// Returns what `--paper` sets, for its help.
pub fn describe(kind: &str) -> String {
    let mut options: Vec<String> = options_of(kind)
        .iter()
        .map(|option| format!("--{} {}", option.name, option.value))
        .collect();
    let of_tool = match kind {
        "news" => Some("gen-query --recovery none"),
        "crawl" => Some("topic-filter --paper"),
        _ => None,
    };
    options.extend(of_tool.map(str::to_owned));
    format!(" {}", options.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{KINDS, load};

    #[test]
    fn the_printed_options_exist_and_have_valid_values() {
        for kind in KINDS {
            let spec = load(kind).unwrap().unwrap();
            let find = |name: &str| spec.options().find(|option| option.name == name);
            assert_eq!(
                find(PAPER).is_some(),
                !options_of(kind).is_empty(),
                "{kind}"
            );
            for printed in options_of(kind) {
                let option = find(printed.name).unwrap_or_else(|| panic!("--{}", printed.name));
                assert_eq!(option.check_value(printed.value), Ok(printed.value.into()));
                assert!(printed.unless.iter().all(|name| find(name).is_some()));
            }
        }
    }

    #[test]
    fn a_given_option_or_one_that_excludes_it_precedes() {
        let applied = |given: &[&str]| {
            let options = CRAWL
                .iter()
                .filter(|o| o.applies(|name| given.contains(&name)));
            options.map(|option| option.name).collect::<Vec<_>>()
        };
        assert_eq!(
            applied(&["thresholds", "order"]),
            ["directory", "variable-part", "batch"]
        );
        assert_eq!(applied(&["filter"]), ["order", "batch"]);
    }
}
