//! `--progress`: records, rates and skipped lines while a tool runs.

use crate::input::Input;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time between two lines of progress.
const INTERVAL: Duration = Duration::from_secs(1);
/// Number of records between two updates of the bar, so that updates cost little.
const BAR_RECORDS: u64 = 64;

/// The display of `--progress`: a bar on a terminal, otherwise a line per second; `None` without
/// the option.
#[derive(Debug)]
pub(crate) struct Progress(Option<ProgressDisplay>);

#[derive(Debug)]
struct ProgressDisplay {
    tool: &'static str,
    /// The things that are counted, in the plural.
    unit: &'static str,
    bar: Option<ProgressBar>,
    start: Instant,
    last_shown: Instant,
}

impl Progress {
    pub(crate) fn new(input: &Input, tool: &'static str) -> Self {
        Progress(input.progress.then(|| {
            let now = Instant::now();
            let bar = std::io::stderr()
                .is_terminal()
                .then(|| create_bar(total_bytes(&input.files)));
            ProgressDisplay {
                tool,
                unit: "records",
                bar,
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
        if display.last_shown.elapsed() >= INTERVAL {
            display.last_shown = Instant::now();
        } else if display.bar.is_none() || !records.is_multiple_of(BAR_RECORDS) {
            return;
        }
        display.show(bytes, records, skipped);
    }

    /// Shows the final counts.
    pub(crate) fn finish(&self, bytes: u64, records: u64, skipped: u64) {
        if let Some(display) = &self.0 {
            display.show(bytes, records, skipped);
            if let Some(bar) = &display.bar {
                bar.finish();
            }
        }
    }
}

impl ProgressDisplay {
    fn show(&self, bytes: u64, records: u64, skipped: u64) {
        let seconds = self.start.elapsed().as_secs_f64().max(1e-3);
        let per_second = |count: u64| (count as f64 / seconds) as u64;
        let mut text = format!(
            "{} {}, {}/s, {}/s",
            HumanCount(records),
            self.unit,
            HumanCount(per_second(records)),
            HumanBytes(per_second(bytes))
        );
        if skipped > 0 {
            let skipped_unit = if self.unit == "records" {
                "lines"
            } else {
                self.unit
            };
            text.push_str(&format!(", {} {skipped_unit} skipped", HumanCount(skipped)));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(bytes);
            bar.set_message(text);
        } else {
            let _ = std::io::stderr()
                .lock()
                .write_all(format!("{}: {text}\n", self.tool).as_bytes());
        }
    }
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

fn create_bar(total_bytes: Option<u64>) -> ProgressBar {
    let template = if total_bytes.is_some() {
        "{elapsed} {wide_bar} {eta} {msg}"
    } else {
        "{spinner} {elapsed} {msg}"
    };
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = total_bytes.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    bar.with_style(style)
}
