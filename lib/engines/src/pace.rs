//! How often an engine is asked, and how long one is waited for that doesn't answer.
//!
//! Between two calls lies the engine's pause, or what the user wishes; the time of the last call is
//! handed in, so that it holds over processes. An engine that throttles or is down is asked again
//! when the time that it names is over, and not before 1, 2, 4 … seconds are, at most five minutes
//! at a time. The patience counts from the first failure since the engine's last answer, whichever
//! queries failed since then. When it would not last until the engine may be asked again, the
//! failure is the answer, and the engine is not asked before that time by anyone else either.

use crate::EngineError;
use std::time::{Duration, SystemTime};

/// The longest wait between two tries of an engine that doesn't say how long.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The longest time to wait that an engine is believed.
const LONGEST_NAMED: Duration = Duration::from_secs(31 * 86_400);

/// Time between two messages of an engine that is still waited for.
const TOLD_EVERY: Duration = Duration::from_secs(900);

/// An engine that is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Waited<'a> {
    /// Why.
    pub failure: &'a EngineError,
    /// The time until it is asked again.
    pub wait: Duration,
    /// The time that it has not answered for.
    pub since: Duration,
    /// How long it is waited for in all.
    pub patience: Duration,
}

/// How long an engine is waited for, since its last answer. None at all also means that the time
/// that an engine asks to wait is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// One that asks to wait.
    pub throttled: Duration,
    /// One that is down.
    pub down: Duration,
}

impl Patience {
    fn with(self, failure: &EngineError) -> Duration {
        match failure {
            EngineError::Throttled { .. } => self.throttled,
            EngineError::Unavailable { .. } | EngineError::Down(_) => self.down,
            EngineError::Refused(_) => Duration::ZERO,
        }
    }
}

/// How an engine is paced, how time passes, and who is told that it does.
pub struct Pace {
    /// Time between two calls.
    pub interval: Duration,
    /// How long one that doesn't answer is waited for.
    pub patience: Patience,
    /// The time.
    pub now: Box<dyn Fn() -> SystemTime>,
    /// Lets time pass.
    pub sleep: Box<dyn Fn(Duration)>,
    /// Is told when an engine begins to be waited for, and every quarter of an hour.
    pub tell: Box<dyn Fn(&Waited)>,
}

/// What failed since the engine's last answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// The last failure.
    pub failure: EngineError,
    /// The time before which the engine must not be asked.
    pub until: SystemTime,
    since: SystemTime,
    tries: u32,
    told: Option<SystemTime>,
}

impl Pace {
    /// Waits until the interval since the last call is over. A last call that lies in the future is
    /// one of a clock that was set back.
    pub(crate) fn wait_since(&self, last: Option<SystemTime>) {
        let passed = last.and_then(|last| (self.now)().duration_since(last).ok());
        if let Some(left) = passed
            .and_then(|passed| self.interval.checked_sub(passed))
            .filter(|left| !left.is_zero())
        {
            (self.sleep)(left);
        }
    }

    /// The trouble that one more failure means; none when asking again is of no use, or nothing is
    /// waited for.
    pub(crate) fn fail(&self, before: Option<Trouble>, failure: &EngineError) -> Option<Trouble> {
        let patience = self.patience.with(failure);
        if patience.is_zero() {
            return None;
        }
        let now = (self.now)();
        let (since, tries, told) = before.map_or((now, 1, None), |before| {
            (before.since, before.tries + 1, before.told)
        });
        let doubled = Duration::from_secs(1).saturating_mul(2_u32.saturating_pow(tries - 1));
        let left = (since + patience).duration_since(now).unwrap_or_default();
        // One that names a time, and is not ready then, must not be asked without a pause.
        let least = doubled.min(LONGEST_WAIT).min(left);
        let wait = failure
            .retry_after()
            .map_or(least, |asked| asked.min(LONGEST_NAMED).max(least));
        Some(Trouble {
            failure: failure.clone(),
            until: now + wait,
            since,
            tries,
            told,
        })
    }

    /// The trouble of an engine that must not be asked before a time, as an earlier process was
    /// told.
    pub(crate) fn told_before(&self, message: String, until: SystemTime) -> Option<Trouble> {
        let now = (self.now)();
        let left = until
            .duration_since(now)
            .ok()
            .filter(|left| !left.is_zero())?;
        let failure = EngineError::Throttled {
            message,
            retry_after: Some(left),
        };
        Some(Trouble {
            failure,
            until,
            since: now,
            tries: 0,
            told: None,
        })
    }

    /// Waits until the engine may be asked again. Gives whether it may: not when the patience
    /// doesn't last so long.
    pub(crate) fn wait_out(&self, trouble: &mut Trouble) -> bool {
        let now = (self.now)();
        let wait = trouble.until.duration_since(now).unwrap_or_default();
        if wait.is_zero() {
            return true;
        }
        let patience = self.patience.with(&trouble.failure);
        if trouble.until > trouble.since + patience {
            return false;
        }
        let since = |time: SystemTime| now.duration_since(time).unwrap_or_default();
        if trouble.told.is_none_or(|told| since(told) >= TOLD_EVERY) {
            trouble.told = Some(now);
            (self.tell)(&Waited {
                failure: &trouble.failure,
                wait,
                since: since(trouble.since),
                patience,
            });
        }
        (self.sleep)(wait);
        true
    }

