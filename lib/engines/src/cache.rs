//! `hits.db`: a durable cache of every page of hits that engines returned, and the URLs that a run
//! returned from them.
//!
//! A page is stored for good as soon as it arrives, because its call has been paid for. Its key is
//! the canonical query, the engine, the page size and the number of the page. It also has the step
//! that paid for it. Each step reports its calls once, which `call_reported` records. Rolling back
//! to a step ([`HitCache::roll_back_to`]) forgets which URLs were returned since then, and lets
//! those steps report their calls again. The pages stay, so that repeating a step costs nothing and
//! returns the same records.
//!
//! A page that lacks hits of a part of the engine, such as an engine behind a metasearch engine, is
//! used, because the hits of the other parts have been paid for. It is provisional: it is requested
//! once more when its query has no other hits left and the missing parts have answered another
//! query (`searcher/page_walk.rs`). Some parts never answer, so requesting it again at once would
//! double the calls for nothing.
//!
//! The times of calls and back-offs, and the warnings that the user has read, have no step: a
//! pipeline starts a process per step, and a repeated step need not repeat a warning.
//!
//! Returned URLs and reported calls are kept in memory until [`HitCache::commit`]. Otherwise the
//! commit of a page would also record URLs whose records have not been written yet.

mod call_times;
mod evidence;

use crate::hits_db::HITS_DB;
use crate::{EngineCounts, EngineHit, HitPage};
use forage_run::{BoxError, Event, Projection, ProjectionFile, TakenDownList};
use forage_state::{LAST_STEP_TABLE, StateError, StateFile, describe_sqlite_error};
use forage_web::page_url::url_key;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::SystemTime;

/// The stored form of a page: its hits alone, or with the counts that the engine reported and the
/// files that the page names.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredPage {
    Hits(Vec<EngineHit>),
    WithMore {
        hits: Vec<EngineHit>,
        #[serde(flatten)]
        counts: EngineCounts,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
}

