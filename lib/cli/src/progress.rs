//! `--progress`: records, rates and skipped lines while a tool runs.

use crate::input::Input;
use crate::plural::group_digits;
use crate::status_line::{can_replace_line, show_status};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time between two lines of progress.
const INTERVAL: Duration = Duration::from_secs(1);

/// The display of `--progress`: a line per second, which on a terminal replaces the one before it;
/// `None` without the option.
#[derive(Debug)]
pub(crate) struct Progress(Option<ProgressDisplay>);

#[derive(Debug)]
struct ProgressDisplay {
    tool: &'static str,
    /// The things that are counted, in the plural.
    unit: &'static str,
    /// The size of the input in bytes, if it is known.
    total_bytes: Option<u64>,
    start: Instant,
    last_shown: Instant,
}

impl Progress {
    pub(crate) fn new(input: &Input, tool: &'static str) -> Self {
        Progress(input.progress.then(|| {
            let now = Instant::now();
            ProgressDisplay {
                tool,
                unit: "records",
                total_bytes: total_bytes(&input.files),
                start: now,
                last_shown: now,
            }
        }))
    }

    /// Counts `unit`, in the plural, instead of records.
    pub(crate) fn counting(mut self, unit: &'static str) -> Self {
        if let Some(display) = &mut self.0 {
            display.unit = unit;
        }
        self
    }

    /// Shows the progress if it is time for an update.
    pub(crate) fn update(&mut self, bytes: u64, records: u64, skipped: u64) {
        let Some(display) = &mut self.0 else { return };
        if display.last_shown.elapsed() < INTERVAL {
            return;
        }
        display.last_shown = Instant::now();
        let line = display.format_line(bytes, records, skipped);
        if can_replace_line() {
            show_status(&format!("{line}{}", display.format_rest(bytes)));
        } else {
            write_line(&line);
        }
    }

    /// Shows the final counts.
    pub(crate) fn finish(&self, bytes: u64, records: u64, skipped: u64) {
        if let Some(display) = &self.0 {
            if can_replace_line() {
                show_status("");
            }
            write_line(&display.format_line(bytes, records, skipped));
        }
    }
}

impl ProgressDisplay {
    fn format_line(&self, bytes: u64, records: u64, skipped: u64) -> String {
        let seconds = self.start.elapsed().as_secs_f64().max(1e-3);
        let per_second = |count: u64| (count as f64 / seconds) as u64;
        let mut text = format!(
            "{}: {} {}, {}/s, {}/s",
            self.tool,
            group_digits(records),
            self.unit,
            group_digits(per_second(records)),
            format_bytes(per_second(bytes))
        );
        if skipped > 0 {
            let skipped_unit = match self.unit {
                "records" => "lines",
                unit => unit,
            };
            text += &format!(", {} {skipped_unit} skipped", group_digits(skipped));
        }
        text
    }

    /// Returns the share of the input that was read, and the time that the rest takes at this rate.
    fn format_rest(&self, bytes: u64) -> String {
        let Some(total) = self
            .total_bytes
            .filter(|total| (1..=*total).contains(&bytes))
        else {
            return String::new();
        };
        let share = bytes as f64 / total as f64;
        let rest = self.start.elapsed().as_secs_f64() * (1.0 - share) / share;
        format!(", {:.0} %, {rest:.0} s left", 100.0 * share)
    }
}

fn write_line(line: &str) {
    let _ = std::io::stderr()
        .lock()
        .write_all(format!("{line}\n").as_bytes());
}

/// Formats a number of bytes in a unit that is a power of 1024.
fn format_bytes(bytes: u64) -> String {
    let mut number = bytes as f64;
    let mut units = ["B", "KiB", "MiB", "GiB"].into_iter();
    let mut unit = units.next();
    while number >= 1024.0 && units.len() > 0 {
        number /= 1024.0;
        unit = units.next();
    }
    let decimals = if bytes < 1024 { 0 } else { 2 };
    format!("{number:.decimals$} {}", unit.unwrap_or_default())
}

/// Returns the size of the files in bytes; `None` unless all are regular files.
fn total_bytes(files: &[PathBuf]) -> Option<u64> {
    let file_bytes = |path| {
        std::fs::metadata(path)
            .ok()
            .filter(std::fs::Metadata::is_file)
            .map(|metadata| metadata.len())
    };
    (!files.is_empty())
        .then(|| files.iter().map(file_bytes).sum::<Option<u64>>())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::format_bytes;

    #[test]
    fn large_numbers_are_readable() {
        assert_eq!(
            [0, 1023, 1536, 5 << 30, 3 << 40].map(format_bytes),
            ["0 B", "1023 B", "1.50 KiB", "5.00 GiB", "3072.00 GiB"]
        );
    }
}
