//! Scheduling of requests to hosts: one request to a host at a time, a delay after each, and a
//! back-off from hosts that request it or fail repeatedly.
//!
//! A host is identified by the URL, not by its address. Requests to a host are served in the order
//! of arrival, and occupy a connection only while they run, so that a slow host does not delay the
//! others. The state of a host is saved in the host store before the next request is sent, so that
//! later runs respect it even if this one is killed.

use crate::FetchError;
use crate::host_store::{HostState, HostStore, MAX_BACK_OFF};
use forage_record::time::{format_rfc3339, now};
use parking_lot::Mutex as SyncMutex;
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;

/// Longest delay that requests wait for. A host that requests a longer one is backed off, and its
/// pages get errors. Set by judgement, not measured.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(120);
/// Number of hosts in memory beyond which those without a pending delay or back-off are evicted.
const MAX_HOSTS: usize = 10_000;
/// Longest `Crawl-delay` that is respected. Some hosts state hours, in effect a ban. Set by
/// judgement, not measured.
const MAX_CRAWL_DELAY: Duration = Duration::from_secs(30);
/// Consecutive failed requests after which a host is backed off; retries do not count. Set by
/// judgement, not measured.
const MAX_FAILURES: u32 = 3;
/// Duration of the back-off from a failing host. Set by judgement, not measured.
const FAILURE_BACK_OFF: Duration = Duration::from_mins(30);

/// A lock that is held while a request to a host waits for its delay or runs.
type HostLock = Arc<Mutex<()>>;

/// The schedule of all hosts of a run.
#[derive(Debug)]
pub(crate) struct HostScheduler {
    /// The delay between the end of a request and the next one to the same host.
    delay: Duration,
    /// One permit for each connection that may be open concurrently.
    connections: Semaphore,
    hosts: SyncMutex<HashMap<String, ScheduledHost>>,
    /// The state that earlier runs have saved.
    store: Option<Arc<HostStore>>,
}

#[derive(Debug)]
struct ScheduledHost {
    lock: HostLock,
    /// The earliest time of the next request.
    next_request: Instant,
    /// The end of the last request; `None` before the first one and while one runs.
    last_response: Option<Instant>,
    crawl_delay: Duration,
    /// Failed requests in a row, without retries.
    failures: u32,
    /// The end of the back-off, and its reason.
    back_off: Option<(Instant, FetchError)>,
}

impl HostScheduler {
    /// Returns a scheduler with a delay between requests to a host, and a number of connections.
    pub fn new(delay: Duration, connections: usize, store: Option<Arc<HostStore>>) -> Self {
        let connections = Semaphore::new(connections.min(Semaphore::MAX_PERMITS));
        HostScheduler {
            delay,
            connections,
            hosts: SyncMutex::default(),
            store,
        }
    }

    /// Runs `request` after the requests to `host` that came before, and after its delay.
    ///
    /// # Errors
    /// Fails if the host is backed off, as [`HostScheduler::check_back_off`].
    pub async fn run_in_turn<T>(
        &self,
        host: &str,
        request: impl Future<Output = T>,
    ) -> Result<T, FetchError> {
        let lock = self.with_host(host, |host| host.lock.clone());
        let _guard = lock.lock().await;
        loop {
            self.check_back_off(host)?;
            let next_request = self.with_host(host, |host| host.next_request);
            if next_request <= Instant::now() {
                break;
            }
            // The time may be postponed meanwhile, so it is compared again.
            tokio::time::sleep_until(next_request).await;
        }
        // The semaphore is never closed; without a permit there would be one connection more.
        let permit = self.connections.acquire().await.ok();
        // Saved before the request, so that the delay is respected if this run is killed during it.
        self.start_delay(host, false);
        let result = request.await;
        drop(permit);
        self.start_delay(host, true);
        Ok(result)
    }

    /// Starts the delay of a host, at the beginning of a request or at its end.
    fn start_delay(&self, name: &str, has_ended: bool) {
        self.with_host(name, |host| {
            let now = Instant::now();
            host.last_response = has_ended.then_some(now);
            let delay = host.crawl_delay.max(self.delay);
            host.next_request = host.next_request.max(now + delay);
            if !delay.is_zero() {
                self.save_host(name, host);
            }
        });
    }

