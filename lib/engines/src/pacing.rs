//! Pacing: the interval between calls, and how long a failing engine is retried.
//!
//! Two calls to a server are at least the engine's interval apart, or the one that the user sets.
//! The time of the last call is passed in, so that the interval also holds between processes and
//! between engines on one server, such as two languages of a SearXNG instance. An engine that
//! throttles or is down is retried with exponential back-off: after 1, 2, 4 … seconds, at most five
//! minutes at a time, and not before the time that it names (`Retry-After`).
//!
//! The patience is measured from the first failure since the engine's last response, whichever
//! queries failed since then. If it would end before the next retry, the failure is returned, and
//! no other query calls the engine before that time either.
//!
//! Pipelines set the patience and never wait for an engine themselves: two clocks would call it
//! more often than either.

use crate::EngineError;
use std::time::{Duration, SystemTime};

/// Longest wait before a retry if the engine names no time. Set by judgement, not measured.
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// Longest `Retry-After` that is honoured: 31 days.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(31 * 86_400);

/// Interval between two reports that an engine is still waited for.
const REPORT_INTERVAL: Duration = Duration::from_secs(900);

/// Report of a wait for an engine.
#[derive(Debug, Clone, Copy)]
pub struct WaitReport<'a> {
    /// The last failure of the engine.
    pub failure: &'a EngineError,
    /// Time until the next retry.
    pub wait: Duration,
    /// Time since the first failure after the engine's last response.
    pub since_first_failure: Duration,
    /// Longest time that the engine is waited for in all.
    pub patience: Duration,
}

/// Longest time that a failing engine is waited for since its last response.
///
/// With zero, the time that an engine asks to wait is not kept either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For an engine that asks to wait.
    pub throttled: Duration,
    /// For an engine that is down.
    pub down: Duration,
}

impl Patience {
    fn for_failure(self, failure: &EngineError) -> Duration {
        match failure {
            EngineError::Throttled { .. } => self.throttled,
            EngineError::Unavailable { .. } | EngineError::Down(_) | EngineError::Unreadable(_) => {
                self.down
            }
            EngineError::Incomplete { failure, .. } => self.for_failure(failure),
            EngineError::Refused(_) => Duration::ZERO,
        }
    }
}

/// Times the calls to an engine: interval, patience, the clock, and the receiver of reports.
pub struct CallPacer {
    /// Server that is called, as in [`crate::EngineSpec::server_name`]. Engines on the same server
    /// share the interval.
    pub server: String,
    /// Minimum time between two calls.
    pub interval: Duration,
    /// Longest time that a failing engine is waited for.
    pub patience: Patience,
    /// Returns the current time.
    pub now: Box<dyn Fn() -> SystemTime>,
    /// Sleeps for a duration.
    pub sleep: Box<dyn Fn(Duration)>,
    /// Receives a report when a wait begins, and every quarter of an hour while it lasts.
    pub report_wait: Box<dyn Fn(&WaitReport)>,
}

/// Back-off of a failing engine: its failures since its last response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Backoff {
    /// The last failure.
    pub failure: EngineError,
    /// Time of the next retry. The engine must not be called before.
    pub retry_at: SystemTime,
    first_failure_at: SystemTime,
    failures: u32,
    reported_at: Option<SystemTime>,
}

impl CallPacer {
    /// Sleeps until the interval since the last call is over. A last call in the future is ignored:
    /// the clock was set back.
    pub(crate) fn wait_for_interval(&self, last_call: Option<SystemTime>) {
        let elapsed = last_call.and_then(|last_call| (self.now)().duration_since(last_call).ok());
        if let Some(remaining) = elapsed
            .and_then(|elapsed| self.interval.checked_sub(elapsed))
            .filter(|remaining| !remaining.is_zero())
        {
            (self.sleep)(remaining);
        }
    }

