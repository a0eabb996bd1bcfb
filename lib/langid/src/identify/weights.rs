//! Weights of the reject option and parameters of the scores, fitted by `make reject-model`.

/// Means of the features.
pub(crate) const MEANS: [f64; 7] = [-0.8529, 5.1072, -0.0935, 14.4241, 0.6987, 0.5843, 0.5206];

/// Standard deviations of the features.
pub(crate) const SCALES: [f64; 7] = [0.6795, 1.4660, 0.9573, 4.2656, 0.4877, 0.2255, 0.3912];

/// Bias for texts in a script, less the threshold.
pub(crate) const BIASES: [(&str, f64); 6] = [
    ("Latn", 6.0672),
    ("Cyrl", 2.3579),
    ("Arab", 1.3193),
    ("Deva", 1.8671),
    ("Hani", 2.1658),
    ("Jpan", 1.8084),
];

/// Bias for texts in other scripts, less the threshold.
pub(crate) const DEFAULT_BIAS: f64 = 0.3435;

/// Weights of the features.
pub(crate) const LINEAR: [f64; 7] = [3.3680, 1.0968, 2.6643, 0.2327, -1.2327, -0.1972, 0.9626];

/// Weights of the products of two features: of the first with itself and all later ones, then of
/// the second, and so on.
pub(crate) const PRODUCTS: [f64; 28] = [
    -0.2390, 1.4328, 0.9889, 0.8008, 1.2274, 0.1077, 0.2224, -0.4327, -1.2098, -0.0672, 0.1832,
    0.3438, -0.1569, 0.1044, 0.3449, -1.0602, 0.1107, -0.7313, -0.1639, -0.1939, -0.3118, 0.0579,
    -0.2778, -0.0418, 0.0194, -0.2956, 0.0921, -0.1691,
];

/// Parameters of the scale of the evidence, in nats, in the scores: factor, and exponent of the
/// number of words.
pub(crate) const SCORE_SCALE: (f64, f64) = (1.2, 0.6);

/// Sum of the scores of the best languages. The rest accounts for texts that are not in the
/// language of their label.
pub(crate) const MAX_SCORE: f64 = 0.995;
