//! Exit codes of runs.

/// A run that has begun stopped before its end.
pub const STOPPED: u8 = 3;
