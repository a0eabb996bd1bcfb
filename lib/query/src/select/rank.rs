//! The k best terms by TF, RTFIDF or odds ratio, without looking at all of them.
//!
//! Terms are walked by tf_band of their frequency, from above. A term in a lower tf_band has at most
//! so many occurrences, hence at most so high a score; when the worst of the best is above that,
//! the walk ends (the threshold algorithm of Fagin, Lotem & Naor 2001, over one sorted list). For
//! the odds ratio of the target against all others the terms that the target alone has come first:
//! n² in their odds puts them above nearly all shared ones.

use super::sides::{ClassContrast, TERM_COLUMNS, TermCounts, TermLookup, TermRow, term_row};
use super::{SelectedTerm, SelectionMethod, SelectionSpec, odds_ratio, rtfidf};
use crate::statistics::Statistics;
use std::collections::HashSet;

/// The terms ranked `offset + 1` to `offset + length`.
pub(super) fn top(
    from: &Statistics,
    sides: &ClassContrast,
    SelectionSpec { method, length }: SelectionSpec,
    offset: u32,
    avoid: &[SelectedTerm],
) -> rusqlite::Result<Vec<SelectedTerm>> {
    let mut best = Best {
        method,
        sides,
        avoid,
        need: (offset + length) as usize,
        found: Vec::new(),
    };
    let mut reads = TermLookup::prepare(from, sides)?;
    let exclusive_first = method == SelectionMethod::Or && sides.is_target_against_all();
    if exclusive_first {
        walk_exclusive(from, &mut reads, &mut best)?;
    }
    walk(from, &mut reads, &mut best, exclusive_first)?;
    Ok(best.into_ranked(offset))
}

/// Walks the terms that only the target has, except those that occur once.
fn walk_exclusive(
    from: &Statistics,
    reads: &mut TermLookup,
    best: &mut Best,
) -> rusqlite::Result<()> {
    let target = best.sides.target;
    let highest = "SELECT max(tf_band) FROM term WHERE class = ?1 AND tf_band IS NOT NULL";
    let highest: Option<u32> = from
        .db
        .prepare_cached(highest)?
        .query_row([target], |row| row.get(0))?;
    let sql = format!("SELECT {TERM_COLUMNS} FROM term WHERE class = ?1 AND tf_band = ?2");
    let mut at = from.db.prepare_cached(&sql)?;
    for tf_band in (1..=highest.unwrap_or(0)).rev() {
        for term in at.query_map((target, tf_band), term_row)? {
            best.offer(reads, term?)?;
        }
        if best.is_beyond(below(tf_band), 0) {
            break;
        }
    }
    Ok(())
}

/// Walks all terms of the side; where the target's own were walked before, passes them over.
fn walk(
    from: &Statistics,
    reads: &mut TermLookup,
    best: &mut Best,
    exclusive_done: bool,
) -> rusqlite::Result<()> {
    let mut seen = HashSet::new();
    for tf_band in (0..=highest_tf_band(from, best.sides)?).rev() {
        for term in terms_at(from, reads, best.sides, tf_band, &mut seen)? {
            if !(exclusive_done && term.is_exclusive && tf_band > 0) {
                best.offer(reads, term)?;
            }
        }
        // Of what is left, a term that only the target has can occur but once if those were walked.
        let is_done = if exclusive_done {
            best.is_beyond(below(tf_band), 1) && best.is_beyond(1.min(below(tf_band)), 0)
        } else {
            best.is_beyond(below(tf_band), 0)
        };
        if is_done {
            break;
        }
    }
    Ok(())
}

/// The most occurrences of a term that lies under this tf_band.
fn below(tf_band: u32) -> u64 {
    (1 << tf_band) - 1
}

fn highest_tf_band(from: &Statistics, sides: &ClassContrast) -> rusqlite::Result<u32> {
    if sides.is_all_against_target() {
        let sql = "SELECT max(tf_band) FROM term WHERE tf_band IS NOT NULL";
        return from
            .db
            .prepare_cached(sql)?
            .query_row([], |row| row.get::<_, Option<u32>>(0))
            .map(|o| o.unwrap_or(0));
    }
    let mut highest = 0;
    let mut of_class = from.db.prepare_cached(
        "SELECT max(tf_band) FROM count WHERE class = ?1 AND tf_band IS NOT NULL",
    )?;
    for class in &sides.own {
        let found: Option<u32> = of_class.query_row([class.id], |row| row.get(0))?;
        highest = highest.max(found.unwrap_or(0));
    }
    Ok(highest)
}

