//! Flow control: bounds the records in flight, and the bytes of those that are not finished.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Maximum number of records from the first unwritten one to the last one read. A finished record
/// that waits for an earlier one takes about 100 bytes. The limit keeps thousands of hosts busy
/// while one is slow.
const MAX_RECORDS: usize = 1 << 17;
/// Maximum size of all unfinished records, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// A window over the records, from the first unwritten one to the last one read.
#[derive(Debug, Default)]
pub(crate) struct Window {
    usage: Mutex<WindowUsage>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct WindowUsage {
    /// Number of records that have been read but not written.
    records: usize,
    /// Size of the unfinished records in bytes.
    bytes: usize,
    is_closed: bool,
}

impl Window {
    /// Waits until the limits permit another record of `bytes`, and adds it. Returns `false` if the
    /// window is closed. A single unfinished record is always permitted, whatever its size.
    pub(crate) fn enter(&self, bytes: usize) -> bool {
        let mut usage = self.wait_until(|usage| {
            usage.records < MAX_RECORDS && (usage.bytes == 0 || usage.bytes + bytes <= MAX_BYTES)
        });
        usage.records += 1;
        usage.bytes += bytes;
        !usage.is_closed
    }

    /// Removes the bytes of a record that is finished.
    pub(crate) fn release_bytes(&self, bytes: usize) {
        self.lock().bytes -= bytes;
        self.changed.notify_one();
    }

    /// Removes a record that is written.
    pub(crate) fn leave(&self) {
        self.lock().records -= 1;
        self.changed.notify_one();
    }

    /// Waits until all records are written. Returns `false` if the window is closed.
    pub(crate) fn wait_until_empty(&self) -> bool {
        !self.wait_until(|usage| usage.records == 0).is_closed
    }

    /// Closes the window: no more output can be written.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    /// Waits until `condition` holds or the window is closed.
    fn wait_until(&self, condition: impl Fn(&WindowUsage) -> bool) -> MutexGuard<'_, WindowUsage> {
        self.changed
            .wait_while(self.lock(), |usage| !usage.is_closed && !condition(usage))
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, WindowUsage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, MAX_RECORDS, Window};
    use std::thread;

    #[test]
    fn waits_for_other_records_and_stops_waiting_when_closed() {
        let window = Window::default();
        assert!(window.enter(2 * MAX_BYTES));
        thread::scope(|threads| {
            let second = threads.spawn(|| window.enter(1));
            window.release_bytes(2 * MAX_BYTES);
            assert!(second.join().unwrap());
            let third = threads.spawn(|| window.enter(MAX_BYTES));
            window.close();
            assert!(!third.join().unwrap() && !window.wait_until_empty());
        });
    }

    #[test]
    fn finished_records_count_until_they_are_written() {
        let window = Window::default();
        for _ in 0..MAX_RECORDS {
            assert!(window.enter(0));
            window.release_bytes(0);
        }
        thread::scope(|threads| {
            let more = threads.spawn(|| window.enter(0));
            window.leave();
            assert!(more.join().unwrap());
        });
    }
}
