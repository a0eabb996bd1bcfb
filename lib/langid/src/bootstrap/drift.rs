//! Drift: the distance of a bootstrapped profile from the first one, and the rules by which a
//! profile that drifted too far is refused.
//!
//! Two rules decide. First, a profile that was learned without the initial documents must recognise
//! them as it recognises its own; otherwise it belongs to another language. Second, the new profile
//! must be nearer to the first one, by out-of-place distance, than the profile of any other
//! language is; or the first profile must accept most of the sample, since a profile of sixty words
//! is far from everything.

use crate::bootstrap::margins::MIN_SAMPLE;
use crate::code::LanguageCode;
use crate::ngram::NGram;
use crate::profile::{MISSING_NGRAM_COST, Profile, out_of_place_distance};
use std::fmt;

/// Minimum share of the sample that the first profile must accept if another language is nearer to
/// it. Set by judgement; in BENCHMARKS.md, "Bootstrapped filters", it is .05 in the run that
/// drifted and at least .62 in the others.
const MIN_AGREEMENT: f64 = 0.5;

/// Measures of a bootstrapped profile, in comparison with the first one.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// Documents examined.
    pub documents: usize,
    /// Documents that the previous profile accepts.
    pub accepted: usize,
    /// Documents in the self-training sample, without the initial ones.
    pub sample_documents: usize,
    /// Distinct words of the new profile.
    pub sample_words: usize,
    /// Rejection threshold of the new profile.
    pub rejection_threshold: f64,
    /// Median margin of all documents of the sample, each by a profile learned without it.
    pub median_margin: f64,
    /// Median margin of the initial documents, each by a profile learned without it.
    pub initial_margin: f64,
    /// Share of the sample, without the initial documents, that the first profile accepts.
    pub agreement: f64,
    /// Out-of-place distance of the first profile from the new one, as a share of the greatest.
    pub distance: f64,
    /// The language nearest to the first profile, and its distance.
    pub nearest: Option<(LanguageCode, f64)>,
    /// Reason why the new profile is refused and the previous one stays in use.
    pub fallback_reason: Option<FallbackReason>,
}

/// The reason why a new profile is refused and the previous one stays in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FallbackReason {
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
    pub fn name(self) -> &'static str {
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
        let is_far = self
            .nearest
            .is_some_and(|(_, nearest)| self.distance >= nearest);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::learn;

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
        let profile = learn("slv", "Danes je lep dan in sonce sije nad mestom.", "");
        assert!(relative_distance(&profile, &profile).abs() < 1e-9);
    }
}
