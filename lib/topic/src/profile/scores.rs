//! Scores of a document, thresholds, and the votes that follow from them.

use std::fmt;
use std::str::FromStr;
use strum::{IntoStaticStr, VariantArray};

/// A metric of relevance, which votes for a document or does not. They are in the order of
/// `topic.metrics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Metric {
    /// The share of the profile's pairs, or of its triples, that the document contains.
    Collocation,
    /// The share of the profile's terms that the document contains.
    Term,
    /// The cosine of the document with the terms of the profile (vector space model).
    Vsm,
    /// The greatest cosine of a passage of the document with the terms of the profile.
    Passage,
    /// The document is in a directory with undoubtedly relevant ones. Votes only for documents that
    /// no other metric votes for, and does not make them undoubtedly relevant.
    Directory,
}

impl Metric {
    /// Returns the name of the metric in `topic.metrics`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Number of metrics that must vote for an undoubtedly relevant document (Kluev 2000, section 4).
const UNDOUBTED_VOTES: usize = 2;

/// The metrics that vote for a document, in the order of [`Metric`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Votes {
    by: [bool; 5],
}

impl Votes {
    /// Returns the votes of the metrics with these names, as in `topic.metrics`. Unknown names are
    /// ignored.
    pub fn from_names(names: &[String]) -> Votes {
        let mut votes = Votes::default();
        for metric in Metric::VARIANTS {
            votes.by[*metric as usize] = names.iter().any(|name| name == metric.name());
        }
        votes
    }

    /// Returns the vote of one metric.
    pub fn of(metric: Metric) -> Votes {
        let mut votes = Votes::default();
        votes.by[metric as usize] = true;
        votes
    }

    /// Returns `true` if a metric votes for the document.
    pub fn has(self, metric: Metric) -> bool {
        self.by[metric as usize]
    }

    /// Adds the vote of the metric [`Metric::Directory`].
    pub fn add_directory(&mut self) {
        self.by[Metric::Directory as usize] = true;
    }

    /// Returns the number of votes.
    pub fn count(self) -> usize {
        self.by.iter().filter(|vote| **vote).count()
    }

    /// Returns `true` if a metric votes for the document.
    pub fn is_recommended(self) -> bool {
        self.count() > 0
    }

    /// Returns `true` if two or more metrics other than the directory vote for the document.
    pub fn is_undoubted(self) -> bool {
        let directory = usize::from(self.by[Metric::Directory as usize]);
        self.count() - directory >= UNDOUBTED_VOTES
    }

    /// Returns `true` if a metric other than the directory votes for the document.
    pub fn is_by_text(self) -> bool {
        self.by[..Metric::Directory as usize].contains(&true)
    }

    /// Returns the metrics that vote for the document.
    pub fn metrics(self) -> impl Iterator<Item = Metric> {
        let metrics = Metric::VARIANTS.iter().copied();
        metrics.filter(move |metric| self.by[*metric as usize])
    }
}

/// Five values by which a document is compared with a profile; each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MetricScores {
    /// The share of the terms that occur in the document.
    pub term: f64,
    /// The share of the pairs that occur in the document.
    pub pair: f64,
    /// The share of the triples that occur in the document.
    pub triple: f64,
    /// The cosine of the document with the terms.
    pub vsm: f64,
    /// The greatest cosine of a passage with the terms.
    pub passage: f64,
}

impl MetricScores {
    /// Returns the values with their names, in alphabetical order.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("pair", self.pair),
            ("passage", self.passage),
            ("term", self.term),
            ("triple", self.triple),
            ("vsm", self.vsm),
        ]
    }

    /// Returns the values that `value` gives for their names; 0 for those that it does not know.
    pub fn from_named(value: impl Fn(&str) -> Option<f64>) -> MetricScores {
        let value = |name| value(name).unwrap_or_default();
        MetricScores {
            term: value("term"),
            pair: value("pair"),
            triple: value("triple"),
            vsm: value("vsm"),
            passage: value("passage"),
        }
    }

    /// Returns the values with nine decimals, as they are written: more would not be significant,
    /// and rounding errors would decide about a document that is exactly at a threshold.
    pub fn rounded(&self) -> MetricScores {
        let round = crate::samples::round_similarity;
        MetricScores {
            term: round(self.term),
            pair: round(self.pair),
            triple: round(self.triple),
            vsm: round(self.vsm),
            passage: round(self.passage),
        }
    }
}

/// The values from which the metrics vote for a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Threshold of the share of terms.
    pub term: f64,
    /// Threshold of the share of pairs.
    pub pair: f64,
    /// Threshold of the share of triples.
    pub triple: f64,
    /// Threshold of the cosine of the document.
    pub vsm: f64,
    /// Threshold of the cosine of a passage.
    pub passage: f64,
}

/// The reason why text is no list of thresholds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThresholdError {
    /// A part is not a name and a number.
    #[error("`{0}` is not a threshold such as vsm=0.18, with a number of at least 0")]
    NotAThreshold(String),
    /// There is no such value.
    #[error("`{0}` is no metric; use term, pair, triple, vsm and passage")]
    UnknownMetric(String),
    /// A threshold is missing.
    #[error("the threshold of {0} is missing")]
    Missing(&'static str),
}

/// Share of the threshold for the document that is the threshold for a passage, unless it is given
/// (Kluev 2000, section 5).
const PASSAGE_SHARE: f64 = 0.5;

impl Thresholds {
    /// Returns the thresholds times a factor.
    pub fn raised(&self, factor: f64) -> Thresholds {
        Thresholds {
            term: self.term * factor,
            pair: self.pair * factor,
            triple: self.triple * factor,
            vsm: self.vsm * factor,
            passage: self.passage * factor,
        }
    }

