//! Whose turn it is: one request to a host at a time, and a pause after each; and which hosts are given up.
//!
//! The host is that of the URL, not the address behind it. Who waits for a host waits in the order of asking, and
//! takes up a connection only when the turn has come, so that patience with one host costs the others nothing.

use super::memory::Memory;
use crate::FetchError;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;

/// Hosts remembered before those that nothing need be known of are forgotten.
const REMEMBERED: usize = 10_000;
/// The longest pause that a host can ask for with `Crawl-delay`. Some ask for hours, in effect not to come.
const LONGEST_DELAY: Duration = Duration::from_secs(30);
/// Pages in a row that a host fails to give before it is given up.
const MOST_FAILURES: u32 = 3;
/// For how long it is.
const GIVEN_UP: Duration = Duration::from_mins(30);

/// When the host may be asked again; locked while a request is under way.
type Turn = Arc<Mutex<Instant>>;

#[derive(Debug)]
pub(super) struct Hosts {
    delay: Duration,
    /// One permit for each connection that may be open at once.
    connections: Semaphore,
    hosts: SyncMutex<HashMap<String, Host>>,
    /// What earlier runs knew.
    memory: Option<Arc<Memory>>,
}

#[derive(Debug, Default)]
struct Host {
    turn: Option<Turn>,
    /// What `Crawl-delay` asks for.
    delay: Duration,
    /// Failed pages in a row.
    failures: u32,
    given_up: Option<(Instant, FetchError)>,
}

impl Hosts {
    pub fn new(delay: Duration, connections: usize, memory: Option<Arc<Memory>>) -> Self {
        let connections = Semaphore::new(connections.min(Semaphore::MAX_PERMITS));
        Hosts { delay, connections, hosts: SyncMutex::default(), memory: memory.filter(|_| !delay.is_zero()) }
    }

    /// Runs `request` when the host was left alone for the delay.
    pub async fn turn<T>(&self, host: &str, request: impl Future<Output = T>) -> T {
        let turn = self.place(host);
        let mut next = turn.lock().await;
        tokio::time::sleep_until(*next).await;
        // It is never closed; without a permit nothing worse happens than one connection more.
        let permit = self.connections.acquire().await.ok();
        let result = request.await;
        drop(permit);
        let delay = self.delay(host);
        *next = Instant::now() + delay;
        if let Some(memory) = &self.memory {
            memory.note_pause(host, delay);
        }
        result
    }

    /// Leaves the host alone for so long, if that is more than its delay.
    pub async fn pause(&self, host: &str, pause: Duration) {
        let turn = self.place(host);
        let mut next = turn.lock().await;
        *next = (*next).max(Instant::now() + pause);
        if let Some(memory) = &self.memory {
            memory.note_pause(host, pause);
        }
    }

    /// The host asks for a delay. Without one of ours, pauses are off altogether.
    pub fn ask_delay(&self, host: &str, delay: Duration) {
        if !self.delay.is_zero() {
            self.known().entry(host.to_owned()).or_default().delay = delay.min(LONGEST_DELAY);
        }
    }