    /// Postpones the next request to a host by `delay` from now, unless it is scheduled later.
    pub fn postpone(&self, name: &str, delay: Duration) {
        self.with_host(name, |host| {
            host.next_request = host.next_request.max(Instant::now() + delay);
            self.save_host(name, host);
        });
    }

    /// Sets the `Crawl-delay` of a host. It is ignored if the delay of the run is zero, which turns
    /// off all delays but those of `Retry-After` and of retries.
    pub fn set_crawl_delay(&self, name: &str, delay: Duration) {
        if self.delay.is_zero() {
            return;
        }
        self.with_host(name, |host| {
            let delay = delay.min(MAX_CRAWL_DELAY);
            if host.crawl_delay == delay {
                return;
            }
            host.crawl_delay = delay;
            // The delay starts at the response that stated it.
            if let Some(last_response) = host.last_response {
                host.next_request = host.next_request.max(last_response + delay);
                self.save_host(name, host);
            }
        });
    }

    /// Respects the `Retry-After` of a response with `status`. The next request is postponed, or
    /// the host is backed off if the time is longer than [`MAX_WAIT`].
    pub fn back_off(&self, host: &str, status: u16, retry_after: Duration) {
        if retry_after <= MAX_WAIT {
            return self.postpone(host, retry_after);
        }
        let duration = retry_after.min(MAX_BACK_OFF);
        let consequence = format!(
            "the host requests a back-off until {}",
            format_rfc3339(now() + duration)
        );
        let reason = FetchError::Status(status).to_back_off_reason(&consequence);
        self.start_back_off(host, duration, reason);
    }

    /// Checks that a host is not backed off.
    ///
    /// # Errors
    /// Fails with the reason of the back-off.
    pub fn check_back_off(&self, host: &str) -> Result<(), FetchError> {
        self.with_host(host, |host| match &host.back_off {
            Some((end, reason)) if *end > Instant::now() => Err(reason.clone()),
            _ => Ok(()),
        })
    }

    /// Records the outcome of a request, after its retries: the failure of the host, or `None` if
    /// it responded.
    pub fn record_outcome(&self, name: &str, failure: Option<&FetchError>) {
        let Some(failure) = failure else {
            return self.with_host(name, |host| {
                if host.failures > 0 || host.back_off.is_some() {
                    host.failures = 0;
                    host.back_off = None;
                    self.save_host(name, host);
                }
            });
        };
        let failures = self.with_host(name, |host| {
            // After a back-off, one more failure starts the next one.
            host.failures = host.failures.saturating_add(1).min(MAX_FAILURES);
            self.save_host(name, host);
            host.failures
        });
        if failures >= MAX_FAILURES {
            let reason = failure.to_back_off_reason(&format!(
                "the host is backed off after {failures} failures in a row"
            ));
            self.start_back_off(name, FAILURE_BACK_OFF, reason);
        }
    }

    /// Backs off from a host for `duration` from now, unless it is already backed off for longer.
    fn start_back_off(&self, name: &str, duration: Duration, reason: FetchError) {
        self.with_host(name, |host| {
            let end = Instant::now() + duration;
            if host
                .back_off
                .as_ref()
                .is_none_or(|(current, _)| *current < end)
            {
                host.back_off = Some((end, reason));
                self.save_host(name, host);
            }
        });
    }

    /// Calls `f` with a host, which is loaded from the store if it is not in memory.
    fn with_host<T>(&self, name: &str, f: impl FnOnce(&mut ScheduledHost) -> T) -> T {
        let mut hosts = self.hosts.lock();
        if let Some(host) = hosts.get_mut(name) {
            return f(host);
        }
        if hosts.len() >= MAX_HOSTS {
            hosts.retain(|_, host| host.is_pending());
        }
        let state = self
            .store
            .as_ref()
            .and_then(|store| store.load_host(name))
            .unwrap_or_default();
        f(hosts
            .entry(name.to_owned())
            .or_insert(ScheduledHost::new(state)))
    }

