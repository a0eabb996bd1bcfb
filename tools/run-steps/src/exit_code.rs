//! Exit codes of runs.

/// A run could not start, or had to stop before it had a document.
pub const COULD_NOT_RUN: u8 = 2;

/// A run that has begun stopped before its end.
pub const STOPPED: u8 = 3;
