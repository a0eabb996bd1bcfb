//! Whether a text is in a known language at all, and how sure the answer is.
//!
//! The text's words and n-grams each have a language that they speak for most. In a text of a known
//! language these are much the same language; in one of an unknown language, or of none, they are
//! all sorts. So the evidence of the best language, as a part of what it would be if all agreed,
//! tells the two apart.
//!
//! How much is to be expected differs, by the length of the text, by its script, by how well the
//! language is known and what is typical of it. So a logistic regression weighs all these and their
//! products; `make verdict` fits it (see `examples/fit-verdict.rs`).

use super::weights::{BIAS, BIASES, LINEAR, MEANS, PRODUCTS, SCALES};
use super::{Class, Identification};
use crate::code::LanguageCode;
use crate::evidence::STEPS;
use crate::evidence::score::Sums;
use crate::evidence::typical;
use crate::script::Script;

/// A class that a text may be in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) class: &'a Class,
    pub(crate) evidence: u32,
}

/// What was found out of a text.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    pub(crate) script: Script,
    pub(crate) letters: u64,
    pub(crate) sums: &'a Sums,
    /// The languages with the most evidence.
    pub(crate) best: Vec<Candidate<'a>>,
    /// Whether the text is in one of the languages that compete, as the user says.
    pub(crate) is_closed: bool,
}

/// The shortfall that is allowed to a language that the user taught, and so expects: little may be
/// known of it.
const TAUGHT_LESS: f64 = 4.0;

/// What the verdict is made from: logarithms of the agreement, of the number of letters, of the
/// evidence a letter (in natural units), of the size of the language's sample, and of the evidence
/// a letter that is typical of it; the part of words that are known; the margin.
pub const FEATURES: usize = 7;

/// Numbers of letters between which they count.
const LETTERS: (f64, f64) = (8.0, 2000.0);

/// How far from its mean, in standard deviations, a feature counts.
const FAR: f64 = 4.0;

/// Random Latin letters are told by other weights: of the logarithms of the agreement and of the
/// evidence a letter (in natural units), and of the part of words that are known; with what is
/// added to their sum, which is 0 or more for 995 of 1,000 texts in a known language.
const NOISE: [f64; 3] = [28.3, -19.9, 12.9];
const NOISE_BOUND: f64 = 23.4;

/// Latin letters a word that are too few for any language, in texts of some words: variables,
/// hexadecimal numbers.
const SHORT_WORDS: f64 = 2.0;
const SOME_WORDS: u32 = 5;

/// Random letters of scripts that few languages have, where all evidence agrees, whatever it is:
/// Greek words of which fewer than this part are known, if there are [`SOME_WORDS`]; Hangul
/// syllables that say less a letter, in natural units. Of 999 Greek sentences one is such, of 995
/// Korean ones none. In Hebrew, Georgian and Thai letters too few words of good texts are known for
/// that.
const GREEK_KNOWN: f64 = 0.12;
const HANGUL_SAYS: f64 = 0.2;

/// What tells whether a text is in the language that has the most evidence; nothing where none has
/// any.
pub(crate) fn features(found: &Findings<'_>) -> Option<[f64; FEATURES]> {
    let Findings {
        letters,
        sums,
        best,
        ..
    } = found;
    let Candidate { class, evidence } = best.first()?;
    let evidence = f64::from((*evidence).max(1));
    let second = f64::from(best.get(1).map_or(0, |second| second.evidence));
    let letters = *letters as f64;
    Some([
        libm::log(evidence / sums.greatest.max(1) as f64),
        libm::log(letters.clamp(LETTERS.0, LETTERS.1)),
        libm::log(evidence * libm::exp2(f64::from(sums.halved)) / STEPS / letters.max(1.0)),
        libm::log(class.words.max(1) as f64),
        libm::log(typical::natural(class.typical)),
        f64::from(sums.known) / f64::from(sums.words.max(1)),
        1.0 - second / evidence,
    ])
}

/// The evidence of the best language, as a part of what it would be if all words agreed; 0 where
/// there is none.
pub(crate) fn agreement(found: &Findings<'_>) -> f64 {
    let most = found.best.first().map_or(0, |best| best.evidence);
    f64::from(most) / found.sums.greatest.max(1) as f64
}

