//! `hits.db`: every page of hits that an engine gave, and the URLs that were handed out.
//!
//! A page is kept for good, in the moment that it comes: it is paid for. It stands under the
//! canonical query, the engine and the page size, with the step that paid for it. A step reports
//! its calls once: `charged` says that it did. Going back to a step
//! ([`HitCache::forget_marks_from`]) forgets which URLs were handed out since then and lets those
//! steps report their calls again; the pages stay, so repeating a step costs nothing and gives the
//! same records.
//!
//! What was handed out and reported waits in memory until [`HitCache::commit`], so that a page,
//! which is durable at once, does not take marks with it whose records nobody has seen.

use crate::{Counts, Page, PageHit};
use forage_run::{BoxError, Event, Projection};
use forage_state::{LAST_STEP_TABLE, StateError, StateFile, StateFileKind, describe_sqlite_error};
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, SystemTime};

const KIND: StateFileKind = StateFileKind {
    application_id: forage_state::application_id(*b"FgHt"),
    version: 1,
    oldest_version: 1,
    name: "cached hits",
    schema: &["
        -- A query to an engine: its terms behind their signs, sorted, one a line.
        CREATE TABLE query (
            id INTEGER PRIMARY KEY, engine TEXT NOT NULL, page_size INTEGER NOT NULL, terms TEXT NOT NULL,
            UNIQUE (engine, page_size, terms)
        );
        -- A page of its hits, a JSON array; the step that paid for it, and whether that step has reported the call.
        CREATE TABLE page (
            query INTEGER NOT NULL REFERENCES query (id), number INTEGER NOT NULL, step INTEGER NOT NULL,
            charged INTEGER NOT NULL DEFAULT 0, more INTEGER NOT NULL, hits TEXT NOT NULL,
            PRIMARY KEY (query, number)
        );
        CREATE INDEX page_by_step ON page (step);
        -- URLs that were handed out, and by which step.
        CREATE TABLE seen (url TEXT PRIMARY KEY, step INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX seen_by_step ON seen (step);
    "],
};

/// When each engine was last asked and may be asked again, in milliseconds since 1970, so that both
/// hold over processes. Apart from the schema, as files of the time before have no such tables.
const CALLS: &str = "
    CREATE TABLE IF NOT EXISTS call (engine TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID;
    -- The time before which an engine that asked to wait must not be asked, and what it said.
    CREATE TABLE IF NOT EXISTS hold (engine TEXT PRIMARY KEY, until_ms INTEGER NOT NULL, said TEXT NOT NULL)
        WITHOUT ROWID;
";

/// A page's hits, as they are kept: with what the engine counted where it has.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    Hits(Vec<PageHit>),
    Counted {
        hits: Vec<PageHit>,
        #[serde(flatten)]
        counts: Counts,
    },
}

/// Why the cache can't be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The file can't be opened, or is none of ours.
    #[error(transparent)]
    Open(#[from] StateError),
    /// Reading or writing it failed.
    #[error("cached hits: {}", describe_sqlite_error(.0))]
    Failed(#[from] rusqlite::Error),
    /// A page in it can't be read.
    #[error("cached hits: a page is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
}

/// Pages of hits, and the URLs that were handed out.
#[derive(Debug)]
pub struct HitCache {
    db: StateFile,
    /// URLs that were handed out since the last commit, and by which step.
    seen: HashMap<String, u64>,
    /// Pages, by query and number, whose call was reported since the last commit.
    charged: HashSet<(i64, u32)>,
    /// The last step that asked for hits; `None` before the first.
    last_step: Option<u64>,
}

/// A page that the cache holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CachedPage {
    pub page: Page,
    /// The step that paid for it.
    pub step: u64,
    /// Whether that step has reported the call.
    pub charged: bool,
}

impl HitCache {
    /// Opens the file; makes it if there is none.
    ///
    /// # Errors
    /// When the file is not one of cached hits, or can't be opened.
    pub fn open(path: &Path) -> Result<HitCache, CacheError> {
        HitCache::new(forage_state::open(path, &KIND)?)
    }

    /// A cache that ends with the process.
    ///
    /// # Errors
    /// When SQLite has no memory.
    pub fn in_memory() -> Result<HitCache, CacheError> {
        HitCache::new(StateFile::in_memory(&KIND)?)
    }

    fn new(db: StateFile) -> Result<HitCache, CacheError> {
        db.execute_batch(CALLS)?;
        db.execute_batch(LAST_STEP_TABLE)?;
        let last_step = db.last_step()?;
        Ok(HitCache {
            db,
            seen: HashMap::new(),
            charged: HashSet::new(),
            last_step,
        })
    }

    /// Whether the cache lacks marks of steps before `next`. The initial documents, step 0, have
    /// none.
    pub fn lacks_steps_before(&self, next: u64) -> bool {
        forage_state::lacks_steps_before(Some(self.last_step.unwrap_or(0)), next)
    }

    /// Records that a step has been taken in, also one that brought no hit; kept with the next
    /// commit.
    pub fn advance_to(&mut self, step: u64) {
        self.last_step = self.last_step.max(Some(step));
    }

    /// Forgets which URLs were handed out in step `from` and later, and lets those steps report
    /// their calls again.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn forget_marks_from(&mut self, from: u64) -> Result<(), CacheError> {
        self.db.begin()?;
        self.last_step = self.last_step.min(from.checked_sub(1));
        self.db
            .execute("DELETE FROM seen WHERE step >= ?", [from])?;
        self.db.execute(
            "UPDATE page SET charged = 0 WHERE step >= ? AND charged",
            [from],
        )?;
        self.commit()
    }

    /// Forgets all URLs that were handed out; with the next commit.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn forget_seen(&mut self) -> Result<(), CacheError> {
        self.db.begin()?;
        self.last_step = None;
        self.db.execute("DELETE FROM seen", [])?;
        Ok(())
    }

    /// Makes durable what was handed out and reported.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn commit(&mut self) -> Result<(), CacheError> {
        for (url, step) in std::mem::take(&mut self.seen) {
            self.restore_seen(&url, step)?;
        }
        for (query, number) in std::mem::take(&mut self.charged) {
            self.db.begin()?;
            let update = "UPDATE page SET charged = 1 WHERE query = ? AND number = ?";
            self.db
                .prepare_cached(update)?
                .execute(params![query, number])?;
        }
        if self.db.last_step()? != self.last_step {
            self.db.begin()?;
            self.db.set_last_step(self.last_step)?;
        }
        Ok(self.db.commit()?)
    }

    /// Leaves all that was committed in the one file, for a tool that ends.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn settle(&mut self) -> Result<(), CacheError> {
        Ok(self.db.merge_wal()?)
    }

    /// The number that stands for a query to an engine.
    pub(crate) fn query(
        &mut self,
        engine: &str,
        page_size: u32,
        terms: &str,
    ) -> Result<i64, CacheError> {
        let find = "SELECT id FROM query WHERE engine = ? AND page_size = ? AND terms = ?";
        let known = self
            .db
            .prepare_cached(find)?
            .query_row(params![engine, page_size, terms], |row| row.get(0))
            .optional()?;
        if let Some(id) = known {
            return Ok(id);
        }
        self.db.begin()?;
        let insert = "INSERT INTO query (engine, page_size, terms) VALUES (?, ?, ?)";
        Ok(self
            .db
            .prepare_cached(insert)?
            .insert(params![engine, page_size, terms])?)
    }

    /// A page of a query, if it came before.
    pub(crate) fn page(
        &mut self,
        query: i64,
        number: u32,
    ) -> Result<Option<CachedPage>, CacheError> {
        let find = "SELECT hits, more, step, charged FROM page WHERE query = ? AND number = ?";
        let mut find = self.db.prepare_cached(find)?;
        let row = |row: &rusqlite::Row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
            ))
        };
        let Some((hits, more, step, charged)) =
            find.query_row(params![query, number], row).optional()?
        else {
            return Ok(None);
        };
        let (hits, counts) = match serde_json::from_str(&hits)? {
            Kept::Hits(hits) => (hits, Counts::default()),
            Kept::Counted { hits, counts } => (hits, counts),
        };
        let charged = charged || self.charged.contains(&(query, number));
        Ok(Some(CachedPage {
            page: Page { hits, more, counts },
            step,
            charged,
        }))
    }

    /// Keeps a page that came, durably, with the step that paid for it.
    pub(crate) fn keep(
        &mut self,
        query: i64,
        number: u32,
        page: &Page,
        step: u64,
    ) -> Result<(), CacheError> {
        self.db.begin()?;
        let (hits, counts) = (page.hits.clone(), page.counts.clone());
        let kept = if counts == Counts::default() {
            Kept::Hits(hits)
        } else {
            Kept::Counted { hits, counts }
        };
        let hits = serde_json::to_string(&kept)?;
        let insert =
            "INSERT OR REPLACE INTO page (query, number, step, more, hits) VALUES (?, ?, ?, ?, ?)";
        self.db
            .prepare_cached(insert)?
            .execute(params![query, number, step, page.more, hits])?;
        Ok(self.db.commit()?)
    }

    /// Notes that the step that paid for a page has reported the call.
    pub(crate) fn charge(&mut self, query: i64, number: u32) {
        self.charged.insert((query, number));
    }

    /// When the engine was last asked, as far as is known.
    pub(crate) fn last_call(&self, engine: &str) -> Result<Option<SystemTime>, CacheError> {
        let find = "SELECT at_ms FROM call WHERE engine = ?";
        let at_ms: Option<u64> = self
            .db
            .prepare_cached(find)?
            .query_row([engine], |row| row.get(0))
            .optional()?;
        Ok(
            at_ms
                .and_then(|at_ms| SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(at_ms))),
        )
    }

    /// Notes, durably, when the engine was asked.
    pub(crate) fn note_call(&mut self, engine: &str, at: SystemTime) -> Result<(), CacheError> {
        self.db.begin()?;
        let insert = "INSERT OR REPLACE INTO call (engine, at_ms) VALUES (?, ?)";
        self.db
            .prepare_cached(insert)?
            .execute(params![engine, milliseconds(at)])?;
        Ok(self.db.commit()?)
    }

    /// The time before which the engine must not be asked, and what it said; it may be over.
    pub(crate) fn hold(&self, engine: &str) -> Result<Option<(SystemTime, String)>, CacheError> {
        let find = "SELECT until_ms, said FROM hold WHERE engine = ?";
        let row = |row: &rusqlite::Row| Ok((row.get::<_, u64>(0)?, row.get(1)?));
        let found = self
            .db
            .prepare_cached(find)?
            .query_row([engine], row)
            .optional()?;
        let time = |until_ms| SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(until_ms));
        Ok(found.and_then(|(until_ms, said)| Some((time(until_ms)?, said))))
    }

    /// Notes, durably, that the engine must not be asked before a time.
    pub(crate) fn note_hold(
        &mut self,
        engine: &str,
        until: SystemTime,
        said: &str,
    ) -> Result<(), CacheError> {
        self.db.begin()?;
        let insert = "INSERT OR REPLACE INTO hold (engine, until_ms, said) VALUES (?, ?, ?)";
        self.db
            .prepare_cached(insert)?
            .execute(params![engine, milliseconds(until), said])?;
        Ok(self.db.commit()?)
    }

    /// Whether a URL was handed out.
    pub(crate) fn is_seen(&self, url: &str) -> Result<bool, CacheError> {
        Ok(self.seen.contains_key(url)
            || self
                .db
                .prepare_cached("SELECT 1 FROM seen WHERE url = ?")?
                .exists([url])?)
    }

    /// Notes that a URL is handed out by a step.
    pub(crate) fn mark_seen(&mut self, url: &str, step: u64) {
        if !self.seen.contains_key(url) {
            self.seen.insert(url.into(), step);
        }
    }

    /// Notes that a URL was handed out by a step, in the open transaction: for a journal of any
    /// length.
    fn restore_seen(&mut self, url: &str, step: u64) -> Result<(), CacheError> {
        self.db.begin()?;
        // Seen once is seen since then: a later step must not make an earlier one forgettable.
        self.db
            .prepare_cached("INSERT OR IGNORE INTO seen (url, step) VALUES (?, ?)")?
            .execute(params![url, step])?;
        Ok(())
    }
}

