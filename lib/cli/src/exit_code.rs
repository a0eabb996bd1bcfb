//! Exit codes of all tools. A tool that processed all of its input exits with 0.

/// Some lines were not records, or a requested check failed.
pub(crate) const INCOMPLETE: u8 = 1;
/// The tool could not start, or had to stop.
pub(crate) const STOPPED: u8 = 2;
/// Base of the exit code after a signal: the signal's number is added, as shells do.
pub(crate) const SIGNAL_BASE: u8 = 128;
