//! Random selection of k terms without replacement: uniform (UN), by term frequency (PTF), or by
//! odds ratio (POR, and PORH over the upper half).
//!
//! Each draw costs a few lookups. Terms are numbered within their class, so that a uniform draw is
//! a random number. A draw by frequency is a random token of the class. A draw by odds ratio is a
//! uniform draw that is accepted with probability OR/max (rejection sampling). A term that was
//! drawn before is rejected and drawn again, which amounts to sampling without replacement.
//!
//! PORH needs the median of all odds ratios, so it scores the whole vocabulary of the own classes
//! whenever a document was counted. So do the other methods if documents have no order
//! ([`Statistics::is_unordered`]), as terms are numbered in that order.

use super::term_lookup::{TERM_COLUMNS, TermLookup, TermRow, read_term_row};
use super::{ClassContrast, SelectedTerm, SelectionMethod, SelectionSpec};
use crate::class_counts::ClassCounts;
use crate::statistics::{Result, Statistics};
use crate::term_list::unpack_terms;
use forage_state::read_count;
use forage_text::Random;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Number of draws after which the remaining terms are drawn from a list of all terms instead.
/// Reached if the vocabulary is hardly larger than `length`, or if hardly any term can be accepted.
const MAX_DRAWS: usize = 2_000;

/// Draws `length` terms; fewer if there are no more.
pub(super) fn draw_terms(
    statistics: &Statistics,
    contrast: &ClassContrast,
    SelectionSpec { method, length }: SelectionSpec,
    avoid: &[SelectedTerm],
    random: &mut Random,
) -> Result<Vec<SelectedTerm>> {
    let mut sampler = TermSampler {
        statistics,
        contrast,
        method,
        avoid,
        lookup: TermLookup::prepare(statistics, contrast)?,
        drawn: Vec::new(),
    };
    if method == SelectionMethod::Porh || statistics.is_unordered()? {
        return sampler.draw_from_ranking(length as usize, random);
    }
    let mut draws = 0;
    while sampler.drawn.len() < length as usize && draws < MAX_DRAWS {
        draws += 1;
        if let Some(term) = sampler.propose(random)?
            && let Some((weight, term)) = sampler.weigh(term)?
            && (method != SelectionMethod::Por
                || random.next_f64() * sampler.max_log_odds_ratio() < weight)
        {
            sampler.drawn.push(term);
        }
    }
    if sampler.drawn.len() < length as usize {
        sampler.draw_from_all(length as usize, random)?;
    }
    Ok(sampler.drawn)
}

/// Samples terms one by one, by the distribution of a method.
struct TermSampler<'a> {
    statistics: &'a Statistics,
    contrast: &'a ClassContrast,
    method: SelectionMethod,
    /// Terms that are not drawn.
    avoid: &'a [SelectedTerm],
    lookup: TermLookup<'a>,
    /// The terms drawn so far.
    drawn: Vec<SelectedTerm>,
}

