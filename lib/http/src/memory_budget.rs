//! The memory budget of bodies in flight: a bound on their memory, however many hosts send large
//! pages concurrently.
//!
//! A small body needs no permit. A medium one needs one of a fixed number of permits, a large one a
//! share of the remaining budget. A body moves from a class to the next and never back, and large
//! bodies wait for nothing else, so there is no deadlock.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum size of a small body, in bytes. The sizes and numbers of the classes are set by
/// judgement; the memory that results is measured (BENCHMARKS.md, "Fetching").
const SMALL_BYTES: usize = 64 << 10;
/// Maximum size of a medium body, in bytes.
const MEDIUM_BYTES: usize = 1 << 20;
/// Maximum number of medium bodies.
const MAX_MEDIUM_BODIES: usize = 96;
/// Bytes of all large bodies together, unless the limit of one body is larger.
const LARGE_BUDGET_BYTES: u64 = 128 << 20;
/// Bytes that one permit of the large class stands for.
const LARGE_UNIT_BYTES: u64 = 1 << 20;

/// The permits of medium and large bodies.
#[derive(Debug, Clone)]
pub(crate) struct MemoryBudget {
    medium: Arc<Semaphore>,
    large: Arc<Semaphore>,
    /// Units of the large class that the largest possible body needs.
    max_units: u32,
}

/// The share of the budget that a body occupies; released when dropped.
#[derive(Debug, Default)]
pub(crate) struct Permit {
    _medium: Option<OwnedSemaphorePermit>,
    _large: Option<OwnedSemaphorePermit>,
    /// The size up to which the body may grow.
    bytes: usize,
}

impl MemoryBudget {
    /// Returns a budget for bodies of at most `max_bytes` each.
    pub fn new(max_bytes: u64) -> Self {
        let max_units = u32::try_from(max_bytes.div_ceil(LARGE_UNIT_BYTES)).unwrap_or(u32::MAX);
        let units = u64::from(max_units).max(LARGE_BUDGET_BYTES / LARGE_UNIT_BYTES);
        let units = usize::try_from(units).unwrap_or(usize::MAX);
        MemoryBudget {
            medium: Arc::new(Semaphore::new(MAX_MEDIUM_BODIES)),
            large: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))),
            max_units,
        }
    }

    /// Waits until a body may grow to `bytes`. `expected` is its full size if the server states
    /// it.
    pub async fn grow(&self, permit: &mut Permit, bytes: usize, expected: Option<u64>) {
        if bytes <= permit.bytes.max(SMALL_BYTES) {
            return;
        }
        // The semaphores are never closed, so `ok` always returns a permit.
        if bytes <= MEDIUM_BYTES {
            permit._medium = self.medium.clone().acquire_owned().await.ok();
            permit.bytes = MEDIUM_BYTES;
        } else {
            let units = expected
                .and_then(|size| u32::try_from(size.div_ceil(LARGE_UNIT_BYTES)).ok())
                .unwrap_or(self.max_units);
            permit._large = self
                .large
                .clone()
                .acquire_many_owned(units.min(self.max_units))
                .await
                .ok();
            permit._medium = None;
            permit.bytes = usize::MAX;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_MEDIUM_BODIES, MemoryBudget, Permit, SMALL_BYTES};
    use std::time::Duration;

    async fn must_wait(budget: &MemoryBudget, bytes: usize, expected: Option<u64>) -> bool {
        let mut permit = Permit::default();
        tokio::time::timeout(
            Duration::from_secs(1),
            budget.grow(&mut permit, bytes, expected),
        )
        .await
        .is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn small_bodies_need_no_permit_and_medium_ones_wait_for_one() {
        let budget = MemoryBudget::new(16 << 20);
        let mut permits: Vec<Permit> = (0..MAX_MEDIUM_BODIES).map(|_| Permit::default()).collect();
        for permit in &mut permits {
            budget.grow(permit, SMALL_BYTES + 1, None).await;
            budget.grow(permit, SMALL_BYTES + 9, None).await;
        }
        assert!(
            !must_wait(&budget, SMALL_BYTES, None).await
                && must_wait(&budget, SMALL_BYTES + 1, None).await
        );
        permits.pop();
        assert!(!must_wait(&budget, SMALL_BYTES + 1, None).await);
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_reserve_their_expected_size() {
        let budget = MemoryBudget::new(100 << 20);
        let mut permit = Permit::default();
        budget.grow(&mut permit, 2 << 20, Some(20 << 20)).await;
        assert!(!must_wait(&budget, 2 << 20, None).await);
        let mut second = Permit::default();
        budget.grow(&mut second, 2 << 20, Some(20 << 20)).await;
        assert!(
            must_wait(&budget, 2 << 20, None).await
                && !must_wait(&budget, 2 << 20, Some(3 << 20)).await
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_may_exceed_the_budget_of_large_bodies() {
        assert!(!must_wait(&MemoryBudget::new(1 << 40), 2 << 20, None).await);
    }
}
