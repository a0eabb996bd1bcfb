//! Weights of the reject option and parameters of the scores, fitted by
//! `make -C tests/lab reject-model`.

/// Means of the features.
pub(crate) const MEANS: [f64; 8] = [
    -0.6420, 4.8130, 0.2270, 14.8866, 0.8743, 0.5807, 0.4828, -0.1599,
];

/// Standard deviations of the features.
pub(crate) const SCALES: [f64; 8] = [
    0.5546, 1.3886, 0.8146, 4.2195, 0.4083, 0.2292, 0.3783, 0.0951,
];

/// Bias for texts in a script, less the threshold.
pub(crate) const BIASES: [(&str, f64); 6] = [
    ("Latn", 6.6141),
    ("Cyrl", 3.2187),
    ("Arab", 2.4822),
    ("Deva", 2.5229),
    ("Hani", 2.9995),
    ("Jpan", 2.1737),
];

/// Bias for texts in other scripts, less the threshold.
pub(crate) const DEFAULT_BIAS: f64 = 1.2341;

/// Weights of the features.
pub(crate) const LINEAR: [f64; 8] = [
    3.6723, 1.2862, 1.8009, 0.3403, -0.7031, 0.0074, 1.3876, 0.5295,
];

/// Weights of the products of two features: of the first with itself and all later ones, then of
/// the second, and so on.
pub(crate) const PRODUCTS: [f64; 36] = [
    -0.5848, 0.6352, 1.2280, 0.4464, 0.4334, 0.6276, -0.2898, 0.7317, -0.4857, -0.4404, -0.0591,
    -0.0079, 0.7025, -0.1066, 0.4478, 0.1407, 0.5240, -0.3699, -0.5605, 0.0939, -0.7283, -0.3269,
    -0.2118, -0.4391, -0.1005, -0.1658, 0.1242, 0.5347, 0.3148, 0.1883, -0.2553, 0.2962, -0.0330,
    -0.2760, 0.1562, 0.1523,
];

/// What is added to the log odds of some languages, whose texts vary more than their samples.
pub(crate) const BONUSES: [(&str, f64); 60] = [
    ("aar", 2.87),
    ("abs", 1.31),
    ("ady", 0.39),
    ("aka", 1.87),
    ("awa", 1.73),
    ("bam", 1.14),
    ("bar", 1.30),
    ("bem", 2.13),
    ("bjn", 2.52),
    ("bos", 0.62),
    ("bug", 0.89),
    ("chk", 1.35),
    ("chv", 2.68),
    ("dag", 0.15),
    ("fon", 2.36),
    ("ful", 0.10),
    ("gaa", 0.27),
    ("gld", 0.22),
    ("gsw", 1.57),
    ("gub", 0.87),
    ("gur", 3.96),
    ("hus", 1.29),
    ("ido", 0.43),
    ("kal", 0.59),
    ("kas", 3.02),
    ("kau", 0.63),
    ("kea", 2.49),
    ("kon", 1.78),
    ("krl", 0.96),
    ("kwi", 2.63),
    ("lim", 0.87),
    ("lld", 2.30),
    ("lmo", 0.61),
    ("ltg", 2.17),
    ("lua", 0.98),
    ("luc", 2.51),
    ("luo", 1.94),
    ("mak", 0.70),
    ("maz", 0.84),
    ("mdf", 1.56),
    ("myx", 0.45),
    ("nds", 0.34),
    ("nep", 1.11),
    ("nya", 1.22),
    ("oci", 0.74),
    ("olo", 0.78),
    ("pam", 0.44),
    ("pau", 0.64),
    ("pms", 0.01),
    ("rej", 0.81),
    ("rom", 2.57),
    ("san", 0.57),
    ("scn", 0.35),
    ("shp", 0.18),
    ("snd", 0.67),
    ("tet", 1.59),
    ("tmh", 4.34),
    ("tuk", 1.62),
    ("wol", 0.36),
    ("xog", 0.20),
];

/// Parameters of the scale of the evidence, in nats, in the scores: factor, and exponent of the
/// number of words.
pub(crate) const SCORE_SCALE: (f64, f64) = (1.8, 0.6);

/// Sum of the scores of the best languages. The rest accounts for texts that are not in the
/// language of their label.
pub(crate) const MAX_SCORE: f64 = 0.98;
