//! Work of libraries on what comes from the web, under guard: no page may take a run down or hold
//! it up.

use forage_extract::STACK_BYTES;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Time after which the work is given up; usual pages take some 6 ms.
const MOST_TIME: Duration = Duration::from_secs(30);

/// Runs `work` on a thread of its own, named `name`: its stack is large, a panic ends there, and
/// work that takes too long is given up. The thread of such work lives on until it has finished.
///
/// # Errors
/// What the panic said, or that time is up.
pub(crate) fn run<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let (done, waiting) = mpsc::channel();
    let thread = thread::Builder::new()
        .name(name.into())
        .stack_size(STACK_BYTES);
    let running = thread
        .spawn(move || drop(done.send(work())))
        .map_err(|e| e.to_string())?;
    waiting.recv_timeout(MOST_TIME).map_err(|e| match e {
        RecvTimeoutError::Timeout => format!("not done after {} s", MOST_TIME.as_secs()),
        RecvTimeoutError::Disconnected => running.join().map_or_else(
            |panic| reason(panic.as_ref()),
            |()| "ended without an answer".into(),
        ),
    })
}

fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown cause".into())
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn a_panic_ends_in_its_thread() {
        assert_eq!(run("test", || 1), Ok(1));
        assert_eq!(run("test", || -> u8 { panic!("so") }), Err("so".into()));
    }
}
