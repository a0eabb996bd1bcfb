//! The query of a probe: a region of the target's documents, drawn at random with a known inclusion
//! probability.
//!
//! A random walk goes down a tree of splits, as in [`crate::strategy::regions`]: at each node a
//! term splits the collected documents of the target evenly, and the walk continues with the
//! documents that contain the term or with those that do not. Their shares are the probabilities of
//! the two branches. The walk ends when the region is expected to fit on a page or two (Dasgupta,
//! Das & Mannila 2007, "A random walk approach to sampling hidden databases"). Each document is in
//! exactly one region of the tree, and is included with the product of the branch probabilities.

use crate::query_log::{self, PROBE, QueryLogRow};
use crate::select::ClassContrast;
use crate::statistics::{Result, Statistics};
use crate::strategy::regions::{DrawnRegion, SampleIndex, compose_region, load};
use crate::strategy::{ComposedQuery, QueryRequest};

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling it.

/// Maximum number of draws for a probe. If none of them gives a region that has not been sent,
/// there is assumed to be none. Larger values find regions when most have been sent, but take time.
const MAX_DRAWS: usize = 50;

/// Draws a region that has not been sent. `None` if there is none. With `prefers_precise`, the
/// first one without a known nonrelevant document, if there is one among the draws.
pub(super) fn draw_probe(
    request: &QueryRequest,
    prefers_precise: bool,
) -> Result<Option<ComposedQuery>> {
    let [include, exclude] = request.contrasts()?;
    let contrasts = [&include, &exclude];
    let evidence = load::load_evidence(request, contrasts)?;
    let index = SampleIndex::new(&evidence);
    let mut random = request.random(PROBE);
    let mut mixed = None;
    for _ in 0..MAX_DRAWS {
        let Some(region) = index.draw_region(&mut random) else {
            continue;
        };
        let probe = compose_probe(request.statistics, contrasts, &region)?;
        if query_log::contains(&request.statistics.db, &probe.query.id)? {
            continue;
        }
        if region.has_only_relevant || !prefers_precise {
            return Ok(Some(probe));
        }
        mixed.get_or_insert(probe);
    }
    Ok(mixed)
}

/// Composes the query of an earlier probe again, to continue it.
pub(super) fn repeat_probe(request: &QueryRequest, row: &QueryLogRow) -> Result<ComposedQuery> {
    let [include, exclude] = request.contrasts()?;
    let region = DrawnRegion {
        literals: load::parse_literals(request.statistics, row)?,
        probability: row.probability.abs(),
        has_only_relevant: true,
    };
    compose_probe(request.statistics, [&include, &exclude], &region)
}

fn compose_probe(
    statistics: &Statistics,
    contrasts: [&ClassContrast; 2],
    region: &DrawnRegion,
) -> Result<ComposedQuery> {
    let mut composed = compose_region(statistics, contrasts, &region.literals)?;
    if let Some(strategy) = &mut composed.query.strategy {
        strategy.name = PROBE.into();
        strategy.probability = Some(region.probability);
    }
    Ok(composed)
}
