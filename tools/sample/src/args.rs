//! Arguments of `sample`, and the text of its man page.

use clap::Parser;
use forage_cli::{Input, RecordOutput, Seed, Tool, Verbosity, parse_positive, parse_share};
use forage_record::path;
use forage_review::{AcceptanceRule, Grouping, SampleSize, Verdict};
use std::path::PathBuf;

/// Draw a stratified sample of documents for people to judge
///
/// Divides the documents of a run into groups, by the metrics that voted for them or by their
/// class, and draws documents of each group at random, to be judged by people. With --judgements,
/// passes on the documents that the judgements accept: of a group in which more than 75 % of the
/// judged documents are relevant all but those judged nonrelevant, of another group only those
/// judged relevant. Documents with votes of two or more metrics are accepted without a judgement
/// (Kluev 2000).
///
/// pipelines/review draws a sample and shows it on a local page to judge it in.
#[derive(Debug, Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    #[command(flatten)]
    pub drawing: Drawing,

    /// Draw from the undoubted documents as well
    #[arg(long, conflicts_with = "judgements")]
    pub all_groups: bool,

    /// Pass on the documents that these judgements accept
    ///
    /// Each line is "id, tab, yes or no", with the id in `sample.id` of the drawn record. A later
    /// line for a document replaces an earlier one. Blank lines, and comments from # that do not
    /// have this form, are ignored. Files of several people may be given, each after its own
    /// --judgements: a document is relevant if all who have judged it say so, and --report
    /// compares them.
    #[arg(long, value_name = "FILE")]
    pub judgements: Vec<PathBuf>,

    /// Pass on the documents with this verdict instead, yes or no
    ///
    /// With yes, the initial documents of the class are passed on, too: a filter can be made from
    /// them.
    #[arg(
        long,
        value_name = "VERDICT",
        value_parser = parse_verdict,
        requires = "judgements",
        requires = "class",
        conflicts_with_all = ["share", "report"]
    )]
    pub verdict: Option<Verdict>,

    /// Class of the documents of --verdict, as in `sample.class`
    #[arg(long, value_name = "CLASS", requires = "verdict", conflicts_with_all = ["share", "number"])]
    pub class: Option<String>,

    /// Records that have the final label of their documents; others are rejected. Repeatable
    ///
    /// The last filter of a run may differ from that of the steps, as in special-domain; then the
    /// files of RUN/corpus are given here.
    #[arg(long, value_name = "FILE")]
    pub corpus: Vec<PathBuf>,

    #[command(flatten)]
    pub acceptance: Acceptance,

    /// Write the estimated precision and recall instead of documents, as one JSON object
    #[arg(long, requires = "judgements", conflicts_with = "share")]
    pub report: bool,

    /// Read the journal of a run, in which documents without a step are initial ones
    #[arg(long)]
    pub journal: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// What is drawn.
#[derive(Debug, clap::Args)]
pub struct Drawing {
    /// Share of each group to draw, over 0 and up to 1
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = parse_share,
        required_unless_present_any = ["judgements", "number"],
        conflicts_with_all = ["judgements", "number"]
    )]
    pub share: Option<f64>,

    /// Number of documents of each group to draw instead; with --by target, also of the rejected
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_positive::<std::num::NonZeroUsize>,
        conflicts_with = "judgements"
    )]
    pub number: Option<std::num::NonZeroUsize>,

    /// Fields by whose values the documents are divided into groups, or target
    ///
    /// With topic.metrics, the groups are collocation-or-term, vsm, passage, directory and
    /// undoubted; with target, those of each class that the steps looked for. See GROUPS. With
    /// directory, each directory of URLs is a group; with another field, such as label or
    /// langid.code, each value. With several fields, separated by commas, each combination is a
    /// group, as in directory,topic.metrics, the groups of Kluev's review.
    #[arg(
        long,
        value_name = "FIELDS",
        default_value = path::TOPIC_METRICS,
        value_parser = Grouping::parse
    )]
    pub by: Grouping,

    /// Draw this share of the rejected documents as well, for the estimate of recall
    ///
    /// They are drawn from each host and each third of the crawl in proportion.
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = parse_share,
        conflicts_with = "judgements"
    )]
    pub rejected: Option<f64>,

    /// The seed.
    #[command(flatten)]
    pub seed: Seed,
}

/// Which groups are accepted.
#[derive(Debug, clap::Args)]
pub struct Acceptance {
    /// Share of relevant documents that an accepted group must exceed
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.75,
        value_parser = AcceptanceRule::parse_limit,
        requires = "judgements",
        conflicts_with = "share"
    )]
    pub limit: f64,
}

impl Tool for Args {
    const NAME: &'static str = "sample";
    const COMMON_OPTIONS: &'static [&'static str] =
        &["share", "number", "by", "judgements", "report"];
}

impl Args {
    /// Returns how many documents of each group are drawn.
    pub fn size(&self) -> SampleSize {
        let share = SampleSize::Share(self.drawing.share.unwrap_or_default());
        self.drawing
            .number
            .map_or(share, |number| SampleSize::Number(number.get()))
    }
}

fn parse_verdict(text: &str) -> Result<Verdict, &'static str> {
    Verdict::parse(text).ok_or("expected yes or no")
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn shares_and_modes_are_checked() {
        let is_valid = |args: &[&str]| Args::try_parse_from([&["sample"], args].concat()).is_ok();
        assert!(is_valid(&["--share", "1"]));
        assert!(is_valid(&[
            "--judgements",
            "j.tsv",
            "--limit",
            "0",
            "--report"
        ]));
        assert!(is_valid(&["--number", "30", "--by", "target"]));
        let two = ["--judgements", "a.tsv", "--judgements", "b.tsv"];
        assert!(is_valid(&two));
        assert!(is_valid(
            &[&two[..], &["--verdict", "no", "--class", "slv"]].concat()
        ));
        for invalid in [
            &[][..],
            &["--share", "0"],
            &["--share", "1.5"],
            &["--share", "NaN"],
            &["--share", "0.2", "--judgements", "j.tsv"],
            &["--share", "0.2", "--report"],
            &["--judgements", "j.tsv", "--limit", "1"],
            &["--share", "0.2", "--by", "a..b"],
            &["--share", "0.2", "--number", "3"],
            &["--number", "0"],
            &["--judgements", "j.tsv", "--verdict", "yes"],
            &[
                "--judgements",
                "j.tsv",
                "--verdict",
                "maybe",
                "--class",
                "slv",
            ],
            &["--share", "0.2", "--class", "slv"],
        ] {
            assert!(!is_valid(invalid), "{invalid:?}");
        }
    }
}
