//! The last rankings, kept in memory as long as the statistics do not change.
//!
//! While queries return nothing new, the recovery asks for the same rankings at other offsets. A
//! process that composes the queries of many steps, as simulate-run does, then ranks once.

use crate::select::{ClassContrast, SelectedTerm, SelectionMethod};
use crate::statistics::Result;
use std::cell::RefCell;
use std::rc::Rc;

/// Number of rankings that are kept: those of the two sides of a query, for several targets.
const MAX_RANKINGS: usize = 8;

/// The best terms of a contrast by a method, best first.
#[derive(Debug)]
struct Ranking {
    /// The contrast. It has the numbers of documents of all classes that the ranking depends on,
    /// so it changes with every document that may change the ranking.
    contrast: ClassContrast,
    method: SelectionMethod,
    terms: Rc<[SelectedTerm]>,
    /// True if there are no further terms.
    is_complete: bool,
}

/// The last rankings that were made.
#[derive(Debug, Default)]
pub(crate) struct RankingCache(RefCell<Vec<Ranking>>);

impl RankingCache {
    /// Returns at least the `number` best terms, or all if there are fewer. `rank` makes a ranking
    /// of a given number of terms. If a longer one than before is requested, it has twice the
    /// length, so that it is not made again for each offset.
    pub(crate) fn best_terms(
        &self,
        contrast: &ClassContrast,
        method: SelectionMethod,
        number: usize,
        rank: impl FnOnce(usize) -> Result<Vec<SelectedTerm>>,
    ) -> Result<Rc<[SelectedTerm]>> {
        if contrast.depends_on_links() {
            return Ok(rank(number)?.into());
        }
        let mut rankings = self.0.borrow_mut();
        let is_known = |known: &Ranking| known.method == method && known.contrast == *contrast;
        let mut capacity = number;
        if let Some(known) = rankings.iter().position(is_known) {
            let ranking = &rankings[known];
            if ranking.is_complete || ranking.terms.len() >= number {
                return Ok(ranking.terms.clone());
            }
            rankings.remove(known);
            capacity = 2 * number;
        }
        let terms: Rc<[SelectedTerm]> = rank(capacity)?.into();
        if rankings.len() == MAX_RANKINGS {
            rankings.remove(0);
        }
        rankings.push(Ranking {
            contrast: contrast.clone(),
            method,
            terms: terms.clone(),
            is_complete: terms.len() < capacity,
        });
        Ok(terms)
    }
}
