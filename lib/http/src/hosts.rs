//! Whose turn it is: one request to a host at a time, and a pause after each; and which hosts are
//! left alone, as they ask for it or fail.
//!
//! The host is that of the URL, not the address behind it. Who waits for a host waits in the order
//! of asking, and takes up a connection only when the turn has come, so that patience with one host
//! costs the others nothing. What is noted of a host goes to the host store before the next request
//! is sent: it holds for later runs, too, also where this one is killed.

use crate::FetchError;
use crate::host_store::{HostState, HostStore, LONGEST_CLOSED};
use crate::time::format_rfc3339;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;

/// The longest pause that is waited for; where a host asks for a longer one its pages get errors
/// until then.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// Hosts remembered before those that nothing need be known of are forgotten.
const REMEMBERED: usize = 10_000;
/// The longest pause that a host can ask for with `Crawl-delay`. Some ask for hours, in effect not
/// to come.
const LONGEST_DELAY: Duration = Duration::from_secs(30);
/// Requests in a row that a host fails to answer, further tries aside, before it is given up.
const MOST_FAILURES: u32 = 3;
/// For how long it is.
const GIVEN_UP: Duration = Duration::from_mins(30);

/// Locked while a request is under way, or waited for.
type Turn = Arc<Mutex<()>>;

#[derive(Debug)]
pub(crate) struct Hosts {
    delay: Duration,
    /// One permit for each connection that may be open at once.
    connections: Semaphore,
    hosts: SyncMutex<HashMap<String, Host>>,
    /// What earlier runs knew.
    store: Option<Arc<HostStore>>,
}

#[derive(Debug)]
struct Host {
    turn: Turn,
    /// When it may be asked again.
    next: Instant,
    /// When the last request ended.
    ended: Option<Instant>,
    /// What `Crawl-delay` asks for.
    delay: Duration,
    /// Failed requests in a row.
    failures: u32,
    /// Until when it is left alone, and why.
    closed: Option<(Instant, FetchError)>,
}

impl Hosts {
    pub fn new(delay: Duration, connections: usize, store: Option<Arc<HostStore>>) -> Self {
        let connections = Semaphore::new(connections.min(Semaphore::MAX_PERMITS));
        Hosts {
            delay,
            connections,
            hosts: SyncMutex::default(),
            store,
        }
    }

    /// Runs `request` when the host was left alone for the delay.
    ///
    /// # Errors
    /// Where the host is left alone for longer, as [`Hosts::check`].
    pub async fn turn<T>(
        &self,
        host: &str,
        request: impl Future<Output = T>,
    ) -> Result<T, FetchError> {
        let turn = self.with(host, |host| host.turn.clone());
        let _held = turn.lock().await;
        loop {
            self.check(host)?;
            let next = self.with(host, |host| host.next);
            if next <= Instant::now() {
                break;
            }
            // Which may be put off in the meantime.
            tokio::time::sleep_until(next).await;
        }
        // It is never closed; without a permit nothing worse happens than one connection more.
        let permit = self.connections.acquire().await.ok();
        // Noted before, so that the pause is kept also when this run is killed in the middle.
        self.rest(host, false);
        let result = request.await;
        drop(permit);
        self.rest(host, true);
        Ok(result)
    }

    /// The host is asked now, or was.
    fn rest(&self, name: &str, has_ended: bool) {
        self.with(name, |host| {
            let now = Instant::now();
            host.ended = has_ended.then_some(now);
            let delay = host.delay.max(self.delay);
            host.next = host.next.max(now + delay);
            if !delay.is_zero() {
                self.save(name, host);
            }
        });
    }

    /// Leaves the host alone for so long, if that is more than its delay.
    pub fn pause(&self, name: &str, pause: Duration) {
        self.with(name, |host| {
            host.next = host.next.max(Instant::now() + pause);
            self.save(name, host);
        });
    }

    /// The host asks for a delay. Without one of ours, pauses are off altogether.
    pub fn ask_delay(&self, name: &str, delay: Duration) {
        if self.delay.is_zero() {
            return;
        }
        self.with(name, |host| {
            let delay = delay.min(LONGEST_DELAY);
            if host.delay == delay {
                return;
            }
            host.delay = delay;
            // It counts from the answer that asked for it.
            if let Some(ended) = host.ended {
                host.next = host.next.max(ended + delay);
                self.save(name, host);
            }
        });
    }

    /// The host asks with this status to be left alone for so long. What is worth waiting for is
    /// waited for.
    pub fn back_off(&self, host: &str, status: u16, pause: Duration) {
        if pause <= LONGEST_WAIT {
            return self.pause(host, pause);
        }
        let pause = pause.min(LONGEST_CLOSED);
        let asked = format!(
            "the host asks to be left alone until {}",
            format_rfc3339(SystemTime::now() + pause)
        );
        self.close(host, pause, FetchError::Status(status).backed_off(&asked));
    }

