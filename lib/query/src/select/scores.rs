//! The scores by which terms are ranked, from counts.

/// Returns the odds ratio P(w|c)·(1−P(w|c̄)) / (P(w|c̄)·(1−P(w|c))) of a term that `df` of `n`
/// documents of class c have, and `df_other` of `n_other` documents of the contrasting class c̄; or
/// that is so many of their tokens (see `TermProbability`).
///
/// P is df/N (Mladenić & Grobelnik 1999). A P of 0 or 1 is replaced by 1/n² or 1−1/n², n being the
/// number of documents, or tokens, in both classes, at least 2. Ranking by the ratio equals ranking
/// by its logarithm. The ratio needs only multiplication and division, whose results are the same
/// on every machine.
pub fn odds_ratio(df: u64, n: u64, df_other: u64, n_other: u64) -> f64 {
    let documents = (n + n_other).max(2) as f64;
    let min_probability = 1.0 / (documents * documents);
    let probability = |df: u64, n: u64| {
        if df == 0 || n == 0 {
            min_probability
        } else if df >= n {
            1.0 - min_probability
        } else {
            df as f64 / n as f64
        }
    };
    let p = probability(df, n);
    let q = probability(df_other, n_other);
    p * (1.0 - q) / (q * (1.0 - p))
}

/// Returns log2 of [`odds_ratio`]: OR(w) of Ghani et al. (2001).
pub fn log_odds_ratio(df: u64, n: u64, df_other: u64, n_other: u64) -> f64 {
    libm::log2(odds_ratio(df, n, df_other, n_other))
}

/// Returns tf · ln(N/df). `df_both` and `n_both` are counted over the documents of both classes.
pub fn rtfidf(tf: u64, df_both: u64, n_both: u64) -> f64 {
    tf as f64 * libm::log(n_both.max(1) as f64 / df_both.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::{log_odds_ratio, odds_ratio, rtfidf};
    use proptest::prelude::*;

    #[test]
    fn odds_ratio_agrees_with_a_manual_calculation() {
        // 3 of 4 relevant and 1 of 5 other documents: (3/4 · 4/5) / (1/5 · 1/4) = 12.
        assert!((odds_ratio(3, 4, 1, 5) - 12.0).abs() < 1e-9);
        assert!((log_odds_ratio(3, 4, 1, 5) - 12.0_f64.log2()).abs() < 1e-9);
    }

    #[test]
    fn probabilities_of_0_and_1_are_replaced() {
        // n = 9: P = 3/4, Q = 1/81.
        assert!((odds_ratio(3, 4, 0, 5) - 0.75 * (80.0 / 81.0) / (0.25 / 81.0)).abs() < 1e-9);
        // P = 1 − 1/81, Q = 1/5.
        assert!((odds_ratio(4, 4, 1, 5) - (80.0 / 81.0) * 0.8 / (0.2 / 81.0)).abs() < 1e-9);
        // A total of one document counts as two.
        assert!((odds_ratio(1, 1, 0, 0) - 0.75 * 0.75 / (0.25 * 0.25)).abs() < 1e-9);
    }

    #[test]
    fn rtfidf_agrees_with_a_manual_calculation() {
        assert!((rtfidf(6, 2, 8) - 6.0 * 4.0_f64.ln()).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_odds_ratio_grows_with_df_and_falls_with_df_other(
            n in 1_u64..40,
            m in 0_u64..40,
            a in 0_u64..39,
            b in 0_u64..39,
        ) {
            prop_assume!(a < n && b < m);
            prop_assert!(odds_ratio(a + 1, n, b, m) > odds_ratio(a, n, b, m));
            prop_assert!(odds_ratio(a, n, b + 1, m) < odds_ratio(a, n, b, m));
        }
    }
}
