//! The classes on the two sides of a query, and the counts of a term in them.
//!
//! Inclusion terms are selected from the target class and contrasted with the other classes;
//! exclusion terms are selected from the other classes and contrasted with the target.
//! [`ClassContrast`] is one of the two. [`TermLookup`] reads the counts of a term on both sides of
//! the contrast.

use super::navigation_words::is_navigation_word;
use super::{SelectedTerm, odds_ratio};
use crate::navigation_labels::{is_learned, learns_from_labels};
use crate::statistics::{ClassCounts, Statistics, StatisticsError};
use foldhash::fast::FixedState;
use forage_state::read_count;
use rusqlite::{CachedStatement, OptionalExtension};
use std::collections::{HashMap, HashSet};

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
    tokens: u64,
    /// Number of tokens in the contrasting classes.
    tokens_other: u64,
    /// The probability of a term in the odds ratio.
    probability: TermProbability,
    /// The terms that are never selected.
    prune: PruneRules,
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
struct PruneRules {
    /// The words of navigation links that are pruned.
    navigation: NavigationRule,
    /// The classes whose common terms are pruned.
    common_in: Vec<PruningClass>,
}

/// A class whose terms are pruned if another such class has them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PruningClass {
    id: i64,
    /// The number of its documents, on which the pruned terms depend.
    documents: u64,
    /// The minimum df of a term that the class has.
    min_df: u64,
}

/// The words of navigation links that are pruned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum NavigationRule {
    /// None.
    #[default]
    Off,
    /// Those of a fixed list.
    FixedList,
    /// Those that recur over hosts in two classes.
    Learned,
}

impl ClassContrast {
    /// Returns the contrast between `target` and the classes `versus`, or all others if `None`.
    /// Classes are given by name.
    ///
    /// # Errors
    /// Fails if the statistics lack one of the classes.
    pub fn new(
        statistics: &Statistics,
        classes: &[ClassCounts],
        target: &str,
        versus: Option<&[String]>,
        side: QuerySide,
    ) -> Result<Self, StatisticsError> {
        let target = statistics.find_class(classes, target)?;
        let mut others = match versus {
            None => classes.to_vec(),
            Some(names) => names
                .iter()
                .map(|name| statistics.find_class(classes, name).cloned())
                .collect::<Result<_, _>>()?,
        };
        let mut seen = HashSet::from([target.id]);
        others.retain(|class| seen.insert(class.id));
        let documents_of_others = others.iter().map(|class| class.documents).sum();
        let tokens_of_others = others.iter().map(|class| class.tokens).sum();
        let contrast_classes = match versus {
            None => ContrastClasses::All,
            Some(_) => ContrastClasses::Classes(others.iter().map(|class| class.id).collect()),
        };
        let contrast = ClassContrast {
            target: target.id,
            versus: contrast_classes,
            side,
            own: vec![target.clone()],
            documents: target.documents,
            documents_other: documents_of_others,
            tokens: target.tokens,
            tokens_other: tokens_of_others,
            probability: TermProbability::default(),
            prune: PruneRules::default(),
        };
        Ok(match side {
            QuerySide::Include => contrast,
            QuerySide::Exclude => ClassContrast {
                own: others,
                documents: contrast.documents_other,
                documents_other: contrast.documents,
                tokens: contrast.tokens_other,
                tokens_other: contrast.tokens,
                ..contrast
            },
        })
    }

    /// Returns the same contrast with another probability of a term in the odds ratio.
    #[must_use]
    pub fn with_probability(self, probability: TermProbability) -> Self {
        ClassContrast {
            probability,
            ..self
        }
    }

