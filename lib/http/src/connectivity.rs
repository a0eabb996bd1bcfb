//! Connectivity: tells an outage of the network, or of this machine, from hosts that are down.
//!
//! A request that fails without a response leaves both possible. The network is up if any host
//! responds after the failure: to another request, or to a probe of hosts that responded earlier.
//! Then the request is repeated once, as the outage may just have ended; if it fails again, the
//! host is down. If no other host responds, or several hosts fail before any has responded, it is
//! an outage: requests are repeated until a host responds, or the patience is over.

use crate::FetchError;
use crate::host_store::HostStore;
use crate::settings::OutageReporter;
use parking_lot::Mutex;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::{Instant, sleep};
use url::Url;

/// Number of hosts that are probed, the last to respond first: one of them may be down itself.
const MAX_PROBED: usize = 5;
/// Number of failing hosts, before any has responded, from which the failure is an outage. With 3 %
/// of dead hosts, three in a row are one case in 40,000.
const MIN_UNREACHED: usize = 3;
/// Time that fewer failing hosts are waited for, before any has responded: an outage may have begun
/// before the run.
const LONE_PATIENCE: Duration = Duration::from_mins(1);
/// Time in which requests to other hosts may respond, before a host is probed.
const RESPONSE_TIME: Duration = Duration::from_millis(300);
/// Time for which the result of a failed probe holds.
const PROBE_AGE: Duration = Duration::from_secs(1);
/// Shortest and longest time between two attempts during an outage.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// A request without a response.
#[derive(Debug)]
pub(crate) struct FailedRequest<'a> {
    pub url: &'a Url,
    pub failure: &'a FetchError,
    /// The time at which the request was sent.
    pub start: Instant,
    /// True if it was repeated because the network was up after the failure before.
    pub is_repeated: bool,
}

/// The conclusion from a request without a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureCause {
    /// The host is down; the network is not.
    Host,
    /// The network is up now; it may not have been when the request was sent. The request is to be
    /// repeated.
    Unknown,
    /// There is an outage. The request is to be repeated, as if it was the first attempt.
    Outage,
}

/// What is known of the connectivity of this machine.
#[derive(Debug)]
pub(crate) struct Connectivity {
    /// The duration of an outage after which requests fail.
    patience: Duration,
    report: Option<OutageReporter>,
    store: Option<Arc<HostStore>>,
    state: Mutex<ConnectivityState>,
    /// The time of the last probe without a response; locked while hosts are probed.
    last_failed_probe: AsyncMutex<Option<Instant>>,
}

#[derive(Debug, Default)]
struct ConnectivityState {
    /// Origins that responded, the last one first, at most [`MAX_PROBED`].
    live_origins: VecDeque<String>,
    /// True once what earlier processes know of hosts has been read from the host store.
    has_read_store: bool,
    last_response: Option<Instant>,
    /// Origins that have failed since the last response; of those of earlier processes, the hosts.
    unreached: BTreeSet<String>,
    /// The beginning of the outage, if there is one.
    outage: Option<Instant>,
    /// The last time at which there was an outage.
    last_outage: Option<Instant>,
    /// True once a failing host was counted as down although no other host is known.
    has_lone_failure: bool,
}

impl Connectivity {
    /// Returns a state in which nothing is known but what is in the store.
    pub fn new(
        patience: Duration,
        report: Option<OutageReporter>,
        store: Option<Arc<HostStore>>,
    ) -> Connectivity {
        Connectivity {
            patience,
            report,
            store,
            state: Mutex::default(),
            last_failed_probe: AsyncMutex::default(),
        }
    }

    /// Records that a host has responded.
    pub fn record_response(&self, url: &Url) {
        let mut state = self.state.lock();
        state.last_response = Some(Instant::now());
        state.unreached.clear();
        let origin = url.origin().ascii_serialization();
        if state.live_origins.front() != Some(&origin) {
            state.live_origins.retain(|other| *other != origin);
            state.live_origins.push_front(origin);
            state.live_origins.truncate(MAX_PROBED);
        }
        if let Some(start) = state.outage.take() {
            let seconds = start.elapsed().as_secs();
            self.report(&format!("pages can be fetched again, after {seconds} s"));
        }
    }

    /// Determines the cause of a request without a response. In an outage, waits before the next
    /// attempt. `probe` requests something from an origin, and returns true if there is a response.
    ///
    /// # Errors
    /// Fails if the outage lasts longer than the patience.
    pub async fn find_cause<F: Future<Output = bool>>(
        &self,
        request: &FailedRequest<'_>,
        probe: impl Fn(Url) -> F,
    ) -> Result<FailureCause, FetchError> {
        let failed_at = Instant::now();
        let was_up = self.was_up_during(request);
        while failed_at.elapsed() < RESPONSE_TIME && !self.has_response_since(failed_at) {
            sleep(RESPONSE_TIME / 10).await;
        }
        let (origins, has_responded) = self.origins_to_probe(request.url);
        let is_up = self.has_response_since(failed_at)
            || self
                .has_live_origin(request.url, &origins, failed_at, probe)
                .await;
        match (is_up, request.is_repeated || was_up) {
            (true, true) => Ok(FailureCause::Host),
            (true, false) => Ok(FailureCause::Unknown),
            (false, _) if has_responded || origins.len() >= MIN_UNREACHED => {
                self.wait(request, self.patience).await?;
                Ok(FailureCause::Outage)
            }
            // The host may be the only one that was asked so far.
            (false, _) => match self.wait(request, self.patience.min(LONE_PATIENCE)).await {
                Ok(()) => Ok(FailureCause::Outage),
                Err(_) => {
                    self.report_lone_failure(request);
                    Ok(FailureCause::Host)
                }
            },
        }
    }

