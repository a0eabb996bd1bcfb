//! A cache of the site files for robots (robots.txt, tdmrep.json), by origin.
//!
//! Each file is fetched once for all pages that wait for it, and again when its maximum age is
//! over. The oldest entries are evicted first, to bound their number and their memory.

use hashlink::LinkedHashMap;
use parking_lot::Mutex;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// Maximum number of cached origins: 20 MB with a typical robots.txt of 2 kB each.
const MAX_ENTRIES: usize = 10_000;
/// Largest memory of all cached values, in bytes.
const MAX_TOTAL_BYTES: usize = 32 << 20;

/// A value that can be cached for an origin.
pub(crate) trait Cacheable: Clone {
    /// Returns the approximate memory that the value occupies beyond its own size, in bytes.
    fn heap_bytes(&self) -> usize;

    /// Returns the age up to which the value is fresh.
    fn max_age(&self) -> Duration;
}

/// A cache of one value per origin.
#[derive(Debug)]
pub(crate) struct OriginCache<T>(Mutex<CacheEntries<T>>);

/// The value of an origin, and the time at which it was fetched; empty while it is being fetched.
type CacheSlot<T> = Arc<OnceCell<(T, Instant)>>;

#[derive(Debug)]
struct CacheEntry<T> {
    slot: CacheSlot<T>,
    /// The part of [`CacheEntries::total_bytes`] that belongs to this entry; 0 while its value is
    /// being fetched.
    bytes: usize,
}

#[derive(Debug)]
struct CacheEntries<T> {
    /// The oldest first.
    by_origin: LinkedHashMap<String, CacheEntry<T>>,
    total_bytes: usize,
}

impl<T> Default for OriginCache<T> {
    fn default() -> Self {
        OriginCache(Mutex::new(CacheEntries {
            by_origin: LinkedHashMap::new(),
            total_bytes: 0,
        }))
    }
}

impl<T: Cacheable> OriginCache<T> {
    /// Returns the value of `origin`; calls `fetch` if there is none or it is no longer fresh.
    /// `fetch` also returns the age of the value. Concurrent calls for an origin wait for one
    /// `fetch`.
    pub async fn get_or_fetch<F: Future<Output = (T, Duration)>>(
        &self,
        origin: &str,
        fetch: impl FnOnce() -> F,
    ) -> T {
        let slot = self.fresh_slot(origin);
        let entry = slot.get_or_init(|| async {
            let (value, age) = fetch().await;
            self.count_bytes(origin, &slot, value.heap_bytes());
            let now = Instant::now();
            (value, now.checked_sub(age).unwrap_or(now))
        });
        entry.await.0.clone()
    }

    /// Counts the bytes of a fetched value, unless its entry was evicted in the meantime.
    fn count_bytes(&self, origin: &str, slot: &CacheSlot<T>, bytes: usize) {
        let mut entries = self.0.lock();
        if let Some(entry) = entries.by_origin.get_mut(origin)
            && Arc::ptr_eq(&entry.slot, slot)
        {
            entry.bytes = bytes;
            entries.total_bytes += bytes;
        }
    }

    /// Returns the slot of `origin`: the existing one if its value is fresh or being fetched, else
    /// an empty one.
    fn fresh_slot(&self, origin: &str) -> CacheSlot<T> {
        let mut entries = self.0.lock();
        let is_fresh = |(value, fetched_at): &(T, Instant)| fetched_at.elapsed() < value.max_age();
        if let Some(entry) = entries
            .by_origin
            .get(origin)
            .filter(|entry| entry.slot.get().is_none_or(is_fresh))
        {
            return entry.slot.clone();
        }
        entries.remove(origin);
        while entries.by_origin.len() >= MAX_ENTRIES || entries.total_bytes > MAX_TOTAL_BYTES {
            let Some((_, oldest)) = entries.by_origin.pop_front() else {
                break;
            };
            entries.total_bytes -= oldest.bytes;
        }
        let slot = CacheSlot::default();
        let entry = CacheEntry {
            slot: slot.clone(),
            bytes: 0,
        };
        entries.by_origin.insert(origin.to_owned(), entry);
        slot
    }
}

impl<T> CacheEntries<T> {
    fn remove(&mut self, origin: &str) {
        if let Some(entry) = self.by_origin.remove(origin) {
            self.total_bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_TOTAL_BYTES, OriginCache};
    use crate::robots_rules::{FAILURE_MAX_AGE, MAX_AGE, RobotsRules};
    use std::time::Duration;

    fn large_rules() -> RobotsRules {
        RobotsRules::from_file(
            format!("User-agent: *\nDisallow: /{}", "x".repeat(16_000)).as_bytes(),
        )
    }

    fn server_error_rules() -> RobotsRules {
        RobotsRules::from_status(500, None)
    }

    #[tokio::test(start_paused = true)]
    async fn rules_are_fetched_once_a_day_and_failures_sooner() {
        let cache = OriginCache::default();
        let get = async |rules: RobotsRules| {
            cache
                .get_or_fetch("http://a.test", || async { (rules, Duration::ZERO) })
                .await
        };
        assert_eq!(get(server_error_rules()).await, server_error_rules());
        assert_eq!(get(RobotsRules::AllowAll).await, server_error_rules());
        tokio::time::advance(FAILURE_MAX_AGE).await;
        assert_eq!(get(RobotsRules::AllowAll).await, RobotsRules::AllowAll);
        tokio::time::advance(MAX_AGE - Duration::from_secs(1)).await;
        assert_eq!(get(server_error_rules()).await, RobotsRules::AllowAll);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(get(server_error_rules()).await, server_error_rules());
    }

    #[tokio::test]
    async fn memory_of_the_cache_is_bounded() {
        let cache = OriginCache::default();
        for n in 0..MAX_TOTAL_BYTES >> 13 {
            cache
                .get_or_fetch(&format!("http://h{n}.test"), || async {
                    (large_rules(), Duration::ZERO)
                })
                .await;
        }
        assert!(cache.0.lock().by_origin.len() < 2200);
    }

    #[tokio::test]
    async fn an_entry_that_is_evicted_while_it_is_fetched_is_not_counted() {
        let cache = OriginCache::default();
        let origin = "http://a.test";
        let rules = cache
            .get_or_fetch(origin, || async {
                cache.0.lock().remove(origin);
                (large_rules(), Duration::ZERO)
            })
            .await;
        assert_eq!(rules, large_rules());
        assert_eq!(cache.0.lock().total_bytes, 0);
        cache
            .get_or_fetch(origin, || async { (large_rules(), Duration::ZERO) })
            .await;
        assert!(cache.0.lock().total_bytes > 0);
        cache.0.lock().remove(origin);
        assert_eq!(cache.0.lock().total_bytes, 0);
    }
}
