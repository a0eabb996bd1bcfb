//! The k best terms by TF, RTFIDF or odds ratio, without scoring all terms.
//!
//! Terms are visited by log-frequency band, from the highest down. The frequency of a term in a
//! lower band, and hence its score, has an upper bound. The walk ends when the k-th best score so
//! far exceeds that bound (the threshold algorithm of Fagin, Lotem & Naor 2001, over one sorted
//! list). For the odds ratio of the target against all other classes, terms that only the target
//! has are visited first: the factor n² in their odds ratio ranks them above nearly all shared
//! terms.

use super::term_lookup::{TERM_COLUMNS, TermLookup, TermRow, read_term_row};
use super::{ClassContrast, SelectedTerm, SelectionMethod, SelectionSpec, TermCounts, rtfidf};
use crate::statistics::{Result, Statistics};
use crate::term_tables::{IS_INDEXED, IS_UNINDEXED, MIN_INDEXED_BAND, read_highest_band};
use std::collections::HashSet;

/// Returns the terms with the ranks `offset + 1` to `offset + length`, without those in `avoid`,
/// which have no rank.
pub(super) fn rank_terms(
    statistics: &Statistics,
    contrast: &ClassContrast,
    SelectionSpec { method, length }: SelectionSpec,
    offset: u32,
    avoid: &[SelectedTerm],
) -> Result<Vec<SelectedTerm>> {
    let number = offset as usize + length as usize + avoid.len();
    let best = statistics
        .rankings
        .best_terms(contrast, method, number, |capacity| {
            rank_best_terms(statistics, contrast, method, capacity)
        })?;
    let ranked = best
        .iter()
        .filter(|term| avoid.iter().all(|other| other.term != term.term))
        .zip(1..);
    Ok(ranked
        .skip(offset as usize)
        .take(length as usize)
        .map(|(term, rank)| SelectedTerm {
            rank: Some(rank),
            ..term.clone()
        })
        .collect())
}

/// Returns the best terms, at most `capacity`, without ranks.
fn rank_best_terms(
    statistics: &Statistics,
    contrast: &ClassContrast,
    method: SelectionMethod,
    capacity: usize,
) -> Result<Vec<SelectedTerm>> {
    let mut best = BestTerms {
        method,
        contrast,
        capacity,
        terms: Vec::new(),
    };
    let mut lookup = TermLookup::prepare(statistics, contrast)?;
    let exclusive_first = method == SelectionMethod::Or && contrast.is_target_against_all();
    if exclusive_first {
        visit_exclusive_terms(statistics, &mut lookup, &mut best)?;
    }
    visit_terms(statistics, &mut lookup, &mut best, exclusive_first)?;
    Ok(best.into_selected_terms())
}

/// Visits the terms that only the target has, except those of bands without an index.
fn visit_exclusive_terms(
    statistics: &Statistics,
    lookup: &mut TermLookup,
    best: &mut BestTerms,
) -> Result<()> {
    let target = best.contrast.target;
    let sql = format!("SELECT max(tf_band) FROM term WHERE class = ?1 AND {IS_INDEXED}");
    let highest_band = (statistics.db).read_row(&sql, [target], read_highest_band)?;
    let mut terms_in_band = statistics.db.prepare_cached(&format!(
        "SELECT {TERM_COLUMNS} FROM term WHERE class = ?1 AND tf_band = ?2 AND {IS_INDEXED}"
    ))?;
    for band in (MIN_INDEXED_BAND..=highest_band).rev() {
        for term in terms_in_band.query_map((target, band), read_term_row)? {
            best.offer(lookup, term?)?;
        }
        if best.exceeds_all_with(max_tf_below(band), 0) {
            break;
        }
    }
    Ok(())
}

/// Visits all terms of the own classes; with `exclusive_done` without those that
/// [`visit_exclusive_terms`] has visited.
fn visit_terms(
    statistics: &Statistics,
    lookup: &mut TermLookup,
    best: &mut BestTerms,
    exclusive_done: bool,
) -> Result<()> {
    let mut seen = HashSet::new();
    let highest = highest_band(statistics, best.contrast)?;
    for band in (MIN_INDEXED_BAND..=highest).rev().chain([UNINDEXED]) {
        for term in terms_in_band(statistics, lookup, best.contrast, band, &mut seen)? {
            if !(exclusive_done && term.is_exclusive && band != UNINDEXED) {
                best.offer(lookup, term)?;
            }
        }
        // If the exclusive terms have been visited, a remaining one is in no index.
        let max_tf = max_tf_below(band);
        let is_done = if exclusive_done {
            let max_tf_of_exclusive = max_tf_below(MIN_INDEXED_BAND).min(max_tf);
            best.exceeds_all_with(max_tf, 1) && best.exceeds_all_with(max_tf_of_exclusive, 0)
        } else {
            best.exceeds_all_with(max_tf, 0)
        };
        if is_done {
            break;
        }
    }
    Ok(())
}

/// Stands for all bands below [`MIN_INDEXED_BAND`], which are visited together.
const UNINDEXED: u32 = 0;

/// Returns the maximum tf of a term in a band below `band`.
fn max_tf_below(band: u32) -> u64 {
    (1 << band) - 1
}

