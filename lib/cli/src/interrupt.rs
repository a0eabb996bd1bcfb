//! SIGINT and SIGTERM: the first signal lets the tool write its finished records, the second one
//! ends the process immediately.

use crate::plural::format_count;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;

/// A signal ended the tool before all input was processed.
#[derive(Debug, thiserror::Error)]
#[error("interrupted after {}; {advice}", format_count(*.records, "record"))]
pub(crate) struct Interrupted {
    pub(crate) signal: i32,
    /// Records written so far.
    pub(crate) records: u64,
    /// Advice on how to resume.
    pub(crate) advice: &'static str,
}

impl Interrupted {
    pub(crate) fn new(signal: i32, advice: &'static str) -> Interrupted {
        Interrupted {
            signal,
            records: 0,
            advice,
        }
    }
}

/// Calls `stop` with the number of the first SIGINT or SIGTERM; the next one ends the process.
///
/// Signals that the process ignores stay ignored: shells start background jobs with such signals
/// ignored.
pub(crate) fn watch_signals(stop: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    let ignored = ignored_signals();
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
                    // Cannot fail for signals that have a default handler.
                    None => drop(emulate_default_handler(signal)),
                }
            }
        })?;
    Ok(())
}

/// Returns a bit mask of the signals that the process inherited as ignored; 0 if the system does
/// not report them.
pub fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}