    /// Whether the host is worth asking.
    ///
    /// # Errors
    /// Where it is left alone, with the reason.
    pub fn check(&self, host: &str) -> Result<(), FetchError> {
        self.with(host, |host| match &host.closed {
            Some((until, why)) if *until > Instant::now() => Err(why.clone()),
            _ => Ok(()),
        })
    }

    /// Notes whether the host gave an answer, or failed to.
    pub fn record_outcome(&self, name: &str, failure: Option<&FetchError>) {
        let Some(failure) = failure else {
            return self.with(name, |host| {
                if host.failures > 0 || host.closed.is_some() {
                    (host.failures, host.closed) = (0, None);
                    self.save(name, host);
                }
            });
        };
        let failures = self.with(name, |host| {
            // After a time in which it was given up, one more is enough.
            host.failures = (host.failures + 1).min(MOST_FAILURES);
            self.save(name, host);
            host.failures
        });
        if failures >= MOST_FAILURES {
            let why = failure.backed_off(&format!(
                "the host is given up after {failures} failures in a row"
            ));
            self.close(name, GIVEN_UP, why);
        }
    }

    /// Leaves the host alone for so long, or longer where it already is.
    fn close(&self, name: &str, pause: Duration, why: FetchError) {
        self.with(name, |host| {
            let until = Instant::now() + pause;
            if host.closed.as_ref().is_none_or(|(known, _)| *known < until) {
                host.closed = Some((until, why));
                self.save(name, host);
            }
        });
    }

    /// What is known of a host.
    fn with<T>(&self, name: &str, what: impl FnOnce(&mut Host) -> T) -> T {
        let mut known = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = known.get_mut(name) {
            return what(host);
        }
        if known.len() >= REMEMBERED {
            known.retain(|_, host| host.is_needed());
        }
        let past = self
            .store
            .as_ref()
            .and_then(|store| store.host(name))
            .unwrap_or_default();
        what(known.entry(name.to_owned()).or_insert(Host::new(past)))
    }

    /// Notes what later runs should know.
    fn save(&self, name: &str, host: &Host) {
        let Some(store) = &self.store else { return };
        let closed = host
            .closed
            .as_ref()
            .map(|(until, why)| (until.saturating_duration_since(Instant::now()), why.clone()));
        let pause = host.next.saturating_duration_since(Instant::now());
        store.save_host(
            name,
            &HostState {
                pause,
                failures: host.failures,
                closed,
            },
        );
    }
}

impl Host {
    fn new(past: HostState) -> Host {
        let now = Instant::now();
        Host {
            turn: Turn::default(),
            next: now + past.pause,
            ended: None,
            delay: Duration::ZERO,
            failures: past.failures,
            closed: past.closed.map(|(pause, why)| (now + pause, why)),
        }
    }

    /// Whether somebody waits for it, or should if asked now, or something is known that a
    /// forgotten host would not be spared.
    fn is_needed(&self) -> bool {
        let now = Instant::now();
        let is_closed = self.closed.as_ref().is_some_and(|(until, _)| *until > now);
        Arc::strong_count(&self.turn) > 1 || self.next > now || is_closed
    }
}

