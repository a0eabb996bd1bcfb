//! The URLs and hosts that the open transaction has looked up, with changes that are not written.
//!
//! Pages of a site link to the same URLs again and again. Each is looked up once per transaction,
//! and its changed score is written once, at the end, in the order of the tables, so that each page
//! of the database is written once.

use crate::state_file::crawl_url::{CrawlUrl, hash_key};
use crate::state_file::hosts;
use crate::state_file::store::{self, GivenUrl, NewUrl, WaitingUrl};
use foldhash::{HashMap, HashMapExt};
use forage_state::StateFile;
use rusqlite::Result;

/// URLs in memory, after which they are written: about 30 MB.
const MAX_URLS: usize = 1 << 17;

/// A URL with its state in memory and on disk.
#[derive(Debug, Clone, Copy)]
struct CachedUrl {
    id: i64,
    /// Its state if it waits; `None` if it was given.
    now: Option<WaitingUrl>,
    /// The same, as far as it is written.
    stored: Option<WaitingUrl>,
}

/// URLs and hosts of the open transaction.
#[derive(Debug, Default)]
pub(crate) struct UrlCache {
    urls: HashMap<i64, CachedUrl>,
    hosts: HashMap<i64, i64>,
    /// URLs that are not in the file yet.
    added: Vec<(i64, NewUrl)>,
    /// The number of the next new URL and of the next new host.
    next_url: i64,
    next_host: i64,
}

/// A URL that was looked up: its number, and its state if it waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundUrl {
    pub(crate) id: i64,
    pub(crate) waiting: Option<WaitingUrl>,
}

impl UrlCache {
    /// Creates an empty cache for a file.
    pub(crate) fn new(db: &StateFile) -> Result<UrlCache> {
        Ok(UrlCache {
            urls: HashMap::new(),
            hosts: HashMap::new(),
            added: Vec::new(),
            next_url: store::last_id(db, "url")? + 1,
            next_host: store::last_id(db, "host")? + 1,
        })
    }

    /// Returns the numbers of the next new URL and the next new host.
    pub(crate) fn next_ids(&self) -> (i64, i64) {
        (self.next_url, self.next_host)
    }

    /// Returns `true` if the changes should be written to bound the memory.
    pub(crate) fn is_full(&self) -> bool {
        self.urls.len() >= MAX_URLS
    }

    /// Looks a URL up; `None` if it is not known.
    pub(crate) fn find(&mut self, db: &StateFile, url: &CrawlUrl) -> Result<Option<FoundUrl>> {
        if let Some(cached) = self.urls.get(&url.key) {
            return Ok(Some(FoundUrl {
                id: cached.id,
                waiting: cached.now,
            }));
        }
        let id = url
            .keys()
            .find_map(|key| store::url_id(db, key).transpose());
        let Some(id) = id.transpose()? else {
            return Ok(None);
        };
        let waiting = store::waiting_url(db, id)?;
        let cached = CachedUrl {
            id,
            now: waiting,
            stored: waiting,
        };
        self.urls.insert(url.key, cached);
        Ok(Some(FoundUrl { id, waiting }))
    }

    /// Adds a URL that is not known. Its state is to be set.
    pub(crate) fn add(
        &mut self,
        db: &StateFile,
        url: &CrawlUrl,
        step: i64,
        words: Vec<u8>,
    ) -> Result<i64> {
        let id = self.next_url;
        let host = self.host(db, url, step)?;
        self.next_url += 1;
        if let Some(path) = url.path_key() {
            store::add_to_queries(db, path, 1)?;
        }
        let new = NewUrl {
            id,
            step,
            host,
            url: url.as_str().to_owned(),
            words,
        };
        self.added.push((url.key, new));
        let cached = CachedUrl {
            id,
            now: None,
            stored: None,
        };
        self.urls.insert(url.key, cached);
        Ok(id)
    }

    /// Returns the number of the host of a URL, and adds the host if it is not known.
    pub(crate) fn host(&mut self, db: &StateFile, url: &CrawlUrl, step: i64) -> Result<i64> {
        let name = url.host();
        let key = hash_key(&name);
        if let Some(id) = self.hosts.get(&key) {
            return Ok(*id);
        }
        let id = match hosts::host_id(db, key)? {
            Some(id) => id,
            None => {
                hosts::add_host(db, self.next_host, step, key, &name)?;
                self.next_host += 1;
                self.next_host - 1
            }
        };
        self.hosts.insert(key, id);
        Ok(id)
    }

    /// Returns the stored words of the anchor text by which a URL was found.
    pub(crate) fn stored_words(&self, db: &StateFile, id: i64) -> Result<Vec<u8>> {
        // The URLs that were added since the last write have the numbers before the next one.
        let first = self.next_url - self.added.len() as i64;
        match usize::try_from(id - first) {
            Ok(index) if index < self.added.len() => Ok(self.added[index].1.words.clone()),
            _ => store::url_text(db, id).map(|(_, words)| words),
        }
    }

    /// Sets the state of a URL that was looked up or added and waits.
    pub(crate) fn set_waiting(&mut self, url: &CrawlUrl, waiting: WaitingUrl) {
        if let Some(cached) = self.urls.get_mut(&url.key) {
            cached.now = Some(waiting);
        }
    }

