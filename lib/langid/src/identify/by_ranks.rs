//! Identification by out-of-place distance (Cavnar & Trenkle 1994).
//!
//! The n-grams of the text are ranked as those of a profile. One pass over them, with an inverted
//! index of all profiles, gives the similarity of each profile: the greatest possible distance less
//! its distance.

use super::{Identification, Identifier, MAX_CANDIDATES, Scratch, identified, undetermined};
use crate::code::LanguageCode;
use crate::distance::SimilaritySums;
use crate::ngram::NGram;
use crate::profile::{MISSING_NGRAM_COST, PROFILE_SIZE};
use crate::rank_scores::{estimate_probabilities, is_near_enough};
use crate::script::Script;
use std::cmp::Reverse;

/// Number of nearest profiles among which the nearest languages are found. A language has up to 23
/// profiles in the built-in model.
const MAX_NEAREST_PROFILES: usize = 128;

/// Maximum capacity, in n-grams, of a buffer that is kept for the next text.
const MAX_KEPT_NGRAMS: usize = 1 << 18;

/// The similarity of a profile to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ProfileSimilarity {
    similarity: Reverse<u32>,
    code: LanguageCode,
}

impl Scratch {
    /// Ranks the n-grams of `text` and returns its script.
    fn rank_ngrams(&mut self, text: &str) -> Script {
        self.words.clear();
        self.words.add_text(text, 1);
        let script = self.words.script();
        self.words.count_ngrams(script, &mut self.counts);
        self.counts.drain_ranked(PROFILE_SIZE, &mut self.ranked);
        self.counts.release_excess_capacity(MAX_KEPT_NGRAMS);
        script
    }
}

impl Identifier {
    pub(crate) fn identify_by_ranks(&self, scratch: &mut Scratch, text: &str) -> Identification {
        let script = scratch.rank_ngrams(text);
        let length = scratch.ranked.len();
        let nearest = self.nearest(&scratch.ranked, script, &mut scratch.similarities);
        match nearest.first() {
            Some((_, distance)) if is_near_enough(*distance, script, length) => {
                let top = estimate_probabilities(&nearest, length);
                identified(script, top, margin(&nearest))
            }
            _ => Identification {
                top: estimate_probabilities(&nearest, length),
                ..undetermined(script)
            },
        }
    }

    /// Returns the languages nearest to a profile, nearest first, with their out-of-place distances
    /// as a share of the greatest possible one; at most five.
    #[cfg(feature = "tools")]
    pub fn nearest_languages(&self, profile: &crate::Profile) -> Vec<(LanguageCode, f64)> {
        let mut similarities = SimilaritySums::default();
        self.nearest(profile.ngrams(), profile.script, &mut similarities)
    }

    /// Returns the languages whose profiles are nearest to ranked n-grams in a script, with their
    /// distances.
    fn nearest(
        &self,
        ranked: &[(NGram, u64)],
        script: Script,
        sums: &mut SimilaritySums,
    ) -> Vec<(LanguageCode, f64)> {
        let mut profiles = Vec::new();
        for loaded in &self.models {
            let similarities = sums.compute(&loaded.model.ranks, ranked);
            for (class, similarity) in loaded.rank_classes.iter().zip(similarities) {
                if class.competes && class.script == script {
                    profiles.push(ProfileSimilarity {
                        similarity: Reverse(*similarity),
                        code: class.code,
                    });
                }
            }
        }
        nearest_by_language(&mut profiles, ranked.len())
    }
}

/// Returns the nearest languages, each once, nearest first, with their distances.
fn nearest_by_language(
    profiles: &mut Vec<ProfileSimilarity>,
    length: usize,
) -> Vec<(LanguageCode, f64)> {
    if profiles.len() > MAX_NEAREST_PROFILES {
        profiles.select_nth_unstable(MAX_NEAREST_PROFILES);
        profiles.truncate(MAX_NEAREST_PROFILES);
    }
    profiles.sort_unstable();
    let max_distance = (length * MISSING_NGRAM_COST).max(1) as f64;
    let mut languages: Vec<(LanguageCode, f64)> = Vec::with_capacity(MAX_CANDIDATES);
    for ProfileSimilarity {
        similarity: Reverse(similarity),
        code,
    } in profiles
    {
        if languages.len() < MAX_CANDIDATES && !languages.iter().any(|(other, _)| other == code) {
            languages.push((*code, 1.0 - f64::from(*similarity) / max_distance));
        }
    }
    languages
}

/// Returns by how much the second language is farther than the nearest.
fn margin(nearest: &[(LanguageCode, f64)]) -> f64 {
    match nearest {
        [(_, first), (_, second), ..] => second - first,
        [(_, first)] => 1.0 - first,
        [] => 0.0,
    }
}
