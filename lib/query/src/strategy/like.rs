//! `--learn like`: more-like-this, a baseline of CorpusBuilder's paper (Ghani, Jones & Mladenić
//! 2001; ALGORITHMS §1.5).
//!
//! A query by odds ratio, five terms on either side, finds first documents. From then on each
//! relevant document is put in a queue, and the engine is asked for pages like the first in it,
//! until it has no further ones; each relevant answer joins the queue. When nobody is in the queue,
//! the odds ratio is asked again.
//!
//! The queue is a projection of the journal, kept in `stats.db` (`similar`).

use super::recovery::{RecoveryLimits, Walk};
use super::selected::compose;
use super::{ComposedQuery, QueryChoice, QueryRequest, Strategy, StrategyNeeds};
use crate::select::{SelectionMethod, SelectionSpec};
use crate::statistics::{Statistics, StatisticsError};
use forage_record::{Hit, Query, QueryStrategy};
use forage_run::{Event, StoredProjection, like_query_id};
use forage_state::StateFile;
use rusqlite::OptionalExtension;

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "like";

/// The table of the queue.
pub(crate) const SCHEMA: &str = "
CREATE TABLE similar (           -- gen-query --learn like: relevant documents, in the order in which they came
    n INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    url TEXT NOT NULL,
    is_exhausted INTEGER NOT NULL,   -- whether pages like it were asked for to their end
    UNIQUE (target, url)
);
CREATE INDEX similar_waiting ON similar (target, n) WHERE NOT is_exhausted;
";

/// How first documents are found, on either side: by OR 5/5, the paper's.
const FIRST: SelectionSpec = SelectionSpec {
    method: SelectionMethod::Or,
    length: 5,
};

/// The strategy.
#[derive(Debug)]
pub(super) struct Like(Walk);

impl Like {
    /// Finds first documents within these limits.
    pub fn new(limits: RecoveryLimits) -> Self {
        Like(Walk {
            include: FIRST,
            exclude: FIRST,
            limits,
            learner: None,
        })
    }
}

impl Strategy for Like {
    /// Asks for documents like the first of the queue, or else by the odds ratio.
    fn choose_query(
        &self,
        from: &Statistics,
        request: &QueryRequest,
    ) -> Result<QueryChoice, StatisticsError> {
        let Some(url) = first_in_queue(from, request.target).map_err(|e| from.sqlite_error(e))?
        else {
            return Ok(compose(from, request, NAME, self.0)?.into());
        };
        let strategy = Some(QueryStrategy::new(NAME));
        let query = Query {
            id: like_query_id(&url),
            like: Some(url),
            strategy,
            ..Query::default()
        };
        Ok(Some(ComposedQuery {
            query,
            include: Vec::new(),
            exclude: Vec::new(),
        })
        .into())
    }

    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds {
            like: true,
            ..StrategyNeeds::default()
        }
    }

    fn exhaustion_reason(&self) -> String {
        self.0.exhaustion_reason()
    }
}

/// The document that is first in the queue.
fn first_in_queue(from: &Statistics, target: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT url FROM similar WHERE target = ?1 AND NOT is_exhausted ORDER BY n LIMIT 1";
    from.db
        .prepare_cached(sql)?
        .query_row([target], |row| row.get(0))
        .optional()
}

/// The queue as a projection.
#[derive(Debug, Default)]
pub(crate) struct LikeQueue {
    /// What happened since the last write, in order: target, URL, and whether it was asked for to
    /// its end.
    changes: Vec<(String, String, bool)>,
}

impl StoredProjection for LikeQueue {
    fn apply(&mut self, _: &StateFile, event: &Event) -> rusqlite::Result<()> {
        let Some(query) = event
            .query
            .as_ref()
            .filter(|query| query.strategy_named(NAME).is_some())
        else {
            return Ok(());
        };
        if event.is_unanswered() {
            return Ok(());
        }
        if let Some(url) = event.url().filter(|_| event.is_relevant()) {
            self.changes
                .push((event.target().into(), url.into_owned(), false));
        }
        let is_exhausted = event.ends_step() && event.hit.as_ref().is_some_and(Hit::is_exhausted);
        if let Some(url) = query.like.as_ref().filter(|_| is_exhausted) {
            self.changes
                .push((event.target().into(), url.clone(), true));
        }
        Ok(())
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut join =
            store.prepare_cached("INSERT OR IGNORE INTO similar VALUES (NULL, ?1, ?2, 0)")?;
        let mut leave = store
            .prepare_cached("UPDATE similar SET is_exhausted = 1 WHERE target = ?1 AND url = ?2")?;
        for (target, url, is_exhausted) in self.changes.drain(..) {
            if is_exhausted { &mut leave } else { &mut join }.execute((target, url))?;
        }
        Ok(())
    }
}
