//! robots.txt: what a host allows (RFC 9309), remembered for each origin.
//!
//! Matching is that of the `robotstxt` crate, a port of Google's parser. Here is what the file means when it can't be
//! read, and a cache that is bounded in bytes.

use super::AGENT;
use crate::FetchError;
use robotstxt::DefaultMatcher;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;
use url::Url;

/// Bytes of the file that are read (RFC 9309 §2.5).
pub(super) const MAX_BYTES: u64 = 500 << 10;
/// Redirects that are followed (RFC 9309 §2.3.1.2).
pub(super) const MAX_REDIRECTS: usize = 5;
/// Origins that are remembered; with a usual file of 2 kB each, 20 MB.
const REMEMBERED: usize = 10_000;
/// Bytes of rules that are remembered.
const REMEMBERED_BYTES: usize = 32 << 20;

/// Whether `robots`, the text of a robots.txt, allows `agent` to fetch `url`.
pub fn allows(robots: &str, agent: &str, url: &str) -> bool {
    DefaultMatcher::default().one_agent_allowed_by_robots(robots, agent, url)
}

/// What a host's robots.txt comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rules {
    /// No restrictions: there is no file.
    Everything,
    /// The file.
    Text(String),
    /// Nothing may be fetched, for the host does not tell: it has an error.
    Nothing(u16),
    /// Nothing can be fetched.
    Unreachable(FetchError),
}

impl Rules {
    /// The rules of a body. One that can't be decompressed is no answer.
    pub fn read(body: Result<Vec<u8>, FetchError>) -> Rules {
        match body {
            Ok(body) => Rules::Text(String::from_utf8_lossy(&body).into_owned()),
            Err(e) => Rules::Unreachable(e),
        }
    }

    /// The rules where the file was not given.
    pub fn of_status(status: u16) -> Rules {
        if status >= 500 { Rules::Nothing(status) } else { Rules::Everything }
    }

    /// Whether a page may be fetched.
    ///
    /// # Errors
    /// Of kind `robots` where it may not; where the host could not be reached, what kept it away.
    pub fn permit(&self, url: &Url) -> Result<(), FetchError> {
        match self {
            Rules::Everything => Ok(()),
            Rules::Text(text) if allows(text, AGENT, url.as_str()) => Ok(()),
            Rules::Text(_) => Err(FetchError::Robots("robots.txt forbids it".into())),
            Rules::Nothing(status) => {
                Err(FetchError::Robots(format!("robots.txt was answered with HTTP status {status}")))
            }
            Rules::Unreachable(e @ (FetchError::Redirect(_) | FetchError::BadBody(_) | FetchError::TooLarge(_))) => {
                Err(FetchError::Robots(format!("robots.txt could not be read: {e}")))
            }
            Rules::Unreachable(e) => Err(e.clone()),
        }
    }

    fn bytes(&self) -> usize {
        if let Rules::Text(text) = self { text.len() } else { 0 }
    }
}

/// An origin's rules, read once though several ask at the same time.
type Slot = Arc<OnceCell<Rules>>;

/// The rules of origins, the oldest forgotten first.
#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    slots: HashMap<String, Slot>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Cache {
    /// The rules of `origin`, by `read` where they are not known.
    pub async fn rules<F: Future<Output = Rules>>(&self, origin: String, read: impl FnOnce() -> F) -> Rules {
        let slot = self.slot(&origin);
        let rules = slot.get_or_init(|| async {
            let rules = read().await;
            self.count(rules.bytes());
            rules
        });
        rules.await.clone()
    }

    fn slot(&self, origin: &str) -> Slot {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = remembered.slots.get(origin) {
            return slot.clone();
        }
        remembered.make_room();
        remembered.order.push_back(origin.to_owned());
        remembered.slots.entry(origin.to_owned()).or_default().clone()
    }

    fn count(&self, bytes: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).bytes += bytes;
    }
}

impl Remembered {
    fn make_room(&mut self) {
        while self.slots.len() >= REMEMBERED || self.bytes > REMEMBERED_BYTES {
            let Some(oldest) = self.order.pop_front() else { return };
            let rules = self.slots.remove(&oldest);
            let bytes = rules.as_ref().and_then(|slot| slot.get()).map_or(0, Rules::bytes);
            self.bytes = self.bytes.saturating_sub(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, REMEMBERED_BYTES, Rules, allows};
    use crate::FetchError;
    use url::Url;

    const ROBOTS: &str = "User-agent: *\nDisallow: /\n\nUser-agent: forage\nDisallow: /private\nAllow: /private/open\n";

    #[test]
    fn the_longest_rule_of_our_group_decides() {
        assert!(allows(ROBOTS, "forage", "http://a.test/"));
        assert!(!allows(ROBOTS, "forage", "http://a.test/private/x"));
        assert!(allows(ROBOTS, "forage", "http://a.test/private/open/x"));
        assert!(!allows(ROBOTS, "other", "http://a.test/"));
    }

    #[test]
    fn a_missing_file_allows_and_a_failing_host_forbids() {
        let url = Url::parse("http://a.test/").unwrap();
        assert_eq!(Rules::of_status(404).permit(&url), Ok(()));
        assert!(matches!(Rules::of_status(503).permit(&url), Err(FetchError::Robots(_))));
        let dns = FetchError::Dns("x".into());
        assert_eq!(Rules::Unreachable(dns.clone()).permit(&url), Err(dns));
    }

    #[test]
    fn rules_are_read_once_and_the_cache_is_bounded() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let cache = Cache::default();
        runtime.block_on(async {
            let first = cache.rules("http://a.test".into(), || async { Rules::Nothing(500) }).await;
            assert_eq!(cache.rules("http://a.test".into(), || async { Rules::Everything }).await, first);
            for n in 0..REMEMBERED_BYTES >> 19 << 1 {
                cache.rules(format!("http://h{n}.test"), || async { Rules::Text("x".repeat(1 << 19)) }).await;
            }
        });
        assert!(cache.0.lock().unwrap().slots.len() < 70);
    }
}
