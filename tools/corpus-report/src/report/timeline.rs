//! Cumulative counts in the course of a run, thinned so that a long run takes no more memory.

use crate::report::count::Share;

/// Most points in memory. When it is reached, every second one is dropped.
const MAX_POINTS: usize = 512;

/// Cumulative counts of a run or of a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Pages that a crawl has requested.
    pub requests: u64,
    /// Documents.
    pub documents: u64,
    /// Distinct queries.
    pub queries: u64,
    /// Calls to the engine.
    pub calls: u64,
    /// Relevant documents.
    pub relevant: u64,
    /// Words in the corpus: also those of documents that queries for other targets brought.
    pub tokens: u64,
    /// Distinct words in the corpus of a target; 0 for a run.
    pub types: u64,
}

/// Number of points of a line that its table has.
const TABLE_POINTS: usize = 20;

/// Returns evenly spaced points for a table, with the last one.
pub fn thin(points: &[RunCounts]) -> impl Iterator<Item = &RunCounts> {
    let every = points.len().div_ceil(TABLE_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let skipped = last % every;
    points.iter().skip(skipped).step_by(every)
}

/// A series of [`RunCounts`] at equal distances.
#[derive(Debug, Default)]
pub struct Timeline {
    points: Vec<RunCounts>,
    stride: u64,
    skipped: u64,
    /// The current counts.
    pub now: RunCounts,
}

impl Timeline {
    /// Notes the current counts as a point of the series.
    pub fn mark(&mut self) {
        self.skipped += 1;
        if self.skipped < self.stride.max(1) {
            return;
        }
        self.skipped = 0;
        self.points.push(self.now);
        if self.points.len() == MAX_POINTS {
            let mut number = 0;
            self.points.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.stride = self.stride.max(1) * 2;
        }
    }

    /// Returns the points from 0 to the current counts.
    pub fn points(&self) -> Vec<RunCounts> {
        let mut points = vec![RunCounts::default()];
        points.extend(&self.points);
        if self.points.last() != Some(&self.now) {
            points.push(self.now);
        }
        points
    }

    /// Returns the counts at the ends of at most `number` windows with as many documents each, and
    /// the documents within them.
    pub fn windows(&self, number: u64) -> Vec<(RunCounts, Share)> {
        let size = self.now.documents.div_ceil(number.max(1)).max(1);
        let mut start = RunCounts::default();
        let mut windows = Vec::new();
        for point in self.points() {
            if point.documents - start.documents >= size || point == self.now {
                let within = Share {
                    documents: point.documents - start.documents,
                    relevant: point.relevant - start.relevant,
                };
                if within.documents > 0 {
                    windows.push((point, within));
                }
                start = point;
            }
        }
        windows
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_POINTS, Timeline};

    #[test]
    fn a_long_run_has_as_many_points_as_a_short_one_and_ends_with_its_counts() {
        let mut timeline = Timeline::default();
        for n in 1..=100_000 {
            timeline.now.documents = n;
            timeline.now.relevant = n / 3;
            timeline.mark();
        }
        let points = timeline.points();
        assert!(points.len() <= MAX_POINTS + 2);
        assert!(points.is_sorted_by_key(|point| point.documents));
        assert_eq!(points.last().map(|p| p.relevant), Some(33_333));
        let windows = timeline.windows(20);
        assert!(windows.len() <= 21);
        assert_eq!(
            windows.iter().map(|(_, w)| w.documents).sum::<u64>(),
            100_000
        );
    }
}
