//! The reject option: decides if a text is in a known language at all, and estimates the
//! probability of the result.
//!
//! Each word or n-gram of a text favours one language most. In a text in a known language these
//! are largely the same language. In a text in an unknown language, or in none, they differ. So the
//! agreement separates the two: the evidence of the best language as a share of what it would have
//! if all words favoured it.
//!
//! The expected agreement depends on the length of the text, on its script, on the size of the
//! language's sample, and on its expected evidence. So a logistic regression weighs all of these
//! and their products. `make -C tests/lab reject-model` fits it; see `docs/algorithms.md`,
//! "Reject option".

use super::weights::{
    BIASES, BONUSES, DEFAULT_BIAS, LINEAR, MAX_SCORE, MEANS, PRODUCTS, SCALES, SCORE_SCALE,
};
use super::{Identification, LoadedClass, identified, undetermined};
use crate::code::LanguageCode;
use crate::evidence::STEPS_PER_NAT;
use crate::evidence::sums::EvidenceSums;
use crate::expectation::USUAL_AGREEMENT;
use crate::script::Script;
use std::sync::LazyLock;

/// A class with its evidence in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClassEvidence<'a> {
    pub(crate) class: &'a LoadedClass,
    pub(crate) evidence: u32,
}

/// The evidence of a text and its best classes.
#[derive(Debug)]
pub(crate) struct EvidenceSummary<'a> {
    pub(crate) script: Script,
    pub(crate) letters: u64,
    pub(crate) sums: &'a EvidenceSums,
    /// The classes with the most evidence, one per language, best first.
    pub(crate) best: Vec<ClassEvidence<'a>>,
    /// True if the user named the languages that compete: the text is in one of these.
    pub(crate) is_closed_set: bool,
}

/// Reduction of the log odds that a language must reach if the user added it: it is expected, and
/// its sample may be small. Set by judgement, not measured.
const USER_ADDED_BONUS: f64 = 4.0;

/// Number of features of the logistic regression.
///
/// The features are the logarithms of the agreement, of the number of letters, of the evidence per
/// letter (in nats), of the sample size of the language, and of its expected evidence per letter;
/// the share of known words; the margin; the logarithm of the expected agreement of the language.
pub const FEATURE_COUNT: usize = 8;

/// Range to which the number of letters is clamped. Set by judgement, not measured.
const LETTER_RANGE: (f64, f64) = (8.0, 2000.0);

/// Maximum deviation of a feature from its mean, in standard deviations; as in
/// `fit-reject-model` (`tests/lab/tools/langid-model`). Set by judgement, not measured.
const MAX_DEVIATION: f64 = 4.0;

/// Weights of a second test, for random Latin letters: of the log agreement, of the log evidence
/// per letter (in nats), and of the share of known words.
const LATIN_NOISE_WEIGHTS: [f64; 3] = [28.3, -19.9, 12.9];
/// Constant term of that test: the sum is 0 or more for 995 of 1,000 texts in a known language.
const LATIN_NOISE_BIAS: f64 = 23.4;

/// Minimum number of Latin letters per word, on average, in texts of at least [`MIN_WORDS`] words.
/// Texts with fewer consist of variable names or hexadecimal numbers. Set by judgement, not
/// measured.
const MIN_LETTERS_PER_WORD: f64 = 2.0;
/// Minimum number of words of a text for tests on averages. Set by judgement, not measured.
const MIN_WORDS: u32 = 5;

