//! A selected term, and the counts of a term.

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

/// The counts of a term on the two sides of a contrast.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TermCounts {
    /// Occurrences in the own classes.
    pub(crate) tf: u64,
    /// Documents of the own classes that have the term.
    pub(crate) df: u64,
    /// Occurrences in the contrasting classes.
    pub(crate) tf_other: u64,
    /// Documents of the contrasting classes that have the term.
    pub(crate) df_other: u64,
}

impl TermCounts {
    /// Returns the term with these counts and a score, without a rank.
    pub(crate) fn to_selected_term(self, term: String, score: f64) -> SelectedTerm {
        let TermCounts {
            tf, df, df_other, ..
        } = self;
        SelectedTerm {
            term,
            tf,
            df,
            df_other,
            score,
            rank: None,
        }
    }
}
