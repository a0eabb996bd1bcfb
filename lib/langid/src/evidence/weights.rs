//! Weights of the verdict, as `make verdict` fitted them.

use crate::evidence::verdict::FEATURES;

/// Means of the features.
pub(crate) const MEANS: [f64; FEATURES] = [-0.6455, 5.2320, 0.1060, 14.7160, 0.6666, 0.6721, 0.6054];

/// Their standard deviations.
pub(crate) const SCALES: [f64; FEATURES] = [0.5352, 1.6293, 0.7611, 5.1975, 0.4296, 0.2253, 0.3930];

/// What is added for texts in a script; the threshold is in it.
pub(crate) const BIASES: [(&str, f64); 6] =
    [("Latn", 3.3435), ("Cyrl", 1.9430), ("Arab", 0.8023), ("Deva", 2.8847), ("Hani", 1.9157), ("Jpan", 2.3393)];

/// The same for other scripts.
pub(crate) const BIAS: f64 = 0.7251;

/// The weight of each feature.
pub(crate) const LINEAR: [f64; FEATURES] = [2.0130, 0.5110, 1.4512, 0.5739, -1.0116, 0.1700, 0.6581];

/// Those of the products: of the first with itself and all behind it, then of the second, and so on.
pub(crate) const PRODUCTS: [f64; FEATURES * (FEATURES + 1) / 2] = [
    0.2070, 0.6526, -0.7643, 0.3401, 1.4553, 0.5832, 0.1762, 0.0869, -0.0482, -0.0437, -0.0178, 0.2954, -0.0254,
    0.9656, 0.0845, -1.1995, -0.6072, -0.0204, 0.1675, 0.0597, -0.5263, -0.0995, 0.1372, 0.2946, 0.0081, -0.1863,
    0.0919, -0.1521,
];