/// Minimum share of known words in Greek texts of at least [`MIN_WORDS`] words.
///
/// In a script with few languages, random letters agree on one of them. This bound and
/// [`MIN_HANGUL_LOG_EVIDENCE`] reject such letters; of 999 Greek sentences one is below the bound,
/// of 995 Korean ones none. For Hebrew, Georgian and Thai no bound separates them, because in
/// normal texts too few words are known.
const MIN_KNOWN_SHARE: f64 = 0.12;
/// Lines of a script, a tab, and the languages in it that the model does not have.
const LACKING: &str = include_str!("../../model/lacking.tsv");
/// Minimum log odds of texts of at least [`MIN_WORDS`] words in such a script of which few are
/// known ([`MIN_KNOWN_SHARE`]). Of 1,400 paragraphs of the Declaration in languages of the model in
/// these scripts, of which it knows every second, none has less; Mongolian, for which Manchu is the
/// only candidate, has at most 1.4.
const MIN_LOG_ODDS_OF_UNKNOWN_WORDS: f64 = 5.0;
/// Minimum margin of texts of at least [`MIN_HEBREW_WORDS`] words in Hebrew letters. What is
/// neither Hebrew nor Yiddish, such as Ladino, is as near to both. Of 1,172 texts in these
/// (training and development sentences of eight words or more), the lowest margins are .286 and
/// .349.
const MIN_HEBREW_MARGIN: f64 = 0.25;
/// See [`MIN_HEBREW_MARGIN`].
const MIN_HEBREW_WORDS: u32 = 8;
/// Minimum log evidence per letter (in nats) of texts in Hangul; see [`MIN_KNOWN_SHARE`].
const MIN_HANGUL_LOG_EVIDENCE: f64 = 0.2;

/// The values on which the reject option and the score of a text depend.
#[derive(Debug, Clone)]
#[cfg(feature = "tools")]
pub struct RejectFeatures {
    /// The script of the text.
    pub script: Script,
    /// The language with the most evidence.
    pub code: LanguageCode,
    /// The features of the reject option; see `FEATURE_COUNT`.
    pub values: [f64; FEATURE_COUNT],
    /// Number of words.
    pub words: u32,
    /// By how much the best languages have less evidence than the first of them, in nats.
    pub deficits: Vec<f64>,
}

/// Returns the features of a text for the language with the most evidence, or `None` if no language
/// has any.
pub(crate) fn compute_features(summary: &EvidenceSummary<'_>) -> Option<[f64; FEATURE_COUNT]> {
    let (sums, best) = (summary.sums, &summary.best);
    let ClassEvidence { class, evidence } = best.first()?;
    let evidence = f64::from((*evidence).max(1));
    let second = f64::from(best.get(1).map_or(0, |second| second.evidence));
    let letters = summary.letters as f64;
    let greatest = sums.greatest.max(1) as f64;
    let nats = best_nats(summary);
    Some([
        libm::log(evidence / greatest),
        libm::log(letters.clamp(LETTER_RANGE.0, LETTER_RANGE.1)),
        libm::log(nats / letters.max(1.0)),
        class.log_sample_tokens,
        class.log_expected_evidence,
        f64::from(sums.known) / f64::from(sums.words.max(1)),
        1.0 - second / evidence,
        libm::log(class.expected_agreement),
    ])
}

/// Returns the evidence of the best language, in nats.
pub(crate) fn best_nats(summary: &EvidenceSummary<'_>) -> f64 {
    let sums = summary.sums;
    // Later evidence is halved less often, so that only the ratio to the greatest is right.
    let greatest = sums.greatest.max(1) as f64;
    let evidence = summary.best.first().map_or(0, |best| best.evidence.max(1));
    f64::from(evidence) / greatest * (greatest + sums.lost_greatest as f64) / STEPS_PER_NAT
}

/// Returns the evidence of the best language as a share of what it would have if all words favoured
/// it, relative to what is expected of the language: the usual agreement if the text is as
/// expected; 0 if there is no evidence.
pub(crate) fn agreement(summary: &EvidenceSummary<'_>) -> f64 {
    let relative = |best: &ClassEvidence<'_>| {
        let agreement = f64::from(best.evidence) / summary.sums.greatest.max(1) as f64;
        agreement / best.class.expected_agreement * USUAL_AGREEMENT
    };
    summary.best.first().map_or(0.0, relative).min(1.0)
}

