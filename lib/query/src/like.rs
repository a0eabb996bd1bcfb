//! `--learn like`: more-like-this, a baseline of CorpusBuilder's paper (Ghani, Jones & Mladenić 2001; ALGORITHMS §1.5).
//!
//! A query by odds ratio, five terms on either side, finds first documents. From then on each relevant document is put
//! in a queue, and the engine is asked for pages like the first in it, until it has no further ones; each relevant
//! answer joins the queue. When nobody is in the queue, the odds ratio is asked again.
//!
//! The queue is a fold of the journal, kept in `stats.db` (`similar`).

use crate::compose::{Plan, Side, Terms, compose as compose_plan, like_id};
use crate::event::Event;
use crate::select::Method;
use crate::statistics::{Statistics, StatisticsError};
use forage_record::{Hit, Query};
use rusqlite::OptionalExtension;

/// The learner's name in `query.learner`.
pub(crate) const NAME: &str = "like";

/// How first documents are found, on either side: by OR 5/5, the paper's.
pub const FIRST: Side = Side { method: Method::Or, length: 5 };

/// The query for a step: for pages like the first of the queue, or else the plan's, whose sides are [`FIRST`]; `None`
/// where that brings nothing more.
///
/// # Errors
/// When the statistics can't be read, or have no documents of a class that is named.
pub fn compose(from: &Statistics, plan: &Plan) -> Result<Option<Terms>, StatisticsError> {
    let learner = Some(NAME.to_owned());
    if let Some(url) = first(from, &plan.target).map_err(|e| from.named(e))? {
        let (step, target) = (plan.step, plan.target.clone());
        let query = Query { id: like_id(&url), step, target, like: Some(url), learner, ..Query::default() };
        return Ok(Some(Terms { query, include: Vec::new(), exclude: Vec::new() }));
    }
    let found = compose_plan(from, plan)?;
    Ok(found.map(|terms| Terms { query: Query { learner, ..terms.query }, ..terms }))
}

/// The document that is first in the queue.
fn first(from: &Statistics, target: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT url FROM similar WHERE target = ?1 AND NOT is_asked ORDER BY n LIMIT 1";
    from.db.prepare_cached(sql)?.query_row([target], |row| row.get(0)).optional()
}

/// What happened to the queue since the last commit, in order: target, URL, and whether it was asked for to its end.
#[derive(Debug, Default)]
pub(crate) struct LikeQueue(Vec<(String, String, bool)>);

impl LikeQueue {
    /// Takes a record of a query of this learner's, with its URL.
    pub fn fold(&mut self, query: &Query, hit: Option<&Hit>, event: &Event, url: impl FnOnce() -> Option<String>) {
        if query.learner.as_deref() != Some(NAME) || event.is_unanswered() {
            return;
        }
        if let Some(url) = event.is_relevant().then(url).flatten() {
            self.0.push((query.target.clone(), url, false));
        }
        if let Some(url) = query.like.clone().filter(|_| hit.is_some_and(Hit::is_end)) {
            self.0.push((query.target.clone(), url, true));
        }
    }

    /// Writes what happened, within the caller's transaction.
    pub fn write(&mut self, to: &Statistics) -> rusqlite::Result<()> {
        let mut join = to.db.prepare_cached("INSERT OR IGNORE INTO similar VALUES (NULL, ?1, ?2, 0)")?;
        let mut leave = to.db.prepare_cached("UPDATE similar SET is_asked = 1 WHERE target = ?1 AND url = ?2")?;
        for (target, url, is_asked) in &self.0 {
            if *is_asked { &mut leave } else { &mut join }.execute((target, url))?;
        }
        self.discard();
        Ok(())
    }

    /// Forgets what is not written.
    pub fn discard(&mut self) {
        self.0.clear();
    }
}
