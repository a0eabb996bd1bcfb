//! What a core says of the metrics: thresholds, and by how much they differ for a host.

use super::background::ScoreCounts;
use super::fit::{ENTRY_METRIC_SHARE, fit_thresholds, score_at};
use super::scores::{Metric, MetricScores, Thresholds, Votes};

/// The metrics that are fitted to a core.
const FITTED: [Metric; 4] = [
    Metric::Vsm,
    Metric::Passage,
    Metric::Term,
    Metric::Collocation,
];

/// Share of a core whose cosines are below the least threshold that a host can have: a document of
/// the core has a cosine below it with this probability.
const LEAST_COSINE_SHARE: f64 = 0.05;

/// Documents of a group of which more than this share is relevant are accepted (Kluev 2000, section
/// 4).
pub const RELEVANT_SHARE: f64 = 0.75;

/// Share of a host's pages with a vote that may be background.
const WRONG_SHARE: f64 = 1.0 - RELEVANT_SHARE;

/// Share of a host's undoubtedly relevant pages that may be background: about as many as were wrong
/// in Kluev (2000), section 5 (.04 and .02).
const WRONG_UNDOUBTED_SHARE: f64 = 0.05;

/// Standard errors of a share that is certain to 95 %.
const CERTAIN: f64 = 1.645;

/// Thresholds that are fitted to a core, and what follows from the core for votes.
#[derive(Debug, Clone)]
pub struct CoreFit {
    /// The thresholds of the metrics: the share `recognised` of the core has a vote.
    pub thresholds: Thresholds,
    /// The share of the core that has a vote.
    pub recognised: f64,
    /// The threshold of a passage for which no other metric votes.
    lone_passage: f64,
    /// The cosine that nearly all documents of the core reach, or the threshold if it is lower.
    least_cosine: f64,
    /// The least factor for the votes of an undoubtedly relevant page.
    least_undoubted: f64,
    /// Names of two metrics, and the correlation of their votes for the core.
    correlations: Vec<(&'static str, &'static str, f64)>,
}

/// Factors of the thresholds for the pages of a host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdFactors {
    /// The factor for a vote.
    pub vote: f64,
    /// The factor for the votes of an undoubtedly relevant page.
    pub undoubted: f64,
}

impl ThresholdFactors {
    /// Thresholds as they are.
    pub const ONE: ThresholdFactors = ThresholdFactors {
        vote: 1.0,
        undoubted: 1.0,
    };
}

impl CoreFit {
    /// Fits thresholds by which the share `recognised` of a core, above 0 and at most 1, has a vote
    /// other than that of a passage. `core` has the scores of the core's documents.
    ///
    /// A passage alone votes against the document that it is from: long documents have a passage
    /// near any profile. Like the metrics that count entries, it must reach a strict threshold.
    pub fn new(core: &[MetricScores], recognised: f64) -> CoreFit {
        let thresholds = fit_thresholds(core, recognised, is_not_passage_alone);
        let votes: Vec<Votes> = core.iter().map(|scores| thresholds.votes(scores)).collect();
        let column = |part: fn(&MetricScores) -> f64| {
            let mut column: Vec<f64> = core.iter().map(part).collect();
            column.sort_by(|a, b| b.total_cmp(a));
            column
        };
        let (cosines, passages) = (column(|scores| scores.vsm), column(|scores| scores.passage));
        let rank = votes.iter().filter(|votes| votes.has(Metric::Vsm)).count();
        let rank_from_below = (LEAST_COSINE_SHARE * cosines.len() as f64) as usize;
        let least = cosines.iter().rev().nth(rank_from_below).copied();
        CoreFit {
            thresholds,
            recognised,
            lone_passage: score_at(&passages, rank, ENTRY_METRIC_SHARE),
            least_cosine: least.unwrap_or_default().min(thresholds.vsm),
            least_undoubted: least_undoubted(core, &thresholds, recognised),
            correlations: correlations(&votes),
        }
    }

    /// Returns the factors of the thresholds where nothing is known of the background.
    pub fn own_factors(&self) -> ThresholdFactors {
        ThresholdFactors {
            vote: 1.0,
            undoubted: self.least_undoubted,
        }
    }

    /// Returns the factors of the thresholds for a host, by the cosines of its judged pages and
    /// those of all hosts.
    ///
    /// A host on the subject keeps the thresholds of the core: its pages without a vote are on the
    /// subject, too. If the share p of its pages is on the subject, and the share r of the core has
    /// a vote, the share p · r of the pages has one.
    ///
    /// The thresholds of the core say how much of the subject is recognised, but not what else is.
    /// If the pages of a host that are not on the subject come near to them, they are raised; if
    /// there is a gap, they are lowered, though not below what nearly all documents of the core
    /// reach.
    pub fn factors(&self, host: &ScoreCounts, all: &ScoreCounts) -> ThresholdFactors {
        let (voted, judged) = host.voted_and_judged();
        if wilson_lower(voted, judged, CERTAIN) > RELEVANT_SHARE * self.recognised {
            return self.own_factors();
        }
        let factor = |wrong: f64| {
            let least = host.least_cosine(all, wrong, self.least_cosine)?;
            Some(least / self.thresholds.vsm)
        };
        match (factor(WRONG_SHARE), factor(WRONG_UNDOUBTED_SHARE)) {
            (Some(vote), Some(undoubted)) => ThresholdFactors {
                vote,
                undoubted: undoubted.max(self.least_undoubted),
            },
            _ => self.own_factors(),
        }
    }