/// Returns the highest band of a term in the own classes; 0 if none is in an index.
fn highest_band(statistics: &Statistics, contrast: &ClassContrast) -> Result<u32> {
    let db = &statistics.db;
    if contrast.is_all_against_target() {
        let sql = format!("SELECT max(tf_band) FROM term WHERE {IS_INDEXED}");
        return Ok(db.read_row(&sql, [], read_highest_band)?);
    }
    let mut highest = 0;
    let sql = format!("SELECT max(tf_band) FROM count WHERE class = ?1 AND {IS_INDEXED}");
    for class in &contrast.own {
        highest = highest.max(db.read_row(&sql, [class.id], read_highest_band)?);
    }
    Ok(highest)
}

/// Returns the terms of the own classes in one band, or in all of [`UNINDEXED`]. A term that was in
/// a higher band of another class, and is therefore in `seen`, is omitted.
fn terms_in_band(
    statistics: &Statistics,
    lookup: &mut TermLookup,
    contrast: &ClassContrast,
    band: u32,
    seen: &mut HashSet<i64>,
) -> Result<Vec<TermRow>> {
    // The index must be named, because SQLite assumes that a class has few rows.
    let (condition, index) = match band {
        UNINDEXED => (format!("{IS_UNINDEXED} AND ?1 IS NOT NULL"), ""),
        _ => {
            let condition = format!("tf_band = ?1 AND {IS_INDEXED}");
            (condition, "INDEXED BY count_tf_band")
        }
    };
    if contrast.is_all_against_target() {
        let sql = format!("SELECT {TERM_COLUMNS} FROM term WHERE {condition}");
        return Ok(statistics.db.read_rows(&sql, [band], read_term_row)?);
    }
    let sql = format!("SELECT term FROM count {index} WHERE {condition} AND class = ?2");
    let mut terms_of_class = statistics.db.prepare_cached(&sql)?;
    let mut terms = Vec::new();
    for class in &contrast.own {
        let ids = terms_of_class.query_map((band, class.id), |row| row.get(0))?;
        let ids = ids.collect::<Result<Vec<i64>, _>>()?;
        for id in ids {
            if contrast.own.len() == 1 || seen.insert(id) {
                terms.push(lookup.term_by_id(id)?);
            }
        }
    }
    Ok(terms)
}

/// The best terms so far, in descending order.
struct BestTerms<'a> {
    method: SelectionMethod,
    contrast: &'a ClassContrast,
    /// Number of terms to keep.
    capacity: usize,
    /// Score, counts and text. Ordered by score, then tf, then code points.
    terms: Vec<(f64, TermCounts, String)>,
}

impl BestTerms<'_> {
    /// Inserts a term if it is among the best.
    fn offer(&mut self, lookup: &mut TermLookup, term: TermRow) -> Result<()> {
        let counts = lookup.counts(&term)?;
        if counts.tf == 0 {
            return Ok(());
        }
        let score = self.score(counts);
        let precedes = |(other, other_counts, text): &(f64, TermCounts, String)| {
            (*other, other_counts.tf) > (score, counts.tf)
                || ((*other, other_counts.tf) == (score, counts.tf) && *text < term.text)
        };
        let position = self.terms.partition_point(precedes);
        if position < self.capacity && !lookup.is_pruned(&term)? {
            self.terms.insert(position, (score, counts, term.text));
            self.terms.truncate(self.capacity);
        }
        Ok(())
    }

    fn score(&self, counts: TermCounts) -> f64 {
        let TermCounts {
            tf, df, df_other, ..
        } = counts;
        match self.method {
            SelectionMethod::Tf => tf as f64,
            SelectionMethod::Rtfidf => {
                let documents = self.contrast.documents + self.contrast.documents_other;
                rtfidf(tf, df + df_other, documents)
            }
            _ => self.contrast.odds_ratio(counts),
        }
    }

    /// Returns `true` if the list is full and no term can enter it that occurs at most `tf` times
    /// in each of the own classes, and in at least `df_other` documents of the contrasting classes.
    fn exceeds_all_with(&self, tf: u64, df_other: u64) -> bool {
        let Some((worst, counts, _)) = self.terms.get(self.capacity - 1) else {
            return false;
        };
        let own = self.contrast.own.iter();
        let (max_tf, max_df) = match self.contrast.is_all_against_target() {
            true => (tf, tf.min(self.contrast.documents)),
            false => (
                tf * own.len() as u64,
                own.map(|class| tf.min(class.documents)).sum(),
            ),
        };
        let highest = TermCounts {
            tf: max_tf,
            df: max_df,
            tf_other: df_other,
            df_other,
        };
        let bound = match self.method {
            // RTFIDF decreases with df, which is at least 1.
            SelectionMethod::Rtfidf => self.score(TermCounts {
                df: 1,
                df_other: 0,
                ..highest
            }),
            _ => self.score(highest),
        };
        (*worst, counts.tf) > (bound, max_tf)
    }

    /// Returns the terms. The score of OR is the log odds ratio.
    fn into_selected_terms(self) -> Vec<SelectedTerm> {
        let select = |(score, counts, term)| {
            let score = match self.method {
                SelectionMethod::Or => self.contrast.log_odds_ratio(counts),
                _ => score,
            };
            counts.to_selected_term(term, score)
        };
        self.terms.into_iter().map(select).collect()
    }
}
