//! Composes a query from the rankings of its two sides.

use super::recovery::{RecoveryWalk, is_exhausted};
use super::{ComposedQuery, QueryRequest};
use crate::select::{ClassContrast, SelectedTerm, SelectionSpec, select_terms};
use crate::statistics::Result;
use forage_record::{QueryStrategy, RecoveryOffsets, SelectionMethods};

/// Composes the query of a strategy for a step. A query that is known to return nothing new is
/// skipped. `None` if the recovery has reached its end, or if no term can be selected at all.
///
/// # Errors
/// Fails if the statistics cannot be read, or have no documents of a class that the request names.
pub(super) fn compose_selected(
    request: &QueryRequest,
    strategy: &str,
    walk: RecoveryWalk,
) -> Result<Option<ComposedQuery>> {
    let [include, exclude] = request.contrasts()?;
    let mut next = walk.first_offsets(request)?;
    while let Some(offsets) = next {
        let include_spec = walk.include_at(offsets);
        let sides = [(&include, include_spec), (&exclude, walk.exclude)];
        let composed = compose_at_offsets(request, strategy, walk, sides, offsets)?;
        if is_complete(include_spec, offsets.include, &composed.include)
            && is_complete(walk.exclude, offsets.exclude, &composed.exclude)
        {
            let has_terms = !composed.include.is_empty() || !composed.exclude.is_empty();
            let is_known = is_exhausted(request.statistics, &composed.query.id)?;
            if !has_terms || !is_known || !walk.has_end() {
                return Ok(has_terms.then_some(composed));
            }
        }
        next = walk.offsets_after(offsets);
    }
    Ok(None)
}

/// Returns `true` unless the offset is beyond the end of a ranking, so that terms are missing.
fn is_complete(spec: SelectionSpec, offset: u32, terms: &[SelectedTerm]) -> bool {
    offset == 0 || !spec.method.is_deterministic() || terms.len() == spec.length as usize
}

fn compose_at_offsets(
    request: &QueryRequest,
    strategy: &str,
    walk: RecoveryWalk,
    [(include, include_spec), (exclude, exclude_spec)]: [(&ClassContrast, SelectionSpec); 2],
    offsets: RecoveryOffsets,
) -> Result<ComposedQuery> {
    let select = |contrast, spec, offset, avoid: &[SelectedTerm], purpose| {
        let random = &mut request.random(purpose);
        select_terms(request.statistics, contrast, spec, offset, avoid, random)
    };
    let included = select(include, include_spec, offsets.include, &[], "include")?;
    // No term is on both sides of a query: the exclusion skips terms that are included.
    let excluded = select(exclude, exclude_spec, offsets.exclude, &included, "exclude")?;
    let strategy = QueryStrategy {
        name: strategy.into(),
        method: Some(SelectionMethods {
            include: walk.include.to_string(),
            exclude: walk.exclude.to_string(),
        }),
        // Without an offset, a query that returns no URL is a step: nothing else would end a run
        // that draws the next one at random.
        offset: walk.has_end().then_some(offsets),
        learner: walk.learner.map(|learner| learner.to_string()),
        ..QueryStrategy::default()
    };
    Ok(ComposedQuery::new(included, excluded, strategy))
}