/// Whether the text is in the language that has the most evidence, or at least in one that is
/// known.
pub(crate) fn is_language(found: &Findings<'_>) -> bool {
    let Findings {
        script,
        letters,
        sums,
        best,
        is_closed,
    } = found;
    let (Some(features), Some(best)) = (features(found), best.first()) else {
        return false;
    };
    let least_letters = SHORT_WORDS * f64::from(sums.words);
    let has_short_words = sums.words >= SOME_WORDS && (*letters as f64) < least_letters;
    let is_random = match script.as_str() {
        "Latn" => has_short_words || is_noise(&features),
        _ => is_foreign_noise(*script, sums.words, &features),
    };
    let less = if best.class.is_taught {
        TAUGHT_LESS
    } else {
        0.0
    };
    !is_random && (*is_closed || sum(*script, &features) + less >= 0.0)
}

/// Whether these are Latin letters at random.
fn is_noise([agreement, _, a_letter, _, _, known, _]: &[f64; FEATURES]) -> bool {
    NOISE[0] * agreement + NOISE[1] * a_letter + NOISE[2] * known + NOISE_BOUND < 0.0
}

/// Whether these are letters at random of a script with few languages.
fn is_foreign_noise(
    script: Script,
    words: u32,
    [_, _, a_letter, _, _, known, _]: &[f64; FEATURES],
) -> bool {
    match script.as_str() {
        "Grek" => words >= SOME_WORDS && *known < GREEK_KNOWN,
        "Hang" => *a_letter < HANGUL_SAYS,
        _ => false,
    }
}

/// Logarithm of the odds that the text is in a known language, less those that are asked for.
fn sum(script: Script, features: &[f64; FEATURES]) -> f64 {
    let bias = BIASES
        .iter()
        .find(|(code, _)| *code == script.as_str())
        .map_or(BIAS, |(_, bias)| *bias);
    let x: [f64; FEATURES] =
        std::array::from_fn(|at| ((features[at] - MEANS[at]) / SCALES[at]).clamp(-FAR, FAR));
    let linear: f64 = x.iter().zip(LINEAR).map(|(x, weight)| x * weight).sum();
    let pairs = (0..FEATURES).flat_map(|one| (one..FEATURES).map(move |other| (one, other)));
    let products: f64 = pairs
        .zip(PRODUCTS)
        .map(|((one, other), weight)| x[one] * x[other] * weight)
        .sum();
    bias + linear + products
}

/// How fast a language loses probability when its evidence is less than the best one's: by a factor
/// of e for each so many natural units, times the number of words to the power behind. Words of a
/// text depend on each other, so the evidence of many is worth less than their sum.
const UNITS: (f64, f64) = (1.9, 0.45);

/// Probability that is left for what is not among the best: texts that are not in the language they
/// are said to be.
const SUREST: f64 = 0.985;

/// The answer: the languages with the most evidence, of which there is one at least.
pub(crate) fn answer(found: &Findings<'_>) -> Identification {
    let Findings {
        script, best, sums, ..
    } = found;
    let most = best.first().map_or(0, |best| best.evidence);
    let unit = UNITS.0 * libm::pow(f64::from(sums.words.max(1)), UNITS.1) * STEPS;
    let weight =
        |candidate: &Candidate<'_>| libm::exp(-f64::from(most - candidate.evidence) / unit);
    let sum: f64 = best.iter().map(weight).sum();
    let top: Vec<(LanguageCode, f64)> = best
        .iter()
        .map(|one| (one.class.code, SUREST * weight(one) / sum))
        .collect();
    let (code, score) = top
        .first()
        .copied()
        .unwrap_or((LanguageCode::UNDETERMINED, 0.0));
    let second = best.get(1).map_or(0, |second| second.evidence);
    let margin = 1.0 - f64::from(second) / f64::from(most.max(1));
    Identification {
        code,
        script: *script,
        score,
        margin,
        top,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_fall_with_the_evidence_and_leave_some_doubt() {
        let script = Script::new("Latn").unwrap();
        let class = |code: &str| Class {
            code: code.parse().unwrap(),
            script,
            competes: true,
            is_taught: false,
            typical: 0,
            words: 1,
        };
        let classes = ["slv", "hrv", "ces"].map(class);
        let best = classes
            .iter()
            .zip([900, 700, 500])
            .map(|(class, evidence)| Candidate { class, evidence })
            .collect();
        let mut sums = Sums::default();
        sums.words = 4;
        let found = answer(&Findings {
            script,
            letters: 20,
            sums: &sums,
            best,
            is_closed: false,
        });
        assert!(found.top[0].1 > found.top[1].1 && found.top[1].1 > found.top[2].1);
        assert!(found.top.iter().map(|(_, p)| p).sum::<f64>() <= SUREST + 1e-9);
        assert!((found.margin - 2.0 / 9.0).abs() < 1e-9);
    }
}
