//! Library code on data from the web, run on another thread with a time limit, so that no page can
//! crash or block a run.

use crate::PageError;
use forage_extract::STACK_BYTES;
use std::cell::RefCell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Time limit; usual pages take about 6 ms.
const TIME_LIMIT: Duration = Duration::from_secs(30);

type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The thread on which the work of this thread is done, if it has begun: to start one takes
    /// longer than to read a small page.
    static WORKER: RefCell<Option<Sender<Work>>> = const { RefCell::new(None) };
}

/// Runs `work` on another thread, with a stack of [`STACK_BYTES`], which the calling thread keeps
/// for its next work.
///
/// A panic ends that work only. After the time limit the result is abandoned, and the thread
/// continues in the background until `work` returns.
///
/// # Errors
/// Fails with the message of the panic, if the time limit is exceeded, or if the thread cannot be
/// started.
pub(crate) fn run_isolated<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PageError> {
    let (sender, receiver) = mpsc::channel();
    let work = Box::new(move || drop(sender.send(catch_unwind(AssertUnwindSafe(work)))));
    let worker = match WORKER.take() {
        Some(worker) => worker,
        None => start_worker().map_err(|e| start_error(&e))?,
    };
    let ended = || PageError::Internal("ended without a result".into());
    worker.send(work).map_err(|_| ended())?;
    match receiver.recv_timeout(TIME_LIMIT) {
        Ok(result) => {
            WORKER.set(Some(worker));
            result.map_err(|panic| PageError::Internal(panic_message(panic.as_ref())))
        }
        Err(RecvTimeoutError::Disconnected) => Err(ended()),
        Err(RecvTimeoutError::Timeout) => {
            let cause = format!("timed out after {} s", TIME_LIMIT.as_secs());
            Err(PageError::Internal(cause))
        }
    }
}

/// Starts a thread that does the work sent to it, one after the other, until the sender is dropped.
fn start_worker() -> io::Result<Sender<Work>> {
    let (sender, receiver) = mpsc::channel::<Work>();
    let thread = thread::Builder::new()
        .name("extract".into())
        .stack_size(STACK_BYTES);
    thread.spawn(move || receiver.into_iter().for_each(|work| work()))?;
    Ok(sender)
}

/// Returns the error for a thread that cannot be started.
fn start_error(e: &io::Error) -> PageError {
    match crate::typeset::is_machine_limit(e) {
        true => PageError::MachineLimit(e.to_string()),
        false => PageError::Internal(e.to_string()),
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown cause".into())
}

#[cfg(test)]
mod tests {
    use super::run_isolated;
    use crate::PageError;

    #[test]
    fn a_panic_ends_only_its_work() {
        let thread = || run_isolated(|| std::thread::current().id());
        let first = thread();
        assert_ne!(first, Ok(std::thread::current().id()));
        assert_eq!(
            run_isolated(|| -> u8 { panic!("cause") }),
            Err(PageError::Internal("cause".into()))
        );
        assert_eq!(thread(), first);
    }
}
