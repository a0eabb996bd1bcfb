//! Reads contrasts, and the counts of terms on their two sides, from the statistics.

use super::class_contrast::{
    ClassContrast, ContrastClasses, NavigationRule, PruneOptions, PruneRules, PruningClass,
    QuerySide, TermProbability,
};
use super::navigation_words::is_navigation_word;
use super::selected_term::TermCounts;
use crate::class_counts::ClassCounts;
use crate::navigation_labels::{is_learned, learns_from_labels};
use crate::statistics::{Result, Statistics};
use foldhash::fast::FixedState;
use forage_state::read_count;
use rusqlite::{CachedStatement, OptionalExtension, Row};
use std::collections::{HashMap, HashSet};

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
    ) -> Result<Self> {
        let target = statistics.find_class(classes, target)?;
        let find = |name: &String| statistics.find_class(classes, name).cloned();
        let mut others = match versus {
            None => classes.to_vec(),
            Some(names) => names.iter().map(find).collect::<Result<_>>()?,
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
    ) -> Result<Self> {
        self.prune = read_rules(prune, statistics, classes)?;
        Ok(self)
    }
}

/// Returns the rules that the options require, with the classes of the statistics.
fn read_rules(
    prune: PruneOptions,
    statistics: &Statistics,
    classes: &[ClassCounts],
) -> Result<PruneRules> {
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
fn has_initial_document(statistics: &Statistics, class: &ClassCounts) -> Result<bool> {
    let sql = "SELECT 1 FROM document WHERE class = ?1 AND n = 1 AND step = 0";
    Ok(statistics.db.has_row(sql, [class.id])?)
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
pub(crate) fn read_term_row(row: &Row) -> rusqlite::Result<TermRow> {
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
fn count_of_others(all: u64, one: u64) -> Result<u64> {
    let error = || rusqlite::Error::IntegralValueOutOfRange(0, one as i64);
    Ok(all.checked_sub(one).ok_or_else(error)?)
}

impl<'a> TermLookup<'a> {
    pub(crate) fn prepare(statistics: &'a Statistics, contrast: &'a ClassContrast) -> Result<Self> {
        let by_id = format!("SELECT {TERM_COLUMNS} FROM term WHERE id = ?1");
        let in_class = "SELECT tf, df FROM count WHERE class = ?1 AND term = ?2";
        Ok(TermLookup {
            by_id: statistics.db.prepare_cached(&by_id)?,
            in_class: statistics.db.prepare_cached(in_class)?,
            statistics,
            contrast,
            in_target: None,
        })
    }

    /// Reads the counts of all terms of the target at once, before all terms are visited.
    pub(crate) fn read_target_counts(&mut self) -> Result<()> {
        let sql = "SELECT term, tf, df FROM count WHERE class = ?1";
        let read = |row: &Row| {
            let counts = (read_count(row, 1)?, read_count(row, 2)?);
            Ok((row.get(0)?, counts))
        };
        let mut counts = self.statistics.db.prepare_cached(sql)?;
        let counts = counts.query_map([self.contrast.target], read)?;
        self.in_target = Some(counts.collect::<Result<_, _>>()?);
        Ok(())
    }

    /// Returns the term with this id.
    pub(crate) fn term_by_id(&mut self, id: i64) -> Result<TermRow> {
        Ok(self.by_id.query_row([id], read_term_row)?)
    }

    /// Returns the term with this text; `None` if no document has it.
    pub(crate) fn term_by_text(&self, text: &str) -> Result<Option<TermRow>> {
        let sql = format!("SELECT {TERM_COLUMNS} FROM term WHERE text = ?1");
        Ok(self.statistics.db.find_row(&sql, [text], read_term_row)?)
    }

    /// Returns tf and df of a term in a class.
    fn class_counts(&mut self, class: i64, term: i64) -> Result<(u64, u64)> {
        if let Some(counts) = self.in_target.as_ref()
            && class == self.contrast.target
        {
            return Ok(counts.get(&term).copied().unwrap_or((0, 0)));
        }
        let read = |row: &Row| Ok((read_count(row, 0)?, read_count(row, 1)?));
        let counts = self.in_class.query_row([class, term], read).optional()?;
        Ok(counts.unwrap_or((0, 0)))
    }

    /// Returns `true` if the term is pruned.
    pub(crate) fn is_pruned(&mut self, term: &TermRow) -> Result<bool> {
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
    pub(crate) fn counts(&mut self, term: &TermRow) -> Result<TermCounts> {
        let contrast = self.contrast;
        let target = self.class_counts(contrast.target, term.id)?;
        let others = match &contrast.versus {
            ContrastClasses::All => (
                count_of_others(term.tf, target.0)?,
                count_of_others(term.df, target.1)?,
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
        let ((tf, df), (tf_other, df_other)) = match contrast.side {
            QuerySide::Include => (target, others),
            QuerySide::Exclude => (others, target),
        };
        Ok(TermCounts {
            tf,
            df,
            tf_other,
            df_other,
        })
    }
}
