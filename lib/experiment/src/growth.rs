//! The growth of a corpus's vocabulary with its size (Heaps' law).

use serde::Serialize;

/// Heaps' law (1978): a corpus of n tokens has K · n^β different words.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Heaps {
    /// K.
    pub k: f64,
    /// β: what share of new tokens is new words, in the long run; 0.4 to 0.6 in most languages.
    pub beta: f64,
}

/// Fits Heaps' law to points of (tokens, different words), by least squares over their logarithms,
/// to four digits; `None` for fewer than two sizes.
pub fn heaps(points: &[(u64, u64)]) -> Option<Heaps> {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|(tokens, words)| *tokens > 0 && *words > 0)
        .map(|(tokens, words)| (libm::log(*tokens as f64), libm::log(*words as f64)))
        .collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let spread: f64 = logs.iter().map(|log| (log.0 - x) * (log.0 - x)).sum();
    if logs.len() < 2 || spread <= 0.0 {
        return None;
    }
    let beta = logs
        .iter()
        .map(|log| (log.0 - x) * (log.1 - y))
        .sum::<f64>()
        / spread;
    let round = |number: f64| (number * 1e4).round() / 1e4;
    Some(Heaps {
        k: round(libm::exp(y - beta * x)),
        beta: round(beta),
    })
}

#[cfg(test)]
mod tests {
    use super::heaps;

    #[test]
    fn a_law_is_found_again_in_its_points() {
        let points: Vec<(u64, u64)> = (1..20)
            .map(|i| {
                (
                    i * 10_000,
                    (20.0 * ((i * 10_000) as f64).powf(0.5)).round() as u64,
                )
            })
            .collect();
        let law = heaps(&points).unwrap();
        assert!(
            (law.beta - 0.5).abs() < 0.001 && (law.k - 20.0).abs() < 0.2,
            "{law:?}"
        );
        assert_eq!(heaps(&points[..1]), None);
        assert_eq!(heaps(&[(0, 0), (5, 3)]), None);
    }
}
