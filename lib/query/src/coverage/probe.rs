//! The query of a probe.

use super::pool::Pool;
use super::turn::Wanted;
use crate::asked::{self, PROBE, Row};
use crate::compose::{Terms, query_id};
use crate::select::Ranked;
use crate::statistics::{ClassCounts, Statistics};
use forage_record::Query;
use forage_text::Random;

/// Draws in vain after which there is no pool to speak of.
const TRIES: usize = 2_000;

/// A word of the pool, drawn uniformly from those that were not asked for; `None` where there is none.
pub(super) fn draw(from: &Statistics, wanted: Wanted, class: &ClassCounts) -> rusqlite::Result<Option<Terms>> {
    let mut pool = Pool::new(from, class)?;
    let Wanted { target, seed, step, .. } = wanted;
    let mut random = Random::for_purpose(seed, &[&step.to_string(), target, PROBE]);
    for _ in 0..TRIES {
        if class.terms == 0 {
            break;
        }
        let Some(word) = pool.word(1 + random.below(class.terms))? else { continue };
        let terms = probe(from, wanted, class, word.id, word.text)?;
        if !asked::is_known(from, &terms.query.id)? {
            return Ok(Some(terms));
        }
    }
    Ok(None)
}

/// A probe once more.
pub(super) fn again(from: &Statistics, row: &Row, wanted: Wanted, class: &ClassCounts) -> rusqlite::Result<Terms> {
    let text = row.path.trim_start_matches('+');
    let mut id = from.db.prepare_cached("SELECT id FROM term WHERE text = ?1")?;
    let id = id.query_row([text], |row| row.get(0))?;
    probe(from, wanted, class, id, text.to_owned())
}

fn probe(from: &Statistics, wanted: Wanted, class: &ClassCounts, id: i64, term: String) -> rusqlite::Result<Terms> {
    let sql = "SELECT count.tf, count.df, term.df FROM count JOIN term ON term.id = count.term
               WHERE count.class = ?1 AND count.term = ?2";
    let mut counts = from.db.prepare_cached(sql)?;
    let (tf, df, all): (u64, u64, u64) =
        counts.query_row((class.id, id), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let query = Query {
        id: query_id(std::slice::from_ref(&term), &[]),
        step: wanted.step,
        target: wanted.target.into(),
        path: None,
        include: vec![term.clone()],
        exclude: Vec::new(),
        method: None,
        offset: None,
        learner: Some(PROBE.into()),
    };
    let score = df as f64 / class.documents.max(1) as f64;
    let include = vec![Ranked { term, tf, df, df_other: all - df, score, rank: None }];
    Ok(Terms { query, include, exclude: Vec::new() })
}
