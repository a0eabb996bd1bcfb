//! Weights of the verdict, as `make verdict` fitted them.

use crate::evidence::verdict::FEATURES;

/// Means of the features.
pub(crate) const MEANS: [f64; FEATURES] = [-0.6515, 5.2320, 0.1195, 14.7012, 0.6668, 0.6721, 0.6049];

/// Their standard deviations.
pub(crate) const SCALES: [f64; FEATURES] = [0.5422, 1.6293, 0.7570, 5.1961, 0.4288, 0.2253, 0.3932];

/// What is added for texts in a script; the threshold is in it.
pub(crate) const BIASES: [(&str, f64); 6] =
    [("Latn", 3.3589), ("Cyrl", 1.9024), ("Arab", 0.7027), ("Deva", 2.8195), ("Hani", 1.6595), ("Jpan", 2.1542)];

/// The same for other scripts.
pub(crate) const BIAS: f64 = 0.5044;

/// The weight of each feature.
pub(crate) const LINEAR: [f64; FEATURES] = [2.0616, 0.5118, 1.4518, 0.5822, -1.0328, 0.1691, 0.6482];

/// Those of the products: of the first with itself and all behind it, then of the second, and so on.
pub(crate) const PRODUCTS: [f64; FEATURES * (FEATURES + 1) / 2] = [
    0.1593, 0.6250, -0.7334, 0.3613, 1.5016, 0.5609, 0.1876, 0.0960, -0.0209, -0.0226, -0.0009, 0.3229, -0.0325,
    1.0153, 0.0643, -1.1952, -0.5745, -0.0511, 0.1714, 0.0730, -0.5240, -0.1096, 0.1246, 0.2835, 0.0080, -0.1847,
    0.1009, -0.1606,
];
