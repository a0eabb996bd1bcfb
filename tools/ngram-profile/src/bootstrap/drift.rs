//! Drift: the distance of a bootstrapped profile from the first one, and the rules by which a
//! profile that drifted too far is refused.
//!
//! Two rules decide. First, a profile that was learned without the initial documents must recognise
//! them as it recognises its own; otherwise it belongs to another language. Second, the new profile
//! must be nearer to the first one, by out-of-place distance, than the profile of any other
//! language is; or the first profile must accept most of the sample, since a profile of sixty words
//! is far from everything.

use super::margins::MIN_SAMPLE;
use forage_langid::{LanguageCode, MISSING_NGRAM_COST, NGram, Profile};
use std::fmt;

/// Minimum share of the sample that the first profile must accept if another language is nearer to
/// it. Set by judgement; in BENCHMARKS.md, "Bootstrapped filters", it is .05 in the run that
/// drifted and at least .62 in the others.
const MIN_AGREEMENT: f64 = 0.5;

/// Measures of a bootstrapped profile, in comparison with the first one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drift {
    /// Documents examined.
    pub(crate) documents: usize,
    /// Documents that the previous profile accepts.
    pub(crate) accepted: usize,
    /// Documents in the self-training sample, without the initial ones.
    pub(crate) sample_documents: usize,
    /// Distinct words of the new profile.
    pub(crate) sample_words: usize,
    /// Rejection threshold of the new profile.
    pub(crate) rejection_threshold: f64,
    /// Median margin of all documents of the sample, each by a profile learned without it.
    pub(crate) median_margin: f64,
    /// Median margin of the initial documents, each by a profile learned without it.
    pub(crate) initial_margin: f64,
    /// Share of the sample, without the initial documents, that the first profile accepts.
    pub(crate) agreement: f64,
    /// Out-of-place distance of the first profile from the new one, as a share of the greatest.
    pub(crate) distance: f64,
    /// The language nearest to the first profile, and its distance.
    pub(crate) nearest: Option<(LanguageCode, f64)>,
    /// Reason why the new profile is refused and the previous one stays in use.
    pub(crate) fallback_reason: Option<FallbackReason>,
}

/// The reason why a new profile is refused and the previous one stays in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FallbackReason {
    /// The sample has too few documents.
    Few,
    /// The new profile, learned without the initial documents, does not recognise them.
    Initial,
    /// Another language is nearer to the first profile than the new one is, and the first profile
    /// rejects most of the sample.
    Distance,
}

impl FallbackReason {
    /// The name of the reason in `drift.jsonl`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FallbackReason::Few => "few",
            FallbackReason::Initial => "initial",
            FallbackReason::Distance => "distance",
        }
    }
}

impl fmt::Display for FallbackReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FallbackReason::Few => "too few documents to learn from",
            FallbackReason::Initial => "the new one does not recognise the initial documents",
            FallbackReason::Distance => {
                "the new one is farther from the first than another language is, and the first \
                 rejects most of its sample"
            }
        })
    }
}

impl Drift {
    /// Sets the reason to keep the previous profile, if there is one.
    pub(crate) fn with_fallback_reason(self) -> Self {
        let nearest = self.nearest.map(|(_, distance)| distance);
        let is_far = nearest.is_some_and(|nearest| self.distance >= nearest);
        let fallback_reason = if self.sample_documents < MIN_SAMPLE {
            Some(FallbackReason::Few)
        } else if self.initial_margin < self.rejection_threshold.max(f64::MIN_POSITIVE) {
            Some(FallbackReason::Initial)
        } else if self.agreement < MIN_AGREEMENT && is_far {
            Some(FallbackReason::Distance)
        } else {
            None
        };
        Drift {
            fallback_reason,
            ..self
        }
    }
}

/// Returns the out-of-place distance of `document` from `language`, as a share of the greatest.
pub(crate) fn relative_distance(document: &Profile, language: &Profile) -> f64 {
    let ranked = |profile: &Profile| -> Vec<NGram> {
        profile.ngrams().iter().map(|(ngram, _)| *ngram).collect()
    };
    let document = ranked(document);
    let distance = out_of_place_distance(&document, &ranked(language), MISSING_NGRAM_COST);
    distance as f64 / (document.len() * MISSING_NGRAM_COST).max(1) as f64
}