    /// Saves the state of a host for later runs.
    fn save_host(&self, name: &str, host: &ScheduledHost) {
        let Some(store) = &self.store else { return };
        let now = Instant::now();
        let back_off = host
            .back_off
            .as_ref()
            .map(|(end, reason)| (end.saturating_duration_since(now), reason.clone()));
        store.save_host(
            name,
            &HostState {
                delay: host.next_request.saturating_duration_since(now),
                failures: host.failures,
                back_off,
            },
        );
    }
}

impl ScheduledHost {
    fn new(state: HostState) -> ScheduledHost {
        let now = Instant::now();
        ScheduledHost {
            lock: HostLock::default(),
            next_request: now + state.delay,
            last_response: None,
            crawl_delay: Duration::ZERO,
            failures: state.failures,
            back_off: state
                .back_off
                .map(|(time_left, reason)| (now + time_left, reason)),
        }
    }

    /// Returns `true` if the host must stay in memory: a request holds its lock, its delay is not
    /// over, or it is backed off.
    fn is_pending(&self) -> bool {
        let now = Instant::now();
        let is_backed_off = self.back_off.as_ref().is_some_and(|(end, _)| *end > now);
        Arc::strong_count(&self.lock) > 1 || self.next_request > now || is_backed_off
    }
}

