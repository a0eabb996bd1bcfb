//! The Gamma model of query lengths: a Gamma distribution fitted to the lengths of successful
//! queries, by the method of moments (CorpusBuilder's third length model; ALGORITHMS §1.4).
//!
//! The moments are kept as three sums of whole numbers, so that a step adds to them exactly. A
//! length l stands for the Gamma's value l + ½: so 0 is a length like any other, though the density
//! of a Gamma is zero or endless there.

use super::LENGTHS;

/// Sums over the lengths of successful queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthMoments {
    /// How many there were.
    pub count: f64,
    /// Sum of the lengths.
    pub sum: f64,
    /// Sum of their squares.
    pub squares: f64,
}

/// The moments that stand for knowing nothing: one query whose length is uniform over 0…10, hence
/// of mean 5 and mean square 35. With them the variance is never 0 after the first success. Ours.
pub const UNIFORM: LengthMoments = LengthMoments {
    count: 1.0,
    sum: 5.0,
    squares: 35.0,
};

/// The least variance: that of a number that was rounded to a whole one (Sheppard 1898). Ours; it
/// bounds how sharp the distribution can become.
const LEAST_VARIANCE: f64 = 1.0 / 12.0;

/// Adds the length of a successful query. Failures leave the moments as they are.
pub fn add(to: &mut LengthMoments, length: f64) {
    to.count += 1.0;
    to.sum += length;
    to.squares += length * length;
}

/// Shape k and scale θ of the Gamma distribution with the mean and variance of the lengths, each
/// moved up by ½: k = mean²/variance, θ = variance/mean.
pub fn shape_and_scale(moments: &LengthMoments) -> (f64, f64) {
    let mean = moments.sum / moments.count;
    let variance = (moments.squares / moments.count - mean * mean).max(LEAST_VARIANCE);
    let mean = mean + 0.5;
    (mean * mean / variance, variance / mean)
}

/// The probability of each length: proportional to the Gamma density at l + ½, x^(k−1)·e^(−x/θ).
///
/// What does not depend on the length falls out, the Gamma function among it. `libm` gives the same
/// bits everywhere.
pub fn probabilities(moments: &LengthMoments) -> Vec<f64> {
    let (shape, scale) = shape_and_scale(moments);
    let exponent = |length: usize| {
        let x = length as f64 + 0.5;
        (shape - 1.0) * libm::log(x) - x / scale
    };
    super::rules::normalised_exponentials(&(0..LENGTHS).map(exponent).collect::<Vec<_>>())
}
