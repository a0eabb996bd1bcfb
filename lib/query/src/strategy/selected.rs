//! A query whose terms are selected from the rankings of both sides.

use super::recovery::Walk;
use super::{ComposedQuery, QueryRequest};
use crate::select::{ClassContrast, SelectedTerm, SelectionSpec, select_terms};
use crate::statistics::{Statistics, StatisticsError};
use forage_record::{QueryStrategy, RecoveryOffsets, SelectionMethods};

/// Puts the query of a strategy for a step together; `None` where the recovery has come to its end,
/// or there is no term at all.
///
/// # Errors
/// When the statistics can't be read, or have no documents of a class that is named.
pub(super) fn compose(
    from: &Statistics,
    request: &QueryRequest,
    strategy: &str,
    walk: Walk,
) -> Result<Option<ComposedQuery>, StatisticsError> {
    let [include, exclude] = request.sides(from)?;
    let mut next = walk
        .first(from, request.target)
        .map_err(|e| from.sqlite_error(e))?;
    while let Some(offset) = next {
        let shorter = SelectionSpec {
            length: walk.include.length - offset.shorter,
            ..walk.include
        };
        let terms = compose_at(
            from,
            request,
            strategy,
            walk,
            [(&include, shorter), (&exclude, walk.exclude)],
            offset,
        )?;
        let is_whole = |side: SelectionSpec, offset: u32, found: &[SelectedTerm]| {
            offset == 0 || !side.method.is_deterministic() || found.len() == side.length as usize
        };
        if is_whole(shorter, offset.include, &terms.include)
            && is_whole(walk.exclude, offset.exclude, &terms.exclude)
        {
            return Ok(
                Some(terms).filter(|terms| !terms.include.is_empty() || !terms.exclude.is_empty())
            );
        }
        next = walk.after(offset);
    }
    Ok(None)
}

fn compose_at(
    from: &Statistics,
    request: &QueryRequest,
    strategy: &str,
    walk: Walk,
    [(include, included), (exclude, excluded)]: [(&ClassContrast, SelectionSpec); 2],
    offset: RecoveryOffsets,
) -> Result<ComposedQuery, StatisticsError> {
    let random = |side| request.random(side);
    let wanted = select_terms(
        from,
        include,
        included,
        offset.include,
        &[],
        &mut random("include"),
    )?;
    // Two sides of one query never share a term: the exclusion passes over what is included.
    let unwanted = select_terms(
        from,
        exclude,
        excluded,
        offset.exclude,
        &wanted,
        &mut random("exclude"),
    )?;
    let strategy = QueryStrategy {
        name: strategy.into(),
        method: Some(SelectionMethods {
            include: walk.include.to_string(),
            exclude: walk.exclude.to_string(),
        }),
        offset: Some(offset),
        learner: walk.learner.map(|learner| learner.to_string()),
        ..QueryStrategy::default()
    };
    Ok(ComposedQuery::new(wanted, unwanted, strategy))
}