/// Returns `true` if the text is in a known language: that with the most evidence, or a relative.
pub(crate) fn is_accepted(summary: &EvidenceSummary<'_>) -> bool {
    let EvidenceSummary {
        script,
        letters,
        sums,
        best,
        is_closed_set,
    } = summary;
    let (Some(features), Some(best)) = (compute_features(summary), best.first()) else {
        return false;
    };
    let min_letters = MIN_LETTERS_PER_WORD * f64::from(sums.words);
    let has_short_words = sums.words >= MIN_WORDS && (*letters as f64) < min_letters;
    let is_noise = match *script {
        Script::LATIN => has_short_words || is_latin_noise(&features),
        _ => is_other_in_script_of_few(*script, sums.words, &features),
    };
    let may_be_lacking = may_be_in_lacking_language(*script, sums.words, &features);
    let threshold = match may_be_lacking && !best.class.is_user_added {
        true => MIN_LOG_ODDS_OF_UNKNOWN_WORDS,
        false => 0.0,
    };
    !is_noise && (*is_closed_set || log_odds(*script, &features) + bonus(best.class) >= threshold)
}

/// Returns `true` if few words of the text are known, and the model lacks languages of its script.
fn may_be_in_lacking_language(script: Script, words: u32, features: &[f64; FEATURE_COUNT]) -> bool {
    let [_, _, _, _, _, known_share, ..] = features;
    let mut scripts = LACKING.lines().filter_map(|line| line.split_once('\t'));
    words >= MIN_WORDS
        && *known_share < MIN_KNOWN_SHARE
        && scripts.any(|(lacking, _)| lacking == script.as_str())
}

/// Returns what is added to the log odds of a class.
fn bonus(class: &LoadedClass) -> f64 {
    let code = class.code;
    let found = BONUSES.binary_search_by_key(&code.as_str(), |(code, _)| *code);
    let of_language = found.map_or(0.0, |index| BONUSES[index].1);
    match class.is_user_added {
        true => of_language.max(USER_ADDED_BONUS),
        false => of_language.max(0.0),
    }
}

/// Returns `true` if the text consists of random Latin letters.
fn is_latin_noise(features: &[f64; FEATURE_COUNT]) -> bool {
    let [log_agreement, _, log_evidence, _, _, known_share, ..] = features;
    let [agreement_weight, evidence_weight, known_weight] = LATIN_NOISE_WEIGHTS;
    agreement_weight * log_agreement
        + evidence_weight * log_evidence
        + known_weight * known_share
        + LATIN_NOISE_BIAS
        < 0.0
}

/// Returns `true` if the text consists of random letters in Greek or Hangul, or is in a third
/// language in Hebrew letters.
fn is_other_in_script_of_few(script: Script, words: u32, features: &[f64; FEATURE_COUNT]) -> bool {
    let [_, _, log_evidence, _, _, known_share, margin, _] = features;
    match &script.to_bytes() {
        b"Grek" => words >= MIN_WORDS && *known_share < MIN_KNOWN_SHARE,
        b"Hebr" => words >= MIN_HEBREW_WORDS && *margin < MIN_HEBREW_MARGIN,
        b"Hang" => *log_evidence < MIN_HANGUL_LOG_EVIDENCE,
        _ => false,
    }
}

/// Returns the log odds that the text is in a known language, less the threshold.
fn log_odds(script: Script, features: &[f64; FEATURE_COUNT]) -> f64 {
    let mut biases = BIASES.iter();
    let bias = biases.find(|(code, _)| code.as_bytes() == script.to_bytes());
    let bias = bias.map_or(DEFAULT_BIAS, |(_, bias)| *bias);
    let x: [f64; FEATURE_COUNT] = std::array::from_fn(|index| {
        ((features[index] - MEANS[index]) / SCALES[index]).clamp(-MAX_DEVIATION, MAX_DEVIATION)
    });
    let linear: f64 = x.iter().zip(LINEAR).map(|(x, weight)| x * weight).sum();
    let mut products = 0.0;
    let mut weights = PRODUCTS.iter();
    for (index, one) in x.iter().enumerate() {
        for (other, weight) in x[index..].iter().zip(&mut weights) {
            products += one * other * weight;
        }
    }
    bias + linear + products
}

/// Returns the result for the languages with the most evidence; there must be at least one.
pub(crate) fn build_identification(summary: &EvidenceSummary<'_>) -> Identification {
    let best = &summary.best;
    let evidence = |rank: usize| best.get(rank).map_or(0, |class| class.evidence);
    let margin = 1.0 - f64::from(evidence(1)) / f64::from(evidence(0).max(1));
    identified(
        summary.script,
        score_classes(best, summary.sums.words),
        margin,
    )
}

