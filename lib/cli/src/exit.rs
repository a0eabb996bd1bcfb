//! Exit codes, the same for all tools.

use std::process::ExitCode;

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All input was read and answered, error records included.
    Answered = 0,
    /// The run finished, but some lines were not records, or what was to be checked does not hold.
    LeftOut = 1,
    /// The tool could not run, or had to stop.
    Stopped = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
