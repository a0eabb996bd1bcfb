//! From what SeedFinder knows to a query record.

use super::NAME;
use super::fold::{Last, read};
use crate::select::{
    ClassContrast, SelectedTerm, SelectionMethod, SelectionSpec, TermCounts, TermLookup,
};
use crate::statistics::{Statistics, StatisticsError};
use crate::strategy::recovery::{RecoveryLimits, Walk};
use crate::strategy::selected::compose;
use crate::strategy::{ComposedQuery, QueryChoice, QueryRequest, Strategy, StrategyNeeds};
use forage_record::QueryStrategy;
use rusqlite::Result;

/// The strategy.
#[derive(Debug)]
pub struct SeedFinder(Walk);

impl SeedFinder {
    /// Makes the first query, which the paper's user gives, within these limits.
    pub fn new(limits: RecoveryLimits) -> Self {
        let side = |length| SelectionSpec {
            method: SelectionMethod::Or,
            length,
        };
        SeedFinder(Walk {
            include: side(3),
            exclude: side(0),
            limits,
            learner: None,
        })
    }
}

impl Strategy for SeedFinder {
    /// Asks for the terms of the highest scores; until a document has come, by the odds ratio.
    fn choose_query(
        &self,
        from: &Statistics,
        request: &QueryRequest,
    ) -> Result<QueryChoice, StatisticsError> {
        let [sides, _] = request.sides(from)?;
        let include = match next(from, &sides, request.target).map_err(|e| from.sqlite_error(e))? {
            None => return Ok(compose(from, request, NAME, self.0)?.into()),
            Some(include) if include.is_empty() => return Ok(QueryChoice::Exhausted),
            Some(include) => include,
        };
        let ranked = ranked(from, &sides, include).map_err(|e| from.sqlite_error(e))?;
        Ok(Some(ComposedQuery::new(
            ranked,
            Vec::new(),
            QueryStrategy::new(NAME),
        ))
        .into())
    }

    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds {
            controls_paging: true,
            ..StrategyNeeds::default()
        }
    }

    fn exhaustion_reason(&self) -> String {
        "no term is left that speaks for it and was not used".into()
    }
}

/// The terms that are to be asked for, with their scores: none of them where the target is
/// exhausted, `None` where nothing is known yet.
fn next(
    from: &Statistics,
    sides: &ClassContrast,
    target: &str,
) -> Result<Option<Vec<(String, f64)>>> {
    match read(&from.db, target)? {
        Some(Last {
            is_over: false,
            include,
            ..
        }) => {
            let mut score = from
                .db
                .prepare_cached("SELECT score FROM seed_term WHERE target = ?1 AND term = ?2")?;
            let read = |term: &str| {
                Ok((
                    term.to_owned(),
                    score.query_row((target, term), |row| row.get(0))?,
                ))
            };
            include.lines().map(read).collect::<Result<_>>().map(Some)
        }
        Some(last) if has_documents(from, target)? => {
            best(from, sides, target, last.length).map(Some)
        }
        _ => Ok(None),
    }
}

/// Whether a document has moved a score.
fn has_documents(from: &Statistics, target: &str) -> Result<bool> {
    from.db
        .prepare_cached("SELECT 1 FROM seed_term WHERE target = ?1 AND score <> 0 LIMIT 1")?
        .exists([target])
}

/// The `length` − 1 terms of the highest scores and the best of those that were never used; nothing
/// where there is no such term. Terms that speak against the target and terms that are pruned are
/// left out; equal ones are ordered by code point.
fn best(
    from: &Statistics,
    sides: &ClassContrast,
    target: &str,
    length: u32,
) -> Result<Vec<(String, f64)>> {
    let sql = "SELECT term, score, is_used FROM seed_term WHERE target = ?1 AND score > 0 ORDER BY score DESC, term";
    let mut all = from.db.prepare_cached(sql)?;
    let mut rows = all.query([target])?;
    let mut reads = TermLookup::prepare(from, sides)?;
    let mut is_pruned = |text: &str| match reads.term_by_text(text)? {
        Some(term) => reads.is_pruned(&term),
        None => Ok(true),
    };
    let mut terms = Vec::new();
    while let Some(row) = rows.next()? {
        let is_last = terms.len() + 1 >= length as usize;
        let term: String = row.get(0)?;
        if (!is_last || !row.get::<_, bool>(2)?) && !is_pruned(&term)? {
            terms.push((term, row.get(1)?));
            if is_last {
                return Ok(terms);
            }
        }
    }
    Ok(Vec::new())
}

/// The terms with their counts.
fn ranked(
    from: &Statistics,
    sides: &ClassContrast,
    terms: Vec<(String, f64)>,
) -> Result<Vec<SelectedTerm>> {
    let mut reads = TermLookup::prepare(from, sides)?;
    let one = |(term, score): (String, f64)| {
        let row = reads.term_by_text(&term)?;
        let counts = row.map_or(Ok(TermCounts::default()), |row| reads.counts(&row))?;
        Ok(counts.to_selected_term(term, score))
    };
    terms.into_iter().map(one).collect()
}