/// The reason why the cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HitCacheError {
    /// The file cannot be opened, or is not a cache of hits.
    #[error(transparent)]
    Open(#[from] StateError),
    /// Reading or writing the file failed.
    #[error("cached hits: {}", describe_sqlite_error(.0))]
    Sqlite(#[from] rusqlite::Error),
    /// The list of what was taken down cannot be read.
    #[error(transparent)]
    TakenDown(#[from] std::io::Error),
    /// A stored page cannot be read.
    #[error("cached hits: a page is damaged: {0}")]
    DamagedPage(#[from] serde_json::Error),
}

/// Cache of pages of hits, and of the URLs that were returned.
#[derive(Debug)]
pub struct HitCache {
    pub(crate) db: StateFile,
    /// The keys of URLs that were returned since the last commit, with the step that returned them.
    pub(crate) returned: HashMap<String, u64>,
    /// Pages, by query and number, whose call was reported since the last commit.
    call_reported: HashSet<(i64, u32)>,
    /// The last step that requested hits; `None` before the first.
    last_step: Option<u64>,
    /// Pages that were requested before this time, in seconds since 1970, are requested again.
    oldest: u64,
    /// Pages that never come back, and of which nothing but the URL is stored.
    taken_down: TakenDownList,
}

/// A page in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CachedPage {
    pub page: HitPage,
    /// The step that paid for the page.
    pub step: u64,
    /// True if that step has reported the call.
    pub is_call_reported: bool,
    /// True if the page may be requested once more.
    pub is_provisional: bool,
    /// Names of the parts of the engine whose hits are missing.
    pub missing: Vec<String>,
}

impl CachedPage {
    /// Returns `true` if `step` has requested the page, and has not reported the call yet.
    pub fn is_new_in(&self, step: u64) -> bool {
        self.step == step && !self.is_call_reported
    }
}

impl HitCache {
    /// Opens the cache in the file at `path`, and creates the file if it does not exist.
    ///
    /// # Errors
    /// Fails if the file is not a cache of hits, or cannot be opened.
    pub fn open(path: &Path) -> Result<HitCache, HitCacheError> {
        Ok(HitCache {
            taken_down: TakenDownList::beside(Some(path))?,
            ..HitCache::new(forage_state::open(path, &HITS_DB)?)?
        })
    }

    /// Creates a cache that ends with the process.
    ///
    /// # Errors
    /// Fails if SQLite has no memory.
    pub fn in_memory() -> Result<HitCache, HitCacheError> {
        HitCache::new(StateFile::in_memory(&HITS_DB)?)
    }

    fn new(db: StateFile) -> Result<HitCache, HitCacheError> {
        db.execute_batch(LAST_STEP_TABLE)?;
        let last_step = db.last_step()?;
        Ok(HitCache {
            db,
            returned: HashMap::new(),
            call_reported: HashSet::new(),
            last_step,
            oldest: 0,
            taken_down: TakenDownList::default(),
        })
    }

    /// From now on, requests pages again that were requested before a time.
    #[must_use]
    pub fn with_refresh(self, before: Option<SystemTime>) -> HitCache {
        HitCache {
            oldest: before.map_or(0, to_seconds),
            ..self
        }
    }

    /// Removes what engines said of pages that were taken down, from all pages of the file. Pages
    /// that are stored later have nothing of it.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or a stored page cannot be read.
    pub fn remove_taken_down(&mut self) -> Result<(), HitCacheError> {
        let mut changed = Vec::new();
        let mut select = self.db.prepare("SELECT rowid, hits FROM page")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let mut page: StoredPage =
                serde_json::from_str(row.get_ref(1)?.as_str().unwrap_or(""))?;
            let (StoredPage::Hits(hits) | StoredPage::WithMore { hits, .. }) = &mut page;
            if self.strip_taken_down(hits) {
                changed.push((serde_json::to_string(&page)?, row.get::<_, i64>(0)?));
            }
        }
        drop(rows);
        drop(select);
        self.db.begin()?;
        for page in changed {
            self.db
                .write_cached("UPDATE page SET hits = ? WHERE rowid = ?", page)?;
        }
        self.db.commit()?;
        // Free pages have what was there before.
        self.db.execute_batch("VACUUM")?;
        self.merge_wal()
    }

    /// Removes all but the URL of hits that were taken down; returns whether there are any.
    fn strip_taken_down(&self, hits: &mut [EngineHit]) -> bool {
        let is_listed = |hit: &&mut EngineHit| self.taken_down.find_url(&hit.url).is_some();
        let listed = hits.iter_mut().filter(is_listed).map(|hit| {
            let url = std::mem::take(&mut hit.url);
            *hit = EngineHit {
                url,
                ..EngineHit::default()
            };
        });
        listed.count() > 0
    }

    /// Records with the next commit that `step` was applied, also if it returned no hit.
    pub fn advance_to(&mut self, step: u64) {
        self.last_step = self.last_step.max(Some(step));
    }

    /// Forgets which URLs were returned in `step` and later, and lets those steps report their
    /// calls again.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn roll_back_to(&mut self, step: u64) -> Result<(), HitCacheError> {
        self.db.begin()?;
        self.last_step = self.last_step.min(step.checked_sub(1));
        self.db
            .execute("DELETE FROM returned_url WHERE step >= ?", [step])?;
        self.db.execute(
            "UPDATE page SET call_reported = 0 WHERE step >= ? AND call_reported",
            [step],
        )?;
        self.commit()
    }

    /// Forgets all returned URLs, with the next commit.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn forget_returned_urls(&mut self) -> Result<(), HitCacheError> {
        self.db.begin()?;
        self.last_step = None;
        self.db.execute("DELETE FROM returned_url", [])?;
        Ok(())
    }

    /// Makes returned URLs and reported calls durable.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn commit(&mut self) -> Result<(), HitCacheError> {
        for (key, step) in std::mem::take(&mut self.returned) {
            self.insert_returned_url(&key, step)?;
        }
        for (query, number) in std::mem::take(&mut self.call_reported) {
            self.db.begin()?;
            let update = "UPDATE page SET call_reported = 1 WHERE query = ? AND number = ?";
            self.db.execute_cached(update, params![query, number])?;
        }
        Ok(self.db.commit_at_step(self.last_step)?)
    }

    /// Merges the write-ahead log into the file, so that the file alone holds all that was
    /// committed. To be called before the tool ends.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn merge_wal(&mut self) -> Result<(), HitCacheError> {
        Ok(self.db.merge_wal()?)
    }

    /// Returns the number of a query to an engine, and assigns one to a new query.
    pub(crate) fn query_id(
        &mut self,
        engine: &str,
        page_size: u32,
        terms: &str,
    ) -> Result<i64, HitCacheError> {
        let select = "SELECT id FROM query WHERE engine = ? AND page_size = ? AND terms = ?";
        let id = self
            .db
            .find_value(select, params![engine, page_size, terms])?;
        if let Some(id) = id {
            return Ok(id);
        }
        self.db.begin()?;
        let insert = "INSERT INTO query (engine, page_size, terms) VALUES (?, ?, ?)";
        Ok(self
            .db
            .prepare_cached(insert)?
            .insert(params![engine, page_size, terms])?)
    }

    /// Returns page `number` of a query, if it is in the cache and not too old.
    pub(crate) fn page(
        &mut self,
        query: i64,
        number: u32,
    ) -> Result<Option<CachedPage>, HitCacheError> {
        let select = "SELECT hits, has_more, step, call_reported, provisional, missing FROM page \
                      WHERE query = ? AND number = ? AND at >= ?";
        let row = self
            .db
            .find_row(select, params![query, number, self.oldest], |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get::<_, bool>(3)?,
                    row.get(4)?,
                    row.get::<_, String>(5)?,
                ))
            })?;
        let Some((hits, has_more, step, is_call_reported, is_provisional, missing)) = row else {
            return Ok(None);
        };
        let (hits, counts, files) = match serde_json::from_str(&hits)? {
            StoredPage::Hits(hits) => (hits, EngineCounts::default(), Vec::new()),
            StoredPage::WithMore {
                hits,
                counts,
                files,
            } => (hits, counts, files),
        };
        Ok(Some(CachedPage {
            page: HitPage {
                hits,
                has_more,
                counts,
                files,
                ..HitPage::default()
            },
            step,
            is_call_reported: is_call_reported || self.call_reported.contains(&(query, number)),
            is_provisional,
            missing: serde_json::from_str(&missing)?,
        }))
    }

    /// Stores a page durably, with the step that paid for it. If it lacks hits, it may be requested
    /// once more, unless this was the second time.
    pub(crate) fn store_page(
        &mut self,
        query: i64,
        number: u32,
        page: &HitPage,
        step: u64,
    ) -> Result<(), HitCacheError> {
        let select = "SELECT 1 FROM page WHERE query = ? AND number = ? AND at >= ?";
        let is_first_time = !self
            .db
            .has_row(select, params![query, number, self.oldest])?;
        self.call_reported.remove(&(query, number));
        self.db.begin()?;
        let mut hits = page.hits.clone();
        self.strip_taken_down(&mut hits);
        let counts = page.counts.clone();
        let files = page.files.clone();
        let stored = if counts == EngineCounts::default() && files.is_empty() {
            StoredPage::Hits(hits)
        } else {
            StoredPage::WithMore {
                hits,
                counts,
                files,
            }
        };
        let hits = serde_json::to_string(&stored)?;
        let missing: Vec<&str> = page.missing.iter().map(|part| part.name.as_str()).collect();
        let insert = "INSERT OR REPLACE INTO page \
                      (query, number, step, has_more, hits, provisional, missing, at) \
                      VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        self.db.execute_cached(
            insert,
            params![
                query,
                number,
                step,
                page.has_more,
                hits,
                is_first_time && !missing.is_empty(),
                serde_json::to_string(&missing)?,
                to_seconds(forage_record::time::now()),
            ],
        )?;
        Ok(self.db.commit()?)
    }

    /// Records with the next commit that the step that paid for a page has reported the call.
    pub(crate) fn mark_call_reported(&mut self, query: i64, number: u32) {
        self.call_reported.insert((query, number));
    }

    /// Returns `true` if a URL was returned, or its page was taken down.
    pub(crate) fn is_returned(&self, url: &str) -> Result<bool, HitCacheError> {
        if self.taken_down.find_url(url).is_some() {
            return Ok(true);
        }
        let key = url_key(url);
        // Earlier versions stored the URL as it was spelt.
        let select = "SELECT 1 FROM returned_url WHERE url IN (?, ?)";
        Ok(self.returned.contains_key(&key) || self.db.has_row(select, [&*key, url])?)
    }

    /// Records with the next commit that `step` returns a URL.
    pub(crate) fn mark_returned(&mut self, url: &str, step: u64) {
        self.returned.entry(url_key(url)).or_insert(step);
    }

    /// Writes in the open transaction that `step` returned the URL with this key. Unlike
    /// [`HitCache::mark_returned`], it needs no memory, and so serves for a journal of any length.
    fn insert_returned_url(&mut self, key: &str, step: u64) -> Result<(), HitCacheError> {
        self.db.begin()?;
        // The first step stays: rolling back a later one must not forget the URL.
        self.db.execute_cached(
            "INSERT OR IGNORE INTO returned_url (url, step) VALUES (?, ?)",
            params![key, step],
        )?;
        Ok(())
    }
}

