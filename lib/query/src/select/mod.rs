//! Term selection: ranks or draws the k terms of one side of a query (Ghani et al. 2001;
//! `docs/algorithms.md`, "Term selection").
//!
//! A query has two sides. Inclusion terms are indicative of the target, as opposed to the other
//! classes. Exclusion terms are selected in the same way with the classes swapped.
//! [`ClassContrast`] defines the classes of either side.

mod class_contrast;
mod cooccurrence;
mod navigation_words;
mod random_draw;
mod ranking;
mod selection_spec;

pub use class_contrast::{
    ClassContrast, ContrastClasses, PruneOptions, QuerySide, TermProbability,
};
pub(crate) use class_contrast::{TermCounts, TermLookup};
pub use selection_spec::{MAX_SIDE_LENGTH, SelectionSpec};

use crate::statistics::{Statistics, StatisticsError};
use forage_text::Random;
use std::str::FromStr;

/// A method of term selection (Ghani et al. 2001; `co` is ours).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SelectionMethod {
    /// Draws uniformly from the vocabulary of the class.
    Un,
    /// Ranks by term frequency.
    Tf,
    /// Draws with probability proportional to the term frequency.
    Ptf,
    /// Ranks by tf · log(N/df).
    Rtfidf,
    /// Ranks by odds ratio.
    Or,
    /// Draws terms with a positive log odds ratio, with probability proportional to it.
    Por,
    /// As `Por`, over the half of those terms with the highest odds ratios (Jones & Ghani 2000).
    Porh,
    /// Draws terms of one document of the class, so that they co-occur.
    Co,
}

impl SelectionMethod {
    /// All methods with their names in options and records.
    pub const ALL: [(&'static str, SelectionMethod); 8] = [
        ("un", SelectionMethod::Un),
        ("tf", SelectionMethod::Tf),
        ("ptf", SelectionMethod::Ptf),
        ("rtfidf", SelectionMethod::Rtfidf),
        ("or", SelectionMethod::Or),
        ("por", SelectionMethod::Por),
        ("porh", SelectionMethod::Porh),
        ("co", SelectionMethod::Co),
    ];

    /// Returns `true` if the method selects the same terms while the statistics do not change.
    /// After a query that returns nothing new, a deterministic method needs an offset to continue.
    pub fn is_deterministic(self) -> bool {
        matches!(
            self,
            SelectionMethod::Tf | SelectionMethod::Rtfidf | SelectionMethod::Or
        )
    }

    /// Returns the name in options and records.
    pub fn name(self) -> &'static str {
        SelectionMethod::ALL
            .iter()
            .find(|(_, method)| *method == self)
            .map_or("", |(name, _)| name)
    }
}

impl FromStr for SelectionMethod {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        SelectionMethod::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, method)| *method)
            .ok_or_else(|| {
                let names: Vec<&str> = SelectionMethod::ALL.iter().map(|(name, _)| *name).collect();
                format!(
                    "no selection method `{name}`; use one of {}",
                    names.join(", ")
                )
            })
    }
}

/// A selected term with its counts and score.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedTerm {
    /// The term.
    pub term: String,
    /// Occurrences in the own classes of the contrast.
    pub tf: u64,
    /// Documents of the own classes that have the term.
    pub df: u64,
    /// Documents of the contrasting classes that have the term.
    pub df_other: u64,
    /// The score by which the method ranks or weighs terms.
    pub score: f64,
    /// Rank, from 1; `None` if the term was drawn.
    pub rank: Option<u32>,
}

/// Selects the terms of one side of a query; fewer than requested if there are no more.
///
/// The first `offset` ranks are skipped (`docs/algorithms.md`, "Query recovery"); random methods
/// ignore `offset`. Terms in `avoid` are treated as absent. Random draws depend on `random` alone.
///
/// # Errors
/// Fails if the statistics cannot be read.
pub fn select_terms(
    statistics: &Statistics,
    contrast: &ClassContrast,
    spec: SelectionSpec,
    offset: u32,
    avoid: &[SelectedTerm],
    random: &mut Random,
) -> Result<Vec<SelectedTerm>, StatisticsError> {
    if spec.length == 0 {
        return Ok(Vec::new());
    }
    let selected = match spec.method {
        SelectionMethod::Tf | SelectionMethod::Rtfidf | SelectionMethod::Or => {
            ranking::rank_terms(statistics, contrast, spec, offset, avoid)
        }
        SelectionMethod::Un
        | SelectionMethod::Ptf
        | SelectionMethod::Por
        | SelectionMethod::Porh => {
            random_draw::draw_terms(statistics, contrast, spec, avoid, random)
        }
        SelectionMethod::Co => {
            cooccurrence::draw_cooccurring_terms(statistics, contrast, spec.length, avoid, random)
        }
    };
    selected.map_err(|e| statistics.sqlite_error(e))
}

/// Returns the odds ratio P(w|c)·(1−P(w|c̄)) / (P(w|c̄)·(1−P(w|c))) of a term that `df` of `n`
/// documents of class c have, and `df_other` of `n_other` documents of the contrasting class c̄; or
/// that is so many of their tokens (see [`TermProbability`]).
///
/// P is df/N (Mladenić & Grobelnik 1999). A P of 0 or 1 is replaced by 1/n² or 1−1/n², n being the
/// number of documents, or tokens, in both classes, at least 2. Ranking by the ratio equals ranking
/// by its logarithm. The ratio needs only multiplication and division, whose results are the same on every
/// machine.
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
