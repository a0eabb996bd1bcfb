//! How much may be under way: so many records, and so many bytes of those that are not answered.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Records from the first that is not out to the last that is read. Each costs some 100 bytes when
/// it is answered and waits for another; so many let thousands of hosts be served past a slow one.
const MOST_RECORDS: usize = 1 << 17;
/// Bytes of records that are not answered.
const MOST_BYTES: usize = 64 << 20;

#[derive(Debug, Default)]
pub(crate) struct Window {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    records: usize,
    bytes: usize,
    is_closed: bool,
}

impl Window {
    /// Takes a record in when there is room; false when nobody wants more. One record always has
    /// room.
    pub(crate) fn enter(&self, bytes: usize) -> bool {
        let has_room =
            |state: &State| state.records < MOST_RECORDS && state.bytes + bytes <= MOST_BYTES;
        let mut state =
            self.wait(|state| has_room(state) || state.bytes == 0 && state.records < MOST_RECORDS);
        state.records += 1;
        state.bytes += bytes;
        !state.is_closed
    }

    /// A record of so many bytes is answered.
    pub(crate) fn answered(&self, bytes: usize) {
        self.lock().bytes -= bytes;
        self.changed.notify_one();
    }

    /// A record is out.
    pub(crate) fn put(&self) {
        self.lock().records -= 1;
        self.changed.notify_one();
    }

    /// Waits until all records are out; false when nobody wants more.
    pub(crate) fn wait_empty(&self) -> bool {
        !self.wait(|state| state.records == 0).is_closed
    }

    /// Nobody wants more.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    fn wait(&self, until: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waited = self
            .changed
            .wait_while(self.lock(), |state| !state.is_closed && !until(state));
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, MOST_RECORDS, Window};
    use std::thread;

    #[test]
    fn waits_for_room_and_gives_up_when_it_is_closed() {
        let window = Window::default();
        assert!(window.enter(2 * MOST_BYTES));
        thread::scope(|threads| {
            let second = threads.spawn(|| window.enter(1));
            window.answered(2 * MOST_BYTES);
            assert!(second.join().unwrap());
            let third = threads.spawn(|| window.enter(MOST_BYTES));
            window.close();
            assert!(!third.join().unwrap() && !window.wait_empty());
        });
    }

    #[test]
    fn answered_records_count_until_they_are_out() {
        let window = Window::default();
        for _ in 0..MOST_RECORDS {
            assert!(window.enter(0));
            window.answered(0);
        }
        thread::scope(|threads| {
            let more = threads.spawn(|| window.enter(0));
            window.put();
            assert!(more.join().unwrap());
        });
    }
}