    /// Returns the back-off after one more failure; `None` if a retry is of no use, or the patience
    /// for such failures is zero.
    pub(crate) fn next_backoff(
        &self,
        previous: Option<Backoff>,
        failure: &EngineError,
    ) -> Option<Backoff> {
        let patience = self.patience.for_failure(failure);
        if patience.is_zero() {
            return None;
        }
        let now = (self.now)();
        let (first_failure_at, failures, reported_at) = match previous {
            Some(previous) => (
                previous.first_failure_at,
                previous.failures + 1,
                previous.reported_at,
            ),
            None => (now, 1, None),
        };
        let exponential = Duration::from_secs(1).saturating_mul(2_u32.saturating_pow(failures - 1));
        let patience_left = (first_failure_at + patience)
            .duration_since(now)
            .unwrap_or_default();
        // Also a lower bound for a time that the engine names: an engine that fails again at that
        // time must not be retried without a pause.
        let min_wait = exponential.min(MAX_BACKOFF).min(patience_left);
        let wait = failure.retry_after().map_or(min_wait, |retry_after| {
            retry_after.min(MAX_RETRY_AFTER).max(min_wait)
        });
        Some(Backoff {
            failure: failure.clone(),
            retry_at: now + wait,
            first_failure_at,
            failures,
            reported_at,
        })
    }

    /// Returns the back-off of an engine that asked an earlier process to wait until `retry_at`;
    /// `None` if that time is over.
    pub(crate) fn restored_backoff(
        &self,
        message: String,
        retry_at: SystemTime,
    ) -> Option<Backoff> {
        let now = (self.now)();
        let remaining = retry_at
            .duration_since(now)
            .ok()
            .filter(|remaining| !remaining.is_zero())?;
        let failure = EngineError::Throttled {
            message,
            retry_after: Some(remaining),
        };
        Some(Backoff {
            failure,
            retry_at,
            first_failure_at: now,
            failures: 0,
            reported_at: None,
        })
    }

    /// Sleeps until the engine may be called again, and returns `true`. Returns `false` at once if
    /// the patience ends before that time.
    pub(crate) fn wait_for_retry(&self, backoff: &mut Backoff) -> bool {
        let now = (self.now)();
        let wait = backoff.retry_at.duration_since(now).unwrap_or_default();
        if wait.is_zero() {
            return true;
        }
        let patience = self.patience.for_failure(&backoff.failure);
        if backoff.retry_at > backoff.first_failure_at + patience {
            return false;
        }
        let time_since = |time: SystemTime| now.duration_since(time).unwrap_or_default();
        if backoff
            .reported_at
            .is_none_or(|reported_at| time_since(reported_at) >= REPORT_INTERVAL)
        {
            backoff.reported_at = Some(now);
            (self.report_wait)(&WaitReport {
                failure: &backoff.failure,
                wait,
                since_first_failure: time_since(backoff.first_failure_at),
                patience,
            });
        }
        (self.sleep)(wait);
        true
    }

    /// Returns `true` if the engine may be called again without a wait.
    pub(crate) fn is_retry_due(&self, backoff: &Backoff) -> bool {
        backoff.retry_at <= (self.now)()
    }

    /// Returns `true` if the patience is over, or will be at the next retry.
    pub(crate) fn is_patience_over(&self, backoff: &Backoff) -> bool {
        let end = backoff.first_failure_at + self.patience.for_failure(&backoff.failure);
        backoff.retry_at > end || (self.now)() >= end
    }
}

#[cfg(test)]
mod tests {
    use super::{Backoff, CallPacer, Patience};
    use crate::EngineError;
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;
    use std::time::{Duration, SystemTime};

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    /// Returns a pacer whose clock starts at noon, and its log: the seconds of each sleep, and
    /// `report` for each report of a wait.
    fn pacer(interval: u64, patience: u64) -> (CallPacer, Rc<RefCell<Vec<String>>>) {
        let log = Rc::new(RefCell::new(Vec::new()));
        let now = Rc::new(Cell::new(SystemTime::UNIX_EPOCH + seconds(43_200)));
        let sleep_log = Rc::clone(&log);
        let report_log = Rc::clone(&log);
        let clock = Rc::clone(&now);
        let pacer = CallPacer {
            server: "s".into(),
            interval: seconds(interval),
            patience: Patience {
                throttled: seconds(patience),
                down: seconds(patience),
            },
            now: Box::new(move || clock.get()),
            sleep: Box::new(move |time| {
                now.set(now.get() + time);
                sleep_log.borrow_mut().push(time.as_secs().to_string());
            }),
            report_wait: Box::new(move |_| report_log.borrow_mut().push("report".into())),
        };
        (pacer, log)
    }

