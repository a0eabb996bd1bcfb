//! What texts of a class are expected to be like.
//!
//! The reject option compares a text with it: a text in a language with a sample of a million words
//! has more evidence than one in a language with a sample of a page; and the words of a creole, or
//! of a dialect, favour its large relative as often as itself.

use crate::evidence::STEPS_PER_NAT;
use crate::evidence::sample::ClassSample;
use crate::evidence::sums::EvidenceSums;
use crate::evidence::table::EvidenceTable;
use crate::evidence::tokenizer::WordTokenizer;
use crate::expectation::{AGREEMENT_STEPS, Expectation, STEPS_PER_NAT_PER_LETTER};

/// Number of words, the most frequent of a class, from which the expectation is computed. Set by
/// judgement, not measured.
const MAX_WORDS: usize = 2000;

/// Returns what is expected of texts in the class.
pub(crate) fn expectation(
    sample: &ClassSample,
    class: usize,
    table: &EvidenceTable<'_>,
) -> Expectation {
    let mut words: Vec<(&str, f64)> = sample
        .words
        .iter()
        .map(|(word, p)| (word.as_str(), *p))
        .collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    words.truncate(MAX_WORDS);
    let mut tokenizer = WordTokenizer::default();
    let mut sums = EvidenceSums::default();
    let (mut evidence, mut greatest, mut letters) = (0.0, 0.0, 0.0);
    for (word, probability) in words {
        sums.compute(&[*table], &mut tokenizer, word);
        evidence += probability * f64::from(sums.evidence[0][class]) / STEPS_PER_NAT;
        greatest += probability * sums.greatest as f64 / STEPS_PER_NAT;
        letters += probability * tokenizer.number_of_letters() as f64;
    }
    if letters == 0.0 {
        return Expectation::default();
    }
    let stored = |value: f64, steps: f64| (value * steps).round().clamp(1.0, 255.0) as u8;
    Expectation {
        evidence: stored(evidence / letters, STEPS_PER_NAT_PER_LETTER),
        agreement: stored(
            evidence / f64::max(greatest, f64::MIN_POSITIVE),
            AGREEMENT_STEPS,
        ),
    }
}