impl TermSampler<'_> {
    /// Proposes a term: by frequency for PTF, else uniformly from the vocabulary of the own
    /// classes. Returns `None` if the draw was rejected.
    fn propose(&mut self, random: &mut Random) -> Result<Option<TermRow>> {
        match self.method {
            SelectionMethod::Ptf => self.propose_by_frequency(random),
            _ if self.contrast.is_all_against_target() => self.propose_from_vocabulary(random),
            _ => self.propose_from_classes(random),
        }
    }

    /// Proposes any term of the whole vocabulary.
    fn propose_from_vocabulary(&mut self, random: &mut Random) -> Result<Option<TermRow>> {
        let sql = "SELECT coalesce(max(id), 0) FROM term";
        let max_id: u64 = (self.statistics.db).read_row(sql, [], |row| read_count(row, 0))?;
        if max_id == 0 {
            return Ok(None);
        }
        let id = 1 + random.next_below(max_id) as i64;
        self.lookup.term_by_id(id).map(Some)
    }

    /// Proposes a term of one of the own classes. A term that several of them have is accepted with
    /// probability 1/(number of these classes), so that the draw is uniform over their union.
    fn propose_from_classes(&mut self, random: &mut Random) -> Result<Option<TermRow>> {
        let Some((class, index)) = draw_class(&self.contrast.own, |class| class.terms, random)
        else {
            return Ok(None);
        };
        let db = &self.statistics.db;
        let sql = "SELECT term FROM count WHERE class = ?1 AND n = ?2";
        let id: i64 = db.read_row(sql, (class, index + 1), |row| row.get(0))?;
        let mut classes_with_term = 1;
        for other in self.contrast.own.iter().filter(|other| other.id != class) {
            let sql = "SELECT 1 FROM count WHERE class = ?1 AND term = ?2";
            classes_with_term += u64::from(db.has_row(sql, (other.id, id))?);
        }
        if random.next_below(classes_with_term) > 0 {
            return Ok(None);
        }
        self.lookup.term_by_id(id).map(Some)
    }

    /// Proposes the term of a token that is drawn from all tokens of the own classes.
    fn propose_by_frequency(&mut self, random: &mut Random) -> Result<Option<TermRow>> {
        let Some((class, token)) = draw_class(&self.contrast.own, |class| class.tokens, random)
        else {
            return Ok(None);
        };
        let document = self.statistics.db.find_row(
            "SELECT start, terms FROM document
             WHERE class = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1",
            (class, token),
            |row| Ok((row.get::<_, u64>(0)?, row.get::<_, Vec<u8>>(1)?)),
        )?;
        let Some((start, packed)) = document else {
            return Ok(None);
        };
        let mut remaining = token - start;
        for (id, tf) in unpack_terms(&packed) {
            if remaining < tf as u64 {
                return self.lookup.term_by_id(id).map(Some);
            }
            remaining -= tf as u64;
        }
        Ok(None)
    }

    /// Returns a term with its weight; `None` if the term was drawn before, must be avoided, is
    /// pruned, or has no positive weight.
    fn weigh(&mut self, term: TermRow) -> Result<Option<(f64, SelectedTerm)>> {
        let mut excluded = self.drawn.iter().chain(self.avoid);
        let is_excluded = excluded.any(|other| other.term == term.text);
        if is_excluded || self.lookup.is_pruned(&term)? {
            return Ok(None);
        }
        let counts = self.lookup.counts(&term)?;
        let weight = match self.method {
            SelectionMethod::Un => 1.0,
            SelectionMethod::Ptf => counts.tf as f64,
            _ => self.contrast.log_odds_ratio(counts),
        };
        Ok((counts.tf > 0 && weight > 0.0)
            .then(|| (weight, counts.to_selected_term(term.text, weight))))
    }

    /// Returns an upper bound of the log odds ratio: that of a term which all documents of the own
    /// classes have, and none of the contrasting ones.
    fn max_log_odds_ratio(&self) -> f64 {
        self.contrast.log_odds_ratio(self.contrast.max_counts())
    }

    /// Draws the missing terms from a list of all remaining terms, by their weights.
    fn draw_from_all(&mut self, length: usize, random: &mut Random) -> Result<()> {
        let mut remaining = self.weigh_all_terms()?;
        while self.drawn.len() < length
            && let Some(term) = remove_weighted(&mut remaining, random)
        {
            self.drawn.push(term);
        }
        Ok(())
    }

    /// Draws terms in proportion to their weight from a ranking of all terms with a positive one;
    /// for PORH, from its upper half.
    fn draw_from_ranking(
        mut self,
        length: usize,
        random: &mut Random,
    ) -> Result<Vec<SelectedTerm>> {
        let statistics = self.statistics;
        let avoid = std::mem::take(&mut self.avoid);
        let ranking =
            statistics
                .rankings
                .best_terms(self.contrast, self.method, usize::MAX, |_| {
                    let all = self.weigh_all_terms()?.into_iter();
                    let mut all: Vec<SelectedTerm> = all.map(|(_, term)| term).collect();
                    all.sort_by(compare_terms);
                    if self.method == SelectionMethod::Porh {
                        all.truncate(all.len().div_ceil(2));
                    }
                    Ok(all)
                })?;
        let is_avoided = |term: &SelectedTerm| avoid.iter().any(|other| other.term == term.term);
        let remaining = ranking.iter().filter(|term| !is_avoided(term));
        let mut remaining: Vec<&SelectedTerm> = remaining.collect();
        let mut drawn = Vec::new();
        while drawn.len() < length
            && let Some(index) = draw_weighted(remaining.iter().map(|term| term.score), random)
        {
            drawn.push(remaining.remove(index).clone());
        }
        Ok(drawn)
    }

    /// Returns all terms of the own classes with a positive weight, in ascending order of their
    /// ids.
    fn weigh_all_terms(&mut self) -> Result<Vec<(f64, SelectedTerm)>> {
        let db = &self.statistics.db;
        let mut weighted = Vec::new();
        self.lookup.read_target_counts()?;
        if self.contrast.is_all_against_target() {
            let mut terms = db.prepare_cached(&format!("SELECT {TERM_COLUMNS} FROM term"))?;
            for term in terms.query_map([], read_term_row)? {
                weighted.extend(self.weigh(term?)?);
            }
            return Ok(weighted);
        }
        let mut ids = BTreeSet::new();
        let mut terms_of_class = db.prepare_cached("SELECT term FROM count WHERE class = ?1")?;
        for class in &self.contrast.own {
            for id in terms_of_class.query_map([class.id], |row| row.get(0))? {
                ids.insert(id?);
            }
        }
        for id in ids {
            let term = self.lookup.term_by_id(id)?;
            weighted.extend(self.weigh(term)?);
        }
        Ok(weighted)
    }
}

