//! The two sides of a query, and a term's counts on either.

use super::navigation::is_navigation;
use super::{SelectedTerm, log_odds_ratio};
use crate::statistics::{ClassCounts, Statistics, StatisticsError};
use rusqlite::{CachedStatement, OptionalExtension};
use std::collections::HashSet;

/// Which classes stand against the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContrastClasses {
    /// All others.
    All,
    /// These, by id.
    Classes(Vec<i64>),
}

/// Whose terms are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuerySide {
    /// The target's, against the others.
    Include,
    /// The others', against the target.
    Exclude,
}

/// One side of a query: its own classes, the other ones, and how many documents each has.
#[derive(Debug, Clone)]
pub struct ClassContrast {
    /// The target class.
    pub(crate) target: i64,
    pub(crate) versus: ContrastClasses,
    pub(crate) direction: QuerySide,
    /// The classes whose terms are selected, with their counts.
    pub(crate) own: Vec<ClassCounts>,
    /// Documents on this side: N_c.
    pub(crate) documents: u64,
    /// Documents on the other side.
    pub(crate) documents_other: u64,
    /// Terms that are not selected.
    prune: Pruned,
}

/// Which terms are pruned from the models that queries are made from (AutoCor, Dimalen & Roxas
/// 2007, step 2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PruneOptions {
    /// Those that two of the run's languages have.
    pub common: bool,
    /// Those of links that every site has.
    pub navigation: bool,
}

/// A class has a term when at least one in so many of its documents has it: a few quotations and
/// misjudged pages are in every collection, and would prune the best words.
const ONE_IN: u64 = 100;

/// What is pruned of a side.
#[derive(Debug, Clone, Default)]
struct Pruned {
    navigation: bool,
    /// The classes whose common terms are pruned, and in how many documents of each a term must be.
    models: Vec<(i64, u64)>,
}

impl ClassContrast {
    /// The side of `target` against `versus` (all others where `None`), by name.
    ///
    /// # Errors
    /// When a class is not in the statistics.
    pub fn new(
        from: &Statistics,
        classes: &[ClassCounts],
        target: &str,
        versus: Option<&[String]>,
        direction: QuerySide,
    ) -> Result<Self, StatisticsError> {
        let target = from.find_class(classes, target)?;
        let named = |name: &String| from.find_class(classes, name).cloned();
        let mut others = match versus {
            None => classes.to_vec(),
            Some(names) => names.iter().map(named).collect::<Result<_, _>>()?,
        };
        let mut met = HashSet::from([target.id]);
        others.retain(|class| met.insert(class.id));
        let rest = others.iter().map(|class| class.documents).sum();
        let set = match versus {
            None => ContrastClasses::All,
            Some(_) => ContrastClasses::Classes(others.iter().map(|class| class.id).collect()),
        };
        let (own, documents, documents_other) = match direction {
            QuerySide::Include => (vec![target.clone()], target.documents, rest),
            QuerySide::Exclude => (others, rest, target.documents),
        };
        let prune = Pruned::default();
        Ok(ClassContrast {
            target: target.id,
            versus: set,
            direction,
            own,
            documents,
            documents_other,
            prune,
        })
    }

    /// The same side without the terms that are pruned. Common are those that two of the classes
    /// have which the run began with; others, of which pages turned up, have no model.
    ///
    /// # Errors
    /// When the statistics can't be read.
    pub fn with_pruning(
        mut self,
        prune: PruneOptions,
        from: &Statistics,
        classes: &[ClassCounts],
    ) -> Result<Self, StatisticsError> {
        self.prune.navigation = prune.navigation;
        for class in classes.iter().filter(|_| prune.common) {
            if begins_run(from, class).map_err(|e| from.sqlite_error(e))? {
                self.prune
                    .models
                    .push((class.id, class.documents.div_ceil(ONE_IN)));
            }
        }
        Ok(self)
    }

    /// Whether the terms are those of the target, against all other classes.
    pub(crate) fn is_target_against_all(&self) -> bool {
        self.direction == QuerySide::Include && self.versus == ContrastClasses::All
    }

    /// Whether the terms are those of all other classes, against the target: all of `term`.
    pub(crate) fn is_all_against_target(&self) -> bool {
        self.direction == QuerySide::Exclude && self.versus == ContrastClasses::All
    }

    /// The odds ratio of a term that has these counts.
    pub(crate) fn log_odds_ratio(&self, counts: TermCounts) -> f64 {
        log_odds_ratio(
            counts.df,
            self.documents,
            counts.df_other,
            self.documents_other,
        )
    }
}

