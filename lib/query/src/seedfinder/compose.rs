//! From what SeedFinder knows to a query record.

use super::NAME;
use super::fold::{Last, read};
use crate::compose::{Plan, Side, Terms, compose as compose_plan};
use crate::select::{Counts, Direction, Method, Ranked, Reads, Sides, TermRow};
use crate::statistics::{Statistics, StatisticsError};
use forage_record::{Query, QueryStrategy};
use forage_run::query_id;
use rusqlite::{CachedStatement, OptionalExtension};

/// How the first query is made, which the paper's user gives: its inclusion and its exclusion side.
pub const FIRST: (Side, Side) = (Side { method: Method::Or, length: 3 }, Side { method: Method::Or, length: 0 });

/// The query for a step; `None` where no term is left that speaks for the target and was not used.
///
/// Until a document has come, it is the plan's, whose sides are [`FIRST`].
///
/// # Errors
/// When the statistics can't be read, or have no documents of a class that is named.
pub fn compose(from: &Statistics, plan: &Plan) -> Result<Option<Terms>, StatisticsError> {
    let classes = from.classes()?;
    let sides = Sides::new(from, &classes, &plan.target, plan.versus.as_deref(), Direction::Include)?;
    let sides = sides.pruned(plan.prune, from, &classes)?;
    let include = match next(from, &sides, &plan.target).map_err(|e| from.named(e))? {
        Next::First => return Ok(compose_plan(from, plan)?.map(|terms| terms.as_strategy(NAME))),
        Next::Terms(include) if include.is_empty() => return Ok(None),
        Next::Terms(include) => include,
    };
    let ranked = ranked(from, &sides, include).map_err(|e| from.named(e))?;
    let names: Vec<String> = ranked.iter().map(|ranked| ranked.term.clone()).collect();
    let strategy = Some(QueryStrategy::new(NAME));
    let query = Query { id: query_id(&names, &[]), include: names, strategy, ..Query::default() };
    Ok(Some(Terms { query, include: ranked, exclude: Vec::new() }))
}

/// What is to be asked.
enum Next {
    /// Nothing is known yet.
    First,
    /// These terms, with their scores; none where the target is spent.
    Terms(Vec<(String, f64)>),
}

fn next(from: &Statistics, sides: &Sides, target: &str) -> rusqlite::Result<Next> {
    match read(from, target)? {
        Some(Last { is_over: false, include, .. }) => {
            let mut score = from.db.prepare_cached("SELECT score FROM seed_term WHERE target = ?1 AND term = ?2")?;
            let read = |term: &str| Ok((term.to_owned(), score.query_row((target, term), |row| row.get(0))?));
            include.lines().map(read).collect::<rusqlite::Result<_>>().map(Next::Terms)
        }
        Some(last) if has_documents(from, target)? => best(from, sides, target, last.length).map(Next::Terms),
        _ => Ok(Next::First),
    }
}

/// Whether a document has moved a score.
fn has_documents(from: &Statistics, target: &str) -> rusqlite::Result<bool> {
    from.db.prepare_cached("SELECT 1 FROM seed_term WHERE target = ?1 AND score <> 0 LIMIT 1")?.exists([target])
}

/// The `length` − 1 terms of the highest scores and the best of those that were never used; nothing where there is no
/// such term. Terms that speak against the target and terms that are pruned are left out; equal ones are ordered by
/// code point.
fn best(from: &Statistics, sides: &Sides, target: &str, length: u32) -> rusqlite::Result<Vec<(String, f64)>> {
    let sql = "SELECT term, score, is_used FROM seed_term WHERE target = ?1 AND score > 0 ORDER BY score DESC, term";
    let mut all = from.db.prepare_cached(sql)?;
    let mut rows = all.query([target])?;
    let mut words = Words::new(from, sides)?;
    let mut terms = Vec::new();
    while let Some(row) = rows.next()? {
        let is_last = terms.len() + 1 >= length as usize;
        let term: String = row.get(0)?;
        if (!is_last || !row.get::<_, bool>(2)?) && !words.is_pruned(&term)? {
            terms.push((term, row.get(1)?));
            if is_last {
                return Ok(terms);
            }
        }
    }
    Ok(Vec::new())
}

/// The terms with their counts.
fn ranked(from: &Statistics, sides: &Sides, terms: Vec<(String, f64)>) -> rusqlite::Result<Vec<Ranked>> {
    let mut words = Words::new(from, sides)?;
    let one = |(term, score): (String, f64)| {
        let counts = words.counts(&term)?;
        Ok(Ranked { term, tf: counts.tf, df: counts.df, df_other: counts.df_other, score, rank: None })
    };
    terms.into_iter().map(one).collect()
}

/// Looks up terms by their text.
struct Words<'a> {
    by_text: CachedStatement<'a>,
    reads: Reads<'a>,
}

impl<'a> Words<'a> {
    fn new(from: &'a Statistics, sides: &'a Sides) -> rusqlite::Result<Self> {
        let by_text = from.db.prepare_cached("SELECT id FROM term WHERE text = ?1")?;
        Ok(Words { by_text, reads: Reads::prepare(from, sides)? })
    }

    /// `None` where no document has it: a word of a query that somebody else made.
    fn row(&mut self, term: &str) -> rusqlite::Result<Option<TermRow>> {
        let id = self.by_text.query_row([term], |row| row.get(0)).optional()?;
        id.map(|id| self.reads.term(id)).transpose()
    }

    fn counts(&mut self, term: &str) -> rusqlite::Result<Counts> {
        let row = self.row(term)?;
        row.map_or(Ok(Counts::default()), |row| self.reads.counts(&row))
    }

    /// Whether it is not to be taken.
    fn is_pruned(&mut self, term: &str) -> rusqlite::Result<bool> {
        let row = self.row(term)?;
        row.map_or(Ok(true), |row| self.reads.is_pruned(&row))
    }
}