fn to_seconds(time: SystemTime) -> u64 {
    let since_epoch = time.duration_since(SystemTime::UNIX_EPOCH);
    since_epoch.map_or(0, |time| time.as_secs())
}

/// The returned URLs are a projection of the journal. Pages of hits cannot be derived from it.
impl Projection for HitCache {
    /// Records the URL of a hit as returned.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        let Some(step) = &event.step else {
            return Ok(());
        };
        self.advance_to(step.number);
        // Records without `hit` did not come from a search engine.
        if let (Some(_), Some(url)) = (&event.hit, event.url()) {
            self.insert_returned_url(&url_key(&url), step.number)?;
        }
        Ok(())
    }
}

impl ProjectionFile for HitCache {
    /// Returns `true` if the cache lacks the returned URLs of a step before `next`. The initial
    /// documents, step 0, have none.
    fn lacks_steps_before(&self, next: u64) -> bool {
        forage_state::lacks_steps_before(Some(self.last_step.unwrap_or(0)), next)
    }

    fn remove_steps_from(&mut self, step: u64) -> Result<(), BoxError> {
        Ok(self.roll_back_to(step)?)
    }

    fn save(&mut self) -> Result<(), BoxError> {
        self.commit()?;
        Ok(self.merge_wal()?)
    }
}

