//! What a host's robots.txt comes to when it is fetched (RFC 9309 §2.3.1), remembered for each origin.
//!
//! Here is what the file means when it can't be read, how long an answer holds, and a cache that is bounded in bytes;
//! what stands in it is for [`crate::robots`].

use super::AGENT;
use crate::FetchError;
use crate::robots::Robots;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use url::{Position, Url};

/// Bytes of the file that are read (RFC 9309 §2.5).
pub(super) const MAX_BYTES: u64 = 500 << 10;
/// Redirects that are followed (RFC 9309 §2.3.1.2).
pub(super) const MAX_REDIRECTS: usize = 5;
/// Origins that are remembered; with a usual file of 2 kB each, 20 MB.
const REMEMBERED: usize = 10_000;
/// Bytes of rules that are remembered.
const REMEMBERED_BYTES: usize = 32 << 20;
/// For how long an answer holds (RFC 9309 §2.4).
const FRESH: Duration = Duration::from_hours(24);
/// For how long a failure does: a host that comes back should not be lost for a day.
const FAILURE_FRESH: Duration = Duration::from_mins(30);

/// What a host's robots.txt comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rules {
    /// No restrictions: there is no file.
    Everything,
    /// What the file says to us.
    Read(Arc<Robots>),
    /// Nothing may be fetched, for the host does not tell: it has an error.
    Nothing(u16),
    /// Nothing can be fetched.
    Unreachable(FetchError),
}

impl Rules {
    /// The rules of a body. One that can't be decompressed is no answer.
    pub fn read(body: Result<Vec<u8>, FetchError>) -> Rules {
        match body {
            Ok(body) => Rules::Read(Arc::new(Robots::parse(&body, AGENT))),
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
            Rules::Read(robots) if robots.allows(&url[Position::BeforePath..Position::AfterQuery]) => Ok(()),
            Rules::Read(_) => Err(FetchError::Robots("robots.txt forbids it".into())),
            Rules::Nothing(status) => {
                Err(FetchError::Robots(format!("robots.txt was answered with HTTP status {status}")))
            }
            Rules::Unreachable(e @ (FetchError::Redirect(_) | FetchError::BadBody(_) | FetchError::TooLarge(_))) => {
                Err(FetchError::Robots(format!("robots.txt could not be read: {e}")))
            }
            Rules::Unreachable(e) => Err(e.clone()),
        }
    }

    /// The pause between two requests that the host asks for.
    pub fn crawl_delay(&self) -> Option<Duration> {
        if let Rules::Read(robots) = self { robots.crawl_delay() } else { None }
    }

    fn bytes(&self) -> usize {
        if let Rules::Read(robots) = self { robots.bytes() } else { 0 }
    }

    /// For how long this holds.
    pub fn holds_for(&self) -> Duration {
        match self {
            Rules::Everything | Rules::Read(_) => FRESH,
            Rules::Nothing(_) | Rules::Unreachable(_) => FAILURE_FRESH,
        }
    }
}

/// An origin's rules, read once though several ask at the same time, and when they were.
type Slot = Arc<OnceCell<(Rules, Instant)>>;

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
    /// The rules of `origin`, by `read` where they are not known, or no longer hold; it also says how old they are.
    pub async fn rules<F: Future<Output = (Rules, Duration)>>(&self, origin: &str, read: impl FnOnce() -> F) -> Rules {
        let slot = self.slot(origin);
        let known = slot.get_or_init(|| async {
            let (rules, age) = read().await;
            self.count(rules.bytes());
            (rules, Instant::now().checked_sub(age).unwrap_or_else(Instant::now))
        });
        known.await.0.clone()
    }

    fn slot(&self, origin: &str) -> Slot {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = remembered.slots.get(origin).filter(|slot| holds(slot)) {
            return slot.clone();
        }
        remembered.forget(origin);
        remembered.make_room();
        remembered.order.push_back(origin.to_owned());
        remembered.slots.entry(origin.to_owned()).or_default().clone()
    }

    fn count(&self, bytes: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).bytes += bytes;
    }
}

fn holds(slot: &Slot) -> bool {
    slot.get().is_none_or(|(rules, read)| read.elapsed() < rules.holds_for())
}

impl Remembered {
    fn make_room(&mut self) {
        while self.slots.len() >= REMEMBERED || self.bytes > REMEMBERED_BYTES {
            let Some(oldest) = self.order.front().cloned() else { return };
            self.forget(&oldest);
        }
    }

    fn forget(&mut self, origin: &str) {
        let Some(slot) = self.slots.remove(origin) else { return };
        self.bytes = self.bytes.saturating_sub(slot.get().map_or(0, |(rules, _)| rules.bytes()));
        if self.order.front().is_some_and(|oldest| oldest == origin) {
            self.order.pop_front();
        } else {
            self.order.retain(|known| known != origin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, FAILURE_FRESH, FRESH, REMEMBERED_BYTES, Rules};
    use crate::FetchError;
    use std::time::Duration;
    use url::Url;

    fn large() -> Rules {
        Rules::read(Ok(format!("User-agent: *\nDisallow: /{}", "x".repeat(16_000)).into_bytes()))
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
    fn the_path_is_compared_as_it_is_sent() {
        let rules = Rules::read(Ok("User-agent: forage\nDisallow: /ž?q\nCrawl-delay: 3".into()));
        let permit = |url: &str| rules.permit(&Url::parse(url).unwrap());
        assert!(permit("http://a.test/ž?q=1#x").is_err());
        assert!(permit("http://a.test/ž").is_ok());
        assert_eq!(rules.crawl_delay(), Some(Duration::from_secs(3)));
    }

    #[tokio::test(start_paused = true)]
    async fn rules_are_read_once_a_day_and_failures_sooner() {
        let cache = Cache::default();
        let ask = async |rules: Rules| cache.rules("http://a.test", || async { (rules, Duration::ZERO) }).await;
        assert_eq!(ask(Rules::Nothing(500)).await, Rules::Nothing(500));
        assert_eq!(ask(Rules::Everything).await, Rules::Nothing(500));
        tokio::time::advance(FAILURE_FRESH).await;
        assert_eq!(ask(Rules::Everything).await, Rules::Everything);
        tokio::time::advance(FRESH - Duration::from_secs(1)).await;
        assert_eq!(ask(Rules::Nothing(500)).await, Rules::Everything);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(ask(Rules::Nothing(500)).await, Rules::Nothing(500));
    }

    #[tokio::test]
    async fn the_cache_is_bounded() {
        let cache = Cache::default();
        for n in 0..REMEMBERED_BYTES >> 13 {
            cache.rules(&format!("http://h{n}.test"), || async { (large(), Duration::ZERO) }).await;
        }
        assert!(cache.0.lock().unwrap().slots.len() < 2200);
        assert!(cache.0.lock().unwrap().order.len() < 2200);
    }
}