/// The marks of hits follow from the journal. Pages of hits don't: they are paid for, and kept for
/// good.
impl Projection for HitCache {
    /// Marks the URL of a hit as given.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        let Some(step) = &event.step else {
            return Ok(());
        };
        self.advance_to(step.number);
        // What has no `hit` was not given by a search engine.
        if let (Some(_), Some(url)) = (&event.hit, event.url()) {
            self.restore_seen(&url, step.number)?;
        }
        Ok(())
    }
}

/// Since 1970.
fn milliseconds(time: SystemTime) -> u64 {
    let since = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{CachedPage, HitCache};
    use crate::{Counts, Page, PageHit};
    use std::time::{Duration, SystemTime};

    fn page(urls: &[&str]) -> Page {
        let hit = |url: &&str| PageHit {
            url: url.to_string(),
            title: Some("T".into()),
            snippet: None,
        };
        Page {
            hits: urls.iter().map(hit).collect(),
            more: true,
            counts: Counts::default(),
        }
    }

    #[test]
    fn what_an_engine_counted_is_kept_with_its_page() {
        let mut cache = HitCache::in_memory().unwrap();
        let query = cache.query("e:", 10, "+a").unwrap();
        let counts = Counts {
            total: Some(7),
            df: [("a".to_owned(), 9)].into(),
        };
        let page = Page {
            counts,
            ..page(&["u"])
        };
        cache.keep(query, 1, &page, 1).unwrap();
        assert_eq!(
            cache.page(query, 1).unwrap().map(|kept| kept.page),
            Some(page)
        );
    }

    #[test]
    fn the_times_of_the_last_call_and_of_the_next_one_are_known_to_the_next_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hits.db");
        let at = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_123);
        let mut cache = HitCache::open(&path).unwrap();
        cache.note_call("e:", at).unwrap();
        cache.note_hold("e:", at, "wait").unwrap();
        drop(cache);
        let cache = HitCache::open(&path).unwrap();
        assert_eq!(
            (
                cache.last_call("e:").unwrap(),
                cache.last_call("f:").unwrap()
            ),
            (Some(at), None)
        );
        assert_eq!(
            (cache.hold("e:").unwrap(), cache.hold("f:").unwrap()),
            (Some((at, "wait".into())), None)
        );
    }

    #[test]
    fn a_page_is_found_again_under_its_query_engine_and_page_size_only() {
        let mut cache = HitCache::in_memory().unwrap();
        let query = cache.query("e:", 10, "+a").unwrap();
        cache.keep(query, 1, &page(&["u"]), 4).unwrap();
        assert_eq!(cache.query("e:", 10, "+a").unwrap(), query);
        assert_eq!(
            cache.page(query, 1).unwrap(),
            Some(CachedPage {
                page: page(&["u"]),
                step: 4,
                charged: false
            })
        );
        assert_eq!(cache.page(query, 2).unwrap(), None);
        for (engine, size, terms) in [("f:", 10, "+a"), ("e:", 20, "+a"), ("e:", 10, "-a")] {
            let other = cache.query(engine, size, terms).unwrap();
            assert_eq!(cache.page(other, 1).unwrap(), None);
        }
    }

    #[test]
    fn what_was_committed_is_there_after_a_kill_and_a_page_is_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hits.db");
        let mut cache = HitCache::open(&path).unwrap();
        cache.mark_seen("committed", 1);
        cache.commit().unwrap();
        cache.mark_seen("lost", 1);
        let query = cache.query("e:", 10, "+a").unwrap();
        cache.keep(query, 1, &page(&["u"]), 1).unwrap();
        cache.charge(query, 1);
        drop(cache);
        let mut cache = HitCache::open(&path).unwrap();
        assert!(cache.is_seen("committed").unwrap() && !cache.is_seen("lost").unwrap());
        assert!(
            cache
                .page(query, 1)
                .unwrap()
                .is_some_and(|page| !page.charged)
        );
    }

    #[test]
    fn going_back_forgets_marks_and_charges_but_no_page() {
        let mut cache = HitCache::in_memory().unwrap();
        let query = cache.query("e:", 10, "+a").unwrap();
        for step in [1, 2] {
            cache.keep(query, step, &page(&["u"]), step.into()).unwrap();
            cache.charge(query, step);
            cache.mark_seen(&format!("step {step}"), step.into());
            cache.commit().unwrap();
        }
        cache.mark_seen("step 1", 2);
        cache.commit().unwrap();
        cache.forget_marks_from(2).unwrap();
        let charged = |cache: &mut HitCache, number| {
            cache.page(query, number).unwrap().map(|page| page.charged)
        };
        assert_eq!(
            (charged(&mut cache, 1), charged(&mut cache, 2)),
            (Some(true), Some(false))
        );
        assert!(cache.is_seen("step 1").unwrap() && !cache.is_seen("step 2").unwrap());
    }
}