    /// Whether the patience with a trouble is used up.
    pub(crate) fn is_over(&self, trouble: &Trouble) -> bool {
        let end = trouble.since + self.patience.with(&trouble.failure);
        trouble.until > end || (self.now)() >= end
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, Patience, Trouble};
    use crate::EngineError;
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;
    use std::time::{Duration, SystemTime};

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    /// A pace that begins at noon, and what it did: seconds that it slept, and `told`.
    fn pace(interval: u64, patience: u64) -> (Pace, Rc<RefCell<Vec<String>>>) {
        let log = Rc::new(RefCell::new(Vec::new()));
        let now = Rc::new(Cell::new(SystemTime::UNIX_EPOCH + seconds(43_200)));
        let (slept, told, clock) = (Rc::clone(&log), Rc::clone(&log), Rc::clone(&now));
        let pace = Pace {
            interval: seconds(interval),
            patience: Patience {
                throttled: seconds(patience),
                down: seconds(patience),
            },
            now: Box::new(move || clock.get()),
            sleep: Box::new(move |time| {
                now.set(now.get() + time);
                slept.borrow_mut().push(time.as_secs().to_string());
            }),
            tell: Box::new(move |_| told.borrow_mut().push("told".into())),
        };
        (pace, log)
    }

    fn throttled(retry_after: Option<u64>) -> EngineError {
        EngineError::Throttled {
            message: String::new(),
            retry_after: retry_after.map(seconds),
        }
    }

    /// Lets an engine fail in these ways one after the other, and says how often it was asked.
    fn asked(pace: &Pace, failures: &[EngineError]) -> usize {
        let mut trouble: Option<Trouble> = None;
        for (at, failure) in failures.iter().enumerate() {
            let Some(mut new) = pace.fail(trouble.take(), failure) else {
                return at + 1;
            };
            if pace.is_over(&new) || !pace.wait_out(&mut new) {
                return at + 1;
            }
            trouble = Some(new);
        }
        failures.len()
    }

    #[test]
    fn calls_keep_their_interval() {
        for (last, wait) in [
            (None, ""),
            (Some(43_198), "3"),
            (Some(43_195), ""),
            (Some(50_000), ""),
        ] {
            let (pace, log) = pace(5, 60);
            pace.wait_since(last.map(|last| SystemTime::UNIX_EPOCH + seconds(last)));
            assert_eq!(log.borrow().join(" "), wait);
        }
    }

    #[test]
    fn the_engine_is_asked_again_when_it_says_or_after_twice_the_time_which_is_told_once() {
        let (pace, log) = pace(0, 60);
        let failures = [
            throttled(Some(7)),
            throttled(Some(0)),
            EngineError::Down(String::new()),
            throttled(None),
        ];
        assert_eq!(asked(&pace, &failures), 4);
        assert_eq!(log.borrow().join(" "), "told 7 2 4 8");
    }

    #[test]
    fn patience_counts_from_the_first_failure_and_is_used_up_to_its_end() {
        let (pace, log) = pace(0, 20);
        assert_eq!(asked(&pace, &vec![EngineError::Down(String::new()); 9]), 6);
        assert_eq!(log.borrow().join(" "), "told 1 2 4 8 5");
    }

    #[test]
    fn a_long_wait_is_told_seldom() {
        let (pace, log) = pace(0, 3600);
        asked(&pace, &vec![throttled(None); 20]);
        assert_eq!(
            log.borrow().join(" "),
            "told 1 2 4 8 16 32 64 128 256 300 300 told 300 300 300 told 300 300 300 told 300 300 89"
        );
    }

    #[test]
    fn what_takes_too_long_or_is_no_trouble_is_not_waited_for() {
        let (short, log) = pace(0, 60);
        assert_eq!(asked(&short, &[throttled(Some(61)), throttled(None)]), 1);
        assert_eq!(
            asked(
                &short,
                &[EngineError::Refused(String::new()), throttled(None)]
            ),
            1
        );
        assert!(log.borrow().is_empty());
        let (none, _) = pace(0, 0);
        assert_eq!(none.fail(None, &throttled(None)), None);
    }

    #[test]
    fn a_time_that_an_earlier_process_was_told_is_kept() {
        let (pace, log) = pace(0, 60);
        let at = |n: u64| SystemTime::UNIX_EPOCH + seconds(43_200 + n);
        assert_eq!(pace.told_before("x".into(), at(0)), None);
        let mut long = pace.told_before("x".into(), at(100)).unwrap();
        assert_eq!(
            (pace.wait_out(&mut long), long.failure.to_string()),
            (false, "x; it asks to wait 100 s".into())
        );
        assert!(pace.wait_out(&mut pace.told_before("x".into(), at(50)).unwrap()));
        assert_eq!(log.borrow().join(" "), "told 50");
    }
}