    /// Returns the votes for a document. If several metrics vote, but no two reach the thresholds
    /// for undoubtedly relevant documents, only the strongest one counts.
    pub fn votes(&self, scores: &MetricScores, factors: ThresholdFactors) -> Votes {
        let votes = self.thresholds.raised(factors.vote).votes(scores);
        if !is_not_passage_alone(votes) {
            let is_strict = scores.passage >= self.lone_passage * factors.vote;
            return if is_strict { votes } else { Votes::default() };
        }
        let strict = self.thresholds.raised(factors.undoubted).votes(scores);
        if votes.is_undoubted() && !strict.is_undoubted() {
            return Votes::of(self.thresholds.strongest(scores));
        }
        votes
    }

    /// Returns `true` if a metric votes for a document by the thresholds of the core alone.
    pub fn is_recommended(&self, scores: &MetricScores) -> bool {
        self.votes(scores, ThresholdFactors::ONE).is_recommended()
    }

    /// Returns how the votes of each two metrics correlate in the core, as `vsm and passage 0.81`,
    /// separated by commas.
    pub fn describe_correlations(&self) -> String {
        let pairs = self.correlations.iter();
        let parts = pairs.map(|(a, b, phi)| format!("{a} and {b} {phi:.2}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the least factor, at least 1, by which no more of a core has two votes than if the votes
/// of two metrics were independent: the square of the share with a vote. Two cosines of a document
/// are nearly the same evidence.
fn least_undoubted(core: &[MetricScores], thresholds: &Thresholds, recognised: f64) -> f64 {
    let goal = recognised * recognised * core.len() as f64;
    let has_more = |factor: f64| {
        let strict = thresholds.raised(factor);
        let undoubted = core
            .iter()
            .filter(|scores| strict.votes(scores).is_undoubted());
        undoubted.count() as f64 > goal
    };
    let ratios = core.iter().map(|scores| scores.vsm / thresholds.vsm);
    let mut factors: Vec<f64> = ratios.filter(|ratio| *ratio > 1.0).collect();
    factors.sort_by(f64::total_cmp);
    factors.insert(0, 1.0);
    let rank = factors.partition_point(|factor| has_more(*factor));
    factors[rank.min(factors.len() - 1)]
}

/// Returns the lower limit of a share, of `found` among `all`, by Wilson's interval (1927) of
/// `errors` standard errors.
pub fn wilson_lower(found: f64, all: f64, errors: f64) -> f64 {
    if all <= 0.0 {
        return 0.0;
    }
    let share = found / all;
    let square = errors * errors;
    let spread = errors * (share * (1.0 - share) / all + 0.25 * square / (all * all)).sqrt();
    (share + 0.5 * square / all - spread) / (1.0 + square / all)
}

/// Returns `true` if a metric other than that of passages votes.
fn is_not_passage_alone(votes: Votes) -> bool {
    votes.metrics().any(|metric| metric != Metric::Passage)
}

/// Returns the correlation (phi) of the votes of each two metrics for a core, without those of
/// which one votes for all documents or for none.
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

    fn cosines(vsm: f64, passage: f64) -> MetricScores {
        MetricScores {
            vsm,
            passage,
            ..MetricScores::default()
        }
    }

    #[test]
    fn two_votes_are_one_unless_both_are_strict() {
        let fit = CoreFit::new(&core(), 0.65);
        let factors = ThresholdFactors {
            vote: 1.0,
            undoubted: 1.5,
        };
        let votes = |cosine: f64| fit.votes(&cosines(cosine, cosine), factors).count();
        let threshold = fit.thresholds.vsm;
        assert_eq!(votes(threshold - 0.01), 0);
        assert_eq!(votes(threshold), 1);
        assert_eq!(votes(1.5 * threshold + 0.01), 2);
    }

    #[test]
    fn thresholds_of_a_host_follow_from_its_background() {
        let fit = CoreFit::new(&core(), 0.65);
        assert_eq!(fit.least_cosine, 0.06);
        let mut host = ScoreCounts::default();
        assert_eq!(fit.factors(&host, &host), fit.own_factors());
        // Nothing is near: nearly all of the core is recognised.
        for page in 0..20 {
            host.add(f64::from(page) * 0.0005, false);
        }
        let low = fit.factors(&host, &host);
        assert_eq!(low.vote, 0.06 / fit.thresholds.vsm);
        assert!(fit.is_recommended(&cosines(fit.thresholds.vsm, 0.0)));
        assert!(!fit.is_recommended(&cosines(0.1, 0.0)));
        assert!(fit.votes(&cosines(0.1, 0.0), low).is_recommended());
        // Near misses.
        for page in 0..200 {
            host.add(0.1 + f64::from(page) * 0.001, false);
        }
        let high = fit.factors(&host, &host);
        assert!(1.0 < high.vote && high.vote < high.undoubted, "{high:?}");
    }

    #[test]
    fn a_passage_alone_votes_by_a_strict_threshold() {
        let fit = CoreFit::new(&core(), 0.65);
        let votes = |passage: f64| {
            fit.votes(&cosines(0.0, passage), ThresholdFactors::ONE)
                .count()
        };
        assert_eq!(votes(fit.thresholds.passage), 0);
        assert_eq!(votes(fit.lone_passage), 1);
        assert!(fit.lone_passage > 0.9, "{fit:?}");
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
    fn a_core_without_scores_can_be_fitted() {
        assert_eq!(CoreFit::new(&[], 0.65).least_cosine, 0.0);
    }
}