    fn throttled(retry_after: Option<u64>) -> EngineError {
        EngineError::Throttled {
            message: String::new(),
            retry_after: retry_after.map(seconds),
        }
    }

    /// Lets an engine fail with each of `failures` in turn, and returns the number of calls.
    fn count_calls(pacer: &CallPacer, failures: &[EngineError]) -> usize {
        let mut backoff: Option<Backoff> = None;
        for (index, failure) in failures.iter().enumerate() {
            let Some(mut next) = pacer.next_backoff(backoff.take(), failure) else {
                return index + 1;
            };
            if pacer.is_patience_over(&next) || !pacer.wait_for_retry(&mut next) {
                return index + 1;
            }
            backoff = Some(next);
        }
        failures.len()
    }

    #[test]
    fn waits_for_the_interval_between_calls() {
        for (last_call, slept) in [
            (None, ""),
            (Some(43_198), "3"),
            (Some(43_195), ""),
            (Some(50_000), ""),
        ] {
            let (pacer, log) = pacer(5, 60);
            pacer.wait_for_interval(last_call.map(|time| SystemTime::UNIX_EPOCH + seconds(time)));
            assert_eq!(log.borrow().join(" "), slept);
        }
    }

    #[test]
    fn retries_after_the_named_time_or_with_exponential_backoff_and_reports_once() {
        let (pacer, log) = pacer(0, 60);
        let failures = [
            throttled(Some(7)),
            throttled(Some(0)),
            EngineError::Down(String::new()),
            throttled(None),
        ];
        assert_eq!(count_calls(&pacer, &failures), 4);
        assert_eq!(log.borrow().join(" "), "report 7 2 4 8");
    }

    #[test]
    fn patience_is_measured_from_the_first_failure_and_used_to_its_end() {
        let (pacer, log) = pacer(0, 20);
        let failures = vec![EngineError::Down(String::new()); 9];
        assert_eq!(count_calls(&pacer, &failures), 6);
        assert_eq!(log.borrow().join(" "), "report 1 2 4 8 5");
    }

    #[test]
    fn long_wait_is_reported_every_quarter_of_an_hour() {
        let (pacer, log) = pacer(0, 3600);
        count_calls(&pacer, &vec![throttled(None); 20]);
        assert_eq!(
            log.borrow().join(" "),
            "report 1 2 4 8 16 32 64 128 256 300 300 report 300 300 300 report 300 300 300 \
             report 300 300 89"
        );
    }

    #[test]
    fn does_not_wait_beyond_the_patience_or_after_a_refusal() {
        let (short, log) = pacer(0, 60);
        assert_eq!(
            count_calls(&short, &[throttled(Some(61)), throttled(None)]),
            1
        );
        assert_eq!(
            count_calls(
                &short,
                &[EngineError::Refused(String::new()), throttled(None)]
            ),
            1
        );
        assert!(log.borrow().is_empty());
        let (without_patience, _) = pacer(0, 0);
        assert_eq!(without_patience.next_backoff(None, &throttled(None)), None);
    }

    #[test]
    fn keeps_the_backoff_of_an_earlier_process() {
        let (pacer, log) = pacer(0, 60);
        let time = |n: u64| SystemTime::UNIX_EPOCH + seconds(43_200 + n);
        assert_eq!(pacer.restored_backoff("x".into(), time(0)), None);
        let mut long = pacer.restored_backoff("x".into(), time(100)).unwrap();
        assert_eq!(
            (pacer.wait_for_retry(&mut long), long.failure.to_string()),
            (false, "x; it asks to wait 100 s".into())
        );
        assert!(pacer.wait_for_retry(&mut pacer.restored_backoff("x".into(), time(50)).unwrap()));
        assert_eq!(log.borrow().join(" "), "report 50");
    }
}
