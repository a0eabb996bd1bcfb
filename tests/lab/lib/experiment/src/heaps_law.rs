//! Heaps' law: the growth of the vocabulary of a corpus with its size.

use serde::Serialize;

/// The parameters of Heaps' law (1978): a corpus of n tokens has K · n^β distinct words.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HeapsLaw {
    /// K.
    pub k: f64,
    /// The exponent β, 0.4 to 0.6 for most languages.
    pub beta: f64,
}

/// Fits Heaps' law to points (tokens, distinct words) by least squares of their logarithms. The
/// parameters are rounded to four decimals. Returns `None` for fewer than two distinct sizes.
pub fn fit_heaps_law(points: &[(u64, u64)]) -> Option<HeapsLaw> {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|(tokens, words)| *tokens > 0 && *words > 0)
        .map(|(tokens, words)| (libm::log(*tokens as f64), libm::log(*words as f64)))
        .collect();
    let n = logs.len() as f64;
    let mean_x = logs.iter().map(|log| log.0).sum::<f64>() / n;
    let mean_y = logs.iter().map(|log| log.1).sum::<f64>() / n;
    let variance_sum: f64 = logs
        .iter()
        .map(|log| (log.0 - mean_x) * (log.0 - mean_x))
        .sum();
    if logs.len() < 2 || variance_sum <= 0.0 {
        return None;
    }
    let covariance_sum: f64 = logs
        .iter()
        .map(|log| (log.0 - mean_x) * (log.1 - mean_y))
        .sum();
    let beta = covariance_sum / variance_sum;
    let round = |number: f64| (number * 1e4).round() / 1e4;
    Some(HeapsLaw {
        k: round(libm::exp(mean_y - beta * mean_x)),
        beta: round(beta),
    })
}

#[cfg(test)]
mod tests {
    use super::fit_heaps_law;

    #[test]
    fn the_parameters_are_recovered_from_points_of_the_law() {
        let points: Vec<(u64, u64)> = (1..20)
            .map(|i| {
                (
                    i * 10_000,
                    (20.0 * ((i * 10_000) as f64).powf(0.5)).round() as u64,
                )
            })
            .collect();
        let law = fit_heaps_law(&points).unwrap();
        assert!(
            (law.beta - 0.5).abs() < 0.001 && (law.k - 20.0).abs() < 0.2,
            "{law:?}"
        );
        assert_eq!(fit_heaps_law(&points[..1]), None);
        assert_eq!(fit_heaps_law(&[(0, 0), (5, 3)]), None);
    }
}