/// Whether the class has initial documents.
fn begins_run(from: &Statistics, class: &ClassCounts) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM document WHERE class = ?1 AND n = 1 AND step = 0";
    from.db.prepare_cached(sql)?.exists([class.id])
}

/// A row of `term`.
#[derive(Debug, Clone)]
pub(crate) struct TermRow {
    pub(crate) id: i64,
    pub(crate) text: String,
    pub(crate) tf: u64,
    pub(crate) df: u64,
    /// Whether only one class has it.
    pub(crate) is_exclusive: bool,
}

/// A term's counts on the two sides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TermCounts {
    pub(crate) tf: u64,
    pub(crate) df: u64,
    pub(crate) df_other: u64,
}

impl TermCounts {
    /// The term that has them, as one that is not ranked.
    pub(crate) fn ranked(self, term: String, score: f64) -> SelectedTerm {
        let TermCounts { tf, df, df_other } = self;
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

/// The look-ups that selection makes, prepared once.
pub(crate) struct TermLookup<'a> {
    by_id: CachedStatement<'a>,
    in_class: CachedStatement<'a>,
    from: &'a Statistics,
    sides: &'a ClassContrast,
}

pub(crate) const TERM_COLUMNS: &str = "id, text, tf, df, class IS NOT NULL";

pub(crate) fn term_row(row: &rusqlite::Row) -> rusqlite::Result<TermRow> {
    let (id, text, tf, df, is_exclusive) = (
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        row.get(3)?,
        row.get(4)?,
    );
    Ok(TermRow {
        id,
        text,
        tf,
        df,
        is_exclusive,
    })
}

impl<'a> TermLookup<'a> {
    pub(crate) fn prepare(
        from: &'a Statistics,
        sides: &'a ClassContrast,
    ) -> rusqlite::Result<Self> {
        Ok(TermLookup {
            by_id: from
                .db
                .prepare_cached(&format!("SELECT {TERM_COLUMNS} FROM term WHERE id = ?1"))?,
            in_class: from
                .db
                .prepare_cached("SELECT tf, df FROM count WHERE class = ?1 AND term = ?2")?,
            from,
            sides,
        })
    }

    pub(crate) fn term(&mut self, id: i64) -> rusqlite::Result<TermRow> {
        self.by_id.query_row([id], term_row)
    }

    /// The term with this text; `None` where no document has it, as a word that a user asked for.
    pub(crate) fn term_by_text(&self, text: &str) -> rusqlite::Result<Option<TermRow>> {
        let sql = format!("SELECT {TERM_COLUMNS} FROM term WHERE text = ?1");
        self.from
            .db
            .prepare_cached(&sql)?
            .query_row([text], term_row)
            .optional()
    }

    fn in_class(&mut self, class: i64, term: i64) -> rusqlite::Result<(u64, u64)> {
        let found = self
            .in_class
            .query_row([class, term], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(found.unwrap_or((0, 0)))
    }

    /// Whether the term is pruned.
    pub(crate) fn is_pruned(&mut self, term: &TermRow) -> rusqlite::Result<bool> {
        let sides = self.sides;
        if sides.prune.navigation && is_navigation(&term.text) {
            return Ok(true);
        }
        let mut having = 0;
        for &(class, least) in sides.prune.models.iter().filter(|_| !term.is_exclusive) {
            having += usize::from(self.in_class(class, term.id)?.1 >= least);
        }
        Ok(having > 1)
    }

    /// The term's counts on the two sides.
    pub(crate) fn counts(&mut self, term: &TermRow) -> rusqlite::Result<TermCounts> {
        let (tf, df) = self.in_class(self.sides.target, term.id)?;
        let sides = self.sides;
        let (rest_tf, rest_df) = match &sides.versus {
            ContrastClasses::All => (term.tf - tf, term.df - df),
            ContrastClasses::Classes(classes) => {
                let mut sum = (0, 0);
                for &class in classes {
                    let (tf, df) = self.in_class(class, term.id)?;
                    sum = (sum.0 + tf, sum.1 + df);
                }
                sum
            }
        };
        Ok(match sides.direction {
            QuerySide::Include => TermCounts {
                tf,
                df,
                df_other: rest_df,
            },
            QuerySide::Exclude => TermCounts {
                tf: rest_tf,
                df: rest_df,
                df_other: df,
            },
        })
    }
}
