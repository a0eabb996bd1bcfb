//! The pages that this run has requested: each is fetched once, however many records name it.
//!
//! A record that names a page in flight waits for it with the first record. Outcomes are cached for
//! later records: the latest pages, up to a number of bytes. A page that was evicted is fetched
//! again.

use crate::outcome::PageOutcome;
use forage_cli::PendingRecord;
use forage_http::page_url::comparison_key;
use hashlink::LinkedHashMap;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use url::Url;

/// Bytes of cached outcomes. Each takes some kB, so that their number is bounded too.
const MAX_CACHE_BYTES: usize = 16 << 20;

/// The requested pages by the keys of their URLs. Shared by all threads.
#[derive(Debug, Default)]
pub struct RequestedPages(Mutex<PageCache>);

#[derive(Debug, Default)]
struct PageCache {
    /// Pages in flight, with the records that wait for them.
    in_flight: HashMap<String, Vec<PendingRecord>>,
    /// Finished pages, the next to be evicted first.
    finished: LinkedHashMap<String, Arc<PageOutcome>>,
    /// Estimated memory of the finished pages.
    bytes: usize,
}

/// The state of a page that a record requests.
pub enum PageRequestState {
    /// The caller must fetch the page; the record waits for it.
    Fetch(PageFetch),
    /// The record waits for a page in flight.
    Waiting,
    /// The page is in the cache.
    Finished(PendingRecord, Arc<PageOutcome>),
}

impl RequestedPages {
    /// Requests a page for a record.
    pub fn request_page(self: &Arc<Self>, url: &Url, pending: PendingRecord) -> PageRequestState {
        let key = comparison_key(url);
        let mut cache = self.0.lock();
        if let Some(waiting) = cache.in_flight.get_mut(&*key) {
            waiting.push(pending);
            return PageRequestState::Waiting;
        }
        if let Some(outcome) = cache.finished.get(&*key) {
            return PageRequestState::Finished(pending, outcome.clone());
        }
        cache.in_flight.insert(key.to_string(), vec![pending]);
        PageRequestState::Fetch(PageFetch {
            requested: self.clone(),
            key: key.into_owned(),
            is_finished: false,
        })
    }
}

impl PageCache {
    /// Removes a page in flight and returns the records that wait for it.
    fn take_waiting(&mut self, key: &str) -> Vec<PendingRecord> {
        self.in_flight.remove(key).unwrap_or_default()
    }

    /// Adds a finished page, and evicts the oldest ones beyond the memory bound.
    fn insert_finished(&mut self, key: String, outcome: Arc<PageOutcome>) {
        self.bytes += memory_bytes(&key, &outcome);
        self.finished.insert(key, outcome);
        while self.bytes > MAX_CACHE_BYTES {
            let Some((key, outcome)) = self.finished.pop_front() else {
                return;
            };
            self.bytes -= memory_bytes(&key, &outcome);
        }
    }
}

/// Returns the memory that a finished page takes, in bytes, estimated.
fn memory_bytes(key: &str, outcome: &PageOutcome) -> usize {
    key.len() + size_of::<String>() + outcome.memory_bytes()
}

/// The obligation to fetch a page for all records that wait for it. If it is dropped, the records
/// get an error.
#[derive(Debug)]
pub struct PageFetch {
    requested: Arc<RequestedPages>,
    key: String,
    /// True if this fetch has ended. By then another one for the same page may be in flight.
    is_finished: bool,
}

impl PageFetch {
    /// Caches the outcome, and returns the records that wait for the page.
    pub fn finish(mut self, outcome: &Arc<PageOutcome>) -> Vec<PendingRecord> {
        self.is_finished = true;
        let mut cache = self.requested.0.lock();
        let waiting = cache.take_waiting(&self.key);
        cache.insert_finished(self.key.clone(), outcome.clone());
        waiting
    }

    /// Stops the tool with `cause` as its error.
    pub fn stop_tool(mut self, cause: anyhow::Error) {
        self.is_finished = true;
        let waiting = self.requested.0.lock().take_waiting(&self.key);
        if let Some(first) = waiting.into_iter().next() {
            first.abort(cause);
        }
    }
}

impl Drop for PageFetch {
    fn drop(&mut self) {
        if !self.is_finished {
            // The lock is released first: dropping the records writes them.
            let waiting = self.requested.0.lock().take_waiting(&self.key);
            drop(waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_CACHE_BYTES, PageCache};
    use crate::outcome::PageOutcome;
    use forage_http::FetchError;
    use std::sync::Arc;

    #[test]
    fn bounds_the_memory_of_the_cache() {
        let url = |number: usize| format!("http://a.test/{number}");
        let small = Arc::new(PageOutcome::from_fetch_error(FetchError::Status(404)));
        let mut cache = PageCache::default();
        let many = 50_000;
        (0..many).for_each(|number| cache.insert_finished(url(number), small.clone()));
        assert!(cache.bytes <= MAX_CACHE_BYTES && cache.finished.len() < many * 3 / 4);
        assert!(
            !cache.finished.contains_key(&url(0)) && cache.finished.contains_key(&url(many - 1)),
            "evicts the oldest first"
        );
        let large = Arc::new(PageOutcome::from_fetch_error(FetchError::BadUrl(
            "x".repeat(MAX_CACHE_BYTES / 2),
        )));
        (0..9).for_each(|number| cache.insert_finished(url(number), large.clone()));
        assert!(
            cache.bytes <= MAX_CACHE_BYTES && cache.finished.len() == 1,
            "{}",
            cache.bytes
        );
        cache.insert_finished(
            url(0),
            Arc::new(PageOutcome::from_fetch_error(FetchError::BadUrl(
                "x".repeat(MAX_CACHE_BYTES),
            ))),
        );
        assert_eq!(
            (cache.finished.len(), cache.bytes),
            (0, 0),
            "does not cache a page larger than the bound"
        );
    }
}
