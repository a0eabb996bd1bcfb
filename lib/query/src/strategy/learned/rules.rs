//! The update rules of CorpusBuilder's learners: how a query's success or failure moves the value
//! that it was made with (Ghani, Jones & Mladenić 2001, 2005; ALGORITHMS §1.4).
//!
//! A parameter has M values, and each rule keeps a number or two for each of them. All take the
//! place `m` of the value that was tried and what came of it. They use + − × ÷ alone, so that a
//! fold of the journal gives the same bits on every machine.

/// α of the multiplicative rule: what a success multiplies a score by. Ours; the paper does not
/// give it.
pub const RISE: f64 = 1.1;
/// β of the multiplicative rule: what a failure multiplies a score by. Ours.
pub const FALL: f64 = 0.9;
/// The least probability that the multiplicative rule leaves to a value. Ours: no value dies, so
/// each can come back.
pub const FLOOR: f64 = 1e-4;
/// What is kept of a score each step under fading memory. The paper's.
pub const FADE: f64 = 0.9;
/// What a step gives under fading memory, so that the sum stays 1. Ours.
pub const GAIN: f64 = 0.1;

/// What came of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reward {
    /// A new document that the filter called relevant.
    Success,
    /// A nonrelevant document, a twin, or no document.
    Failure,
}

/// Memoryless (`ml`): after a success that value alone; after a failure any other, each equally
/// likely.
pub fn memoryless(probability: &mut [f64], m: usize, reward: Reward) {
    let others = probability.len().max(2) - 1;
    let (tried, other) = match reward {
        Reward::Success => (1.0, 0.0),
        Reward::Failure => (0.0, 1.0 / others as f64),
    };
    probability.fill(other);
    probability[m] = tried;
}

/// Long-term memory, additive (`lta`): counts successes and failures, from 1 each. See
/// [`additive_score`].
pub fn long_term_additive(successes: &mut [f64], failures: &mut [f64], m: usize, reward: Reward) {
    match reward {
        Reward::Success => successes[m] += 1.0,
        Reward::Failure => failures[m] += 1.0,
    }
}

/// The score of a value under `lta`: pos/(pos+neg). Normalised over the values it is their
/// probability.
pub fn additive_score(successes: f64, failures: f64) -> f64 {
    successes / (successes + failures)
}

/// Long-term memory, multiplicative (`ltm`), in the manner of Winnow (Littlestone 1988): a success
/// multiplies the value's score by [`RISE`], a failure by [`FALL`].
///
/// Scores are kept normalised, which changes no proportion and keeps them from growing without end.
/// What the [`FLOOR`] lends to a value is taken from the most probable one.
pub fn long_term_multiplicative(probability: &mut [f64], m: usize, reward: Reward) {
    probability[m] *= match reward {
        Reward::Success => RISE,
        Reward::Failure => FALL,
    };
    normalise(probability);
    raise_to_floor(probability);
}

/// Fading memory (`fm`): every score fades; a success gives to the value, a failure to the others
/// in equal parts.
pub fn fading_memory(probability: &mut [f64], m: usize, reward: Reward) {
    let others = probability.len().max(2) - 1;
    let (tried, other) = match reward {
        Reward::Success => (GAIN, 0.0),
        Reward::Failure => (0.0, GAIN / others as f64),
    };
    for (j, score) in probability.iter_mut().enumerate() {
        *score = FADE * *score + if j == m { tried } else { other };
    }
    normalise(probability);
}

/// Divides by the sum; where that is 0, makes all equal.
pub fn normalise(scores: &mut [f64]) {
    let sum: f64 = scores.iter().sum();
    let equal = 1.0 / scores.len().max(1) as f64;
    for score in scores {
        *score = if sum > 0.0 { *score / sum } else { equal };
    }
}

/// e to each of these powers, divided by their sum. The highest is taken off all, so that none is
/// endless.
pub(super) fn normalised_exponentials(powers: &[f64]) -> Vec<f64> {
    let highest = powers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut exponentials: Vec<f64> = powers
        .iter()
        .map(|power| libm::exp(power - highest))
        .collect();
    normalise(&mut exponentials);
    exponentials
}

fn raise_to_floor(probability: &mut [f64]) {
    let mut lent = 0.0;
    for score in probability.iter_mut().filter(|score| **score < FLOOR) {
        lent += FLOOR - *score;
        *score = FLOOR;
    }
    // The first of equals, so that it is the same everywhere.
    let highest =
        probability.iter().enumerate().fold(
            0,
            |best, (j, &p)| if p > probability[best] { j } else { best },
        );
    probability[highest] -= lent;
}