/// Returns the out-of-place distance of `document` from `language`: the sum of rank displacements.
///
/// Both lists are ranked, most frequent first, without duplicates. An n-gram that `language` lacks
/// costs `missing`. The result is 0 for equal lists and at most `document.len() * missing` if
/// neither list is longer than `missing`; lower is nearer.
///
/// "Out-of-place measure", Cavnar & Trenkle (1994), section 3.2 and figure 3. An identifier
/// computes the same distances from an inverted index; tests compare it with this definition.
fn out_of_place_distance(document: &[NGram], language: &[NGram], missing: usize) -> usize {
    let cost = |(rank, ngram): (usize, &NGram)| {
        let other_rank = language.iter().position(|other| other == ngram);
        other_rank.map_or(missing, |other_rank| other_rank.abs_diff(rank))
    };
    document.iter().enumerate().map(cost).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use forage_langid::ProfileLearner;

    fn parse_ngrams(ngrams: &str) -> Vec<NGram> {
        ngrams
            .split(' ')
            .map(|n| NGram::parse(n).unwrap())
            .collect()
    }

    /// Cavnar & Trenkle (1994), figure 3: TH 0, ING 3, ON 0, ER 2, AND 1, ED not
    /// found, which costs the maximum.
    #[test]
    fn distance_of_the_example_of_the_paper() {
        let language = parse_ngrams("th er on le ing and");
        let document = parse_ngrams("th ing on er and ed");
        let cost = |n: usize| out_of_place_distance(&document[..n], &language, 1000);
        assert_eq!([1, 2, 3, 4, 5, 6].map(cost), [0, 3, 3, 5, 6, 1006]);
    }

    fn drift() -> Drift {
        Drift {
            documents: 20,
            accepted: 15,
            sample_documents: 12,
            sample_words: 900,
            rejection_threshold: 0.5,
            median_margin: 0.7,
            initial_margin: 0.65,
            agreement: 0.9,
            distance: 0.4,
            nearest: Some(("tgl".parse().unwrap(), 0.6)),
            fallback_reason: None,
        }
    }

    #[test]
    fn accepts_a_profile_that_stays_near_the_first() {
        assert_eq!(drift().with_fallback_reason().fallback_reason, None);
    }

    #[test]
    fn refuses_a_profile_that_does_not_recognise_the_initial_documents() {
        assert_eq!(
            Drift {
                initial_margin: 0.49,
                ..drift()
            }
            .with_fallback_reason()
            .fallback_reason,
            Some(FallbackReason::Initial)
        );
        let without_threshold = Drift {
            initial_margin: -0.1,
            rejection_threshold: 0.0,
            ..drift()
        };
        assert_eq!(
            without_threshold.with_fallback_reason().fallback_reason,
            Some(FallbackReason::Initial)
        );
    }

    #[test]
    fn refuses_a_profile_that_is_farther_from_the_first_than_another_language() {
        let far = Drift {
            distance: 0.6,
            agreement: 0.4,
            ..drift()
        };
        assert_eq!(
            far.clone().with_fallback_reason().fallback_reason,
            Some(FallbackReason::Distance)
        );
        assert_eq!(
            Drift {
                nearest: None,
                ..far.clone()
            }
            .with_fallback_reason()
            .fallback_reason,
            None
        );
        assert_eq!(
            Drift {
                agreement: 0.5,
                ..far
            }
            .with_fallback_reason()
            .fallback_reason,
            None,
            "a first profile of few words is far from everything"
        );
    }

    #[test]
    fn refuses_a_sample_of_too_few_documents() {
        assert_eq!(
            Drift {
                sample_documents: MIN_SAMPLE - 1,
                ..drift()
            }
            .with_fallback_reason()
            .fallback_reason,
            Some(FallbackReason::Few)
        );
    }

    #[test]
    fn the_distance_of_a_profile_from_itself_is_zero() {
        let mut learner = ProfileLearner::default();
        learner.add_text("Danes je lep dan in sonce sije nad mestom.");
        let (profile, _) = learner.finish("slv".parse().unwrap(), "", "").unwrap();
        assert!(relative_distance(&profile, &profile).abs() < 1e-9);
    }
}
