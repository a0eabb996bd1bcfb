//! Shares of a text.

use serde::Serializer;

/// Returns a share; 0 of nothing.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// Writes a share with three digits after the point.
pub(crate) fn serialize_share<S: Serializer>(
    share: &f64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((share * 1000.0).round() / 1000.0)
}

/// Writes a share with three digits after the point.
pub(crate) fn serialize_optional_share<S: Serializer>(
    share: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serialize_share(&share.unwrap_or_default(), serializer)
}

#[cfg(test)]
mod tests {
    use super::{serialize_optional_share, serialize_share, share};

    #[test]
    fn shares_have_three_digits_after_the_point() {
        let serializer = || serde_json::value::Serializer;
        let written = serialize_share(&share(1.0, 3.0), serializer()).unwrap();
        assert_eq!(written, 0.333);
        assert_eq!(share(0.0, 0.0), 0.0);
        let written = serialize_optional_share(&None, serializer()).unwrap();
        assert_eq!(written, 0.0);
    }
}
