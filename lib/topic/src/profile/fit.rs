//! Thresholds that recognise a given share of a core.

use super::scores::{MetricScores, Thresholds, Votes};

/// Number of documents that reach the threshold of a metric that counts entries, relative to those
/// that reach the threshold of a cosine. Long documents have many entries of any profile, so that
/// these metrics are reliable only where their values are high (BENCHMARKS.md, "Topic profiles").
pub(super) const ENTRY_METRIC_SHARE: f64 = 0.1;

/// Returns thresholds by which the share `recognised` of a core, above 0 and at most 1, has votes
/// that count.
///
/// `core` has the scores of the core's documents. Each threshold is the score that a certain number
/// of them reach: the same for both cosines, and a tenth of it for the other values.
pub(super) fn fit_thresholds(
    core: &[MetricScores],
    recognised: f64,
    counts: impl Fn(Votes) -> bool,
) -> Thresholds {
    let goal = recognised * core.len() as f64;
    let columns = Columns::new(core);
    // More documents reach lower thresholds.
    let candidates = (1..=core.len()).map(|rank| columns.thresholds_at(rank));
    let distance = |thresholds: &Thresholds| {
        let votes = core.iter().map(|scores| thresholds.votes(scores));
        (votes.filter(|votes| counts(*votes)).count() as f64 - goal).abs()
    };
    let best = candidates.min_by(|a, b| distance(a).total_cmp(&distance(b)));
    best.unwrap_or_else(|| columns.thresholds_at(1))
}

/// The scores of a core by metric, each in descending order.
struct Columns {
    term: Vec<f64>,
    pair: Vec<f64>,
    triple: Vec<f64>,
    vsm: Vec<f64>,
    passage: Vec<f64>,
}

impl Columns {
    fn new(core: &[MetricScores]) -> Columns {
        let column = |part: fn(&MetricScores) -> f64| {
            let mut column: Vec<f64> = core.iter().map(part).collect();
            column.sort_by(|a, b| b.total_cmp(a));
            column
        };
        Columns {
            term: column(|scores| scores.term),
            pair: column(|scores| scores.pair),
            triple: column(|scores| scores.triple),
            vsm: column(|scores| scores.vsm),
            passage: column(|scores| scores.passage),
        }
    }

    /// Returns the thresholds if `rank` documents reach that of the whole document.
    fn thresholds_at(&self, rank: usize) -> Thresholds {
        let share = ENTRY_METRIC_SHARE;
        Thresholds {
            term: score_at(&self.term, rank, share),
            pair: score_at(&self.pair, rank, share),
            triple: score_at(&self.triple, rank, share),
            vsm: score_at(&self.vsm, rank, 1.0),
            passage: score_at(&self.passage, rank, 1.0),
        }
    }
}

/// Returns the score that the share of `rank` documents reach, at least one. If it is 0, which is
/// no vote, returns the least score above 0; if there is none, 1.
pub(super) fn score_at(column: &[f64], rank: usize, share: f64) -> f64 {
    let rank = (rank as f64 * share).round().max(1.0) as usize;
    let score = column.get(rank - 1).copied().unwrap_or_default();
    let least = || column.iter().copied().rfind(|score| *score > 0.0);
    if score > 0.0 {
        score
    } else {
        least().unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the scores of a core in which the document of rank n has the scores 1 / n.
    fn core(count: usize) -> Vec<MetricScores> {
        (1..=count)
            .map(|rank| {
                let score = 1.0 / rank as f64;
                MetricScores {
                    term: score,
                    pair: score,
                    triple: 0.0,
                    vsm: score,
                    passage: score,
                }
            })
            .collect()
    }

    fn recognised(core: &[MetricScores], share: f64) -> f64 {
        let thresholds = fit_thresholds(core, share, Votes::is_recommended);
        let votes = core.iter().map(|scores| thresholds.votes(scores));
        votes.filter(|votes| votes.is_recommended()).count() as f64 / core.len() as f64
    }

    #[test]
    fn the_share_of_the_core_is_recognised() {
        let core = core(100);
        for share in [0.1, 0.65, 0.9, 1.0] {
            assert!((recognised(&core, share) - share).abs() < 0.005, "{share}");
        }
    }

    #[test]
    fn metrics_that_count_entries_are_strict() {
        let thresholds = fit_thresholds(&core(100), 0.5, Votes::is_recommended);
        assert_eq!(thresholds.vsm, 1.0 / 50.0);
        assert_eq!(thresholds.passage, 1.0 / 50.0);
        assert_eq!(thresholds.term, 1.0 / 5.0);
        assert_eq!(thresholds.triple, 1.0);
    }

    #[test]
    fn a_core_of_one_document_and_an_unrecognisable_one_have_thresholds() {
        assert_eq!(recognised(&core(1), 0.65), 1.0);
        let nothing = [MetricScores::default(); 5];
        assert_eq!(
            fit_thresholds(&nothing, 0.65, Votes::is_recommended).vsm,
            1.0
        );
    }
}
