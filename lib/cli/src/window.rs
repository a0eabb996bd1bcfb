//! Flow control: bounds the batches in flight, and their bytes.

use parking_lot::{Condvar, Mutex, MutexGuard};

/// A window over the batches, from the first one that is not consumed to the last one read.
#[derive(Debug)]
pub(crate) struct Window {
    max_batches: usize,
    max_bytes: usize,
    usage: Mutex<WindowUsage>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct WindowUsage {
    batches: usize,
    bytes: usize,
    is_closed: bool,
}

impl Window {
    pub(crate) fn new(max_batches: usize, max_bytes: usize) -> Window {
        Window {
            max_batches,
            max_bytes,
            usage: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Waits until the limits permit another batch of `bytes`, and adds it. Returns `false` if the
    /// window is closed. A batch is always permitted, whatever its size, if no other has bytes.
    pub(crate) fn enter(&self, bytes: usize) -> bool {
        let mut usage = self.wait_until(|usage| {
            let has_room = usage.bytes == 0 || usage.bytes + bytes <= self.max_bytes;
            usage.batches < self.max_batches && has_room
        });
        usage.batches += 1;
        usage.bytes += bytes;
        !usage.is_closed
    }

    /// Removes bytes of a batch that are no longer in memory.
    pub(crate) fn release_bytes(&self, bytes: usize) {
        self.usage.lock().bytes -= bytes;
        self.changed.notify_one();
    }

    /// Removes a batch that is consumed, with its remaining bytes.
    pub(crate) fn leave(&self, bytes: usize) {
        let mut usage = self.usage.lock();
        usage.batches -= 1;
        usage.bytes -= bytes;
        self.changed.notify_one();
    }

    /// Waits until all batches are consumed. Returns `false` if the window is closed.
    pub(crate) fn wait_until_empty(&self) -> bool {
        !self.wait_until(|usage| usage.batches == 0).is_closed
    }

    /// Closes the window: nothing is consumed any more.
    pub(crate) fn close(&self) {
        self.usage.lock().is_closed = true;
        self.changed.notify_one();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.usage.lock().is_closed
    }

    /// Waits until `condition` holds or the window is closed.
    fn wait_until(&self, condition: impl Fn(&WindowUsage) -> bool) -> MutexGuard<'_, WindowUsage> {
        let mut usage = self.usage.lock();
        self.changed
            .wait_while(&mut usage, |usage| !usage.is_closed && !condition(usage));
        usage
    }
}

#[cfg(test)]
mod tests {
    use super::Window;
    use std::thread;

    #[test]
    fn waits_for_other_batches_and_stops_waiting_when_closed() {
        let window = Window::new(9, 100);
        assert!(window.enter(200));
        thread::scope(|threads| {
            let second = threads.spawn(|| window.enter(1));
            window.release_bytes(200);
            assert!(second.join().unwrap());
            let third = threads.spawn(|| window.enter(100));
            window.close();
            assert!(!third.join().unwrap() && !window.wait_until_empty());
        });
    }

    #[test]
    fn batches_without_bytes_count_until_they_are_consumed() {
        let window = Window::new(99, 100);
        for _ in 0..99 {
            assert!(window.enter(50));
            window.release_bytes(50);
        }
        thread::scope(|threads| {
            let more = threads.spawn(|| window.enter(0));
            window.leave(0);
            assert!(more.join().unwrap());
        });
    }
}
