//! What a run has so far, and its limits.

use crate::console::{Console, format_duration};
use crate::settings::Settings;
use anyhow::{Context, Result};
use std::time::{Duration, Instant};

/// The totals of a run, as `update-stats --tally` writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of the next step; 0 before the initial documents are counted.
    pub step: u64,
    pub docs: u64,
    pub calls: u64,
    /// The outcome of the last query.
    pub outcome: String,
    pub relevant: u64,
    /// Documents in the corpora of the targets.
    pub collected: u64,
    /// Words in the corpora of the targets.
    pub words: u64,
    /// Attempts of query recovery, which are no steps.
    pub attempts: u64,
    /// URLs fetched by a crawl.
    pub pages: u64,
}

impl Totals {
    /// Parses a tally. `pages` is kept, since it is not in it.
    ///
    /// # Errors
    /// Fails if the text is no tally: the last command of a step must be `update-stats --tally`.
    pub fn read_tally(&mut self, text: &str) -> Result<()> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let read = || {
            let [
                step,
                docs,
                calls,
                outcome,
                relevant,
                collected,
                words,
                attempts,
            ] = fields[..]
            else {
                return None;
            };
            Some(Totals {
                step: step.parse().ok()?,
                docs: docs.parse().ok()?,
                calls: calls.parse().ok()?,
                outcome: outcome.into(),
                relevant: relevant.parse().ok()?,
                collected: collected.parse().ok()?,
                words: words.parse().ok()?,
                attempts: attempts.parse().ok()?,
                pages: self.pages,
            })
        };
        *self = read().context(
            "the step has written no tally; its last command must be update-stats --tally",
        )?;
        Ok(())
    }

    /// The number that counts towards a limit.
    fn count(&self, limit: &str) -> u64 {
        match limit {
            "docs" => self.docs,
            "relevant" => self.collected,
            "words" => self.words,
            "queries" => self.step.saturating_sub(1 + self.attempts),
            "calls" => self.calls,
            _ => self.pages,
        }
    }

    /// Returns what is left of a limit; a number that is never reached without one.
    pub fn left(&self, limit: &str, settings: &Settings) -> u64 {
        /// Tools take it, and sums of it do not overflow.
        const NO_LIMIT: u64 = 9_000_000_000_000_000;
        settings
            .number(limit)
            .unwrap_or(NO_LIMIT)
            .saturating_sub(self.count(limit))
    }
}

/// All limits, in the order in which they are checked.
const LIMITS: [&str; 6] = ["docs", "relevant", "words", "queries", "calls", "pages"];

/// Returns the first limit that is reached.
pub fn reached_limit(totals: &Totals, settings: &Settings) -> Option<&'static str> {
    LIMITS
        .into_iter()
        .find(|limit| settings.is_set(limit) && totals.left(limit, settings) == 0)
}

/// Replaces limits of so many more than the run has, as +20.
pub fn resolve_limits(totals: &Totals, settings: &mut Settings) {
    for limit in LIMITS {
        if let Some(more) = settings.get(limit).strip_prefix('+') {
            let more: u64 = more.parse().unwrap_or_default();
            let sum = totals.count(limit).saturating_add(more);
            settings.set(limit, &sum.to_string());
        }
    }
}

/// Returns whether a run has a limit.
pub fn has_limit(settings: &Settings) -> bool {
    LIMITS.iter().any(|limit| settings.is_set(limit))
}

/// Reports the progress of this session.
pub struct Progress {
    start: Instant,
    next: Instant,
    at_start: Totals,
}

/// The time between two reports.
const INTERVAL: Duration = Duration::from_secs(10);

impl Progress {
    /// Starts the clock of this session.
    pub fn new(totals: &Totals) -> Progress {
        let start = Instant::now();
        Progress {
            start,
            next: start + INTERVAL,
            at_start: totals.clone(),
        }
    }

    /// Writes ` after DURATION`, the duration of this session.
    pub fn duration(&self, console: &Console) -> String {
        let duration = format_duration(self.start.elapsed().as_secs());
        if console.is_quiet {
            String::new()
        } else {
            format!(" after {duration}")
        }
    }

