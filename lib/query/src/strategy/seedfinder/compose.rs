//! Composes a query from the scores of SeedFinder.

use super::NAME;
use super::projection::read_last_query;
use crate::select::{
    ClassContrast, SelectedTerm, SelectionMethod, SelectionSpec, TermCounts, TermLookup,
};
use crate::statistics::{Result, Statistics};
use crate::strategy::recovery::{RecoveryMode, RecoveryWalk};
use crate::strategy::selected::compose_selected;
use crate::strategy::{ComposedQuery, QueryChoice, QueryRequest, Strategy, StrategyNeeds};
use forage_record::QueryStrategy;

/// The strategy of SeedFinder.
#[derive(Debug)]
pub struct SeedFinderStrategy(RecoveryWalk);

impl SeedFinderStrategy {
    /// Creates the strategy. The recovery is that of the first query, which is given by the user in
    /// the paper, and by odds ratio here.
    pub fn new(mode: RecoveryMode) -> Self {
        let select_by_odds_ratio = |length| SelectionSpec {
            method: SelectionMethod::Or,
            length,
        };
        SeedFinderStrategy(RecoveryWalk {
            include: select_by_odds_ratio(3),
            exclude: select_by_odds_ratio(0),
            mode,
            learner: None,
        })
    }
}

impl Strategy for SeedFinderStrategy {
    /// Asks for the terms of the highest scores; by odds ratio until a document has been returned.
    fn choose_query(&self, request: &QueryRequest) -> Result<QueryChoice> {
        let [contrast, _] = request.contrasts()?;
        let terms = match choose_terms(request, &contrast)? {
            None => return Ok(compose_selected(request, NAME, self.0)?.into()),
            Some(terms) if terms.is_empty() => return Ok(QueryChoice::Exhausted),
            Some(terms) => terms,
        };
        let include = look_up_terms(request.statistics, &contrast, terms)?;
        let query = ComposedQuery::new(include, Vec::new(), QueryStrategy::new(NAME));
        Ok(QueryChoice::Query(Box::new(query)))
    }

    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds {
            controls_paging: true,
            ..StrategyNeeds::default()
        }
    }

    fn exhaustion_reason(&self) -> String {
        "no term with a positive score is unused".into()
    }
}

/// A term with its score.
type ScoredTerm = (String, f64);

/// Returns the terms of the next query: those of the last one while it continues, else the best
/// ones. Empty if the target is exhausted; `None` if no document has been returned yet.
fn choose_terms(
    request: &QueryRequest,
    contrast: &ClassContrast,
) -> Result<Option<Vec<ScoredTerm>>> {
    match read_last_query(&request.statistics.db, request.target)? {
        Some(last) if !last.is_finished => read_scores(request, &last.include).map(Some),
        Some(last) if has_scores(request)? => {
            choose_best_terms(request, contrast, last.next_length).map(Some)
        }
        _ => Ok(None),
    }
}

/// Reads the scores of the terms of a query, one term per line.
fn read_scores(request: &QueryRequest, include: &str) -> Result<Vec<ScoredTerm>> {
    let sql = "SELECT score FROM seed_term WHERE target = ?1 AND term = ?2";
    let mut select = request.statistics.db.prepare_cached(sql)?;
    let scores = include.lines().map(|term| {
        let score = select.query_row((request.target, term), |row| row.get(0))?;
        Ok((term.to_owned(), score))
    });
    scores.collect()
}

/// Returns `true` if a document has changed a score.
fn has_scores(request: &QueryRequest) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM seed_term WHERE target = ?1 AND score <> 0 LIMIT 1";
    request.statistics.db.has_row(sql, [request.target])
}

/// Returns the `length` − 1 terms of the highest scores, and the best of those that no query has
/// had. Empty if there is no such term. Terms without a positive score and pruned terms are left
/// out; terms of equal score are ordered by code point.
fn choose_best_terms(
    request: &QueryRequest,
    contrast: &ClassContrast,
    length: u32,
) -> Result<Vec<ScoredTerm>> {
    let mut select = request.statistics.db.prepare_cached(
        "SELECT term, score, is_used FROM seed_term
         WHERE target = ?1 AND score > 0
         ORDER BY score DESC, term",
    )?;
    let mut rows = select.query([request.target])?;
    let mut lookup = TermLookup::prepare(request.statistics, contrast)?;
    let mut is_pruned = |text: &str| match lookup.term_by_text(text)? {
        Some(term) => lookup.is_pruned(&term),
        None => Ok(true),
    };
    let mut terms = Vec::new();
    while let Some(row) = rows.next()? {
        let is_last = terms.len() + 1 >= length as usize;
        let term: String = row.get(0)?;
        let is_used: bool = row.get(2)?;
        if (!is_last || !is_used) && !is_pruned(&term)? {
            terms.push((term, row.get(1)?));
            if is_last {
                return Ok(terms);
            }
        }
    }
    Ok(Vec::new())
}

/// Looks up the counts of the terms.
fn look_up_terms(
    statistics: &Statistics,
    contrast: &ClassContrast,
    terms: Vec<ScoredTerm>,
) -> Result<Vec<SelectedTerm>> {
    let mut lookup = TermLookup::prepare(statistics, contrast)?;
    terms
        .into_iter()
        .map(|(term, score)| {
            let row = lookup.term_by_text(&term)?;
            let counts = row.map_or(Ok(TermCounts::default()), |row| lookup.counts(&row))?;
            Ok(counts.to_selected_term(term, score))
        })
        .collect()
}
