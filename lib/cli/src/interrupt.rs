//! Signals that end a tool: the first one lets it put out what is done, a second one ends it at
//! once.

use crate::plural::format_count;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;

/// A signal ended the tool before its work was done.
#[derive(Debug, thiserror::Error)]
#[error("interrupted after {}; {how}", format_count(*.records, "record"))]
pub(crate) struct Interrupted {
    pub(crate) signal: i32,
    /// Records that are out.
    pub(crate) records: u64,
    /// How to go on.
    pub(crate) how: &'static str,
}

/// Calls `stop` at the first signal that asks the tool to end; after it the next one ends the
/// process. A signal that is ignored, as a shell has it for jobs in the background, stays so.
pub(crate) fn watch(stop: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    let ignored = ignored();
    let mut signals = Signals::new(
        [SIGINT, SIGTERM]
            .into_iter()
            .filter(|signal| ignored >> (signal - 1) & 1 == 0),
    )?;
    let mut stop = Some(stop);
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            for signal in signals.forever() {
                match stop.take() {
                    Some(stop) => stop(signal),
                    // It can't fail with signals that have a default.
                    None => drop(emulate_default_handler(signal)),
                }
            }
        })?;
    Ok(())
}

/// The signals that the process was started to ignore, a bit for each, where the system tells.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}
