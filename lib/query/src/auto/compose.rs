//! From the choice to a query record.

use super::sample::Signed;
use super::{Next, Regions, Wanted, goes_on, load, next};
use crate::compose::Terms;
use crate::query_log::REGIONS;
use crate::select::{Direction, Ranked, Reads, Sides};
use crate::statistics::{Statistics, StatisticsError};
use forage_record::{Query, QueryStrategy};
use forage_run::query_id;

/// The query of `--learn auto` for a step; `None` where no such region is left that promises anything.
///
/// It does not depend on a seed: regions that are drawn at random are those of [`crate::coverage`].
///
/// # Errors
/// When the statistics can't be read, or have no documents of a class that is named.
pub fn compose(from: &Statistics, wanted: Wanted, regions: Regions) -> Result<Option<Terms>, StatisticsError> {
    let [include, exclude] = wanted.sides(from)?;
    let put = || {
        let Some(choice) = choose(from, wanted, [&include, &exclude], regions)? else { return Ok(None) };
        let mut terms = self::put(from, [&include, &exclude], &choice.path)?;
        if choice.is_scout {
            terms.query.strategy = Some(QueryStrategy::new(REGIONS));
        }
        Ok(Some(terms))
    };
    put().map_err(|e| from.named(e))
}

/// The query for the documents of a path.
pub(crate) fn put(from: &Statistics, sides: [&Sides; 2], path: &[Signed]) -> rusqlite::Result<Terms> {
    let (include, exclude) = (ranked(from, sides[0], path)?, ranked(from, sides[1], path)?);
    Ok(Terms { query: query(path, &include, &exclude), include, exclude })
}

/// What is asked for.
struct Choice {
    path: Vec<Signed>,
    is_scout: bool,
}

/// The last query once more, or another one. Only for another one the documents are looked at, which takes longer than
/// all the rest of a step.
fn choose(from: &Statistics, wanted: Wanted, sides: [&Sides; 2], regions: Regions) -> rusqlite::Result<Option<Choice>> {
    let page_size = f64::from(wanted.shown.page_size);
    if let Some(last) = load::last(from, wanted.target)?.filter(|last| goes_on(last, page_size)) {
        return Ok(Some(Choice { path: last.path, is_scout: last.is_scout }));
    }
    let mut known = load::known(from, wanted, sides)?;
    let (path, is_scout) = match next(&known, regions) {
        Some(Next::Again(at)) => (std::mem::take(&mut known.asked[at].path), known.asked[at].is_scout),
        Some(Next::Scout(term)) => (vec![Signed { term, is_included: true }], true),
        Some(Next::Region(path, _)) => (path, false),
        None => return Ok(None),
    };
    Ok(Some(Choice { path, is_scout }))
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