#[cfg(test)]
mod tests {
    use super::{GIVEN_UP, Hosts, LONGEST_CLOSED, LONGEST_DELAY, LONGEST_WAIT, REMEMBERED};
    use crate::FetchError;
    use crate::HostStore;
    use std::time::Duration;
    use tokio::time::Instant;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_host_is_left_alone_between_two_requests_and_others_are_not() {
        let hosts = Hosts::new(SECOND, 9, None);
        let start = Instant::now();
        let other = hosts.turn("b.test", async { start.elapsed() });
        let (_, second, other) = tokio::join!(
            hosts.turn("a.test", async {}),
            hosts.turn("a.test", async { start.elapsed() }),
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
        let hosts = Hosts::new(Duration::ZERO, 9, None);
        let start = Instant::now();
        let request = || hosts.turn("a.test", async { tokio::time::sleep(SECOND).await });
        let _ = tokio::join!(request(), request());
        assert!(start.elapsed() >= SECOND * 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_waits_takes_no_connection() {
        let hosts = Hosts::new(SECOND * 9, 1, None);
        hosts.turn("a.test", async {}).await.unwrap();
        let start = Instant::now();
        let waiting = hosts.turn("a.test", async {});
        let other = async {
            hosts
                .turn("b.test", async { start.elapsed() })
                .await
                .unwrap()
        };
        let (_, other) = tokio::join!(waiting, other);
        assert!(other < SECOND, "{other:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_may_ask_for_more_time_but_not_for_hours() {
        let hosts = Hosts::new(SECOND, 9, None);
        for (asked, expected) in [
            (SECOND / 2, SECOND),
            (SECOND * 3, SECOND * 3),
            (SECOND * 9999, LONGEST_DELAY),
        ] {
            hosts.ask_delay("a.test", asked);
            hosts.turn("a.test", async {}).await.unwrap();
            let start = Instant::now();
            hosts.turn("a.test", async {}).await.unwrap();
            assert_eq!(start.elapsed().as_secs(), expected.as_secs());
        }
        hosts.pause("a.test", SECOND * 100);
        let start = Instant::now();
        hosts.turn("a.test", async {}).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_fails_three_times_in_a_row_is_given_up_for_a_while() {
        let hosts = Hosts::new(SECOND, 9, None);
        hosts.turn("a.test", async {}).await.unwrap();
        let failure = FetchError::Connect("refused".into());
        for success in [false, false, true, false, false] {
            hosts.record_outcome("a.test", (!success).then_some(&failure));
        }
        assert_eq!(hosts.check("a.test"), Ok(()));
        hosts.record_outcome("a.test", Some(&failure));
        assert!(
            hosts
                .check("a.test")
                .unwrap_err()
                .to_string()
                .contains("given up")
        );
        tokio::time::advance(GIVEN_UP).await;
        assert_eq!(hosts.check("a.test"), Ok(()));
        hosts.record_outcome("a.test", Some(&failure));
        assert!(hosts.check("a.test").is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_asks_for_a_long_pause_is_not_asked_and_a_shorter_one_is_waited_for() {
        let hosts = Hosts::new(SECOND, 9, None);
        hosts.back_off("a.test", 503, LONGEST_WAIT);
        let start = Instant::now();
        hosts.turn("a.test", async {}).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), LONGEST_WAIT.as_secs());
        hosts.back_off("a.test", 429, SECOND * 600);
        // Failures don't shorten it.
        (0..9).for_each(|_| hosts.record_outcome("a.test", Some(&FetchError::Status(429))));
        let told = hosts
            .turn("a.test", async {})
            .await
            .unwrap_err()
            .to_string();
        assert!(told.starts_with("HTTP status 429; "), "{told}");
        hosts.back_off("b.test", 429, SECOND * 1_000_000_000);
        assert!(
            hosts
                .check("b.test")
                .unwrap_err()
                .to_string()
                .contains("until 20")
        );
        tokio::time::advance(LONGEST_CLOSED).await;
        assert_eq!(
            (hosts.check("a.test"), hosts.check("b.test")),
            (Ok(()), Ok(()))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_delay_that_robots_txt_asks_for_counts_from_its_answer() {
        let hosts = Hosts::new(SECOND, 9, None);
        hosts.turn("a.test", async {}).await.unwrap();
        let start = Instant::now();
        hosts.ask_delay("a.test", SECOND * 3);
        hosts.turn("a.test", async {}).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), 3);
    }

    #[tokio::test]
    async fn a_run_that_is_killed_has_noted_what_the_next_one_must_know() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts.db");
        let store = HostStore::new(&path);
        // So long that none of it is over by the time that it is looked for, however busy the
        // machine is.
        let hosts = Hosts::new(SECOND * 590, 9, Some(store.clone()));
        let failure = FetchError::Timeout(SECOND);
        let seen = hosts
            .turn("a.test", async { store.committed("a.test") })
            .await
            .unwrap();
        assert!(
            seen.unwrap().pause > SECOND * 200,
            "before the request is sent"
        );
        (0..3).for_each(|_| hosts.record_outcome("dead.test", Some(&failure)));
        drop((hosts, store));
        let hosts = Hosts::new(SECOND, 9, Some(HostStore::new(&path)));
        assert!(hosts.with("a.test", |host| host.next) > Instant::now() + SECOND * 100);
        let told = hosts.check("dead.test").unwrap_err();
        assert_eq!(
            (told.kind(), told.to_string().contains("given up")),
            (failure.kind(), true)
        );
        hosts.record_outcome("dead.test", None);
        drop(hosts);
        assert_eq!(
            Hosts::new(SECOND, 9, Some(HostStore::new(&path))).check("dead.test"),
            Ok(())
        );
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_whose_pause_is_over_are_forgotten() {
        let hosts = Hosts::new(Duration::ZERO, 9, None);
        for n in 0..REMEMBERED + 10 {
            hosts.turn(&format!("h{n}.test"), async {}).await.unwrap();
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert!(hosts.hosts.lock().unwrap().len() <= REMEMBERED);
    }
}
