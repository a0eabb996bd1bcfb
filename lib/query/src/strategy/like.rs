//! `--learn like`: more-like-this, a baseline of CorpusBuilder's paper (Ghani, Jones & Mladenić
//! 2001). See `docs/algorithms.md`, "Baselines".
//!
//! Queries by odds ratio, five terms on either side, find the first documents. Each relevant
//! document joins a queue. The engine is asked for documents like the first of the queue, until it
//! returns no further ones; relevant documents among them join the queue. While the queue is empty,
//! queries by odds ratio are sent again.
//!
//! The queue is a projection of the journal, stored in `stats.db` (`similar`).

use super::recovery::{RecoveryMode, RecoveryWalk};
use super::selected::compose_selected;
use super::{ComposedQuery, QueryChoice, QueryRequest, Strategy, StrategyNeeds};
use crate::select::{SelectionMethod, SelectionSpec};
use crate::statistics::Result;
use forage_record::{Hit, Query, QueryStrategy};
use forage_run::{Event, StoredProjection, like_query_id};
use forage_state::StateFile;

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "like";

/// The table of the queue.
pub(crate) const SCHEMA: &str = "
CREATE TABLE similar (             -- gen-query --learn like: the queue of relevant documents
    n INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    url TEXT NOT NULL,
    is_exhausted INTEGER NOT NULL, -- 1: the engine has no further documents like it
    UNIQUE (target, url)
);
CREATE INDEX similar_waiting ON similar (target, n) WHERE NOT is_exhausted;
";

/// Term selection that finds the first documents, on either side: OR 5/5, as in Ghani, Jones &
/// Mladenić (2001).
const FIRST_SELECTION: SelectionSpec = SelectionSpec {
    method: SelectionMethod::Or,
    length: 5,
};

/// The strategy of more-like-this.
#[derive(Debug)]
pub(super) struct LikeStrategy(RecoveryWalk);

impl LikeStrategy {
    /// Creates the strategy. The recovery is that of the queries by odds ratio.
    pub fn new(mode: RecoveryMode) -> Self {
        LikeStrategy(RecoveryWalk {
            include: FIRST_SELECTION,
            exclude: FIRST_SELECTION,
            mode,
            learner: None,
        })
    }
}

impl Strategy for LikeStrategy {
    /// Asks for documents like the first of the queue, or by odds ratio if the queue is empty.
    fn choose_query(&self, request: &QueryRequest) -> Result<QueryChoice> {
        let Some(url) = first_in_queue(request)? else {
            return Ok(compose_selected(request, NAME, self.0)?.into());
        };
        let query = Query {
            id: like_query_id(&url),
            like: Some(url),
            strategy: Some(QueryStrategy::new(NAME)),
            ..Query::default()
        };
        Ok(QueryChoice::Query(Box::new(ComposedQuery {
            query,
            include: Vec::new(),
            exclude: Vec::new(),
        })))
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

/// Returns the URL of the first document in the queue.
fn first_in_queue(request: &QueryRequest) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT url FROM similar WHERE target = ?1 AND NOT is_exhausted ORDER BY n LIMIT 1";
    request.statistics.db.find_value(sql, [request.target])
}

/// A change of the queue.
#[derive(Debug)]
struct QueueChange {
    target: String,
    url: String,
    /// True if the document leaves the queue, false if it joins it.
    is_exhausted: bool,
}

/// The queue as a projection.
#[derive(Debug, Default)]
pub(crate) struct LikeQueue {
    /// Changes since the last write, in order.
    changes: Vec<QueueChange>,
}

impl StoredProjection for LikeQueue {
    fn apply(&mut self, _: &StateFile, event: &Event) -> rusqlite::Result<()> {
        let Some(query) = &event.query else {
            return Ok(());
        };
        if query.strategy_named(NAME).is_none() || event.is_unanswered() {
            return Ok(());
        }
        if let Some(url) = event.url().filter(|_| event.is_relevant()) {
            self.changes.push(QueueChange {
                target: event.target().into(),
                url: url.into_owned(),
                is_exhausted: false,
            });
        }
        let is_exhausted = event.ends_step() && event.hit.as_ref().is_some_and(Hit::is_exhausted);
        if let Some(url) = query.like.as_ref().filter(|_| is_exhausted) {
            self.changes.push(QueueChange {
                target: event.target().into(),
                url: url.clone(),
                is_exhausted: true,
            });
        }
        Ok(())
    }

    fn forget_queries(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        store.execute_batch("UPDATE similar SET is_exhausted = 0;")
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut insert =
            store.prepare_cached("INSERT OR IGNORE INTO similar VALUES (NULL, ?1, ?2, 0)")?;
        let mut mark_exhausted = store
            .prepare_cached("UPDATE similar SET is_exhausted = 1 WHERE target = ?1 AND url = ?2")?;
        for change in self.changes.drain(..) {
            let statement = if change.is_exhausted {
                &mut mark_exhausted
            } else {
                &mut insert
            };
            statement.execute((change.target, change.url))?;
        }
        Ok(())
    }
}
