//! `--progress`: how far a tool has come.

use crate::args::Input;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(1);

/// A bar on a terminal, a plain line a second elsewhere, or nothing.
#[derive(Debug)]
pub(crate) struct Progress(Option<Shown>);

#[derive(Debug)]
struct Shown {
    tool: &'static str,
    bar: Option<ProgressBar>,
    start: Instant,
    last: Instant,
}

impl Progress {
    pub(crate) fn new(input: &Input, tool: &'static str) -> Self {
        Progress(input.progress.then(|| {
            let now = Instant::now();
            let bar = std::io::stderr().is_terminal().then(|| bar(total(input)));
            Shown {
                tool,
                bar,
                start: now,
                last: now,
            }
        }))
    }

    pub(crate) fn show(&mut self, bytes: u64, records: u64, left_out: u64) {
        let Some(shown) = &mut self.0 else { return };
        if shown.last.elapsed() >= EVERY {
            shown.last = Instant::now();
        } else if shown.bar.is_none() || !records.is_multiple_of(64) {
            return;
        }
        shown.put(bytes, records, left_out);
    }

    pub(crate) fn finish(&self, bytes: u64, records: u64, left_out: u64) {
        if let Some(shown) = &self.0 {
            shown.put(bytes, records, left_out);
            if let Some(bar) = &shown.bar {
                bar.finish();
            }
        }
    }
}

impl Shown {
    fn put(&self, bytes: u64, records: u64, left_out: u64) {
        let seconds = self.start.elapsed().as_secs_f64().max(1e-3);
        let per_second = |n: u64| (n as f64 / seconds) as u64;
        let mut text = format!(
            "{} records, {}/s, {}/s",
            HumanCount(records),
            HumanCount(per_second(records)),
            HumanBytes(per_second(bytes))
        );
        if left_out > 0 {
            text.push_str(&format!(", {} lines left out", HumanCount(left_out)));
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

/// Size of the input, where it is files alone.
fn total(input: &Input) -> Option<u64> {
    let size = |path| {
        std::fs::metadata(path)
            .ok()
            .filter(std::fs::Metadata::is_file)
            .map(|about| about.len())
    };
    (!input.files.is_empty())
        .then(|| input.files.iter().map(size).sum::<Option<u64>>())
        .flatten()
}

fn bar(total: Option<u64>) -> ProgressBar {
    let template = if total.is_some() {
        "{elapsed} {wide_bar} {eta} {msg}"
    } else {
        "{spinner} {elapsed} {msg}"
    };
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    bar.with_style(style)
}