/// Returns the result for a text in no known language: the nearest ones.
pub(crate) fn build_rejection(summary: &EvidenceSummary<'_>) -> Identification {
    Identification {
        top: score_classes(&summary.best, summary.sums.words),
        ..undetermined(summary.script)
    }
}

/// Returns the probability of each language, [`MAX_SCORE`] in all.
///
/// A language with less evidence than the best one by `d` nats has the weight `exp(-d / (a ·
/// words^b))`, where `a` and `b` are [`SCORE_SCALE`]: the words of a text are not independent, so
/// the evidence of many words is worth less than its sum. `docs/LANGID.md` shows how well the
/// scores are calibrated.
fn score_classes(best: &[ClassEvidence<'_>], words: u32) -> Vec<(LanguageCode, f64)> {
    let scale = score_scale(words.max(1));
    let weight = |deficit: f64| libm::exp(-deficit / scale);
    let codes = best.iter().map(|best| best.class.code);
    let mut scores: Vec<_> = codes.zip(deficits(best).map(weight)).collect();
    let sum: f64 = scores.iter().map(|(_, weight)| weight).sum();
    for (_, score) in &mut scores {
        *score = MAX_SCORE * (*score / sum);
    }
    scores
}

/// Returns the scale of the evidence, in nats, of a text of so many words.
fn score_scale(words: u32) -> f64 {
    /// Scales by the number of words, which is small in most texts.
    static SCALES: LazyLock<[f64; 64]> =
        LazyLock::new(|| std::array::from_fn(|words| compute_score_scale(words as u32)));
    let known = SCALES.get(words as usize).copied();
    known.unwrap_or_else(|| compute_score_scale(words))
}

fn compute_score_scale(words: u32) -> f64 {
    let (a, b) = SCORE_SCALE;
    a * libm::pow(f64::from(words), b)
}

/// Returns by how much each class has less evidence than the best one, in nats.
pub(crate) fn deficits(best: &[ClassEvidence<'_>]) -> impl Iterator<Item = f64> {
    let greatest = best.first().map_or(0, |best| best.evidence);
    best.iter()
        .map(move |class| f64::from(greatest - class.evidence) / STEPS_PER_NAT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_changes_no_feature() {
        let class = LoadedClass {
            code: "slv".parse().unwrap(),
            script: Script::new("Latn").unwrap(),
            competes: true,
            is_user_added: false,
            log_expected_evidence: 0.0,
            expected_agreement: 1.0,
            log_sample_tokens: 0.0,
            written: 0,
        };
        let features = |evidence, greatest, lost_greatest| {
            let mut sums = EvidenceSums::default();
            sums.words = 9;
            sums.greatest = greatest;
            sums.lost_greatest = lost_greatest;
            let class = &class;
            let best = vec![ClassEvidence { class, evidence }];
            compute_features(&EvidenceSummary {
                script: class.script,
                letters: 40,
                sums: &sums,
                best,
                is_closed_set: false,
            })
        };
        assert_eq!(features(900, 1000, 0), features(450, 500, 500));
    }

    #[test]
    fn probabilities_fall_with_the_evidence_and_sum_to_less_than_one() {
        let script = Script::new("Latn").unwrap();
        let class = |code: &str| LoadedClass {
            code: code.parse().unwrap(),
            script,
            competes: true,
            is_user_added: false,
            log_expected_evidence: 0.0,
            expected_agreement: 1.0,
            log_sample_tokens: 0.0,
            written: 0,
        };
        let classes = ["slv", "hrv", "ces"].map(class);
        let best = classes
            .iter()
            .zip([900, 700, 500])
            .map(|(class, evidence)| ClassEvidence { class, evidence })
            .collect();
        let mut sums = EvidenceSums::default();
        sums.words = 4;
        let Identification { top, margin, .. } = build_identification(&EvidenceSummary {
            script,
            letters: 20,
            sums: &sums,
            best,
            is_closed_set: false,
        });
        assert!(top[0].1 > top[1].1 && top[1].1 > top[2].1);
        assert!(top.iter().map(|(_, p)| p).sum::<f64>() <= MAX_SCORE + 1e-9);
        assert!((margin - 2.0 / 9.0).abs() < 1e-9);
    }
}
