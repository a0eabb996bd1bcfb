//! The query of a probe: a region of the target's documents, drawn at random with a probability
//! that is known.
//!
//! From all documents one goes down a tree, as [`crate::strategy::regions`] cuts it: at each node a
//! word halves what is known of the target there, and one goes to the documents with it or without
//! it, with their shares as probabilities, until the region is expected to fit on a page or two
//! (Dasgupta, Das & Mannila 2007, "A random walk approach to sampling hidden databases"). Each
//! document is in one region of the tree, whose probability is the product of those of the turns.

use crate::query_log::{self, PROBE, QueryLogRow};
use crate::select::ClassContrast;
use crate::statistics::{Statistics, StatisticsError};
use crate::strategy::regions::{Drawn, Sample, load, region_query};
use crate::strategy::{ComposedQuery, QueryRequest};
use forage_record::QueryStrategy;

/// Regions drawn in vain after which there is none that was not asked for.
const TRIES: usize = 50;

/// A region that was not asked for; `None` where there is none.
pub(super) fn draw(
    from: &Statistics,
    request: &QueryRequest,
    until: Option<f64>,
) -> Result<Option<ComposedQuery>, StatisticsError> {
    let [include, exclude] = request.sides(from)?;
    let put = || {
        let known = load::known(from, request, [&include, &exclude])?;
        let sample = Sample::new(&known);
        let mut random = request.random(PROBE);
        for _ in 0..TRIES {
            // To estimate by, all regions must be there that can be drawn; to find more by, those
            // that promise only good.
            let is_fit = |drawn: &Drawn| until.is_some() || drawn.is_pure;
            let Some(drawn) = sample.draw(&mut random).filter(is_fit) else {
                continue;
            };
            let terms = probe(from, [&include, &exclude], &drawn)?;
            if !query_log::contains(&from.db, &terms.query.id)? {
                return Ok(Some(terms));
            }
        }
        Ok(None)
    };
    put().map_err(|e| from.sqlite_error(e))
}

/// A probe once more.
pub(super) fn repeat(
    from: &Statistics,
    row: &QueryLogRow,
    request: &QueryRequest,
) -> Result<ComposedQuery, StatisticsError> {
    let [include, exclude] = request.sides(from)?;
    let put = || {
        let drawn = Drawn {
            path: load::path(from, row)?,
            chance: row.probability,
            is_pure: true,
        };
        probe(from, [&include, &exclude], &drawn)
    };
    put().map_err(|e| from.sqlite_error(e))
}

fn probe(
    from: &Statistics,
    sides: [&ClassContrast; 2],
    drawn: &Drawn,
) -> rusqlite::Result<ComposedQuery> {
    let mut terms = region_query(from, sides, &drawn.path)?;
    let path = terms.query.strategy.and_then(|strategy| strategy.literals);
    terms.query.strategy = Some(QueryStrategy {
        literals: path,
        probability: Some(drawn.chance),
        ..QueryStrategy::new(PROBE)
    });
    Ok(terms)
}
