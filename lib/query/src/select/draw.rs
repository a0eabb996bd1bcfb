//! k terms at random, without replacement: uniform, by term frequency, or by odds ratio.
//!
//! Each draw is a few look-ups. Terms are numbered within their class, so a uniform draw is a
//! number; a draw by frequency is a random token of a random document; a draw by odds ratio is a
//! uniform one that is accepted with probability OR/max. A term that was drawn already is drawn
//! again, which is drawing without replacement.

use super::sides::{ClassContrast, TermCounts, TermLookup, TermRow};
use super::{SelectedTerm, SelectionMethod, SelectionSpec};
use crate::counter::unpack_terms;
use crate::statistics::{ClassCounts, Statistics};
use forage_text::Random;
use rusqlite::OptionalExtension;
use std::collections::BTreeSet;

/// Draws in vain after which all terms are looked at: the vocabulary is about as small as what was
/// drawn, or hardly a term can be accepted.
const TRIES: usize = 2_000;

/// Draws `length` terms, fewer where there are no more.
pub(super) fn some(
    from: &Statistics,
    sides: &ClassContrast,
    SelectionSpec { method, length }: SelectionSpec,
    avoid: &[SelectedTerm],
    random: &mut Random,
) -> rusqlite::Result<Vec<SelectedTerm>> {
    let mut draw = Draw {
        from,
        sides,
        method,
        avoid,
        reads: TermLookup::prepare(from, sides)?,
        drawn: Vec::new(),
    };
    let mut tries = 0;
    while draw.drawn.len() < length as usize && tries < TRIES {
        tries += 1;
        if let Some(term) = draw.propose(random)?
            && let Some((weight, term)) = draw.weigh(term)?
            && (method != SelectionMethod::Por || random.next_f64() * draw.highest() < weight)
        {
            draw.drawn.push(term);
        }
    }
    if draw.drawn.len() < length as usize {
        draw.draw_from_all(length as usize, random)?;
    }
    Ok(draw.drawn)
}

struct Draw<'a> {
    from: &'a Statistics,
    sides: &'a ClassContrast,
    method: SelectionMethod,
    avoid: &'a [SelectedTerm],
    reads: TermLookup<'a>,
    drawn: Vec<SelectedTerm>,
}