    /// Waits for a while during an outage.
    ///
    /// # Errors
    /// Fails if it lasts longer than the patience.
    async fn wait(
        &self,
        FailedRequest { url, failure, .. }: &FailedRequest<'_>,
        patience: Duration,
    ) -> Result<(), FetchError> {
        let host = url.host_str().unwrap_or_default();
        let seconds = patience.as_secs();
        let start = {
            let mut state = self.state.lock();
            if state.outage.is_none() && !patience.is_zero() {
                let option = if patience == self.patience {
                    " (--patience)"
                } else {
                    ""
                };
                self.report(&format!(
                    "{host}: {failure}; no host responds: waiting for the network, at most \
                     {seconds} s{option}"
                ));
            }
            state.last_outage = Some(Instant::now());
            *state.outage.get_or_insert_with(Instant::now)
        };
        let elapsed = start.elapsed();
        if elapsed >= patience {
            return Err(FetchError::Outage(format!(
                "no page could be fetched for {seconds} s ({host}: {failure}), and no other host \
                 responds; is the network down?"
            )));
        }
        let [shortest, longest] = PAUSES;
        let pause = elapsed.clamp(shortest, longest);
        sleep(pause.min(patience - elapsed)).await;
        Ok(())
    }

    /// Reports, once, that a failing host counts as down although no other host is known.
    fn report_lone_failure(&self, FailedRequest { url, failure, .. }: &FailedRequest<'_>) {
        if !std::mem::replace(&mut self.state.lock().has_lone_failure, true) {
            let host = url.host_str().unwrap_or_default();
            self.report(&format!(
                "{host}: {failure}; there is no other host to compare with: its pages get errors, \
                 although the network may be down"
            ));
        }
    }

    /// Returns `true` if the request was repeated by its protocol, as a connection is that times
    /// out, while the network was up: other hosts responded, and no outage was noticed.
    fn was_up_during(&self, request: &FailedRequest<'_>) -> bool {
        let state = self.state.lock();
        let is_since_start = |time: Option<Instant>| time.is_some_and(|time| time >= request.start);
        matches!(request.failure, FetchError::Timeout(..))
            && is_since_start(state.last_response)
            && !is_since_start(state.last_outage)
    }

    /// Returns `true` if a host has responded, to this process or an earlier one.
    pub fn has_responded(&self) -> bool {
        !self.state.lock().live_origins.is_empty()
    }

    fn has_response_since(&self, time: Instant) -> bool {
        self.state
            .lock()
            .last_response
            .is_some_and(|response| response >= time)
    }

    /// Returns the origins that responded, those of earlier processes included, and true; if none
    /// has responded, those that failed, `failed` included, and false.
    fn origins_to_probe(&self, failed: &Url) -> (Vec<String>, bool) {
        let mut state = self.state.lock();
        if !state.has_read_store {
            state.has_read_store = true;
            if let Some(store) = &self.store {
                state.add_stored(store);
            }
        }
        if !state.live_origins.is_empty() {
            return (state.live_origins.iter().cloned().collect(), true);
        }
        // More are not needed to tell an outage.
        if state.unreached.len() < MIN_UNREACHED {
            state
                .unreached
                .insert(failed.origin().ascii_serialization());
        }
        (state.unreached.iter().cloned().collect(), false)
    }

    /// Probes origins other than that of the failed request. Concurrent failures share a probe.
    async fn has_live_origin<F: Future<Output = bool>>(
        &self,
        failed: &Url,
        origins: &[String],
        failed_at: Instant,
        probe: impl Fn(Url) -> F,
    ) -> bool {
        let mut last_failed_probe = self.last_failed_probe.lock().await;
        if self.has_response_since(failed_at) {
            return true;
        }
        if last_failed_probe.is_some_and(|time| time.elapsed() < PROBE_AGE) {
            return false;
        }
        let failed = failed.origin().ascii_serialization();
        for origin in origins.iter().filter(|origin| **origin != failed) {
            let Ok(url) = Url::parse(origin) else {
                continue;
            };
            if probe(url.clone()).await {
                self.record_response(&url);
                return true;
            }
        }
        *last_failed_probe = Some(Instant::now());
        false
    }

    fn report(&self, message: &str) {
        if let Some(OutageReporter(report)) = &self.report {
            report(message);
        }
    }
}

