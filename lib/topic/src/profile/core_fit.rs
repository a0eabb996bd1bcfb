//! What a core says of the metrics: thresholds, and the evidence of two votes.

use super::fit::{ENTRY_METRIC_SHARE, fit_thresholds_by, score_at};
use super::scores::{Metric, MetricScores, Thresholds, Votes};

/// The metrics that are fitted to a core.
const FITTED: [Metric; 4] = [
    Metric::Vsm,
    Metric::Passage,
    Metric::Term,
    Metric::Collocation,
];

/// Share of a core whose cosines are below the least threshold that a crawl can have: a document of
/// the core has a cosine below it with this probability.
const LEAST_COSINE_SHARE: f64 = 0.05;

/// Thresholds that are fitted to a core, and what follows from the core for votes.
#[derive(Debug, Clone)]
pub struct CoreFit {
    /// The thresholds of the metrics: the share `recognised` of the core has a vote.
    pub thresholds: Thresholds,
    /// The thresholds that two metrics must reach together for an undoubtedly relevant document.
    joint: Thresholds,
    /// The threshold of a passage for which no other metric votes.
    lone_passage: f64,
    /// The scores of the core's documents.
    core: Vec<MetricScores>,
    /// The cosine that nearly all documents of the core reach.
    pub least_cosine: f64,
    /// Names of two metrics, and the correlation of their votes for the core.
    correlations: Vec<(&'static str, &'static str, f64)>,
}

impl CoreFit {
    /// Fits thresholds by which the share `recognised` of a core, above 0 and at most 1, has a vote
    /// other than that of a passage. `core` has the scores of the core's documents.
    ///
    /// Two votes of independent metrics would have the share `recognised`² of the core. The votes are
    /// correlated, so the joint thresholds are those by which this share of the core has a vote.
    ///
    /// A passage alone votes against the document that it is from: long documents have a passage near
    /// any profile. Like the metrics that count entries, it must reach a strict threshold.
    pub fn new(core: &[MetricScores], recognised: f64) -> CoreFit {
        let thresholds = fit_thresholds_by(core, recognised, is_not_passage_alone);
        let joint = fit_thresholds_by(core, recognised * recognised, is_not_passage_alone);
        let votes: Vec<Votes> = core.iter().map(|scores| thresholds.votes(scores)).collect();
        let column = |part: fn(&MetricScores) -> f64| {
            let mut column: Vec<f64> = core.iter().map(part).collect();
            column.sort_by(|a, b| b.total_cmp(a));
            column
        };
        let (cosines, passages) = (column(|scores| scores.vsm), column(|scores| scores.passage));
        let rank = votes.iter().filter(|votes| votes.has(Metric::Vsm)).count();
        let least = (LEAST_COSINE_SHARE * cosines.len() as f64) as usize;
        CoreFit {
            thresholds,
            joint: joint.max(&thresholds),
            lone_passage: score_at(&passages, rank, ENTRY_METRIC_SHARE),
            core: core.to_vec(),
            least_cosine: cosines.iter().rev().nth(least).copied().unwrap_or_default(),
            correlations: correlations(&votes),
        }
    }

    /// Returns the share of the core that has a vote by the thresholds times a factor.
    pub fn recognised(&self, factor: f64) -> f64 {
        let is_recognised = |scores: &&MetricScores| self.votes(scores, factor).is_recommended();
        let recognised = self.core.iter().filter(is_recognised).count();
        recognised as f64 / self.core.len().max(1) as f64
    }

    /// Returns the votes for a document by the thresholds times a factor. If several metrics vote, but
    /// no two reach the joint thresholds, their votes are the same evidence, and only the strongest
    /// one counts. A factor below 1 does not lower the joint thresholds: what is certain follows from
    /// the core alone.
    pub fn votes(&self, scores: &MetricScores, factor: f64) -> Votes {
        let votes = self.thresholds.raised(factor).votes(scores);
        if !is_not_passage_alone(votes) {
            let is_strict = scores.passage >= self.lone_passage * factor;
            return if is_strict { votes } else { Votes::default() };
        }
        let joint = self.joint.raised(factor.max(1.0)).votes(scores);
        if votes.is_undoubted() && !joint.is_undoubted() {
            return Votes::of(self.thresholds.strongest(scores));
        }
        votes
    }