    /// Returns the same contrast with pruning. Common terms are those that at least two of the
    /// initial classes have. A class without an initial document, of which only retrieved pages are
    /// known, has no word model and prunes nothing.
    ///
    /// # Errors
    /// Fails if the statistics cannot be read.
    pub fn with_pruning(
        mut self,
        prune: PruneOptions,
        statistics: &Statistics,
        classes: &[ClassCounts],
    ) -> Result<Self, StatisticsError> {
        self.prune =
            read_rules(prune, statistics, classes).map_err(|e| statistics.sqlite_error(e))?;
        Ok(self)
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
        match self.probability {
            TermProbability::Df => odds_ratio(
                counts.df,
                self.documents,
                counts.df_other,
                self.documents_other,
            ),
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

/// Returns the rules that the options require, with the classes of the statistics.
fn read_rules(
    prune: PruneOptions,
    statistics: &Statistics,
    classes: &[ClassCounts],
) -> rusqlite::Result<PruneRules> {
    let mut rules = PruneRules::default();
    if prune.navigation {
        rules.navigation = if learns_from_labels(&statistics.db)? {
            NavigationRule::Learned
        } else {
            NavigationRule::FixedList
        };
    }
    let Some(share) = prune.common else {
        return Ok(rules);
    };
    for class in classes {
        if has_initial_document(statistics, class)? {
            let min_df = (class.documents as f64 * share).ceil() as u64;
            rules.common_in.push(PruningClass {
                id: class.id,
                documents: class.documents,
                min_df: min_df.max(1),
            });
        }
    }
    Ok(rules)
}

/// Returns `true` if the first document of the class is an initial document.
fn has_initial_document(statistics: &Statistics, class: &ClassCounts) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM document WHERE class = ?1 AND n = 1 AND step = 0";
    statistics.db.prepare_cached(sql)?.exists([class.id])
}

/// A row of `term`.
#[derive(Debug, Clone)]
pub(crate) struct TermRow {
    pub(crate) id: i64,
    pub(crate) text: String,
    pub(crate) tf: u64,
    pub(crate) df: u64,
    /// True if only one class has the term.
    pub(crate) is_exclusive: bool,
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

/// The prepared statements that read terms and their counts.
pub(crate) struct TermLookup<'a> {
    by_id: CachedStatement<'a>,
    in_class: CachedStatement<'a>,
    statistics: &'a Statistics,
    contrast: &'a ClassContrast,
    /// tf and df of the terms of the target, by id, if all terms are visited.
    in_target: Option<HashMap<i64, (u64, u64), FixedState>>,
}

/// The columns of `term` that [`read_term_row`] reads.
pub(crate) const TERM_COLUMNS: &str = "id, text, tf, df, class IS NOT NULL";

/// Converts a row of [`TERM_COLUMNS`].
pub(crate) fn read_term_row(row: &rusqlite::Row) -> rusqlite::Result<TermRow> {
    Ok(TermRow {
        id: read_count(row, 0)?,
        text: row.get(1)?,
        tf: read_count(row, 2)?,
        df: read_count(row, 3)?,
        is_exclusive: row.get(4)?,
    })
}

/// Returns the count of a term in all classes but one, by its count in all of them and in that one.
///
/// # Errors
/// Fails if the count in all classes is lower, in a damaged file.
fn count_of_others(all: u64, one: u64) -> rusqlite::Result<u64> {
    all.checked_sub(one)
        .ok_or(rusqlite::Error::IntegralValueOutOfRange(0, one as i64))
}

impl<'a> TermLookup<'a> {
    pub(crate) fn prepare(
        statistics: &'a Statistics,
        contrast: &'a ClassContrast,
    ) -> rusqlite::Result<Self> {
        Ok(TermLookup {
            by_id: statistics
                .db
                .prepare_cached(&format!("SELECT {TERM_COLUMNS} FROM term WHERE id = ?1"))?,
            in_class: statistics
                .db
                .prepare_cached("SELECT tf, df FROM count WHERE class = ?1 AND term = ?2")?,
            statistics,
            contrast,
            in_target: None,
        })
    }

    /// Reads the counts of all terms of the target at once, before all terms are visited.
    pub(crate) fn read_target_counts(&mut self) -> rusqlite::Result<()> {
        let sql = "SELECT term, tf, df FROM count WHERE class = ?1";
        let read = |row: &rusqlite::Row| {
            let counts = (read_count(row, 1)?, read_count(row, 2)?);
            Ok((row.get(0)?, counts))
        };
        let mut counts = self.statistics.db.prepare_cached(sql)?;
        let counts = counts.query_map([self.contrast.target], read)?;
        self.in_target = Some(counts.collect::<rusqlite::Result<_>>()?);
        Ok(())
    }

    /// Returns the term with this id.
    pub(crate) fn term_by_id(&mut self, id: i64) -> rusqlite::Result<TermRow> {
        self.by_id.query_row([id], read_term_row)
    }

    /// Returns the term with this text; `None` if no document has it.
    pub(crate) fn term_by_text(&self, text: &str) -> rusqlite::Result<Option<TermRow>> {
        let sql = format!("SELECT {TERM_COLUMNS} FROM term WHERE text = ?1");
        self.statistics
            .db
            .prepare_cached(&sql)?
            .query_row([text], read_term_row)
            .optional()
    }

    /// Returns tf and df of a term in a class.
    fn class_counts(&mut self, class: i64, term: i64) -> rusqlite::Result<(u64, u64)> {
        if let Some(counts) = self.in_target.as_ref()
            && class == self.contrast.target
        {
            return Ok(counts.get(&term).copied().unwrap_or((0, 0)));
        }
        let counts = self
            .in_class
            .query_row([class, term], |row| {
                Ok((read_count(row, 0)?, read_count(row, 1)?))
            })
            .optional()?;
        Ok(counts.unwrap_or((0, 0)))
    }

    /// Returns `true` if the term is pruned.
    pub(crate) fn is_pruned(&mut self, term: &TermRow) -> rusqlite::Result<bool> {
        let prune = &self.contrast.prune;
        let is_navigation = match prune.navigation {
            NavigationRule::Off => false,
            NavigationRule::FixedList => is_navigation_word(&term.text),
            NavigationRule::Learned => is_learned(&self.statistics.db, &term.text)?,
        };
        if is_navigation || term.is_exclusive {
            return Ok(is_navigation);
        }
        let mut classes_with_term = 0;
        for class in &prune.common_in {
            let (_, df) = self.class_counts(class.id, term.id)?;
            classes_with_term += usize::from(df >= class.min_df);
        }
        Ok(classes_with_term > 1)
    }

    /// Returns the counts of a term on the two sides of the contrast.
    pub(crate) fn counts(&mut self, term: &TermRow) -> rusqlite::Result<TermCounts> {
        let contrast = self.contrast;
        let (target_tf, target_df) = self.class_counts(contrast.target, term.id)?;
        let (others_tf, others_df) = match &contrast.versus {
            ContrastClasses::All => (
                count_of_others(term.tf, target_tf)?,
                count_of_others(term.df, target_df)?,
            ),
            ContrastClasses::Classes(classes) => {
                let mut sum = (0, 0);
                for &class in classes {
                    let (tf, df) = self.class_counts(class, term.id)?;
                    sum = (sum.0 + tf, sum.1 + df);
                }
                sum
            }
        };
        Ok(match contrast.side {
            QuerySide::Include => TermCounts {
                tf: target_tf,
                df: target_df,
                tf_other: others_tf,
                df_other: others_df,
            },
            QuerySide::Exclude => TermCounts {
                tf: others_tf,
                df: others_df,
                tf_other: target_tf,
                df_other: target_df,
            },
        })
    }
}
