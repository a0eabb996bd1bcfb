//! The classes on the two sides of a query.
//!
//! Inclusion terms are selected from the target class and contrasted with the other classes;
//! exclusion terms are selected from the other classes and contrasted with the target.
//! [`ClassContrast`] is one of the two. `term_lookup` reads it, and the counts of terms on its two
//! sides, from the statistics.

use super::{TermCounts, odds_ratio};
use crate::class_counts::ClassCounts;

/// The classes that the target is contrasted with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContrastClasses {
    /// All other classes.
    All,
    /// The classes with these ids.
    Classes(Vec<i64>),
}

/// A side of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuerySide {
    /// Inclusion terms: terms of the target, contrasted with the other classes.
    Include,
    /// Exclusion terms: terms of the other classes, contrasted with the target.
    Exclude,
}

/// The probability P(w|c) of a term w in a class c, as the odds ratio uses it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TermProbability {
    /// The share of the documents of the class that have the term: df/N (Mladenić & Grobelnik
    /// 1999).
    #[default]
    Df,
    /// The share of the term in the tokens of the class: tf/Σtf (Jones & Ghani 2000).
    Tf,
}

/// The classes that the terms of one side of a query are selected from, and their contrast.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassContrast {
    /// Id of the target class.
    pub(crate) target: i64,
    pub(crate) versus: ContrastClasses,
    pub(crate) side: QuerySide,
    /// The classes that terms are selected from.
    pub(crate) own: Vec<ClassCounts>,
    /// Number of documents in `own`, N_c.
    pub(crate) documents: u64,
    /// Number of documents in the contrasting classes.
    pub(crate) documents_other: u64,
    /// Number of tokens in `own`.
    pub(super) tokens: u64,
    /// Number of tokens in the contrasting classes.
    pub(super) tokens_other: u64,
    /// The probability of a term in the odds ratio.
    pub(super) probability: TermProbability,
    /// The terms that are never selected.
    pub(super) prune: PruneRules,
}

/// The kinds of terms that are pruned from the word models, so that queries do not have them
/// (Dimalen & Roxas 2007, section 4; `docs/algorithms.md`, "Common-word pruning").
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PruneOptions {
    /// Terms that at least two of the initial classes of the run have: each in at least this share
    /// of its documents, and in one at least. `None` for no such pruning.
    pub common: Option<f64>,
    /// Words of navigation links: those that recur over hosts in at least two classes; if no page
    /// has links, a fixed list of English words.
    pub navigation: bool,
}

/// The rules by which terms are pruned.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PruneRules {
    /// The words of navigation links that are pruned.
    pub navigation: NavigationRule,
    /// The classes whose common terms are pruned.
    pub common_in: Vec<PruningClass>,
}

/// A class whose terms are pruned if another such class has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PruningClass {
    pub id: i64,
    /// The number of its documents, on which the pruned terms depend.
    pub documents: u64,
    /// The minimum df of a term that the class has.
    pub min_df: u64,
}

/// The words of navigation links that are pruned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum NavigationRule {
    /// None.
    #[default]
    Off,
    /// Those of a fixed list.
    FixedList,
    /// Those that recur over hosts in two classes.
    Learned,
}

impl ClassContrast {
    /// Returns the same contrast with another probability of a term in the odds ratio.
    #[must_use]
    pub fn with_probability(self, probability: TermProbability) -> Self {
        ClassContrast {
            probability,
            ..self
        }
    }

    /// Returns `true` if pruned terms depend on the links of documents, of which this has no
    /// number.
    pub(crate) fn depends_on_links(&self) -> bool {
        self.prune.navigation == NavigationRule::Learned
    }

    /// Returns `true` if terms are selected from the target and contrasted with all other classes.
    pub(crate) fn is_target_against_all(&self) -> bool {
        self.side == QuerySide::Include && self.versus == ContrastClasses::All
    }

    /// Returns `true` if terms are selected from all other classes, that is, from any row of
    /// `term`, and contrasted with the target.
    pub(crate) fn is_all_against_target(&self) -> bool {
        self.side == QuerySide::Exclude && self.versus == ContrastClasses::All
    }

    /// Returns the odds ratio of a term with these counts.
    pub(crate) fn odds_ratio(&self, counts: TermCounts) -> f64 {
        let (n, n_other) = (self.documents, self.documents_other);
        match self.probability {
            TermProbability::Df => odds_ratio(counts.df, n, counts.df_other, n_other),
            TermProbability::Tf => {
                odds_ratio(counts.tf, self.tokens, counts.tf_other, self.tokens_other)
            }
        }
    }

    /// Returns log2 of [`ClassContrast::odds_ratio`].
    pub(crate) fn log_odds_ratio(&self, counts: TermCounts) -> f64 {
        libm::log2(self.odds_ratio(counts))
    }

    /// Returns the counts of a term that has the highest odds ratio: only the own classes have it,
    /// and all of their documents, or tokens.
    pub(crate) fn max_counts(&self) -> TermCounts {
        TermCounts {
            tf: self.tokens,
            df: self.documents,
            tf_other: 0,
            df_other: 0,
        }
    }
}
