//! From the choice to a query record.

use super::sample::{Known, Signed};
use super::{Next, Shown, known, next};
use crate::compose::{Terms, query_id};
use crate::select::{Direction, Ranked, Reads, Sides};
use crate::statistics::{Statistics, StatisticsError};
use forage_record::Query;

/// The query of `--learn auto` for a step; `None` where nothing is left that promises anything.
///
/// It does not depend on a seed: nothing in it is drawn at random.
///
/// # Errors
/// When the statistics can't be read, or have no documents of a class that is named.
pub fn compose(
    from: &Statistics,
    target: &str,
    versus: Option<&[String]>,
    shown: Shown,
    step: u64,
) -> Result<Option<Terms>, StatisticsError> {
    let known = known(from, target, versus, shown)?;
    let (path, is_scout) = match next(&known) {
        Some(Next::Again(at)) => (known.asked[at].path.clone(), known.asked[at].is_scout),
        Some(Next::Scout(term)) => (vec![Signed { term, is_included: true }], true),
        Some(Next::Region(path, _)) => (path, false),
        None => return Ok(None),
    };
    let classes = from.classes()?;
    let side = |direction| Sides::new(from, &classes, target, versus, direction);
    let (include, exclude) = (side(Direction::Include)?, side(Direction::Exclude)?);
    let read = |sides, is_included| ranked(from, sides, &known, &path, is_included);
    let (include, exclude) = (read(&include, true)?, read(&exclude, false)?);
    let names = |terms: &[Ranked]| terms.iter().map(|ranked| ranked.term.clone()).collect::<Vec<_>>();
    let (mut with, mut without) = (include.iter(), exclude.iter());
    let signed = path.iter().filter_map(|signed| match signed.is_included {
        true => with.next().map(|ranked| format!("+{}", ranked.term)),
        false => without.next().map(|ranked| format!("-{}", ranked.term)),
    });
    let query = Query {
        id: query_id(&names(&include), &names(&exclude)),
        step,
        target: target.into(),
        path: (!is_scout).then(|| signed.collect()),
        include: names(&include),
        exclude: names(&exclude),
        method: None,
        offset: None,
        learner: Some("auto".into()),
    };
    Ok(Some(Terms { query, include, exclude }))
}

/// The words of one sign, with their counts; the score is the share of the target's documents that have the word.
fn ranked(
    from: &Statistics,
    sides: &Sides,
    known: &Known,
    path: &[Signed],
    is_included: bool,
) -> Result<Vec<Ranked>, StatisticsError> {
    let all = known.target.len().max(1) as f64;
    let mut reads = Reads::prepare(from, sides).map_err(|e| from.named(e))?;
    let mut one = |term: u32| {
        let row = reads.term(i64::from(term))?;
        let counts = reads.counts(&row)?;
        let having = known.target.iter().filter(|document| document.terms.binary_search(&term).is_ok()).count();
        let score = having as f64 / all;
        Ok(Ranked { term: row.text, tf: counts.tf, df: counts.df, df_other: counts.df_other, score, rank: None })
    };
    let words = path.iter().filter(|signed| signed.is_included == is_included);
    words.map(|signed| one(signed.term)).collect::<rusqlite::Result<_>>().map_err(|e| from.named(e))
}
