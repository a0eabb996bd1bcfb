//! From the choice to a query record.

use super::choose::{NextQuery, RegionKind, next, should_continue};
use super::load;
use super::sample::Signed;
use crate::query_log::REGIONS;
use crate::select::{Direction, Ranked, Reads, Sides};
use crate::statistics::{Statistics, StatisticsError};
use crate::strategy::{Capabilities, Next, Request, Strategy, Terms};
use forage_record::{Query, QueryStrategy};
use forage_run::query_id;

/// The strategy.
#[derive(Debug)]
pub struct Regions;

impl Strategy for Regions {
    /// Asks for a high-precision region. It does not depend on a seed: regions that are drawn at random are those of
    /// the probes.
    fn next(&self, from: &Statistics, request: &Request) -> Result<Next, StatisticsError> {
        compose(from, request, RegionKind::HighPrecision)
    }

    /// Asks for a region that is mixed with other classes.
    fn last_resort(&self, from: &Statistics, request: &Request) -> Result<Next, StatisticsError> {
        compose(from, request, RegionKind::Mixed)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { pages_itself: true, ..Capabilities::default() }
    }

    fn why_exhausted(&self) -> String {
        "no region of its documents promises anything new".into()
    }
}

/// The query for a step; exhausted where no region of that kind is left that promises anything.
fn compose(from: &Statistics, request: &Request, kind: RegionKind) -> Result<Next, StatisticsError> {
    let [include, exclude] = request.sides(from)?;
    let compose = || {
        let Some(choice) = choose(from, request, [&include, &exclude], kind)? else { return Ok(None) };
        let mut terms = region_query(from, [&include, &exclude], &choice.path)?;
        if choice.is_exploration {
            terms.query.strategy = Some(QueryStrategy::new(REGIONS));
        }
        Ok(Some(terms))
    };
    Ok(compose().map_err(|e| from.named(e))?.into())
}

/// The query for the documents of a path.
pub(crate) fn region_query(from: &Statistics, sides: [&Sides; 2], path: &[Signed]) -> rusqlite::Result<Terms> {
    let (include, exclude) = (ranked(from, sides[0], path)?, ranked(from, sides[1], path)?);
    Ok(Terms { query: query(path, &include, &exclude), include, exclude })
}

/// What is asked for.
struct Choice {
    path: Vec<Signed>,
    is_exploration: bool,
}

/// The last query once more, or another one. Only for another one the documents are looked at, which takes longer than
/// all the rest of a step.
fn choose(
    from: &Statistics,
    request: &Request,
    sides: [&Sides; 2],
    kind: RegionKind,
) -> rusqlite::Result<Option<Choice>> {
    let page_size = f64::from(request.shown.page_size);
    if let Some(last) = load::last(from, request.target)?.filter(|last| should_continue(last, page_size)) {
        return Ok(Some(Choice { path: last.path, is_exploration: last.is_exploration }));
    }
    let mut known = load::known(from, request, sides)?;
    let (path, is_exploration) = match next(&known, kind) {
        Some(NextQuery::Again(at)) => (std::mem::take(&mut known.asked[at].path), known.asked[at].is_exploration),
        Some(NextQuery::Explore(term)) => (vec![Signed { term, is_included: true }], true),
        Some(NextQuery::Region(path, _)) => (path, false),
        None => return Ok(None),
    };
    Ok(Some(Choice { path, is_exploration }))
}

/// The words of one side, with their counts, in the order of the path; the score is the share of the target's
/// documents that have the word.
fn ranked(from: &Statistics, sides: &Sides, path: &[Signed]) -> rusqlite::Result<Vec<Ranked>> {
    let is_included = sides.direction == Direction::Include;
    let mut reads = Reads::prepare(from, sides)?;
    let mut one = |term: u32| {
        let row = reads.term(i64::from(term))?;
        let counts = reads.counts(&row)?;
        let (having, all) =
            if is_included { (counts.df, sides.documents) } else { (counts.df_other, sides.documents_other) };
        let score = having as f64 / all.max(1) as f64;
        Ok(Ranked { term: row.text, tf: counts.tf, df: counts.df, df_other: counts.df_other, score, rank: None })
    };
    let words = path.iter().filter(|signed| signed.is_included == is_included);
    words.map(|signed| one(signed.term)).collect()
}

fn query(path: &[Signed], include: &[Ranked], exclude: &[Ranked]) -> Query {
    let names = |terms: &[Ranked]| terms.iter().map(|ranked| ranked.term.clone()).collect::<Vec<_>>();
    let (mut with, mut without) = (include.iter(), exclude.iter());
    let literals = path.iter().filter_map(|signed| match signed.is_included {
        true => with.next().map(|ranked| format!("+{}", ranked.term)),
        false => without.next().map(|ranked| format!("-{}", ranked.term)),
    });
    let strategy = QueryStrategy { path: Some(literals.collect()), ..QueryStrategy::new(REGIONS) };
    let (include, exclude) = (names(include), names(exclude));
    Query { id: query_id(&include, &exclude), include, exclude, like: None, strategy: Some(strategy) }
}
