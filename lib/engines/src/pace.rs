//! How often an engine is asked, and how long one is waited for that asks to wait.
//!
//! Between two calls lies the engine's pause, or what the user wishes; the time of the last call is handed in, so that
//! it holds over processes. An engine that throttles is asked again when the time that it names is over, and not before
//! 1, 2, 4 … seconds are, at most five minutes at a time. When that would take longer than the patience that is
//! left for a query, the failure is the answer.

use crate::EngineError;
use std::time::{Duration, SystemTime};

/// The longest wait between two tries of an engine that doesn't say how long.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Is told of a failure, and of the time until the engine is asked again.
pub type Tell = Box<dyn Fn(Duration, &EngineError)>;

/// How time passes, and who is told that it does.
pub struct Waiting {
    /// The time.
    pub now: Box<dyn Fn() -> SystemTime>,
    /// Lets time pass.
    pub sleep: Box<dyn Fn(Duration)>,
    /// Is told before an engine that throttles is waited for.
    pub tell: Tell,
}

/// How an engine is paced.
pub struct Pace {
    /// Time between two calls.
    pub interval: Duration,
    /// How long an engine that throttles is waited for, in all for a query.
    pub patience: Duration,
    /// How time passes.
    pub waiting: Waiting,
}

impl Pace {
    /// Asks at once and waits for nothing, but tells nobody either.
    pub fn none() -> Self {
        let waiting =
            Waiting { now: Box::new(SystemTime::now), sleep: Box::new(std::thread::sleep), tell: Box::new(|_, _| {}) };
        Pace { interval: Duration::ZERO, patience: Duration::ZERO, waiting }
    }

    /// Waits until the interval since the last call is over. A last call that lies in the future is one of a clock that
    /// was set back.
    pub(crate) fn wait_since(&self, last: Option<SystemTime>) {
        let passed = last.and_then(|last| (self.waiting.now)().duration_since(last).ok());
        if let Some(left) = passed.and_then(|passed| self.interval.checked_sub(passed)).filter(|left| !left.is_zero()) {
            (self.waiting.sleep)(left);
        }
    }

    /// Waits for an engine that failed for the `tries`th time, and gives the patience that is left after that; none when
    /// asking again is of no use.
    pub(crate) fn wait_after(&self, failure: &EngineError, tries: u32, patience: Duration) -> Option<Duration> {
        let EngineError::Throttled { retry_after, .. } = failure else { return None };
        let doubled = Duration::from_secs(1).saturating_mul(2_u32.saturating_pow(tries.saturating_sub(1)));
        // One that names a time, and is not ready then, must not be asked without a pause.
        let least = doubled.min(LONGEST_WAIT).min(patience);
        let wait = retry_after.map_or(least, |asked| asked.max(least));
        let left = patience.checked_sub(wait).filter(|_| !patience.is_zero())?;
        (self.waiting.tell)(wait, failure);
        (self.waiting.sleep)(wait);
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, Waiting};
    use crate::EngineError;
    use std::cell::RefCell;
    use std::rc::Rc;
    use std::time::{Duration, SystemTime};

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    /// A pace at noon, and the seconds that it slept.
    fn pace(interval: u64) -> (Pace, Rc<RefCell<Vec<u64>>>) {
        let slept = Rc::new(RefCell::new(Vec::new()));
        let log = Rc::clone(&slept);
        let waiting = Waiting {
            now: Box::new(|| SystemTime::UNIX_EPOCH + seconds(43_200)),
            sleep: Box::new(move |time| log.borrow_mut().push(time.as_secs())),
            tell: Box::new(|_, _| {}),
        };
        (Pace { interval: seconds(interval), patience: seconds(60), waiting }, slept)
    }

    #[test]
    fn calls_keep_their_interval() {
        let (pace, slept) = pace(5);
        for last in [None, Some(43_198), Some(43_195), Some(40_000), Some(50_000)] {
            pace.wait_since(last.map(|last| SystemTime::UNIX_EPOCH + seconds(last)));
        }
        assert_eq!(*slept.borrow(), [3]);
    }

    #[test]
    fn the_engine_is_asked_again_when_it_says_or_after_twice_the_time() {
        let (pace, slept) = pace(0);
        let throttled = |retry_after| EngineError::Throttled { message: String::new(), retry_after };
        assert_eq!(pace.wait_after(&throttled(Some(seconds(7))), 1, seconds(60)), Some(seconds(53)));
        assert_eq!(pace.wait_after(&throttled(Some(seconds(0))), 1, seconds(60)), Some(seconds(59)));
        assert_eq!(pace.wait_after(&throttled(None), 3, seconds(60)), Some(seconds(56)));
        assert_eq!(pace.wait_after(&throttled(None), 30, seconds(1000)), Some(seconds(700)));
        assert_eq!(pace.wait_after(&throttled(None), 9, seconds(2)), Some(seconds(0)));
        assert_eq!(*slept.borrow(), [7, 1, 4, 300, 2]);
    }

    #[test]
    fn what_takes_too_long_or_is_no_throttling_is_not_waited_for() {
        let (pace, slept) = pace(0);
        let throttled = |retry_after| EngineError::Throttled { message: String::new(), retry_after };
        assert_eq!(pace.wait_after(&throttled(Some(seconds(61))), 1, seconds(60)), None);
        assert_eq!(pace.wait_after(&throttled(None), 1, seconds(0)), None);
        assert_eq!(pace.wait_after(&EngineError::Down(String::new()), 1, seconds(60)), None);
        assert!(slept.borrow().is_empty());
    }
}
