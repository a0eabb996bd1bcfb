//! The language whose profile the text's is least out of place in (Cavnar & Trenkle 1994).
//!
//! The text's n-grams are ranked as a profile's are. Going through them once, an inverted index of
//! all profiles gives for each profile how much less than the maximum its distance is.

use super::{Identification, Identifier, Loaded, Scratch, TOP, undetermined};
use crate::code::LanguageCode;
use crate::distance::Savings;
use crate::ngram::NGram;
use crate::profile::{MISSING_NGRAM_COST, PROFILE_SIZE, Profile};
use crate::score::{is_like, scores};
use crate::script::Script;
use std::cmp::Reverse;

/// Nearest profiles among which the nearest languages are sought; the language with the most has
/// 23.
const NEAREST: usize = 128;

/// N-gram counts that a reused buffer may keep.
const KEPT: usize = 1 << 18;

/// How much less than the maximum the distance to a profile is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    saved: Reverse<u32>,
    code: LanguageCode,
}

impl Scratch {
    /// Ranks the n-grams of `text`; returns its script.
    fn rank(&mut self, text: &str) -> Script {
        self.words.clear();
        self.words.read(text, 1);
        let script = self.words.script();
        self.words.count_ngrams(script, &mut self.counts);
        self.counts.take_ranked(PROFILE_SIZE, &mut self.ranked);
        self.counts.shrink(KEPT);
        script
    }
}

impl Identifier {
    pub(crate) fn by_out_of_place(&self, scratch: &mut Scratch, text: &str) -> Identification {
        let script = scratch.rank(text);
        let length = scratch.ranked.len();
        let mut near = Vec::new();
        for model in &self.models {
            collect(
                model,
                &scratch.ranked,
                script,
                &mut scratch.savings,
                &mut near,
            );
        }
        let nearest = languages(&mut near, length);
        match nearest.first() {
            Some((_, distance)) if is_like(*distance, script, length) => {
                decide(script, &nearest, length)
            }
            _ => undetermined(script),
        }
    }

    /// The nearest languages to a profile, nearest first, with their distances as a share of the
    /// greatest possible one.
    pub fn nearest_languages(&self, profile: &Profile) -> Vec<(LanguageCode, f64)> {
        let (mut savings, mut near) = (Savings::default(), Vec::new());
        for model in &self.models {
            collect(
                model,
                profile.ngrams(),
                profile.script,
                &mut savings,
                &mut near,
            );
        }
        languages(&mut near, profile.ngrams().len())
    }
}

/// Adds the competing profiles in `script` to `near`.
fn collect(
    loaded: &Loaded,
    ranked: &[(NGram, u64)],
    script: Script,
    savings: &mut Savings,
    near: &mut Vec<Candidate>,
) {
    let savings = savings.of(&loaded.model.ranks, ranked);
    let competing = loaded
        .ranked
        .iter()
        .zip(savings)
        .filter(|(class, _)| class.competes && class.script == script);
    near.extend(competing.map(|(class, saved)| Candidate {
        saved: Reverse(*saved),
        code: class.code,
    }));
}

/// The nearest languages, nearest first, each once.
fn languages(near: &mut Vec<Candidate>, length: usize) -> Vec<(LanguageCode, f64)> {
    if near.len() > NEAREST {
        near.select_nth_unstable(NEAREST);
        near.truncate(NEAREST);
    }
    near.sort_unstable();
    let farthest = (length * MISSING_NGRAM_COST).max(1) as f64;
    let mut languages: Vec<(LanguageCode, f64)> = Vec::with_capacity(TOP);
    for Candidate {
        saved: Reverse(saved),
        code,
    } in near
    {
        if languages.len() < TOP && !languages.iter().any(|(known, _)| known == code) {
            languages.push((*code, 1.0 - f64::from(*saved) / farthest));
        }
    }
    languages
}

fn decide(script: Script, nearest: &[(LanguageCode, f64)], length: usize) -> Identification {
    let top = scores(nearest, length);
    let (code, score) = top
        .first()
        .copied()
        .unwrap_or((LanguageCode::UNDETERMINED, 0.0));
    let margin = match nearest {
        [(_, first), (_, second), ..] => second - first,
        [(_, first)] => 1.0 - first,
        [] => 0.0,
    };
    Identification {
        code,
        script,
        score,
        margin,
        top,
    }
}
