//! How far a profile has moved from the first one, and when it has moved too far.
//!
//! Two measures decide. The initial documents, left out of what is learned, must be recognised by
//! the rest as its own are: where they are not, the rest is another language. And the new profile's
//! ranks must be nearer to the first profile's than those of any other language are (Cavnar &
//! Trenkle's distance), or the first profile must accept most of what the new one was learned from:
//! a profile of sixty words is far from everything.

use crate::bootstrap::rule::FEWEST;
use crate::code::LanguageCode;
use crate::ngram::NGram;
use crate::profile::{MISSING_NGRAM_COST, Profile, out_of_place_distance};
use std::fmt;

/// The part of what was learned from that the first profile must accept where another language is
/// nearer to it.
const AGREEMENT: f64 = 0.5;

/// What a profile that was grown is like, beside the first one.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// Documents that were looked at.
    pub documents: usize,
    /// Those that the former profile accepts.
    pub accepted: usize,
    /// Those that were learned from, beside the initial ones.
    pub sample_documents: usize,
    /// Different words of the new profile.
    pub sample_words: usize,
    /// The margin that it asks for.
    pub rejection_threshold: f64,
    /// Median of the margins of all that it was learned from, each left out in its turn.
    pub median_margin: f64,
    /// The same of the initial documents.
    pub initial_margin: f64,
    /// The part of the documents learned from that the first profile accepts.
    pub agreement: f64,
    /// Distance from the first profile to the new one, as a part of the greatest.
    pub distance: f64,
    /// The language nearest to the first profile, and its distance.
    pub nearest: Option<(LanguageCode, f64)>,
    /// Why the former profile is fallback_reason, where it is.
    pub fallback_reason: Option<FallbackReason>,
}

/// Why a former profile stays in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FallbackReason {
    /// Hardly a document can be learned from.
    Few,
    /// The documents do not recognise the initial ones.
    Initial,
    /// Another language is nearer to the first profile than the new one, which was learned from
    /// what that does not accept.
    Distance,
}

impl FallbackReason {
    /// A word for programs.
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
            FallbackReason::Initial => "the new one would not recognise the initial documents",
            FallbackReason::Distance => "the new one is farther from the first than another language is, and the first accepts little of its text",
        })
    }
}

impl Drift {
    /// With the reason to keep the former profile, if there is one.
    pub(crate) fn judged(self) -> Self {
        let fallback_reason = if self.sample_documents < FEWEST {
            Some(FallbackReason::Few)
        } else if self.initial_margin < self.rejection_threshold.max(f64::MIN_POSITIVE) {
            Some(FallbackReason::Initial)
        } else if self.agreement < AGREEMENT
            && self
                .nearest
                .is_some_and(|(_, nearest)| self.distance >= nearest)
        {
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

/// How far out of place the n-grams of a profile are in another, as a part of the greatest
/// distance.
pub(crate) fn distance(of: &Profile, from: &Profile) -> f64 {
    let ngrams = |profile: &Profile| {
        profile
            .ngrams()
            .iter()
            .map(|(ngram, _)| *ngram)
            .collect::<Vec<NGram>>()
    };
    let (of, from) = (ngrams(of), ngrams(from));
    out_of_place_distance(&of, &from, MISSING_NGRAM_COST) as f64
        / (of.len() * MISSING_NGRAM_COST).max(1) as f64
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
    fn a_profile_that_stays_near_the_first_is_taken() {
        assert_eq!(drift().judged().fallback_reason, None);
    }

    #[test]
    fn one_that_does_not_recognise_the_initial_document_is_refused() {
        assert_eq!(
            Drift {
                initial_margin: 0.49,
                ..drift()
            }
            .judged()
            .fallback_reason,
            Some(FallbackReason::Initial)
        );
        let no_bound = Drift {
            initial_margin: -0.1,
            rejection_threshold: 0.0,
            ..drift()
        };
        assert_eq!(
            no_bound.judged().fallback_reason,
            Some(FallbackReason::Initial)
        );
    }

    #[test]
    fn one_that_is_farther_from_the_first_than_a_neighbour_is_refused() {
        let far = Drift {
            distance: 0.6,
            agreement: 0.4,
            ..drift()
        };
        assert_eq!(
            far.clone().judged().fallback_reason,
            Some(FallbackReason::Distance)
        );
        assert_eq!(
            Drift {
                nearest: None,
                ..far.clone()
            }
            .judged()
            .fallback_reason,
            None
        );
        assert_eq!(
            Drift {
                agreement: 0.5,
                ..far
            }
            .judged()
            .fallback_reason,
            None,
            "the first profile is of few words"
        );
    }

    #[test]
    fn hardly_a_document_is_not_learned_from() {
        assert_eq!(
            Drift {
                sample_documents: FEWEST - 1,
                ..drift()
            }
            .judged()
            .fallback_reason,
            Some(FallbackReason::Few)
        );
    }

    #[test]
    fn a_profile_has_no_distance_from_itself() {
        let profile = learn("slv", "Danes je lep dan in sonce sije nad mestom.", "");
        assert!(distance(&profile, &profile).abs() < 1e-9);
    }
}