#[cfg(test)]
mod tests {
    use super::{FAILURE_BACK_OFF, HostScheduler, MAX_CRAWL_DELAY, MAX_HOSTS, MAX_WAIT};
    use crate::HostStore;
    use crate::host_store::MAX_BACK_OFF;
    use crate::{FetchError, TimeLimit};
    use std::time::Duration;
    use tokio::time::Instant;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn delays_requests_to_the_same_host_and_not_to_others() {
        let hosts = HostScheduler::new(SECOND, 9, None);
        let start = Instant::now();
        let other = hosts.run_in_turn("b.test", async { start.elapsed() });
        let (_, second, other) = tokio::join!(
            hosts.run_in_turn("a.test", async {}),
            hosts.run_in_turn("a.test", async { start.elapsed() }),
            other
        );
        let (second, other) = (second.unwrap(), other.unwrap());
        assert!(
            second >= SECOND && other < SECOND / 2,
            "{second:?} {other:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn requests_to_a_host_never_overlap() {
        let hosts = HostScheduler::new(Duration::ZERO, 9, None);
        let start = Instant::now();
        let request = || hosts.run_in_turn("a.test", async { tokio::time::sleep(SECOND).await });
        let _ = tokio::join!(request(), request());
        assert!(start.elapsed() >= SECOND * 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_host_occupies_no_connection() {
        let hosts = HostScheduler::new(SECOND * 9, 1, None);
        hosts.run_in_turn("a.test", async {}).await.unwrap();
        let start = Instant::now();
        let waiting = hosts.run_in_turn("a.test", async {});
        let other = async {
            hosts
                .run_in_turn("b.test", async { start.elapsed() })
                .await
                .unwrap()
        };
        let (_, other) = tokio::join!(waiting, other);
        assert!(other < SECOND, "{other:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn crawl_delay_is_respected_up_to_a_maximum() {
        let hosts = HostScheduler::new(SECOND, 9, None);
        for (crawl_delay, expected) in [
            (SECOND / 2, SECOND),
            (SECOND * 3, SECOND * 3),
            (SECOND * 9999, MAX_CRAWL_DELAY),
        ] {
            hosts.set_crawl_delay("a.test", crawl_delay);
            hosts.run_in_turn("a.test", async {}).await.unwrap();
            let start = Instant::now();
            hosts.run_in_turn("a.test", async {}).await.unwrap();
            assert_eq!(start.elapsed().as_secs(), expected.as_secs());
        }
        hosts.postpone("a.test", SECOND * 100);
        let start = Instant::now();
        hosts.run_in_turn("a.test", async {}).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn backs_off_from_a_host_after_three_failures_in_a_row() {
        let hosts = HostScheduler::new(SECOND, 9, None);
        hosts.run_in_turn("a.test", async {}).await.unwrap();
        let failure = FetchError::Connect("refused".into());
        for success in [false, false, true, false, false] {
            hosts.record_outcome("a.test", (!success).then_some(&failure));
        }
        assert_eq!(hosts.check_back_off("a.test"), Ok(()));
        hosts.record_outcome("a.test", Some(&failure));
        assert!(
            hosts
                .check_back_off("a.test")
                .unwrap_err()
                .to_string()
                .contains("backed off")
        );
        tokio::time::advance(FAILURE_BACK_OFF).await;
        assert_eq!(hosts.check_back_off("a.test"), Ok(()));
        hosts.record_outcome("a.test", Some(&failure));
        assert!(hosts.check_back_off("a.test").is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn waits_for_a_short_retry_after_and_backs_off_for_a_long_one() {
        let hosts = HostScheduler::new(SECOND, 9, None);
        hosts.back_off("a.test", 503, MAX_WAIT);
        let start = Instant::now();
        hosts.run_in_turn("a.test", async {}).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), MAX_WAIT.as_secs());
        hosts.back_off("a.test", 429, SECOND * 600);
        // Failures do not shorten the back-off.
        (0..9).for_each(|_| hosts.record_outcome("a.test", Some(&FetchError::Status(429))));
        let error = hosts
            .run_in_turn("a.test", async {})
            .await
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("HTTP status 429; "), "{error}");
        hosts.back_off("b.test", 429, SECOND * 1_000_000_000);
        assert!(
            hosts
                .check_back_off("b.test")
                .unwrap_err()
                .to_string()
                .contains("until 20")
        );
        tokio::time::advance(MAX_BACK_OFF).await;
        assert_eq!(
            (
                hosts.check_back_off("a.test"),
                hosts.check_back_off("b.test")
            ),
            (Ok(()), Ok(()))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn crawl_delay_starts_at_the_response_that_stated_it() {
        let hosts = HostScheduler::new(SECOND, 9, None);
        hosts.run_in_turn("a.test", async {}).await.unwrap();
        let start = Instant::now();
        hosts.set_crawl_delay("a.test", SECOND * 3);
        hosts.run_in_turn("a.test", async {}).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), 3);
    }

    #[tokio::test]
    async fn saves_the_state_of_hosts_before_a_run_can_be_killed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts.db");
        let store = HostStore::new(&path);
        // Long enough not to be over when it is checked, also on a machine under load.
        let hosts = HostScheduler::new(SECOND * 590, 9, Some(store.clone()));
        let failure = FetchError::Timeout(TimeLimit::Response, SECOND);
        let committed = hosts
            .run_in_turn("a.test", async { store.load_committed_host("a.test") })
            .await
            .unwrap();
        assert!(
            committed.unwrap().delay > SECOND * 200,
            "saved before the request is sent"
        );
        (0..3).for_each(|_| hosts.record_outcome("dead.test", Some(&failure)));
        drop((hosts, store));
        let hosts = HostScheduler::new(SECOND, 9, Some(HostStore::new(&path)));
        assert!(
            hosts.with_host("a.test", |host| host.next_request) > Instant::now() + SECOND * 100
        );
        let error = hosts.check_back_off("dead.test").unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().contains("backed off")),
            (failure.kind(), true)
        );
        hosts.record_outcome("dead.test", None);
        drop(hosts);
        assert_eq!(
            HostScheduler::new(SECOND, 9, Some(HostStore::new(&path))).check_back_off("dead.test"),
            Ok(())
        );
    }

    #[tokio::test(start_paused = true)]
    async fn evicts_hosts_whose_delay_is_over() {
        let hosts = HostScheduler::new(Duration::ZERO, 9, None);
        for n in 0..MAX_HOSTS + 10 {
            hosts
                .run_in_turn(&format!("h{n}.test"), async {})
                .await
                .unwrap();
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert!(hosts.hosts.lock().len() <= MAX_HOSTS);
    }
}
