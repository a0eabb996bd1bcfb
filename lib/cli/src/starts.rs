//! What records wait for is started in the order of the input, though workers come to it in any:
//! pages of a host are fetched one after the other, and one that came last would hold up all the
//! answers.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Sees to it that a record is answered.
pub(crate) type Start = Box<dyn FnOnce() + Send>;

/// What waits for records before it. The window over the records bounds how much.
#[derive(Default)]
pub(crate) struct Starts(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    /// The number of the record that is next to be started, if there is something to start.
    next: u64,
    begun: BTreeMap<u64, Option<Start>>,
}

impl Starts {
    /// Notes what there is to start for a record, if anything, and starts all whose turn it is.
    pub fn note(&self, number: u64, start: Option<Start>) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.begun.insert(number, start);
        loop {
            let next = waiting.next;
            let Some(begun) = waiting.begun.remove(&next) else {
                return;
            };
            waiting.next += 1;
            if let Some(start) = begun {
                // Under the lock, so that nobody comes in between.
                start();
            }
        }
    }
}