    /// Returns the metric whose value is highest relative to its threshold.
    pub fn strongest(&self, scores: &MetricScores) -> Metric {
        let ratio = |score: f64, threshold: f64| score / threshold.max(f64::MIN_POSITIVE);
        let pairs = ratio(scores.pair, self.pair);
        let ratios = [
            (Metric::Vsm, ratio(scores.vsm, self.vsm)),
            (Metric::Passage, ratio(scores.passage, self.passage)),
            (Metric::Term, ratio(scores.term, self.term)),
            (
                Metric::Collocation,
                pairs.max(ratio(scores.triple, self.triple)),
            ),
        ];
        // Of equal ones, the first.
        let best = ratios.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(Metric::Vsm, |(metric, _)| metric)
    }

    /// Returns the votes for a document. A value of 0 never causes a vote.
    pub fn votes(&self, scores: &MetricScores) -> Votes {
        let reaches = |score: f64, threshold: f64| score > 0.0 && score >= threshold;
        let mut votes = Votes::default();
        votes.by[Metric::Term as usize] = reaches(scores.term, self.term);
        votes.by[Metric::Collocation as usize] =
            reaches(scores.pair, self.pair) || reaches(scores.triple, self.triple);
        votes.by[Metric::Vsm as usize] = reaches(scores.vsm, self.vsm);
        votes.by[Metric::Passage as usize] = reaches(scores.passage, self.passage);
        votes
    }
}

impl FromStr for Thresholds {
    type Err = ThresholdError;

    /// Parses thresholds such as `vsm=0.18,term=0.5,pair=0.1,triple=0.08`. The threshold of a
    /// passage is half that of the document, unless it is given.
    fn from_str(text: &str) -> Result<Thresholds, ThresholdError> {
        let (mut term, mut pair, mut triple, mut vsm, mut passage) = (None, None, None, None, None);
        for part in text.split(',') {
            let bad = || ThresholdError::NotAThreshold(part.into());
            let (name, value) = part.split_once('=').ok_or_else(bad)?;
            let place = match name.trim() {
                "term" => &mut term,
                "pair" => &mut pair,
                "triple" => &mut triple,
                "vsm" => &mut vsm,
                "passage" => &mut passage,
                other => return Err(ThresholdError::UnknownMetric(other.into())),
            };
            let number: f64 = value.trim().parse().map_err(|_| bad())?;
            if !(number >= 0.0 && number.is_finite()) {
                return Err(bad());
            }
            *place = Some(number);
        }
        let vsm = vsm.ok_or(ThresholdError::Missing("vsm"))?;
        Ok(Thresholds {
            term: term.ok_or(ThresholdError::Missing("term"))?,
            pair: pair.ok_or(ThresholdError::Missing("pair"))?,
            triple: triple.ok_or(ThresholdError::Missing("triple"))?,
            vsm,
            passage: passage.unwrap_or(PASSAGE_SHARE * vsm),
        })
    }
}

impl fmt::Display for Thresholds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Thresholds {
            term,
            pair,
            triple,
            vsm,
            passage,
        } = self;
        write!(
            f,
            "vsm={vsm},passage={passage},term={term},pair={pair},triple={triple}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_parsed_as_they_are_written() {
        let thresholds: Thresholds = "vsm=0.18,term=0.5,pair=0.1,triple=0.08".parse().unwrap();
        assert_eq!(thresholds.passage, 0.09);
        assert_eq!(thresholds.to_string().parse(), Ok(thresholds));
        for bad in [
            "",
            "vsm",
            "vsm=x",
            "vsm=-1",
            "vsm=nan",
            "vsm=0.2,colour=3",
            "vsm=0.2",
        ] {
            assert!(bad.parse::<Thresholds>().is_err(), "{bad}");
        }
    }

    #[test]
    fn pairs_and_triples_are_one_metric() {
        let thresholds: Thresholds = "vsm=1,term=1,pair=0.1,triple=0.1".parse().unwrap();
        let both = MetricScores {
            pair: 0.1,
            triple: 0.2,
            ..MetricScores::default()
        };
        let votes = thresholds.votes(&both);
        let names: Vec<&str> = votes.metrics().map(Metric::name).collect();
        assert_eq!(names, ["collocation"]);
        assert!(votes.is_recommended() && !votes.is_undoubted());
    }

    #[test]
    fn a_directory_makes_nothing_undoubtedly_relevant() {
        let thresholds: Thresholds = "vsm=0.5,term=1,pair=1,triple=1".parse().unwrap();
        let mut votes = thresholds.votes(&MetricScores {
            vsm: 0.5,
            ..MetricScores::default()
        });
        votes.add_directory();
        assert!(!votes.is_undoubted());
        assert_eq!(votes.count(), 2);
    }

    #[test]
    fn votes_are_the_same_after_they_were_written_and_read() {
        let mut votes = Votes::from_names(&["vsm".into(), "collocation".into(), "other".into()]);
        votes.add_directory();
        let names: Vec<String> = votes.metrics().map(|metric| metric.name().into()).collect();
        assert_eq!(names, ["collocation", "vsm", "directory"]);
        assert_eq!(Votes::from_names(&names), votes);
    }

    #[test]
    fn a_score_of_0_is_no_vote_even_if_the_threshold_is_0() {
        let thresholds: Thresholds = "vsm=0,term=0,pair=0,triple=0".parse().unwrap();
        assert!(!thresholds.votes(&MetricScores::default()).is_recommended());
    }
}
