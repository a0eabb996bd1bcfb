//! Starts deferred work in the order of the input, although worker threads reach the records in any
//! order.
//!
//! Pages of one host are fetched one after the other. If the page of an early record were fetched
//! last, the outputs of all later records would have to wait for it.

use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Starts the deferred work of one record.
pub(crate) type StartFn = Box<dyn FnOnce() + Send>;

/// Deferred work that waits for earlier records. The number of records in flight bounds its length
/// (`window`).
#[derive(Default)]
pub(crate) struct StartQueue(Mutex<QueuedStarts>);

#[derive(Default)]
struct QueuedStarts {
    /// The number of the record whose work is started next.
    next: u64,
    /// By record number; `None` for a record without deferred work.
    by_number: BTreeMap<u64, Option<StartFn>>,
}

impl StartQueue {
    /// Queues the deferred work of a record, if it has any, and starts all work whose turn has
    /// come.
    pub(crate) fn push(&self, number: u64, start: Option<StartFn>) {
        let mut queued = self.0.lock();
        queued.by_number.insert(number, start);
        loop {
            let next = queued.next;
            let Some(start) = queued.by_number.remove(&next) else {
                return;
            };
            queued.next += 1;
            if let Some(start) = start {
                // The lock is held, so that no other thread starts later work first.
                start();
            }
        }
    }
}