/// Compares terms by their rank: by score, ties by tf, then by code points.
fn compare_terms(term: &SelectedTerm, other: &SelectedTerm) -> Ordering {
    other
        .score
        .total_cmp(&term.score)
        .then(other.tf.cmp(&term.tf))
        .then_with(|| term.term.cmp(&other.term))
}

/// Draws a term with probability proportional to its weight, and removes it from the list. Returns
/// `None` if the list is empty.
pub(super) fn remove_weighted(
    weighted_terms: &mut Vec<(f64, SelectedTerm)>,
    random: &mut Random,
) -> Option<SelectedTerm> {
    let index = draw_weighted(weighted_terms.iter().map(|(weight, _)| *weight), random)?;
    Some(weighted_terms.remove(index).1)
}

/// Draws an index with probability proportional to its weight; `None` if no weight is above 0.
pub(crate) fn draw_weighted(
    weights: impl DoubleEndedIterator<Item = f64> + ExactSizeIterator + Clone,
    random: &mut Random,
) -> Option<usize> {
    if weights.len() == 0 {
        return None;
    }
    let sum: f64 = weights.clone().sum();
    let mut remaining = random.next_f64() * sum;
    let index = weights.clone().position(|weight| {
        remaining -= weight;
        remaining < 0.0
    });
    // Rounding may leave a rest at the end.
    index.or_else(|| weights.clone().rposition(|weight| weight > 0.0))
}

/// Draws a class with probability proportional to `size`, and a uniform index below its size.
/// Returns the class id and the index; `None` if all sizes are 0.
pub(super) fn draw_class(
    classes: &[ClassCounts],
    size: impl Fn(&ClassCounts) -> u64,
    random: &mut Random,
) -> Option<(i64, u64)> {
    let sum: u64 = classes.iter().map(&size).sum();
    if sum == 0 {
        return None;
    }
    let mut index = random.next_below(sum);
    for class in classes {
        if index < size(class) {
            return Some((class.id, index));
        }
        index -= size(class);
    }
    None
}
