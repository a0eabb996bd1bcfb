//! Exit codes of all tools; 0 where all input was answered.

/// Some lines were not records, or what was to be checked does not hold.
pub(crate) const LEFT_OUT: u8 = 1;
/// The tool could not run, or had to stop.
pub(crate) const STOPPED: u8 = 2;
/// Added, as a shell does, to the number of the signal that ended the tool.
pub(crate) const BY_SIGNAL: u8 = 128;