impl Draw<'_> {
    /// A term: by frequency for PTF, else uniformly from the side's vocabulary; `None` where the
    /// draw was in vain.
    fn propose(&mut self, random: &mut Random) -> rusqlite::Result<Option<TermRow>> {
        match self.method {
            SelectionMethod::Ptf => self.token(random),
            _ if self.sides.is_all_against_target() => self.of_vocabulary(random),
            _ => self.of_classes(random),
        }
    }

    /// Any term of the whole vocabulary.
    fn of_vocabulary(&mut self, random: &mut Random) -> rusqlite::Result<Option<TermRow>> {
        let last = "SELECT coalesce(max(id), 0) FROM term";
        let last: u64 = self
            .from
            .db
            .prepare_cached(last)?
            .query_row([], |row| row.get(0))?;
        if last == 0 {
            return Ok(None);
        }
        self.reads
            .term(1 + random.next_below(last) as i64)
            .map(Some)
    }

    /// A term of one of the side's classes. A term that several of them have is accepted the less
    /// often the more they are, so that the draw is uniform over their union.
    fn of_classes(&mut self, random: &mut Random) -> rusqlite::Result<Option<TermRow>> {
        let Some((class, n)) = pick(&self.sides.own, |class| class.terms, random) else {
            return Ok(None);
        };
        let sql = "SELECT term FROM count WHERE class = ?1 AND n = ?2";
        let id: i64 = self
            .from
            .db
            .prepare_cached(sql)?
            .query_row((class, n + 1), |row| row.get(0))?;
        let mut having = 1;
        if self.sides.own.len() > 1 {
            let sql = "SELECT 1 FROM count WHERE class = ?1 AND term = ?2";
            let mut has = self.from.db.prepare_cached(sql)?;
            for other in self.sides.own.iter().filter(|other| other.id != class) {
                having += u64::from(has.exists((other.id, id))?);
            }
        }
        if random.next_below(having) > 0 {
            return Ok(None);
        }
        self.reads.term(id).map(Some)
    }

    /// The term of a token drawn from all tokens of the side.
    fn token(&mut self, random: &mut Random) -> rusqlite::Result<Option<TermRow>> {
        let Some((class, at)) = pick(&self.sides.own, |class| class.tokens, random) else {
            return Ok(None);
        };
        let sql = "SELECT start, terms FROM document WHERE class = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1";
        let document = self
            .from
            .db
            .prepare_cached(sql)?
            .query_row((class, at), |row| {
                Ok((row.get::<_, u64>(0)?, row.get::<_, Vec<u8>>(1)?))
            });
        let Some((start, packed)) = document.optional()? else {
            return Ok(None);
        };
        let mut left = at - start;
        for (id, tf) in unpack_terms(&packed) {
            if left < tf as u64 {
                return self.reads.term(id).map(Some);
            }
            left -= tf as u64;
        }
        Ok(None)
    }

    /// A term with its weight; `None` for one that was drawn, is to be avoided or pruned, or has no
    /// weight.
    fn weigh(&mut self, term: TermRow) -> rusqlite::Result<Option<(f64, SelectedTerm)>> {
        let is_taken = self
            .drawn
            .iter()
            .chain(self.avoid)
            .any(|other| other.term == term.text);
        if is_taken || self.reads.is_pruned(&term)? {
            return Ok(None);
        }
        let counts = self.reads.counts(&term)?;
        let weight = match self.method {
            SelectionMethod::Un => 1.0,
            SelectionMethod::Ptf => counts.tf as f64,
            _ => self.sides.log_odds_ratio(counts),
        };
        Ok((counts.tf > 0 && weight > 0.0).then(|| (weight, counts.ranked(term.text, weight))))
    }

    /// An upper bound of the odds ratio: of a term that all documents of this side have, and none
    /// of the other.
    fn highest(&self) -> f64 {
        self.sides.log_odds_ratio(TermCounts {
            tf: 0,
            df: self.sides.documents,
            df_other: 0,
        })
    }

    /// Draws the missing terms from all that are left, by their weights.
    fn draw_from_all(&mut self, length: usize, random: &mut Random) -> rusqlite::Result<()> {
        let mut left = Vec::new();
        for id in self.all_ids()? {
            let term = self.reads.term(id)?;
            left.extend(self.weigh(term)?);
        }
        while self.drawn.len() < length
            && let Some(term) = take_by_weight(&mut left, random)
        {
            self.drawn.push(term);
        }
        Ok(())
    }

    /// All terms of the side, by number.
    fn all_ids(&self) -> rusqlite::Result<BTreeSet<i64>> {
        let mut ids = BTreeSet::new();
        let mut of_class = self
            .from
            .db
            .prepare_cached("SELECT term FROM count WHERE class = ?1")?;
        for class in &self.sides.own {
            for id in of_class.query_map([class.id], |row| row.get(0))? {
                ids.insert(id?);
            }
        }
        Ok(ids)
    }
}

/// Takes one of some weighed terms out, with probability proportional to its weight.
pub(super) fn take_by_weight(
    left: &mut Vec<(f64, SelectedTerm)>,
    random: &mut Random,
) -> Option<SelectedTerm> {
    let sum: f64 = left.iter().map(|(weight, _)| weight).sum();
    let mut at = random.next_f64() * sum;
    let place = left.iter().position(|(weight, _)| {
        at -= weight;
        at < 0.0
    });
    let last = left.len().checked_sub(1)?;
    Some(left.remove(place.unwrap_or(last)).1)
}

/// A class, with probability proportional to `size`, and a number below its size.
pub(super) fn pick(
    classes: &[ClassCounts],
    size: impl Fn(&ClassCounts) -> u64,
    random: &mut Random,
) -> Option<(i64, u64)> {
    let sum: u64 = classes.iter().map(&size).sum();
    if sum == 0 {
        return None;
    }
    let mut at = random.next_below(sum);
    for class in classes {
        if at < size(class) {
            return Some((class.id, at));
        }
        at -= size(class);
    }
    None
}
