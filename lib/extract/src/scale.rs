//! Scales on which the model sees counts.

/// A share; of nothing it is 0.
pub(crate) fn ratio(part: usize, whole: usize) -> f32 {
    part as f32 / whole.max(1) as f32
}

/// A count on a scale where twice as much is a step of the same length.
pub(crate) fn log(number: usize) -> f32 {
    libm::logf(1.0 + number as f32)
}