    /// Whether the host is worth asking.
    ///
    /// # Errors
    /// Where it is given up, with the failure for which it was.
    pub fn check(&self, host: &str) -> Result<(), FetchError> {
        let mut known = self.known();
        let Some(host) = known.get_mut(host) else { return Ok(()) };
        match &host.given_up {
            Some((at, e)) if at.elapsed() < GIVEN_UP => Err(e.clone()),
            Some(_) => {
                // One more failure is enough now.
                (host.given_up, host.failures) = (None, MOST_FAILURES - 1);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Notes whether the host gave a page, or failed to.
    pub fn note(&self, host: &str, failure: Option<&FetchError>) {
        let mut known = self.known();
        let Some(host) = known.get_mut(host) else { return };
        host.failures = if failure.is_some() { host.failures + 1 } else { 0 };
        if let Some(e) = failure.filter(|_| host.failures >= MOST_FAILURES) {
            host.given_up = Some((Instant::now(), e.given_up(host.failures)));
        }
    }

    fn delay(&self, host: &str) -> Duration {
        self.known().get(host).map_or(self.delay, |host| host.delay.max(self.delay))
    }

    fn place(&self, host: &str) -> Turn {
        let mut known = self.known();
        if known.len() >= REMEMBERED && !known.contains_key(host) {
            known.retain(|_, host| host.is_needed());
        }
        let turn = &mut known.entry(host.to_owned()).or_default().turn;
        let pause = || self.memory.as_ref().map_or(Duration::ZERO, |memory| memory.pause(host));
        turn.get_or_insert_with(|| Arc::new(Mutex::new(Instant::now() + pause()))).clone()
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Host>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host {
    /// Whether somebody waits for it, or should if asked now, or something is known that a forgotten host would not be
    /// spared.
    fn is_needed(&self) -> bool {
        let is_waited_for = self.turn.as_ref().is_some_and(|turn| {
            Arc::strong_count(turn) > 1 || turn.try_lock().map_or(true, |next| *next > Instant::now())
        });
        is_waited_for || self.given_up.as_ref().is_some_and(|(at, _)| at.elapsed() < GIVEN_UP)
    }
}

#[cfg(test)]
mod tests {
    use super::{GIVEN_UP, Hosts, LONGEST_DELAY, REMEMBERED};
    use crate::FetchError;
    use std::time::Duration;
    use tokio::time::Instant;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_host_is_left_alone_between_two_requests_and_others_are_not() {
        let hosts = Hosts::new(SECOND, 9, None);
        let start = Instant::now();
        let other = hosts.turn("b.test", async { start.elapsed() });
        let ((), second, other) =
            tokio::join!(hosts.turn("a.test", async {}), hosts.turn("a.test", async { start.elapsed() }), other);
        assert!(second >= SECOND && other < SECOND / 2, "{second:?} {other:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn requests_to_a_host_never_overlap() {
        let hosts = Hosts::new(Duration::ZERO, 9, None);
        let start = Instant::now();
        let request = || hosts.turn("a.test", async { tokio::time::sleep(SECOND).await });
        tokio::join!(request(), request());
        assert!(start.elapsed() >= SECOND * 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_waits_takes_no_connection() {
        let hosts = Hosts::new(SECOND * 9, 1, None);
        hosts.turn("a.test", async {}).await;
        let start = Instant::now();
        let waiting = hosts.turn("a.test", async {});
        let other = async { hosts.turn("b.test", async { start.elapsed() }).await };
        let ((), other) = tokio::join!(waiting, other);
        assert!(other < SECOND, "{other:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_may_ask_for_more_time_but_not_for_hours() {
        let hosts = Hosts::new(SECOND, 9, None);
        for (asked, expected) in [(SECOND / 2, SECOND), (SECOND * 3, SECOND * 3), (SECOND * 9999, LONGEST_DELAY)] {
            hosts.ask_delay("a.test", asked);
            hosts.turn("a.test", async {}).await;
            let start = Instant::now();
            hosts.turn("a.test", async {}).await;
            assert_eq!(start.elapsed().as_secs(), expected.as_secs());
        }
        hosts.pause("a.test", SECOND * 100).await;
        let start = Instant::now();
        hosts.turn("a.test", async {}).await;
        assert_eq!(start.elapsed().as_secs(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_fails_three_times_in_a_row_is_given_up_for_a_while() {
        let hosts = Hosts::new(SECOND, 9, None);
        hosts.turn("a.test", async {}).await;
        let failure = FetchError::Connect("refused".into());
        for success in [false, false, true, false, false] {
            hosts.note("a.test", (!success).then_some(&failure));
        }
        assert_eq!(hosts.check("a.test"), Ok(()));
        hosts.note("a.test", Some(&failure));
        assert!(hosts.check("a.test").unwrap_err().to_string().contains("given up"));
        tokio::time::advance(GIVEN_UP).await;
        assert_eq!(hosts.check("a.test"), Ok(()));
        hosts.note("a.test", Some(&failure));
        assert!(hosts.check("a.test").is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_whose_pause_is_over_are_forgotten() {
        let hosts = Hosts::new(Duration::ZERO, 9, None);
        for n in 0..REMEMBERED + 10 {
            hosts.turn(&format!("h{n}.test"), async {}).await;
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert!(hosts.known().len() <= REMEMBERED);
    }
}
