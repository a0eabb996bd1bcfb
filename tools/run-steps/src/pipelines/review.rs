//! The options of review.

use super::shared::{Paper, Quiet, Trust, checked};
use crate::pipeline::{PLAIN, Pipeline, RUN, printed};
use clap::Args;

/// review: a sample of a run, judged by people.
pub const REVIEW: Pipeline = Pipeline {
    name: "review",
    about: "Judge a sample of a run, and keep what is accepted",
    usage: "NAME RUN [options]",
    sections: include_str!("../sections/review.txt"),
    options: |command| {
        // It depends on the run.
        ReviewArgs::augment_args(command).mut_arg("by", |arg| arg.hide_default_value(true))
    },
    common: &[RUN, "number", "share", "as", "no-open", "no-page", "quiet"],
    defaults: &[("limit", "0.75"), ("seed", "0")],
    printed: &[
        printed("by", "directory,topic.metrics", &[]),
        printed("share", "0.2", &["number"]),
        printed("rejected", "0.2", &[]),
    ],
    ..PLAIN
};

#[derive(Args)]
struct ReviewArgs {
    /// Folder of a run
    #[arg(id = RUN, value_name = "RUN")]
    run: String,

    #[command(flatten)]
    drawing: sample::Drawing,

    #[command(flatten)]
    paper: Paper,

    /// Name of the person who judges; each person has verdicts of their own
    #[arg(long = "as", value_name = "NAME", value_parser = person)]
    person: Option<String>,

    #[command(flatten)]
    acceptance: sample::Acceptance,

    /// Do not open the page in a browser
    #[arg(long)]
    no_open: bool,

    /// Write the results of the verdicts so far
    #[arg(long)]
    no_page: bool,

    #[command(flatten)]
    trust: Trust,

    #[command(flatten)]
    quiet: Quiet,
}

/// Accepts a name that can be a part of the name of a file.
fn person(text: &str) -> Result<String, &'static str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    // A dot alone is the folder in which the user is.
    let has_letter = text.chars().any(char::is_alphanumeric);
    let is_name = text.chars().all(is_plain) && has_letter && text.len() <= 100;
    checked(text, is_name, "is not a name of letters, digits, - and _")
}

#[cfg(test)]
mod tests {
    use super::person;

    #[test]
    fn a_person_has_a_name_that_a_file_can_have() {
        for name in ["ana", "b.", "Žiga-2"] {
            assert!(person(name).is_ok(), "{name}");
        }
        for name in [".", "..", "-", "../ana", ""] {
            assert!(person(name).is_err(), "{name}");
        }
    }
}
