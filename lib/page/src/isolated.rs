//! Library code on data from the web, run on its own thread with a time limit, so that no page can
//! crash or block a run.

use crate::PageError;
use forage_extract::STACK_BYTES;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Time limit; usual pages take about 6 ms.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Runs `work` on its own thread, named `name`, with a stack of [`STACK_BYTES`].
///
/// A panic ends that thread only. After the time limit the result is abandoned, and the thread
/// continues in the background until `work` returns.
///
/// # Errors
/// Fails with the message of the panic, if the time limit is exceeded, or if the thread cannot be
/// started.
pub(crate) fn run_isolated<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PageError> {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::Builder::new()
        .name(name.into())
        .stack_size(STACK_BYTES);
    let running = thread
        .spawn(move || drop(sender.send(work())))
        .map_err(|e| start_error(&e))?;
    let received = receiver.recv_timeout(TIME_LIMIT).map_err(|e| match e {
        RecvTimeoutError::Timeout => format!("timed out after {} s", TIME_LIMIT.as_secs()),
        RecvTimeoutError::Disconnected => running.join().map_or_else(
            |panic| panic_message(panic.as_ref()),
            |()| "ended without a result".into(),
        ),
    });
    received.map_err(PageError::Internal)
}

/// Returns the error for a thread that cannot be started.
fn start_error(e: &io::Error) -> PageError {
    match forage_pdf::is_machine_limit(e) {
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
    fn a_panic_ends_only_its_thread() {
        assert_eq!(run_isolated("test", || 1), Ok(1));
        assert_eq!(
            run_isolated("test", || -> u8 { panic!("cause") }),
            Err(PageError::Internal("cause".into()))
        );
    }
}
