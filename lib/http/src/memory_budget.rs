//! The memory budget of bodies that are under way: bounded, however many hosts send large pages at
//! once.
//!
//! A small body is free, a medium one takes one of some places, a large one a share of the rest. A
//! body goes from one to the next and never back, and large ones wait for nothing more, so that
//! they can't wait for each other for ever.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes up to which a body is free.
const SMALL: usize = 64 << 10;
/// Bytes up to which it is a medium one, and how many of them there may be.
const MEDIUM: usize = 1 << 20;
const MEDIUM_PLACES: usize = 96;
/// Bytes of all large bodies together, unless one alone may be larger; counted in units.
const LARGE: u64 = 128 << 20;
const UNIT: u64 = 1 << 20;

#[derive(Debug, Clone)]
pub(crate) struct MemoryBudget {
    medium: Arc<Semaphore>,
    large: Arc<Semaphore>,
    /// Units of the large ones that one body takes at most.
    most: u32,
}

/// The share of the budget that a body takes; given back when it goes.
#[derive(Debug, Default)]
pub(crate) struct Permit {
    _medium: Option<OwnedSemaphorePermit>,
    _large: Option<OwnedSemaphorePermit>,
    bytes: usize,
}

impl MemoryBudget {
    /// A budget for bodies of at most `max_bytes` each.
    pub fn new(max_bytes: u64) -> Self {
        let most = u32::try_from(max_bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let units = usize::try_from(u64::from(most).max(LARGE / UNIT)).unwrap_or(usize::MAX);
        MemoryBudget {
            medium: Arc::new(Semaphore::new(MEDIUM_PLACES)),
            large: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))),
            most,
        }
    }

    /// Waits until a body may grow to `bytes`. `expected` is its size, where the server tells.
    pub async fn grow(&self, permit: &mut Permit, bytes: usize, expected: Option<u64>) {
        if bytes <= permit.bytes.max(SMALL) {
            return;
        }
        if bytes <= MEDIUM {
            // Semaphores here are never closed.
            permit._medium = self.medium.clone().acquire_owned().await.ok();
            permit.bytes = MEDIUM;
        } else {
            let units = expected
                .and_then(|size| u32::try_from(size.div_ceil(UNIT)).ok())
                .unwrap_or(self.most);
            permit._large = self
                .large
                .clone()
                .acquire_many_owned(units.min(self.most))
                .await
                .ok();
            permit._medium = None;
            permit.bytes = usize::MAX;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MEDIUM_PLACES, MemoryBudget, Permit, SMALL};
    use std::time::Duration;

    async fn waits(budget: &MemoryBudget, bytes: usize, expected: Option<u64>) -> bool {
        let mut permit = Permit::default();
        tokio::time::timeout(
            Duration::from_secs(1),
            budget.grow(&mut permit, bytes, expected),
        )
        .await
        .is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn small_bodies_are_free_and_others_take_turns() {
        let budget = MemoryBudget::new(16 << 20);
        let mut all: Vec<Permit> = (0..MEDIUM_PLACES).map(|_| Permit::default()).collect();
        for permit in &mut all {
            budget.grow(permit, SMALL + 1, None).await;
            budget.grow(permit, SMALL + 9, None).await;
        }
        assert!(!waits(&budget, SMALL, None).await && waits(&budget, SMALL + 1, None).await);
        all.pop();
        assert!(!waits(&budget, SMALL + 1, None).await);
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_take_what_they_are_said_to_need() {
        let budget = MemoryBudget::new(100 << 20);
        let mut permit = Permit::default();
        budget.grow(&mut permit, 2 << 20, Some(20 << 20)).await;
        assert!(!waits(&budget, 2 << 20, None).await);
        let mut second = Permit::default();
        budget.grow(&mut second, 2 << 20, Some(20 << 20)).await;
        assert!(
            waits(&budget, 2 << 20, None).await && !waits(&budget, 2 << 20, Some(3 << 20)).await
        );
    }

    #[tokio::test(start_paused = true)]
    async fn one_body_may_be_as_large_as_is_allowed() {
        assert!(!waits(&MemoryBudget::new(1 << 40), 2 << 20, None).await);
    }
}