/// The side's terms in one tf_band that were not seen in a higher one of another class.
fn terms_at(
    from: &Statistics,
    reads: &mut TermLookup,
    sides: &ClassContrast,
    tf_band: u32,
    seen: &mut HashSet<i64>,
) -> rusqlite::Result<Vec<TermRow>> {
    // Terms that occur once have no tf_band, and are in no index; for the others SQLite must be told
    // of the index, as it takes a class to be small.
    let tf_band = (tf_band > 0).then_some(tf_band);
    let (is, index) = if tf_band.is_some() {
        ("=", "INDEXED BY count_tf_band")
    } else {
        ("IS", "")
    };
    if sides.is_all_against_target() {
        let sql = format!("SELECT {TERM_COLUMNS} FROM term WHERE tf_band {is} ?1");
        return from
            .db
            .prepare_cached(&sql)?
            .query_map([tf_band], term_row)?
            .collect();
    }
    let sql = format!("SELECT term FROM count {index} WHERE class = ?1 AND tf_band {is} ?2");
    let mut of_class = from.db.prepare_cached(&sql)?;
    let mut found = Vec::new();
    for class in &sides.own {
        let ids: Vec<i64> = of_class
            .query_map((class.id, tf_band), |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for id in ids {
            if sides.own.len() == 1 || seen.insert(id) {
                found.push(reads.term(id)?);
            }
        }
    }
    Ok(found)
}

/// The best terms so far, in order.
struct Best<'a> {
    method: SelectionMethod,
    sides: &'a ClassContrast,
    avoid: &'a [SelectedTerm],
    need: usize,
    found: Vec<(f64, TermCounts, String)>,
}

impl Best<'_> {
    fn offer(&mut self, reads: &mut TermLookup, term: TermRow) -> rusqlite::Result<()> {
        let counts = reads.counts(&term)?;
        if counts.tf == 0 || self.avoid.iter().any(|other| other.term == term.text) {
            return Ok(());
        }
        let score = self.score(counts.tf, counts.df, counts.df_other);
        let comes_before = |(other, other_counts, text): &(f64, TermCounts, String)| {
            (*other, other_counts.tf) > (score, counts.tf)
                || ((*other, other_counts.tf) == (score, counts.tf) && *text < term.text)
        };
        let place = self.found.partition_point(comes_before);
        if place < self.need && !reads.is_pruned(&term)? {
            self.found.insert(place, (score, counts, term.text));
            self.found.truncate(self.need);
        }
        Ok(())
    }

    fn score(&self, tf: u64, df: u64, df_other: u64) -> f64 {
        let (n, n_other) = (self.sides.documents, self.sides.documents_other);
        match self.method {
            SelectionMethod::Tf => tf as f64,
            SelectionMethod::Rtfidf => rtfidf(tf, df + df_other, n + n_other),
            _ => odds_ratio(df, n, df_other, n_other),
        }
    }

    /// Whether no term that occurs at most `tf` times in each of the side's classes, and in at
    /// least `df_other` documents of the other side, can be among the best.
    fn is_beyond(&self, tf: u64, df_other: u64) -> bool {
        let Some((worst, counts, _)) = self.found.get(self.need - 1) else {
            return false;
        };
        let (most_tf, most_df) = if self.sides.is_all_against_target() {
            (tf, tf.min(self.sides.documents))
        } else {
            let own = &self.sides.own;
            (
                tf * own.len() as u64,
                own.iter().map(|class| tf.min(class.documents)).sum(),
            )
        };
        let bound = match self.method {
            // The fewer documents a term stands in, the higher its weight: one is the least.
            SelectionMethod::Rtfidf => self.score(most_tf, 1, 0),
            _ => self.score(most_tf, most_df, df_other),
        };
        (*worst, counts.tf) > (bound, most_tf)
    }

    fn into_ranked(self, offset: u32) -> Vec<SelectedTerm> {
        let ranked = self.found.into_iter().zip(1..).skip(offset as usize);
        ranked
            .map(|((score, counts, term), rank)| {
                let score = if self.method == SelectionMethod::Or {
                    self.sides.log_odds_ratio(counts)
                } else {
                    score
                };
                SelectedTerm {
                    rank: Some(rank),
                    ..counts.ranked(term, score)
                }
            })
            .collect()
    }
}
