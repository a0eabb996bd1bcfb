//! Whose turn it is: one request to a host at a time, and a pause after each.
//!
//! The host is that of the URL, not the address behind it. Who waits for a host waits in the order of asking.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Hosts remembered before those whose pause is over are forgotten.
const REMEMBERED: usize = 10_000;

/// When the last request to a host ended; locked while one is under way.
type Turn = Arc<Mutex<Option<Instant>>>;

#[derive(Debug)]
pub(super) struct Hosts {
    delay: Duration,
    turns: SyncMutex<HashMap<String, Turn>>,
}

impl Hosts {
    pub fn new(delay: Duration) -> Self {
        Hosts { delay, turns: SyncMutex::default() }
    }

    /// Runs `request` when the host was left alone for the delay. Without a delay, at once.
    pub async fn turn<T>(&self, host: &str, request: impl Future<Output = T>) -> T {
        if self.delay.is_zero() {
            return request.await;
        }
        let turn = self.place(host);
        let mut last = turn.lock().await;
        if let Some(end) = *last {
            tokio::time::sleep_until(end + self.delay).await;
        }
        let result = request.await;
        *last = Some(Instant::now());
        result
    }

    fn place(&self, host: &str) -> Turn {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() >= REMEMBERED && !turns.contains_key(host) {
            turns.retain(|_, turn| self.is_needed(turn));
        }
        turns.entry(host.to_owned()).or_default().clone()
    }

    /// Whether somebody waits for the host, or should if asked now.
    fn is_needed(&self, turn: &Turn) -> bool {
        Arc::strong_count(turn) > 1
            || turn.try_lock().map_or(true, |last| last.is_some_and(|end| end.elapsed() < self.delay))
    }
}

#[cfg(test)]
mod tests {
    use super::{Hosts, REMEMBERED};
    use std::time::{Duration, Instant};

    fn run<T>(task: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(task)
    }

    #[test]
    fn a_host_is_left_alone_between_two_requests_and_others_are_not() {
        let hosts = Hosts::new(Duration::from_millis(60));
        run(async {
            let start = Instant::now();
            let other = hosts.turn("b.test", async { start.elapsed() });
            let (first, second, other) =
                tokio::join!(hosts.turn("a.test", async {}), hosts.turn("a.test", async { start.elapsed() }), other);
            let () = first;
            assert!(second >= Duration::from_millis(60), "{second:?}");
            assert!(other < Duration::from_millis(50), "{other:?}");
        });
    }

    #[test]
    fn hosts_whose_pause_is_over_are_forgotten() {
        let hosts = Hosts::new(Duration::from_nanos(1));
        run(async {
            for n in 0..REMEMBERED + 10 {
                hosts.turn(&format!("h{n}.test"), async {}).await;
            }
        });
        assert!(hosts.turns.lock().unwrap().len() <= REMEMBERED);
    }
}
