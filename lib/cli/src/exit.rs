//! Exit codes, the same for all tools.

use std::process::ExitCode;

/// What a shell adds to a signal's number.
const BY_SIGNAL: u8 = 128;

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All input was read and answered, error records included.
    Answered,
    /// The run finished, but some lines were not records, or what was to be checked does not hold.
    LeftOut,
    /// The tool could not run, or had to stop.
    Stopped,
    /// A signal of this number ended it, and it has put out what was done.
    Interrupted(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Answered => 0,
            Exit::LeftOut => 1,
            Exit::Stopped => 2,
            Exit::Interrupted(signal) => BY_SIGNAL.saturating_add(signal),
        })
    }
}
