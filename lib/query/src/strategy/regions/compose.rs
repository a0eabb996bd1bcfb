//! Makes a query record of the choice of a region.

use super::choose::{RegionChoice, choose_next, should_continue, unseen_hit_limit};
use super::evidence::Literal;
use super::load;
use crate::query_log::REGIONS;
use crate::select::{ClassContrast, QuerySide, SelectedTerm, TermLookup};
use crate::statistics::{Result, Statistics};
use crate::strategy::{ComposedQuery, QueryChoice, QueryRequest, Strategy, StrategyNeeds};
use crate::unseen_hits::{LAST_RESORT_COST, NONRELEVANT_COST};
use forage_record::QueryStrategy;
use std::num::NonZeroUsize;

/// The regions strategy.
#[derive(Debug)]
pub struct RegionsStrategy;

impl Strategy for RegionsStrategy {
    /// Chooses a high-precision region. The choice does not depend on the seed; regions that are
    /// drawn at random are probes.
    fn choose_query(&self, request: &QueryRequest) -> Result<QueryChoice> {
        choose_region_query(request, NONRELEVANT_COST)
    }

    /// Chooses a region in which the target is mixed with other classes.
    fn choose_last_resort(&self, request: &QueryRequest) -> Result<QueryChoice> {
        choose_region_query(request, LAST_RESORT_COST)
    }

    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds {
            controls_paging: true,
            ..StrategyNeeds::default()
        }
    }

    fn exhaustion_reason(&self) -> String {
        "no region is expected to return new documents of the target".into()
    }
}

/// Composes the query of a step; exhausted if no query is worth a call at this cost of a
/// nonrelevant document.
fn choose_region_query(request: &QueryRequest, nonrelevant_cost: f64) -> Result<QueryChoice> {
    let [include, exclude] = request.contrasts()?;
    let contrasts = [&include, &exclude];
    let Some(chosen) = choose_literals(request, contrasts, nonrelevant_cost)? else {
        return Ok(QueryChoice::Exhausted);
    };
    let mut query = compose_region(request.statistics, contrasts, &chosen.literals)?;
    if chosen.is_exploration {
        query.query.strategy = Some(QueryStrategy::new(REGIONS));
    }
    query.query.limit = chosen.limit;
    Ok(QueryChoice::Query(Box::new(query)))
}

/// Composes the query for the region with these literals.
pub(crate) fn compose_region(
    statistics: &Statistics,
    contrasts: [&ClassContrast; 2],
    literals: &[Literal],
) -> Result<ComposedQuery> {
    let include = look_up_terms(statistics, contrasts[0], literals)?;
    let exclude = look_up_terms(statistics, contrasts[1], literals)?;
    let (mut included, mut excluded) = (include.iter(), exclude.iter());
    let written = literals
        .iter()
        .filter_map(|literal| match literal.is_included {
            true => Some(format!("+{}", included.next()?.term)),
            false => Some(format!("-{}", excluded.next()?.term)),
        });
    let strategy = QueryStrategy {
        literals: Some(written.collect()),
        ..QueryStrategy::new(REGIONS)
    };
    Ok(ComposedQuery::new(include, exclude, strategy))
}

/// The literals of the next query, and its purpose.
struct ChosenLiterals {
    literals: Vec<Literal>,
    is_exploration: bool,
    /// The maximum number of hits in the step, if few relevant ones are expected.
    limit: Option<NonZeroUsize>,
}

/// Continues the last query, or chooses another one. The evidence is read only for another one, as
/// this takes longer than all the rest of a step.
fn choose_literals(
    request: &QueryRequest,
    contrasts: [&ClassContrast; 2],
    nonrelevant_cost: f64,
) -> Result<Option<ChosenLiterals>> {
    let page_size = f64::from(request.result_window.page_size);
    let last = load::load_last_query(request)?;
    if let Some(last) = last.filter(|last| should_continue(last, page_size)) {
        let limit = (last.unseen_hits > 0)
            .then(|| unseen_hit_limit(last.page_relevant, last.page_nonrelevant));
        return Ok(Some(ChosenLiterals {
            literals: last.literals,
            is_exploration: last.is_exploration,
            limit,
        }));
    }
    let mut evidence = load::load_evidence(request, contrasts)?;
    let choice = choose_next(&evidence, nonrelevant_cost);
    let is_last_resort = nonrelevant_cost < NONRELEVANT_COST;
    Ok(choice.map(|choice| match choice {
        // The last page was not worth a further one in itself.
        RegionChoice::Continue(index) => {
            let query = &mut evidence.queries[index];
            ChosenLiterals {
                literals: std::mem::take(&mut query.literals),
                is_exploration: query.is_exploration,
                limit: Some(NonZeroUsize::MIN),
            }
        }
        RegionChoice::Explore(term) => ChosenLiterals {
            literals: vec![Literal {
                term,
                is_included: true,
            }],
            is_exploration: true,
            limit: Some(NonZeroUsize::MIN),
        },
        RegionChoice::Region(literals) => ChosenLiterals {
            literals,
            is_exploration: false,
            limit: is_last_resort.then_some(NonZeroUsize::MIN),
        },
    }))
}

/// Looks up the terms of one side, in the order of the literals. The score of each is the share of
/// the target's documents that contain it.
fn look_up_terms(
    statistics: &Statistics,
    contrast: &ClassContrast,
    literals: &[Literal],
) -> Result<Vec<SelectedTerm>> {
    let is_included = contrast.side == QuerySide::Include;
    let mut lookup = TermLookup::prepare(statistics, contrast)?;
    let mut look_up = |term: u32| {
        let row = lookup.term_by_id(i64::from(term))?;
        let counts = lookup.counts(&row)?;
        let (df, documents) = if is_included {
            (counts.df, contrast.documents)
        } else {
            (counts.df_other, contrast.documents_other)
        };
        let score = df as f64 / documents.max(1) as f64;
        Ok(counts.to_selected_term(row.text, score))
    };
    let own = literals
        .iter()
        .filter(|literal| literal.is_included == is_included);
    own.map(|literal| look_up(literal.term)).collect()
}