#[cfg(test)]
mod tests {
    use super::{CachedPage, HitCache};
    use crate::{EngineCounts, EngineHit, HitPage};

    fn page(urls: &[&str]) -> HitPage {
        let hit = |url: &&str| EngineHit {
            url: url.to_string(),
            title: Some("T".into()),
            ..EngineHit::default()
        };
        HitPage {
            hits: urls.iter().map(hit).collect(),
            has_more: true,
            ..HitPage::default()
        }
    }

    #[test]
    fn stores_the_counts_and_the_files_of_an_engine_with_the_page() {
        let mut cache = HitCache::in_memory().unwrap();
        let query = cache.query_id("e:", 10, "+a").unwrap();
        let counts = EngineCounts {
            total: Some(7),
            df: [("a".to_owned(), 9)].into(),
        };
        let page = HitPage {
            counts,
            files: vec!["http://a.test/s.xml".into()],
            ..page(&["u"])
        };
        cache.store_page(query, 1, &page, 1).unwrap();
        assert_eq!(
            cache.page(query, 1).unwrap().map(|cached| cached.page),
            Some(page)
        );
    }

    #[test]
    fn finds_a_page_by_its_query_engine_and_page_size_only() {
        let mut cache = HitCache::in_memory().unwrap();
        let query = cache.query_id("e:", 10, "+a").unwrap();
        cache.store_page(query, 1, &page(&["u"]), 4).unwrap();
        assert_eq!(cache.query_id("e:", 10, "+a").unwrap(), query);
        assert_eq!(
            cache.page(query, 1).unwrap(),
            Some(CachedPage {
                page: page(&["u"]),
                step: 4,
                is_call_reported: false,
                is_provisional: false,
                missing: Vec::new(),
            })
        );
        assert_eq!(cache.page(query, 2).unwrap(), None);
        for (engine, size, terms) in [("f:", 10, "+a"), ("e:", 20, "+a"), ("e:", 10, "-a")] {
            let other = cache.query_id(engine, size, terms).unwrap();
            assert_eq!(cache.page(other, 1).unwrap(), None);
        }
    }

