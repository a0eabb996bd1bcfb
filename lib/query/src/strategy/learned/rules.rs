//! The update rules of CorpusBuilder's learners (Ghani, Jones & Mladenić 2001, 2005): the effect of
//! a query's success or failure on the scores of the value that it used. See `docs/algorithms.md`,
//! "Learned query parameters".
//!
//! A parameter has M values, and each rule keeps one or two scores per value. The argument `m` is
//! the index of the value that was used. The updates use only + − × ÷, so that a projection has the
//! same bits on every machine.

/// Smallest probability of a value under the multiplicative rule, so that each value can recover.
/// Not in the paper. Set by judgement, not measured.
pub const FLOOR: f64 = 1e-4;
/// Share of a score that each update keeps under fading memory, from the paper.
pub const FADE: f64 = 0.9;
/// Score that each update distributes under fading memory: 1 − [`FADE`], so that the sum stays 1.
pub const GAIN: f64 = 0.1;

/// The result of a query, as a learner sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reward {
    /// A new relevant document.
    Success,
    /// A nonrelevant document, a duplicate, or no document.
    Failure,
}

/// Memoryless (`ml`): a success gives the value probability 1; a failure gives it 0, and the others
/// equal probabilities.
pub fn update_memoryless(probability: &mut [f64], m: usize, reward: Reward) {
    let others = probability.len().max(2) - 1;
    let (used, other) = match reward {
        Reward::Success => (1.0, 0.0),
        Reward::Failure => (0.0, 1.0 / others as f64),
    };
    probability.fill(other);
    probability[m] = used;
}

/// Long-term memory, additive (`lta`): counts successes and failures, from 1 each. See
/// [`additive_score`].
pub fn update_additive(successes: &mut [f64], failures: &mut [f64], m: usize, reward: Reward) {
    match reward {
        Reward::Success => successes[m] += 1.0,
        Reward::Failure => failures[m] += 1.0,
    }
}

/// The score of a value under `lta`: pos/(pos+neg). Normalised over the values, it is their
/// probability.
pub fn additive_score(successes: f64, failures: f64) -> f64 {
    successes / (successes + failures)
}

/// Long-term memory, multiplicative (`ltm`), similar to Winnow (Littlestone 1988): a success
/// divides the score of the value by `beta`, which is less than 1, a failure multiplies it by
/// `beta`. So the score grows if more than half of the uses succeed.
///
/// Scores are kept normalised, which preserves their proportions and bounds them. The probability
/// that [`FLOOR`] adds to a value is taken from the most probable one.
pub fn update_multiplicative(probability: &mut [f64], m: usize, reward: Reward, beta: f64) {
    match reward {
        Reward::Success => probability[m] /= beta,
        Reward::Failure => probability[m] *= beta,
    }
    normalise(probability);
    raise_to_floor(probability);
}

/// Fading memory (`fm`): all scores fade; a success adds to the value, a failure adds to the others
/// in equal parts.
pub fn update_fading(probability: &mut [f64], m: usize, reward: Reward) {
    let others = probability.len().max(2) - 1;
    let (used, other) = match reward {
        Reward::Success => (GAIN, 0.0),
        Reward::Failure => (0.0, GAIN / others as f64),
    };
    for (j, score) in probability.iter_mut().enumerate() {
        *score = FADE * *score + if j == m { used } else { other };
    }
    normalise(probability);
}

/// Divides all scores by their sum; if that is 0, makes them equal, with the sum 1.
pub fn normalise(scores: &mut [f64]) {
    let sum: f64 = scores.iter().sum();
    let equal = 1.0 / scores.len().max(1) as f64;
    for score in scores {
        *score = if sum > 0.0 { *score / sum } else { equal };
    }
}

/// The softmax of the exponents: e to each of them, divided by the sum. The highest exponent is
/// subtracted from all first, so that none overflows.
pub(super) fn softmax(exponents: &[f64]) -> Vec<f64> {
    let highest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut exponentials: Vec<f64> = exponents
        .iter()
        .map(|exponent| libm::exp(exponent - highest))
        .collect();
    normalise(&mut exponentials);
    exponentials
}

fn raise_to_floor(probability: &mut [f64]) {
    let mut added = 0.0;
    for score in probability.iter_mut().filter(|score| **score < FLOOR) {
        added += FLOOR - *score;
        *score = FLOOR;
    }
    // The first of equal ones, so that the choice is the same everywhere.
    let highest =
        probability.iter().enumerate().fold(
            0,
            |best, (j, &p)| if p > probability[best] { j } else { best },
        );
    probability[highest] -= added;
}
