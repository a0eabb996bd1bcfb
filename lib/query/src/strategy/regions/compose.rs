//! From the choice to a query record.

use super::choose::{COST, COST_OF_MIXED, RegionChoice, next, should_continue};
use super::load;
use super::sample::Signed;
use crate::query_log::REGIONS;
use crate::select::{ClassContrast, QuerySide, SelectedTerm, TermLookup};
use crate::statistics::{Statistics, StatisticsError};
use crate::strategy::{ComposedQuery, QueryChoice, QueryRequest, Strategy, StrategyNeeds};
use forage_record::QueryStrategy;

/// The strategy.
#[derive(Debug)]
pub struct Regions;

impl Strategy for Regions {
    /// Asks for a high-precision region. It does not depend on a seed: regions that are drawn at
    /// random are those of the probes.
    fn choose_query(
        &self,
        from: &Statistics,
        request: &QueryRequest,
    ) -> Result<QueryChoice, StatisticsError> {
        compose(from, request, COST)
    }

    /// Asks for a region that is mixed with other classes.
    fn choose_last_resort(
        &self,
        from: &Statistics,
        request: &QueryRequest,
    ) -> Result<QueryChoice, StatisticsError> {
        compose(from, request, COST_OF_MIXED)
    }

    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds {
            controls_paging: true,
            ..StrategyNeeds::default()
        }
    }

    fn exhaustion_reason(&self) -> String {
        "no region of its documents promises anything new".into()
    }
}

/// The query for a step; exhausted where no region is left that promises anything at this cost of a
/// document of another class.
fn compose(
    from: &Statistics,
    request: &QueryRequest,
    cost: f64,
) -> Result<QueryChoice, StatisticsError> {
    let [include, exclude] = request.sides(from)?;
    let compose = || {
        let sides = [&include, &exclude];
        let Some((path, is_exploration)) = choose(from, request, sides, cost)? else {
            return Ok(None);
        };
        let mut terms = region_query(from, sides, &path)?;
        if is_exploration {
            terms.query.strategy = Some(QueryStrategy::new(REGIONS));
        }
        Ok(Some(terms))
    };
    Ok(compose().map_err(|e| from.sqlite_error(e))?.into())
}

/// The query for the documents of a path.
pub(crate) fn region_query(
    from: &Statistics,
    sides: [&ClassContrast; 2],
    path: &[Signed],
) -> rusqlite::Result<ComposedQuery> {
    let (include, exclude) = (ranked(from, sides[0], path)?, ranked(from, sides[1], path)?);
    let (mut with, mut without) = (include.iter(), exclude.iter());
    let literals = path.iter().filter_map(|signed| match signed.is_included {
        true => with.next().map(|ranked| format!("+{}", ranked.term)),
        false => without.next().map(|ranked| format!("-{}", ranked.term)),
    });
    let strategy = QueryStrategy {
        literals: Some(literals.collect()),
        ..QueryStrategy::new(REGIONS)
    };
    Ok(ComposedQuery::new(include, exclude, strategy))
}

/// The path of the last query once more, or of another one, and whether it explores. Only for
/// another one the documents are looked at, which takes longer than all the rest of a step.
fn choose(
    from: &Statistics,
    request: &QueryRequest,
    sides: [&ClassContrast; 2],
    cost: f64,
) -> rusqlite::Result<Option<(Vec<Signed>, bool)>> {
    let page_size = f64::from(request.result_window.page_size);
    if let Some(last) =
        load::last(from, request.target)?.filter(|last| should_continue(last, page_size))
    {
        return Ok(Some((last.path, last.is_exploration)));
    }
    let mut known = load::known(from, request, sides)?;
    Ok(next(&known, cost).map(|query| match query {
        RegionChoice::Again(at) => (
            std::mem::take(&mut known.asked[at].path),
            known.asked[at].is_exploration,
        ),
        RegionChoice::Explore(term) => (
            vec![Signed {
                term,
                is_included: true,
            }],
            true,
        ),
        RegionChoice::Region(path) => (path, false),
    }))
}

/// The words of one side, with their counts, in the order of the path; the score is the share of
/// the target's documents that have the word.
fn ranked(
    from: &Statistics,
    sides: &ClassContrast,
    path: &[Signed],
) -> rusqlite::Result<Vec<SelectedTerm>> {
    let is_included = sides.side == QuerySide::Include;
    let mut reads = TermLookup::prepare(from, sides)?;
    let mut one = |term: u32| {
        let row = reads.term_by_id(i64::from(term))?;
        let counts = reads.counts(&row)?;
        let (having, all) = if is_included {
            (counts.df, sides.documents)
        } else {
            (counts.df_other, sides.documents_other)
        };
        let score = having as f64 / all.max(1) as f64;
        Ok(counts.to_selected_term(row.text, score))
    };
    let words = path
        .iter()
        .filter(|signed| signed.is_included == is_included);
    words.map(|signed| one(signed.term)).collect()
}
