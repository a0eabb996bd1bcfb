//! Arguments of `topic-filter`, and the text of its man page.

use crate::state_files::TopicLabels;
use forage_cli::{Input, Jobs, RecordOutput, Tool, Verbosity, parse_share};
use forage_record::{Record, field};
use forage_step::StepArgs;
use forage_topic::profile::Thresholds;
use forage_topic::similarity::SimilarityMeasure;
use std::path::PathBuf;

/// Judge whether each document is on a topic
///
/// The keyphrases of each document, which keywords adds, are compared with those of the sample
/// article that the query was made from (query.strategy.sample), or of the nearest sample if the
/// query names none. If the similarity is over the threshold, the document is on the topic.
///
/// No other corpus is needed: two articles are compared by their own keyphrases alone.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Sample articles: records with `keywords`
    ///
    /// A record without keywords is an error. With --state, they are compared before the samples
    /// of the state.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present_any = ["state_file", "profile"],
        conflicts_with_all = ["profile", "rebuild"]
    )]
    pub samples: Option<PathBuf>,

    /// State of a run: samples and rejected articles; created if missing
    ///
    /// See STATE.
    #[arg(long, value_name = "FILE", group = "state_file")]
    pub state: Option<PathBuf>,

    /// Judge by relevance feedback instead; state of a run: all its articles
    ///
    /// See FEEDBACK. Requires --from-step, --rebuild or --final.
    #[arg(
        long,
        value_name = "FILE",
        group = "state_file",
        conflicts_with_all = ["samples", "measure", "all_measures", "explain"]
    )]
    pub feedback: Option<PathBuf>,

    /// Judge by several metrics instead; the profile of a topic, by topic-profile
    ///
    /// See PROFILE.
    #[arg(
        long,
        value_name = "FILE",
        requires = "thresholds_or_core",
        conflicts_with_all = ["feedback", "measure", "all_measures", "explain", "threshold"]
    )]
    pub profile: Option<PathBuf>,

    #[command(flatten)]
    pub metrics: MetricArgs,

    /// Fit the thresholds to the documents of the core, records with `text`
    ///
    /// Records without `text` that topic-filter has judged are taken by their topic.scores. The
    /// thresholds then also follow from the pages that are judged; see PROFILE.
    #[arg(
        long,
        value_name = "FILE",
        requires = "profile",
        group = "thresholds_or_core"
    )]
    pub fit: Option<PathBuf>,

    /// Write the fitted thresholds, in the form of --thresholds, instead of records
    #[arg(long, requires = "fit", conflicts_with = "thresholds")]
    pub print_thresholds: bool,

    /// Judge by the profile as Kluev (2000) prints it
    ///
    /// See PAPER.
    #[arg(long, requires = "profile")]
    pub paper: bool,

    /// Judge all documents of a journal by the final model
    ///
    /// The topic and label of each document that has a step are replaced, and all other records are
    /// passed on. The state is not changed.
    #[arg(long = "final", requires = "feedback", conflicts_with_all = ["from_step", "rebuild"])]
    pub is_final: bool,

    #[command(flatten)]
    pub step: StepArgs,

    #[command(flatten)]
    pub similarity: SimilarityArgs,

    /// Labels of documents that are, and are not, on the topic
    #[arg(
        long,
        value_name = "ON,OFF",
        default_value = "on-topic,off-topic",
        value_parser = parse_labels
    )]
    pub labels: TopicLabels,

    /// Also write the values of all measures
    #[arg(long)]
    pub all_measures: bool,

    /// Write the matching phrases as text instead of records
    ///
    /// A line for each document: its id or URL, label, similarity, threshold and sample. Below it,
    /// a line for each match: its part of the similarity, and the phrase. If the spellings differ,
    /// both are written, the sample's first: `oil price = oil prices`. If the phrases share only
    /// words, Dice's coefficient of their words follows: `oil price ~ oil market (0.50)`.
    #[arg(long, conflicts_with_all = ["all_measures", "force", "state", "rebuild"])]
    pub explain: bool,

    /// Judge only documents that an earlier filter has given this label
    ///
    /// Others are passed on with theirs, as in `langid | topic-filter --only-label slv`.
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["feedback", "rebuild", "explain"])]
    pub only_label: Option<String>,

    /// Also process records that already have `topic`
    #[arg(long, conflicts_with = "rebuild")]
    pub force: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub jobs: Jobs,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// The thresholds of the metrics of a profile.
