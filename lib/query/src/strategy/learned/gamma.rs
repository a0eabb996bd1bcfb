//! The Gamma model of query lengths: a Gamma distribution fitted to the lengths of successful
//! queries by the method of moments. CorpusBuilder's third length model; see `docs/algorithms.md`,
//! "Learned query parameters".
//!
//! The moments are kept as three sums. They follow the memory of the learner: with long-term memory
//! they are sums over all successes, with fading memory earlier successes fade, and without memory
//! they are those of the last query. A length l is mapped
//! to the value l + ½ of the Gamma variable, because its density is zero or infinite at 0.

use super::LENGTHS;
use super::rules::{FADE, GAIN, Reward};
use super::spec::UpdateRule;

/// Sums over the lengths of successful queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthMoments {
    /// The number of lengths.
    pub count: f64,
    /// The sum of the lengths.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

/// The moments before any success: one query whose length is uniform over 0…10, so of mean 5 and
/// mean square 35. They keep the variance above 0 after the first success. Not in the paper.
pub const UNIFORM: LengthMoments = LengthMoments {
    count: 1.0,
    sum: 5.0,
    squares: 35.0,
};

/// Lower bound of the variance: that of the error of rounding to an integer (Sheppard 1898). It
/// bounds the sharpness of the distribution. Not in the paper.
const MIN_VARIANCE: f64 = 1.0 / 12.0;

/// Updates the moments by the result of a query of this length.
///
/// * Long-term memory: a success is added; a failure changes nothing.
/// * Fading memory: all sums fade by [`FADE`]. A success adds [`GAIN`] times its length; a failure
///   adds as much of [`UNIFORM`], as the multinomial model divides it among the other lengths.
/// * Memoryless: a success is the only one that counts; after a failure the lengths are
///   [`UNIFORM`].
///
/// The paper has the Gamma model, but does not say how it fades.
pub fn update(moments: &mut LengthMoments, rule: UpdateRule, length: f64, reward: Reward) {
    let used = LengthMoments {
        count: 1.0,
        sum: length,
        squares: length * length,
    };
    match (rule, reward) {
        (UpdateRule::Memoryless, Reward::Success) => *moments = used,
        (UpdateRule::Memoryless, Reward::Failure) => *moments = UNIFORM,
        (UpdateRule::FadingMemory, Reward::Success) => moments.fade_and_add(used),
        (UpdateRule::FadingMemory, Reward::Failure) => moments.fade_and_add(UNIFORM),
        (_, Reward::Success) => {
            moments.count += used.count;
            moments.sum += used.sum;
            moments.squares += used.squares;
        }
        (_, Reward::Failure) => {}
    }
}

impl LengthMoments {
    fn fade_and_add(&mut self, other: LengthMoments) {
        self.count = FADE * self.count + GAIN * other.count;
        self.sum = FADE * self.sum + GAIN * other.sum;
        self.squares = FADE * self.squares + GAIN * other.squares;
    }
}

/// Shape k and scale θ of the Gamma distribution with the mean and variance of the lengths, the
/// mean moved up by ½: k = mean²/variance, θ = variance/mean.
pub fn shape_and_scale(moments: &LengthMoments) -> (f64, f64) {
    let mean = moments.sum / moments.count;
    let variance = (moments.squares / moments.count - mean * mean).max(MIN_VARIANCE);
    let mean = mean + 0.5;
    (mean * mean / variance, variance / mean)
}

/// The probability of each length: proportional to the Gamma density at l + ½, x^(k−1)·e^(−x/θ).
///
/// Factors that do not depend on the length cancel, the Gamma function among them. `libm` gives the
/// same bits on every machine.
pub fn length_probabilities(moments: &LengthMoments) -> Vec<f64> {
    let (shape, scale) = shape_and_scale(moments);
    let exponents: Vec<f64> = (0..LENGTHS)
        .map(|length| {
            let x = length as f64 + 0.5;
            (shape - 1.0) * libm::log(x) - x / scale
        })
        .collect();
    super::rules::softmax(&exponents)
}
