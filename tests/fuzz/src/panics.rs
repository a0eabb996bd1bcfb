//! Panics of a target, caught with their place.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

/// A panic that was caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaughtPanic {
    /// The file and line.
    pub location: String,
    /// The message.
    pub message: String,
}

impl CaughtPanic {
    /// Returns `true` if another panic has the same cause, as far as can be told: it is at the same
    /// place. Panics that a target itself raises must also have the same message without its
    /// digits.
    pub fn is_same_defect(&self, other: &CaughtPanic) -> bool {
        let text = |panic: &CaughtPanic| panic.message.replace(|c: char| c.is_ascii_digit(), "");
        self.location == other.location
            && (!self.location.starts_with("tests/") || text(self) == text(other))
    }
}

thread_local! {
    static LAST: RefCell<Option<CaughtPanic>> = const { RefCell::new(None) };
}

/// Calls a function, and returns the panic if it panics. Panics are not written to standard error
/// from the first call on.
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, CaughtPanic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // The harness of tests reports the panics of its own threads.
            if is_quiet() {
                remember(info);
            } else {
                default(info);
            }
        }));
    });
    QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    result.map_err(|_| LAST.take().unwrap_or_else(unknown_panic))
}

thread_local! {
    static QUIET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Returns `true` on a thread that runs a target, and on the threads of the parsers, which have
/// the names that they are given there.
fn is_quiet() -> bool {
    let thread = std::thread::current();
    QUIET.get() || matches!(thread.name(), Some("extract" | "pdf"))
}

fn remember(info: &PanicHookInfo) {
    let location = info.location().map_or_else(
        || "unknown place".to_owned(),
        |place| format!("{}:{}", place.file(), place.line()),
    );
    let payload = info.payload();
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let message = text
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    LAST.set(Some(CaughtPanic { location, message }));
}

fn unknown_panic() -> CaughtPanic {
    CaughtPanic {
        location: "unknown place".into(),
        message: String::new(),
    }
}
