//! The evidence per letter that texts of a class are expected to have.
//!
//! The reject option compares a text with it: a text in a language with a sample of a million words
//! has more evidence than one in a language with a sample of a page.

use crate::evidence::STEPS_PER_NAT;
use crate::evidence::sample::ClassSample;
use crate::evidence::sums::{EvidenceSums, EvidenceTable};
use crate::evidence::tokenizer::WordTokenizer;

/// Number of words, the most frequent of a class, from which the expectation is computed. Set by
/// judgement, not measured.
const MAX_WORDS: usize = 2000;

/// Resolution of the stored value, in steps per nat per letter.
const STEPS_PER_NAT_PER_LETTER: f64 = 32.0;

/// Expected evidence in nats per letter of a class without known words. Set by judgement, not
/// measured.
const DEFAULT_NATS_PER_LETTER: f64 = 2.0;

/// Returns the expected evidence per letter of texts in the class, in
/// 1/[`STEPS_PER_NAT_PER_LETTER`] nat, or 0 if no words of the class are known.
pub(crate) fn expected_evidence(
    sample: &ClassSample,
    class: usize,
    table: &EvidenceTable<'_>,
) -> u8 {
    let mut words: Vec<(&str, f64)> = sample
        .words
        .iter()
        .map(|(word, p)| (word.as_str(), *p))
        .collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    words.truncate(MAX_WORDS);
    let mut tokenizer = WordTokenizer::default();
    let mut sums = EvidenceSums::default();
    let mut evidence = 0.0;
    let mut letters = 0.0;
    for (word, probability) in words {
        sums.compute(&[*table], &mut tokenizer, word);
        evidence += probability * f64::from(sums.evidence[0][class]) / STEPS_PER_NAT;
        letters += probability * tokenizer.number_of_letters() as f64;
    }
    if letters == 0.0 {
        0
    } else {
        (evidence / letters * STEPS_PER_NAT_PER_LETTER)
            .round()
            .clamp(1.0, 255.0) as u8
    }
}

/// Converts a result of [`expected_evidence`] to nats per letter.
pub(crate) fn to_nats_per_letter(expected: u8) -> f64 {
    if expected == 0 {
        DEFAULT_NATS_PER_LETTER
    } else {
        f64::from(expected) / STEPS_PER_NAT_PER_LETTER
    }
}
