//! Weights of the reject option, fitted by `make reject-model`.

/// Means of the features.
pub(crate) const MEANS: [f64; 7] = [-0.6531, 5.1183, 0.1088, 14.1036, 0.6663, 0.6488, 0.5853];

/// Standard deviations of the features.
pub(crate) const SCALES: [f64; 7] = [0.5322, 1.6088, 0.7601, 5.2128, 0.4162, 0.2341, 0.3923];

/// Bias for texts in a script, less the threshold.
pub(crate) const BIASES: [(&str, f64); 6] = [
    ("Latn", 3.4668),
    ("Cyrl", 1.9684),
    ("Arab", 0.9254),
    ("Deva", 2.4069),
    ("Hani", 1.0901),
    ("Jpan", 1.2789),
];

/// Bias for texts in other scripts, less the threshold.
pub(crate) const DEFAULT_BIAS: f64 = 0.4601;

/// Weights of the features.
pub(crate) const LINEAR: [f64; 7] = [1.8249, 0.4167, 1.4763, 0.2409, -0.9932, -0.0363, 0.5068];

/// Weights of the products of two features: of the first with itself and all later ones, then of
/// the second, and so on.
pub(crate) const PRODUCTS: [f64; 28] = [
    0.0023, 0.7770, -0.1471, 0.2710, 1.1656, 0.2724, -0.1359, 0.0638, -0.0970, 0.0583, -0.0395,
    0.2296, 0.0199, 0.5979, 0.1888, -0.8405, -0.1676, 0.1802, 0.2342, 0.1135, -0.2082, 0.0016,
    0.1169, 0.1910, -0.0423, -0.1904, 0.2056, -0.2273,
];
