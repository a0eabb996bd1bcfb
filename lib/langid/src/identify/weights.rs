//! Weights of the reject option and parameters of the scores, fitted by `make reject-model`.

/// Means of the features.
pub(crate) const MEANS: [f64; 7] = [-0.8529, 5.1072, -0.0935, 14.4241, 0.6987, 0.5843, 0.5206];

/// Standard deviations of the features.
pub(crate) const SCALES: [f64; 7] = [0.6795, 1.4660, 0.9573, 4.2656, 0.4877, 0.2255, 0.3912];

/// Bias for texts in a script, less the threshold.
pub(crate) const BIASES: [(&str, f64); 6] = [
    ("Latn", 6.1782),
    ("Cyrl", 2.4406),
    ("Arab", 1.4596),
    ("Deva", 2.1576),
    ("Hani", 2.7725),
    ("Jpan", 2.1520),
];

/// Bias for texts in other scripts, less the threshold.
pub(crate) const DEFAULT_BIAS: f64 = 0.7727;

/// Weights of the features.
pub(crate) const LINEAR: [f64; 7] = [3.4452, 1.0320, 2.4725, 0.5605, -1.2940, -0.1717, 0.9301];

/// Weights of the products of two features: of the first with itself and all later ones, then of
/// the second, and so on.
pub(crate) const PRODUCTS: [f64; 28] = [
    -0.2087, 1.4499, 0.9167, 0.7887, 1.3433, 0.1366, 0.1818, -0.4490, -1.2108, -0.1032, 0.1801,
    0.3288, -0.2086, 0.1905, 0.3039, -1.1836, 0.0063, -0.7921, -0.2676, -0.1748, -0.3245, 0.0489,
    -0.2199, 0.0197, 0.0895, -0.2911, 0.1136, -0.1360,
];

/// Parameters of the scale of the evidence, in nats, in the scores: factor, and exponent of the
/// number of words.
pub(crate) const SCORE_SCALE: (f64, f64) = (1.2, 0.6);

/// Sum of the scores of the best languages. The rest accounts for texts that are not in the
/// language of their label.
pub(crate) const MAX_SCORE: f64 = 0.99;