    /// Marks a URL that was looked up or added as given.
    pub(crate) fn set_given(
        &mut self,
        db: &StateFile,
        url: &CrawlUrl,
        step: i64,
        is_request: bool,
    ) -> Result<()> {
        let Some(cached) = self.urls.get_mut(&url.key) else {
            return Ok(());
        };
        let given = GivenUrl {
            id: cached.id,
            step,
            url: cached.now.take().unwrap_or_default(),
            is_request,
        };
        store::add_given(db, &given)
    }

    /// Writes all changes within the open transaction, and empties the cache.
    pub(crate) fn write(&mut self, db: &StateFile) -> Result<()> {
        for (_, new) in &self.added {
            store::add_url(db, new)?;
        }
        let mut keys: Vec<(i64, i64)> =
            self.added.iter().map(|(key, new)| (*key, new.id)).collect();
        keys.sort_unstable();
        for (key, id) in keys {
            store::add_key(db, key, id)?;
        }
        let mut changed: Vec<CachedUrl> = self
            .urls
            .values()
            .filter(|url| url.now != url.stored)
            .copied()
            .collect();
        changed.sort_unstable_by_key(|url| url.id);
        write_states(db, &changed)?;
        write_places(db, &changed)?;
        self.added.clear();
        self.urls.clear();
        self.hosts.clear();
        Ok(())
    }

    /// Forgets all changes, after the transaction was rolled back or the file was changed.
    pub(crate) fn reset(&mut self, db: &StateFile) -> Result<()> {
        *self = UrlCache::new(db)?;
        Ok(())
    }
}

fn write_states(db: &StateFile, changed: &[CachedUrl]) -> Result<()> {
    changed
        .iter()
        .try_for_each(|url| match (url.stored, url.now) {
            (Some(stored), Some(now)) if differs_in_total_only(&stored, &now) => {
                store::set_waiting_total(db, url.id, now.parents.total)
            }
            (Some(_), Some(now)) => store::set_waiting(db, url.id, &now),
            (None, Some(now)) => store::add_waiting(db, url.id, &now),
            (_, None) => store::delete_waiting(db, url.id),
        })
}

/// Returns `true` if only a further parent, which did not raise the greatest score, has changed a
/// URL.
fn differs_in_total_only(stored: &WaitingUrl, now: &WaitingUrl) -> bool {
    let mut parents = stored.parents;
    parents.total = now.parents.total;
    WaitingUrl { parents, ..*stored } == *now
}

/// Writes the places of the URLs of which the rank has changed, in the order of the ranks.
fn write_places(db: &StateFile, changed: &[CachedUrl]) -> Result<()> {
    let place = |state: Option<WaitingUrl>| state.map(|url| (url.rank(), url.is_parked));
    let moved = || {
        changed
            .iter()
            .filter(|url| place(url.now) != place(url.stored))
    };
    let sorted = |mut places: Vec<((i64, bool), i64)>| {
        places.sort_unstable();
        places
    };
    let old = moved().filter_map(|url| Some((place(url.stored)?, url.id)));
    for ((rank, is_parked), id) in sorted(old.collect()) {
        store::delete_place(db, id, rank, is_parked)?;
    }
    let new = moved().filter_map(|url| Some((place(url.now)?, url.id)));
    for ((rank, is_parked), id) in sorted(new.collect()) {
        store::add_place(db, id, rank, is_parked)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::state_file::crawl_url::CrawlUrl;
    use crate::state_file::{BatchRequest, CrawlScope, Frontier, LinkOrder};
    use forage_run::StepProjection;
    use rusqlite::Connection;
    use std::path::Path;

    const SEED: &str = "http://a.test/%d8%b3/";

    fn open(path: &Path) -> Frontier {
        Frontier::open(path, CrawlScope::default()).unwrap()
    }

    fn next(frontier: &mut Frontier) -> Vec<String> {
        let batch = frontier.take_batch(&BatchRequest {
            count: 9,
            per_host: None,
            step: 1,
            order: LinkOrder::Mean,
        });
        batch.unwrap().into_iter().map(|link| link.url).collect()
    }

    #[test]
    fn spellings_of_a_url_are_one_url_as_it_was_found_first() {
        let dir = tempfile::tempdir().unwrap();
        let mut frontier = open(&dir.path().join("frontier.db"));
        for url in [SEED, "http://a.test/%D8%B3/", "http://a.test/س/"] {
            frontier.add_seed(url).unwrap().unwrap();
        }
        assert_eq!(next(&mut frontier), [SEED]);
    }

    #[test]
    fn a_url_is_found_by_the_key_of_an_earlier_version() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("frontier.db");
        let mut frontier = open(&path);
        frontier.add_seed(SEED).unwrap().unwrap();
        frontier.commit().unwrap();
        frontier.merge_wal().unwrap();
        drop(frontier);
        let db = Connection::open(&path).unwrap();
        let key = CrawlUrl::parse(SEED).unwrap().spelt_key;
        db.execute("UPDATE url_key SET key = ?", [key]).unwrap();
        drop(db);
        forage_state::renew_checksums(&path).unwrap();
        let mut frontier = open(&path);
        frontier.add_seed(SEED).unwrap().unwrap();
        assert_eq!(next(&mut frontier), [SEED]);
        frontier.remove_from(1).unwrap();
        assert_eq!(next(&mut frontier), [SEED]);
    }
}
