//! Term selection: which k terms of one side go into a query (CorpusBuilder; ALGORITHMS §1.3).
//!
//! A query has two sides. Inclusion terms speak for the target and against the other classes;
//! exclusion terms are selected in the same way with the classes swapped. [`ClassContrast`] reads the
//! counts of a term for either.

mod co;
mod draw;
mod navigation;
mod rank;
mod side;
mod sides;

pub use side::{MAX_SIDE_LENGTH, SelectionSpec};
pub use sides::{ClassContrast, ContrastClasses, PruneOptions, QuerySide};
pub(crate) use sides::{TermCounts, TermLookup};

use crate::statistics::{Statistics, StatisticsError};
use forage_text::Random;
use std::str::FromStr;

/// How terms are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SelectionMethod {
    /// Uniformly at random from the vocabulary.
    Un,
    /// The highest term frequencies.
    Tf,
    /// At random, with probability proportional to the term frequency.
    Ptf,
    /// The highest tf · log(N/df).
    Rtfidf,
    /// The highest odds ratios.
    Or,
    /// At random, with probability proportional to the odds ratio, where it is positive.
    Por,
    /// At random from one document of the class, so that all terms occur together in it.
    Co,
}

impl SelectionMethod {
    /// All methods, with their flags.
    pub const ALL: [(&'static str, SelectionMethod); 7] = [
        ("un", SelectionMethod::Un),
        ("tf", SelectionMethod::Tf),
        ("ptf", SelectionMethod::Ptf),
        ("rtfidf", SelectionMethod::Rtfidf),
        ("or", SelectionMethod::Or),
        ("por", SelectionMethod::Por),
        ("co", SelectionMethod::Co),
    ];

    /// Whether it selects the same terms as long as the statistics stay, so that a query that
    /// brings nothing more must be moved on from by an offset.
    pub fn is_deterministic(self) -> bool {
        matches!(
            self,
            SelectionMethod::Tf | SelectionMethod::Rtfidf | SelectionMethod::Or
        )
    }

    /// Its flag.
    pub fn name(self) -> &'static str {
        SelectionMethod::ALL
            .iter()
            .find(|(_, method)| *method == self)
            .map_or("", |(flag, _)| flag)
    }
}

impl FromStr for SelectionMethod {
    type Err = String;

    fn from_str(flag: &str) -> Result<Self, String> {
        let found = SelectionMethod::ALL
            .iter()
            .find(|(known, _)| *known == flag);
        found.map(|(_, method)| *method).ok_or_else(|| {
            let known: Vec<&str> = SelectionMethod::ALL
                .iter()
                .map(|(known, _)| *known)
                .collect();
            format!(
                "no selection method `{flag}`; there are {}",
                known.join(", ")
            )
        })
    }
}

/// A selected term, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedTerm {
    /// The term.
    pub term: String,
    /// Its occurrences in the side's own classes.
    pub tf: u64,
    /// Documents of the side's own classes that have it.
    pub df: u64,
    /// Documents of the other side that have it.
    pub df_other: u64,
    /// What the method ranks or weighs by.
    pub score: f64,
    /// Its rank, from 1; absent where terms are drawn.
    pub rank: Option<u32>,
}

/// Selects the terms of one side; fewer than asked for where there are no more.
///
/// So many ranks as `offset` says are skipped, the recovery's `i`; without effect where terms are
/// drawn. Terms in `avoid` are passed over as if they were not there. What is drawn depends on
/// `random` alone.
///
/// # Errors
/// When the statistics can't be read.
pub fn select_terms(
    from: &Statistics,
    sides: &ClassContrast,
    side: SelectionSpec,
    offset: u32,
    avoid: &[SelectedTerm],
    random: &mut Random,
) -> Result<Vec<SelectedTerm>, StatisticsError> {
    if side.length == 0 {
        return Ok(Vec::new());
    }
    let selected = match side.method {
        SelectionMethod::Tf | SelectionMethod::Rtfidf | SelectionMethod::Or => {
            rank::top(from, sides, side, offset, avoid)
        }
        SelectionMethod::Un | SelectionMethod::Ptf | SelectionMethod::Por => {
            draw::some(from, sides, side, avoid, random)
        }
        SelectionMethod::Co => co::together(from, sides, side.length, avoid, random),
    };
    selected.map_err(|e| from.sqlite_error(e))
}

/// The odds ratio as a ratio: P(w|c)·(1−P(w|c̄)) / (P(w|c̄)·(1−P(w|c))), of a term that `df` of `n`
/// documents and `df_other` of `n_other` have.
///
/// P is df/N (Mladenić & Grobelnik 1999). Where it is 0 or 1 it is 1/n² or 1−1/n², n being the
/// number of documents in both classes, at least 2. Ranking by the ratio is ranking by its
/// logarithm, and the ratio takes no more than multiplications and divisions, which are the same on
/// every machine.
pub fn odds_ratio(df: u64, n: u64, df_other: u64, n_other: u64) -> f64 {
    let both = (n + n_other).max(2) as f64;
    let least = 1.0 / (both * both);
    let share = |df: u64, n: u64| {
        if df == 0 || n == 0 {
            least
        } else if df >= n {
            1.0 - least
        } else {
            df as f64 / n as f64
        }
    };
    let (p, q) = (share(df, n), share(df_other, n_other));
    p * (1.0 - q) / (q * (1.0 - p))
}

/// log2 of [`odds`]: OR(w) of the paper.
pub fn log_odds_ratio(df: u64, n: u64, df_other: u64, n_other: u64) -> f64 {
    libm::log2(odds_ratio(df, n, df_other, n_other))
}

/// tf · ln(N/df), N and df over all documents of both classes.
pub fn rtfidf(tf: u64, df_both: u64, n_both: u64) -> f64 {
    tf as f64 * libm::log(n_both.max(1) as f64 / df_both.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::{log_odds_ratio, odds_ratio, rtfidf};
    use proptest::prelude::*;

    #[test]
    fn odds_ratio_by_hand() {
        // 3 of 4 relevant and 1 of 5 other documents: (3/4 · 4/5) / (1/5 · 1/4) = 12.
        assert!((odds_ratio(3, 4, 1, 5) - 12.0).abs() < 1e-9);
        assert!((log_odds_ratio(3, 4, 1, 5) - 12.0_f64.log2()).abs() < 1e-9);
    }

    #[test]
    fn shares_of_nothing_and_of_all_are_replaced() {
        // n = 9: P = 3/4, Q = 1/81.
        assert!((odds_ratio(3, 4, 0, 5) - 0.75 * (80.0 / 81.0) / (0.25 / 81.0)).abs() < 1e-9);
        // P = 1 − 1/81, Q = 1/5.
        assert!((odds_ratio(4, 4, 1, 5) - (80.0 / 81.0) * 0.8 / (0.2 / 81.0)).abs() < 1e-9);
        // One document in all counts as two.
        assert!((odds_ratio(1, 1, 0, 0) - 0.75 * 0.75 / (0.25 * 0.25)).abs() < 1e-9);
    }

    #[test]
    fn rtfidf_by_hand() {
        assert!((rtfidf(6, 2, 8) - 6.0 * 4.0_f64.ln()).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_odds_grow_with_df_and_fall_with_df_other(n in 1_u64..40, m in 0_u64..40, a in 0_u64..39, b in 0_u64..39) {
            prop_assume!(a < n && b < m);
            prop_assert!(odds_ratio(a + 1, n, b, m) > odds_ratio(a, n, b, m));
            prop_assert!(odds_ratio(a, n, b + 1, m) < odds_ratio(a, n, b, m));
        }
    }
}
