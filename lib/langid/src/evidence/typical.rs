//! What is typical of texts in a class: how much evidence a letter has. The verdict asks it, for of
//! a language known from a million words more is to be expected than of one known from a page.

use crate::evidence::STEPS;
use crate::evidence::sample::ClassSample;
use crate::evidence::score::{Sums, Table};
use crate::evidence::tokens::Tokens;

/// Words of a class that it is worked out from, the most frequent ones.
const WORDS: usize = 2000;

/// Steps of what is kept, to a natural unit.
const STEPS_A_LETTER: f64 = 32.0;

/// The same in texts of any class, for those of which no words are known.
const USUAL: f64 = 2.0;

/// The evidence that a letter of a text in the class is expected to have; 0 where that is not
/// known.
pub(crate) fn typical(sample: &ClassSample, class: usize, table: &Table<'_>) -> u8 {
    let mut words: Vec<(&str, f64)> = sample
        .words
        .iter()
        .map(|(word, p)| (word.as_str(), *p))
        .collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    words.truncate(WORDS);
    let (mut tokens, mut sums) = (Tokens::default(), Sums::default());
    let (mut evidence, mut letters) = (0.0, 0.0);
    for (word, probability) in words {
        sums.add_up(&[*table], &mut tokens, word);
        evidence += probability * f64::from(sums.evidence[0][class]) / STEPS;
        letters += probability * tokens.number_of_letters() as f64;
    }
    if letters == 0.0 {
        0
    } else {
        (evidence / letters * STEPS_A_LETTER)
            .round()
            .clamp(1.0, 255.0) as u8
    }
}

/// What [`typical`] gave, in natural units a letter.
pub(crate) fn natural(typical: u8) -> f64 {
    if typical == 0 {
        USUAL
    } else {
        f64::from(typical) / STEPS_A_LETTER
    }
}