    #[test]
    fn committed_urls_survive_a_kill_and_pages_even_without_a_commit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hits.db");
        let mut cache = HitCache::open(&path).unwrap();
        cache.mark_returned("committed", 1);
        cache.commit().unwrap();
        cache.mark_returned("lost", 1);
        let query = cache.query_id("e:", 10, "+a").unwrap();
        cache.store_page(query, 1, &page(&["u"]), 1).unwrap();
        cache.mark_call_reported(query, 1);
        drop(cache);
        let mut cache = HitCache::open(&path).unwrap();
        assert!(cache.is_returned("committed").unwrap() && !cache.is_returned("lost").unwrap());
        assert!(
            cache
                .page(query, 1)
                .unwrap()
                .is_some_and(|page| !page.is_call_reported)
        );
    }

    #[test]
    fn a_url_was_returned_in_whatever_spelling() {
        let mut cache = HitCache::in_memory().unwrap();
        cache.mark_returned("http://a.test/%7Ejoe/%d8", 1);
        let is_returned = |cache: &HitCache| {
            cache.is_returned("http://a.test/~joe/%D8").unwrap()
                && !cache.is_returned("http://a.test/~jo").unwrap()
                && !cache.is_returned("http://a.test/~joe/%D8#2").unwrap()
        };
        assert!(is_returned(&cache));
        cache.commit().unwrap();
        assert!(is_returned(&cache));
        let spelt = "INSERT INTO returned_url VALUES ('http://a.test/%d9', 1)";
        cache.db.execute(spelt, []).unwrap();
        assert!(cache.is_returned("http://a.test/%d9").unwrap());
    }

    #[test]
    fn rolling_back_forgets_returned_urls_and_reported_calls_but_no_page() {
        let mut cache = HitCache::in_memory().unwrap();
        let query = cache.query_id("e:", 10, "+a").unwrap();
        for step in [1, 2] {
            cache
                .store_page(query, step, &page(&["u"]), step.into())
                .unwrap();
            cache.mark_call_reported(query, step);
            cache.mark_returned(&format!("step {step}"), step.into());
            cache.commit().unwrap();
        }
        cache.mark_returned("step 1", 2);
        cache.commit().unwrap();
        cache.roll_back_to(2).unwrap();
        let mut is_call_reported = |number| {
            cache
                .page(query, number)
                .unwrap()
                .map(|page| page.is_call_reported)
        };
        assert_eq!(
            (is_call_reported(1), is_call_reported(2)),
            (Some(true), Some(false))
        );
        assert!(cache.is_returned("step 1").unwrap() && !cache.is_returned("step 2").unwrap());
    }
}