impl ConnectivityState {
    /// Adds what earlier processes know: hosts that responded, or else those that failed.
    fn add_stored(&mut self, store: &HostStore) {
        for origin in store.load_live_origins(MAX_PROBED) {
            if self.live_origins.len() < MAX_PROBED && !self.live_origins.contains(&origin) {
                self.live_origins.push_back(origin);
            }
        }
        if self.live_origins.is_empty() {
            let hosts = store.load_failing_hosts(MIN_UNREACHED).into_iter();
            self.unreached
                .extend(hosts.map(|host| format!("http://{host}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Connectivity, FailedRequest, FailureCause, LONE_PATIENCE};
    use crate::{FetchError, TimeLimit};
    use std::time::Duration;
    use tokio::time::{Instant, advance};
    use url::Url;

    const SECOND: Duration = Duration::from_secs(1);

    fn url(host: &str) -> Url {
        Url::parse(&format!("http://{host}/page")).unwrap()
    }

    /// Returns the cause of a failure of the first attempt, if other hosts respond or not.
    async fn first_cause(
        connectivity: &Connectivity,
        host: &str,
        responds: bool,
    ) -> Result<FailureCause, FetchError> {
        find_cause(connectivity, host, false, responds).await
    }

    async fn find_cause(
        connectivity: &Connectivity,
        host: &str,
        is_repeated: bool,
        responds: bool,
    ) -> Result<FailureCause, FetchError> {
        let request = FailedRequest {
            url: &url(host),
            failure: &FetchError::Connect("refused".into()),
            start: Instant::now(),
            is_repeated,
        };
        connectivity
            .find_cause(&request, |_| std::future::ready(responds))
            .await
    }

    fn with_patience(seconds: u64) -> Connectivity {
        Connectivity::new(Duration::from_secs(seconds), None, None)
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_fails_twice_while_another_responds_is_down() {
        let connectivity = with_patience(60);
        connectivity.record_response(&url("live.test"));
        advance(SECOND * 5).await;
        for (is_repeated, expected) in [(false, FailureCause::Unknown), (true, FailureCause::Host)]
        {
            let cause = find_cause(&connectivity, "dead.test", is_repeated, true).await;
            assert_eq!(cause, Ok(expected));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_is_down_that_is_silent_while_another_responds() {
        let connectivity = with_patience(60);
        let start = Instant::now();
        advance(SECOND * 5).await;
        connectivity.record_response(&url("live.test"));
        advance(SECOND * 5).await;
        let request = FailedRequest {
            url: &url("dead.test"),
            failure: &FetchError::Timeout(TimeLimit::Connection, SECOND * 10),
            start,
            is_repeated: false,
        };
        for (responds, expected) in [(true, FailureCause::Host), (false, FailureCause::Outage)] {
            let probe = |_| std::future::ready(responds);
            let cause = connectivity.find_cause(&request, probe).await;
            assert_eq!(cause, Ok(expected));
            advance(SECOND * 5).await;
        }
        // Nothing is concluded from a time with an outage.
        let probe = |_| std::future::ready(true);
        let cause = connectivity.find_cause(&request, probe).await;
        assert_eq!(cause, Ok(FailureCause::Unknown));
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_lasts_until_a_host_responds_or_the_patience_is_over() {
        let connectivity = with_patience(60);
        connectivity.record_response(&url("a.test"));
        advance(SECOND * 2).await;
        for host in ["a.test", "b.test"] {
            let cause = first_cause(&connectivity, host, false).await;
            assert_eq!(cause, Ok(FailureCause::Outage));
        }
        // A failure of the time before the end is no evidence against the host.
        let (cause, ()) = tokio::join!(first_cause(&connectivity, "b.test", false), async {
            tokio::time::sleep(SECOND / 10).await;
            connectivity.record_response(&url("a.test"));
        });
        assert_eq!(cause, Ok(FailureCause::Unknown));
        advance(SECOND * 2).await;
        let mut attempts = 0;
        let error = loop {
            match first_cause(&connectivity, "b.test", false).await {
                Ok(cause) => assert_eq!(cause, FailureCause::Outage),
                Err(e) => break e,
            }
            attempts += 1;
        };
        assert!(attempts > 3, "{attempts}");
        assert!(matches!(error, FetchError::Outage(_)), "{error:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn before_any_response_one_host_is_dead_after_a_while_and_three_are_an_outage() {
        let connectivity = with_patience(600);
        let start = Instant::now();
        for host in ["a.test", "b.test"] {
            while first_cause(&connectivity, host, false).await != Ok(FailureCause::Host) {}
        }
        assert!((LONE_PATIENCE..LONE_PATIENCE * 2).contains(&start.elapsed()));
        while first_cause(&connectivity, "c.test", false).await.is_ok() {}
        assert!(start.elapsed() >= SECOND * 600);
    }

    #[tokio::test(start_paused = true)]
    async fn without_patience_the_first_failure_of_an_outage_ends_the_run() {
        let connectivity = with_patience(0);
        connectivity.record_response(&url("a.test"));
        advance(SECOND * 2).await;
        assert!(first_cause(&connectivity, "b.test", false).await.is_err());
    }
}
