//! Classes that are all but one language: Croatian, Bosnian and Serbian in Latin letters; Indonesian and Malay.
//!
//! A word that is in the sample of one and not of the other tells less there than elsewhere: it may be there by chance,
//! or by another subject. So each lends a part of its words' probabilities to the others.

use crate::evidence::build::Posting;

/// Bhattacharyya coefficient of two classes' word distributions from which they are relatives; English and Scots have
/// 0.5, Slovenian and Croatian 0.3.
const NEAR: f64 = 0.55;

/// The part of a word's probability that a relative has, too.
const LENT: f64 = 0.1;

/// Classes of a word that are compared with each other: words that more share tell little.
const COMPARED: usize = 40;

/// For each class its relatives.
pub(crate) fn relatives(classes: usize, words: &[Posting]) -> Vec<Vec<u16>> {
    let mut shared = vec![0f32; classes * classes];
    for group in words.chunk_by(|a, b| a.key == b.key) {
        let group = &group[..group.len().min(COMPARED)];
        let halves: Vec<f32> = group.iter().map(|posting| libm::expf(posting.log / 2.0)).collect();
        for (one, half) in group.iter().zip(&halves) {
            for (other, other_half) in group.iter().zip(&halves) {
                shared[usize::from(one.class) * classes + usize::from(other.class)] += half * other_half;
            }
        }
    }
    let near = |one: usize| {
        let row = &shared[one * classes..(one + 1) * classes];
        let others = (0..).zip(row).filter(|(other, part)| usize::from(*other) != one && f64::from(**part) >= NEAR);
        others.map(|(other, _): (u16, _)| other).collect()
    };
    (0..classes).map(near).collect()
}

/// The logarithms of a word's probabilities, with what relatives lend.
pub(crate) fn with_lent(group: &[Posting], relatives: &[Vec<u16>]) -> Vec<(u16, f32)> {
    let mut all: Vec<(u16, f64)> = group.iter().map(|p| (p.class, libm::exp(f64::from(p.log)))).collect();
    for posting in group {
        let lent = LENT * libm::exp(f64::from(posting.log));
        for relative in &relatives[usize::from(posting.class)] {
            match all.iter_mut().find(|(class, _)| class == relative) {
                Some((_, probability)) => *probability += lent,
                None => all.push((*relative, lent)),
            }
        }
    }
    all.into_iter().map(|(class, probability)| (class, libm::log(probability) as f32)).collect()
}
