//! What files of a host that speak to robots say, remembered for each origin: read once, for all
//! that ask at the same time, until it no longer holds. The oldest are forgotten first, by their
//! number and by their bytes.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// Origins that are remembered; with a usual robots.txt of 2 kB each, 20 MB.
const REMEMBERED: usize = 10_000;
const REMEMBERED_BYTES: usize = 32 << 20;

/// What can be remembered of an origin.
pub(crate) trait Held: Clone {
    /// Memory that it takes beside its own size, in bytes, roughly.
    fn bytes(&self) -> usize;

    /// For how long it holds.
    fn holds_for(&self) -> Duration;
}

/// What is remembered of origins.
#[derive(Debug)]
pub(crate) struct Cache<T>(Mutex<Remembered<T>>);

/// What an origin said, and when.
type Slot<T> = Arc<OnceCell<(T, Instant)>>;

#[derive(Debug)]
struct Remembered<T> {
    slots: HashMap<String, Slot<T>>,
    order: VecDeque<String>,
    bytes: usize,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Cache(Mutex::new(Remembered {
            slots: HashMap::new(),
            order: VecDeque::new(),
            bytes: 0,
        }))
    }
}

impl<T: Held> Cache<T> {
    /// What `origin` says, by `read` where that is not known, or no longer holds; it also says how
    /// old that is.
    pub async fn get_or_read<F: Future<Output = (T, Duration)>>(
        &self,
        origin: &str,
        read: impl FnOnce() -> F,
    ) -> T {
        let slot = self.slot(origin);
        let known = slot.get_or_init(|| async {
            let (held, age) = read().await;
            self.0.lock().unwrap_or_else(PoisonError::into_inner).bytes += held.bytes();
            (
                held,
                Instant::now().checked_sub(age).unwrap_or_else(Instant::now),
            )
        });
        known.await.0.clone()
    }

    fn slot(&self, origin: &str) -> Slot<T> {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |(held, read): &(T, Instant)| read.elapsed() < held.holds_for();
        if let Some(slot) = remembered
            .slots
            .get(origin)
            .filter(|slot| slot.get().is_none_or(holds))
        {
            return slot.clone();
        }
        remembered.forget(origin);
        while remembered.slots.len() >= REMEMBERED || remembered.bytes > REMEMBERED_BYTES {
            let Some(oldest) = remembered.order.front().cloned() else {
                break;
            };
            remembered.forget(&oldest);
        }
        remembered.order.push_back(origin.to_owned());
        remembered
            .slots
            .entry(origin.to_owned())
            .or_default()
            .clone()
    }
}

impl<T: Held> Remembered<T> {
    fn forget(&mut self, origin: &str) {
        let Some(slot) = self.slots.remove(origin) else {
            return;
        };
        self.bytes = self
            .bytes
            .saturating_sub(slot.get().map_or(0, |(held, _)| held.bytes()));
        if self.order.front().is_some_and(|oldest| oldest == origin) {
            self.order.pop_front();
        } else {
            self.order.retain(|known| known != origin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, REMEMBERED_BYTES};
    use crate::rules::{FAILURE_FRESH, FRESH, Rules};
    use std::time::Duration;

    fn large() -> Rules {
        Rules::from_file(format!("User-agent: *\nDisallow: /{}", "x".repeat(16_000)).as_bytes())
    }

    fn busy() -> Rules {
        Rules::from_status(500, None)
    }

    #[tokio::test(start_paused = true)]
    async fn rules_are_read_once_a_day_and_failures_sooner() {
        let cache = Cache::default();
        let ask = async |rules: Rules| {
            cache
                .get_or_read("http://a.test", || async { (rules, Duration::ZERO) })
                .await
        };
        assert_eq!(ask(busy()).await, busy());
        assert_eq!(ask(Rules::Everything).await, busy());
        tokio::time::advance(FAILURE_FRESH).await;
        assert_eq!(ask(Rules::Everything).await, Rules::Everything);
        tokio::time::advance(FRESH - Duration::from_secs(1)).await;
        assert_eq!(ask(busy()).await, Rules::Everything);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(ask(busy()).await, busy());
    }

    #[tokio::test]
    async fn the_cache_is_bounded() {
        let cache = Cache::default();
        for n in 0..REMEMBERED_BYTES >> 13 {
            cache
                .get_or_read(&format!("http://h{n}.test"), || async {
                    (large(), Duration::ZERO)
                })
                .await;
        }
        assert!(cache.0.lock().unwrap().slots.len() < 2200);
        assert!(cache.0.lock().unwrap().order.len() < 2200);
    }
}