#[derive(Debug, clap::Args)]
pub struct MetricArgs {
    /// Thresholds of the metrics, such as vsm=0.18,term=0.5,pair=0.1,triple=0.08
    ///
    /// The threshold of `passage` is half that of `vsm` if it is missing.
    #[arg(
        long,
        value_name = "LIST",
        requires = "profile",
        group = "thresholds_or_core"
    )]
    pub thresholds: Option<Thresholds>,

    /// Share of the core that the fitted thresholds recognise
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.75,
        requires = "fit",
        conflicts_with = "thresholds",
        value_parser = parse_share
    )]
    pub recognise: f64,

    /// Undoubtedly relevant pages after which a directory can count as relevant; 0: never
    ///
    /// With --paper, pages for which any metric votes, and the default is 1.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value = "3",
        default_value_if("paper", clap::builder::ArgPredicate::IsPresent, "1"),
        requires = "profile"
    )]
    pub directory: u32,
}

/// How articles are compared with samples.
#[derive(Debug, clap::Args)]
pub struct SimilarityArgs {
    /// Similarity measure
    ///
    /// See MEASURES.
    #[arg(long, value_name = "MEASURE", default_value_t)]
    pub measure: SimilarityMeasure,

    /// Similarity over which a document is on the topic [default: by language]
    ///
    /// A number of at least 0. The default is 0.20 for a sample in English (langid.code) and 0.10
    /// for one in Japanese; for one in another language, it is 0.10 if most of its keyphrases are
    /// in a script without blanks between words, and 0.20 otherwise. The defaults are those of
    /// partial-cosine. With --feedback, it applies to --final, and is the least score of an
    /// accepted document (0.5 if absent).
    #[arg(long, value_name = "SIMILARITY", value_parser = parse_threshold)]
    pub threshold: Option<f64>,
}

/// Parses two labels, separated by a comma.
fn parse_labels(text: &str) -> Result<TopicLabels, &'static str> {
    match text.split(',').collect::<Vec<_>>()[..] {
        [accepted, rejected]
            if !accepted.is_empty() && !rejected.is_empty() && accepted != rejected =>
        {
            Ok(TopicLabels {
                accepted: accepted.into(),
                rejected: rejected.into(),
            })
        }
        _ => Err("not two different labels, separated by a comma"),
    }
}

fn parse_threshold(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(number) if number >= 0.0 && f64::is_finite(number) => Ok(number),
        _ => Err("not a number of at least 0"),
    }
}

impl Args {
    /// Returns the rule by which records are selected.
    pub fn selection(&self) -> Selection {
        Selection {
            force: self.force,
            only_label: self.only_label.clone(),
        }
    }
}

/// The rule by which records are selected to be judged.
#[derive(Debug, Clone)]
pub struct Selection {
    /// True if records that have `topic` are judged again.
    force: bool,
    /// The label that a record must have.
    only_label: Option<String>,
}

impl Selection {
    /// Returns `true` if a record is to be judged.
    pub fn includes(&self, record: &Record) -> bool {
        let label = || record.scalar(field::LABEL);
        record.should_add(field::TOPIC, self.force)
            && (self.only_label.is_none() || label().as_deref() == self.only_label.as_deref())
    }
}

impl Tool for Args {
    const NAME: &'static str = "topic-filter";
    const COMMON_OPTIONS: &'static [&'static str] =
        &["samples", "profile", "fit", "threshold", "explain"];

    fn output_field(&self) -> &'static str {
        field::TOPIC
    }

    fn input_fields(&self) -> &'static [&'static str] {
        if self.profile.is_some() {
            &[field::TEXT]
        } else {
            &[field::KEYWORDS]
        }
    }
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();

#[cfg(test)]
mod tests {
    use super::{Args, parse_labels};
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn labels_are_two_and_differ() {
        let labels = parse_labels("yes,no").unwrap();
        assert_eq!((&*labels.accepted, &*labels.rejected), ("yes", "no"));
        for bad in ["one", "a,b,c", "a,", ",b", "a,a", ""] {
            assert!(parse_labels(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_threshold_is_a_number_of_at_least_0() {
        let parse = |text| Args::try_parse_from(["x", "--samples", "s", "--threshold", text]);
        assert_eq!(parse("0.15").unwrap().similarity.threshold, Some(0.15));
        for bad in ["much", "nan", "inf", "=-1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