    /// Shows what is done on one line, where the console has one.
    pub fn show_status(&self, totals: &Totals, settings: &Settings, console: &Console) {
        let elapsed = self.start.elapsed().as_secs();
        let mut progress = format_progress(&self.at_start, totals, elapsed, settings);
        // What is shown has to fit a terminal of 80 columns.
        if let (Some(start), Some(end)) = (progress.find(" (--"), progress.find(')')) {
            progress.replace_range(start..=end, "");
        }
        let progress = progress.replace("; about ", "; ");
        console.show_status(&format!("step {}: {progress}", totals.step));
    }

    /// Reports what is done, at most every ten seconds.
    pub fn report(&mut self, totals: &Totals, settings: &Settings, console: &Console) {
        let now = Instant::now();
        if !console.is_quiet && !console.has_status_line && now >= self.next {
            self.next = now + INTERVAL;
            let elapsed = (now - self.start).as_secs();
            console.say_timed(format_progress(&self.at_start, totals, elapsed, settings));
        }
    }
}

/// Writes what is done of the limit that will be reached first at the present rate, and the time
/// until then.
fn format_progress(start: &Totals, now: &Totals, elapsed: u64, settings: &Settings) -> String {
    let limits = LIMITS.into_iter().filter(|limit| settings.is_set(limit));
    let time_left = |limit: &str| {
        let gained = now.count(limit).saturating_sub(start.count(limit));
        elapsed
            .saturating_mul(now.left(limit, settings))
            .checked_div(gained)
    };
    let nearest = limits.min_by_key(|limit| time_left(limit).unwrap_or(u64::MAX));
    let shown = |name: &str| match nearest {
        Some(limit) if limit == name => {
            format!("{} of {} (--{limit})", now.count(name), settings.get(limit))
        }
        _ => now.count(name).to_string(),
    };
    let mut text = format!(
        "{} documents, {} in the corpus, {} words",
        shown("docs"),
        shown("relevant"),
        shown("words")
    );
    if let Some(limit @ ("queries" | "calls" | "pages")) = nearest {
        text = format!("{}; {text}", shown(limit));
    }
    if let Some(seconds) = nearest.and_then(time_left) {
        text += &format!("; about {} left", format_duration(seconds));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(limits: &[(&str, &str)]) -> Settings {
        let mut settings = Settings::default();
        limits
            .iter()
            .for_each(|(name, value)| settings.set(name, value));
        settings
    }

    fn totals(text: &str) -> Totals {
        let mut totals = Totals::default();
        totals.read_tally(text).unwrap();
        totals
    }

    #[test]
    fn a_limit_is_reached_by_its_own_count() {
        let now = totals("5 40 9 hit 30 20 1000 0");
        for (limit, below, reached) in [
            ("docs", "41", "40"),
            ("relevant", "21", "20"),
            ("words", "1001", "1000"),
            ("queries", "5", "4"),
            ("calls", "10", "9"),
        ] {
            assert_eq!(
                reached_limit(&now, &settings(&[(limit, below)])),
                None,
                "{limit}"
            );
            assert_eq!(
                reached_limit(&now, &settings(&[(limit, reached)])),
                Some(limit)
            );
        }
        assert_eq!(reached_limit(&now, &settings(&[])), None);
    }

    #[test]
    fn the_progress_names_the_limit_that_is_reached_first() {
        let (start, now) = (
            totals("1 0 0 none 0 0 0 0"),
            totals("5 40 9 hit 30 20 1000 0"),
        );
        let text = |limits: &[(&str, &str)]| format_progress(&start, &now, 20, &settings(limits));
        assert_eq!(
            text(&[("docs", "80"), ("words", "100000")]),
            "40 of 80 (--docs) documents, 20 in the corpus, 1000 words; about 20 s left"
        );
        assert_eq!(
            text(&[("calls", "90"), ("relevant", "1000")]),
            "9 of 90 (--calls); 40 documents, 20 in the corpus, 1000 words; about 3 min left"
        );
        assert_eq!(text(&[]), "40 documents, 20 in the corpus, 1000 words");
    }

    #[test]
    fn what_is_no_tally_is_refused() {
        for text in ["", "1 2 3", "a 0 0 none 0 0 0", "{\"id\":1}"] {
            assert!(Totals::default().read_tally(text).is_err(), "{text}");
        }
    }
}