    /// Returns how the votes of each two metrics correlate in the core, as `vsm and passage 0.81`,
    /// separated by commas.
    pub fn describe_correlations(&self) -> String {
        let pairs = self.correlations.iter();
        let parts = pairs.map(|(a, b, phi)| format!("{a} and {b} {phi:.2}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Returns `true` if a metric other than that of passages votes.
fn is_not_passage_alone(votes: Votes) -> bool {
    votes.metrics().any(|metric| metric != Metric::Passage)
}

/// Returns the correlation (phi) of the votes of each two metrics for a core, without those of which
/// one votes for all documents or for none.
fn correlations(votes: &[Votes]) -> Vec<(&'static str, &'static str, f64)> {
    let mut found = Vec::new();
    for (index, a) in FITTED.into_iter().enumerate() {
        for b in FITTED.into_iter().skip(index + 1) {
            if let Some(phi) = phi(votes, a, b) {
                found.push((a.name(), b.name(), phi));
            }
        }
    }
    found
}

fn phi(votes: &[Votes], a: Metric, b: Metric) -> Option<f64> {
    let count = |is_counted: &dyn Fn(&Votes) -> bool| {
        votes.iter().filter(|votes| is_counted(votes)).count() as f64
    };
    let (all, of_a, of_b) = (
        votes.len() as f64,
        count(&|votes| votes.has(a)),
        count(&|votes| votes.has(b)),
    );
    let both = count(&|votes| votes.has(a) && votes.has(b));
    let variance = of_a * (all - of_a) * of_b * (all - of_b);
    (variance > 0.0).then(|| (all * both - of_a * of_b) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a core whose cosines are the same, and whose terms are in reverse order.
    fn core() -> Vec<MetricScores> {
        (1..=100)
            .map(|rank| MetricScores {
                vsm: f64::from(rank) / 100.0,
                passage: f64::from(rank) / 100.0,
                term: f64::from(101 - rank) / 100.0,
                ..MetricScores::default()
            })
            .collect()
    }

    #[test]
    fn two_votes_of_the_same_evidence_are_one() {
        let fit = CoreFit::new(&core(), 0.65);
        let votes = |cosine: f64| {
            let scores = MetricScores {
                vsm: cosine,
                passage: cosine,
                ..MetricScores::default()
            };
            fit.votes(&scores, 1.0).count()
        };
        let threshold = fit.thresholds.vsm;
        assert_eq!(votes(threshold - 0.01), 0);
        assert_eq!(votes(threshold), 1);
        // The votes always agree: the share .65² of the core has a vote by the joint thresholds.
        assert!(fit.joint.vsm > threshold + 0.1, "{fit:?}");
        assert_eq!(votes(fit.joint.vsm), 2);
    }

    #[test]
    fn a_passage_alone_votes_by_a_strict_threshold() {
        let fit = CoreFit::new(&core(), 0.65);
        let votes = |passage: f64| {
            let scores = MetricScores {
                passage,
                ..MetricScores::default()
            };
            fit.votes(&scores, 1.0).count()
        };
        assert_eq!(votes(fit.thresholds.passage), 0);
        assert_eq!(votes(fit.lone_passage), 1);
        assert!(fit.lone_passage > 0.9, "{fit:?}");
    }

    #[test]
    fn lower_thresholds_recognise_more_of_the_core() {
        let fit = CoreFit::new(&core(), 0.65);
        assert!((fit.recognised(1.0) - 0.65).abs() < 0.02, "{fit:?}");
        assert!(fit.recognised(0.5) > 0.8);
    }

    #[test]
    fn the_correlation_of_votes_is_reported() {
        let text = CoreFit::new(&core(), 0.65).describe_correlations();
        assert!(
            text.starts_with("vsm and passage 1.00, vsm and term -"),
            "{text}"
        );
    }

    #[test]
    fn the_least_cosine_is_one_of_the_core() {
        assert_eq!(CoreFit::new(&core(), 0.65).least_cosine, 0.06);
        assert_eq!(CoreFit::new(&[], 0.65).least_cosine, 0.0);
    }
}
