//! The scales of features that are counts or sizes.

use std::sync::LazyLock;

/// Returns the share of `part` in `whole`, or 0 if both are 0.
pub(crate) fn ratio(part: usize, whole: usize) -> f32 {
    part as f32 / whole.max(1) as f32
}

/// Returns the natural logarithm of `count` + 1.
pub(crate) fn log_scale(count: usize) -> f32 {
    let known = LOGARITHMS.get(count).copied();
    known.unwrap_or_else(|| libm::logf(1.0 + count as f32))
}

/// The logarithms of the first counts, which are most.
static LOGARITHMS: LazyLock<[f32; 1024]> =
    LazyLock::new(|| std::array::from_fn(|count| libm::logf(1.0 + count as f32)));

/// Returns a truth value as a feature, 0 or 1.
pub(crate) fn flag(value: bool) -> f32 {
    if value { 1.0 } else { 0.0 }
}
