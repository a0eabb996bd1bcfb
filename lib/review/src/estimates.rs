//! Estimates of precision and recall from the tallies of groups.

use crate::group::Group;
use crate::interval::Interval;
use crate::rule::{AcceptanceRule, GroupTally};
use serde::Serialize;
use std::collections::BTreeMap;

/// The numbers of documents by group.
pub(crate) type Tallies<'a> = BTreeMap<&'a Group, GroupTally>;

/// What the filter of a run accepted, before the review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FilterReport {
    /// Its documents.
    pub documents: u64,
    /// The share of them that is relevant.
    pub precision: Interval,
    /// The share of relevant documents that it accepted; `None` if no rejected document is judged.
    pub recall: Option<Interval>,
}

/// What the rule accepts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AcceptedReport {
    /// The accepted documents.
    pub documents: u64,
    /// The share of them that is relevant; `None` if nothing is accepted.
    pub precision: Option<Interval>,
    /// True if undoubted documents count as relevant because none of them is judged.
    pub undoubted_assumed: bool,
}

/// Counts of rejected documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TallyReport {
    /// All documents.
    pub documents: u64,
    /// Those that are judged.
    pub judged: u64,
    /// Those that are judged relevant.
    pub relevant: u64,
    /// The estimated share of relevant ones; `None` if none is judged.
    pub share: Option<Interval>,
}

/// Estimates from the tallies of groups.
pub(crate) struct Estimates {
    pub(crate) filter: Option<FilterReport>,
    /// The documents that are kept.
    pub(crate) kept: u64,
    pub(crate) accepted: AcceptedReport,
    pub(crate) rejected: TallyReport,
    pub(crate) missed: Interval,
    pub(crate) recall: Option<Interval>,
}

impl Estimates {
    pub(crate) fn new(tallies: &Tallies<'_>, rule: AcceptanceRule) -> Estimates {
        let kept = tallies
            .iter()
            .map(|(group, tally)| tally.kept(rule.accepts_group(group, tally)))
            .sum();
        let relevant: Vec<Interval> = tallies
            .iter()
            .map(|(group, tally)| relevant_kept(group, tally, rule))
            .collect();
        let relevant = Interval::sum(&relevant);
        let missed: Vec<Interval> = tallies
            .iter()
            .filter_map(|(group, tally)| relevant_missed(group, tally, rule))
            .collect();
        let missed = Interval::sum(&missed);
        Estimates {
            filter: FilterReport::new(tallies),
            kept,
            accepted: AcceptedReport {
                documents: kept,
                precision: (kept > 0).then(|| relevant.scaled(1.0 / kept as f64).within_share()),
                undoubted_assumed: tallies
                    .iter()
                    .any(|(group, tally)| **group == Group::Undoubted && tally.judged == 0),
            },
            rejected: rejected_report(tallies),
            missed,
            recall: estimate_recall(relevant, missed),
        }
    }
}

impl TallyReport {
    pub(crate) fn new(tally: &GroupTally) -> TallyReport {
        TallyReport {
            documents: tally.documents,
            judged: tally.judged,
            relevant: tally.relevant,
            share: tally.share(),
        }
    }
}

impl FilterReport {
    fn new(tallies: &Tallies<'_>) -> Option<FilterReport> {
        let relevant = |(_, tally): (&&Group, &GroupTally)| {
            let share = tally.share()?;
            Some(share.scaled(tally.documents as f64))
        };
        let part = |is_rejected| {
            let groups = tallies.iter();
            groups.filter(move |(group, _)| group.is_rejected() == is_rejected)
        };
        let accepted: Option<Vec<Interval>> = part(false).map(relevant).collect();
        let accepted = Interval::sum(&accepted?);
        let documents: u64 = part(false).map(|(_, tally)| tally.documents).sum();
        let missed: Vec<Interval> = part(true).filter_map(relevant).collect();
        let recall = (!missed.is_empty())
            .then(|| estimate_recall(accepted, Interval::sum(&missed)))
            .flatten();
        (documents > 0).then(|| FilterReport {
            documents,
            precision: accepted.scaled(1.0 / documents as f64).within_share(),
            recall: recall.map(Interval::within_share),
        })
    }
}

/// Estimates the number of relevant documents among those of a group that are kept. Undoubted
/// documents count as relevant if none is judged (Kluev 2000, section 4).
fn relevant_kept(group: &Group, tally: &GroupTally, rule: AcceptanceRule) -> Interval {
    let known = Interval::exact(tally.relevant as f64);
    if !rule.accepts_group(group, tally) {
        return known;
    }
    match tally.relevant_unjudged() {
        Some(unjudged) => Interval::sum(&[known, unjudged]),
        None => Interval::exact(tally.documents as f64),
    }
}

/// Estimates the number of relevant documents of a group that are not kept; `None` if none is
/// judged.
fn relevant_missed(group: &Group, tally: &GroupTally, rule: AcceptanceRule) -> Option<Interval> {
    if rule.accepts_group(group, tally) {
        return None;
    }
    tally.relevant_unjudged()
}

/// Estimates recall from the numbers of relevant documents that are accepted and missed; `None` if
/// there are none. The limits combine opposite limits of the numbers, so the interval is wider than
/// one of 95 %.
fn estimate_recall(accepted: Interval, missed: Interval) -> Option<Interval> {
    let recall = |accepted: f64, missed: f64| accepted / (accepted + missed);
    (accepted.estimate + missed.estimate > 0.0).then(|| {
        let estimate = recall(accepted.estimate, missed.estimate);
        let [lower, upper] = [
            recall(accepted.lower, missed.upper),
            recall(accepted.upper, missed.lower),
        ];
        Interval {
            estimate,
            // 0/0 if a limit of both is 0.
            lower: if lower.is_nan() { 0.0 } else { lower },
            upper: if upper.is_nan() { 1.0 } else { upper },
        }
    })
}

/// Returns the counts of all rejected documents. The share is that of the groups that are judged.
fn rejected_report(tallies: &Tallies<'_>) -> TallyReport {
    let rejected = || tallies.iter().filter(|(group, _)| group.is_rejected());
    let sum: GroupTally = rejected().map(|(_, tally)| *tally).sum();
    let mut judged_documents = 0;
    let mut relevant = Vec::new();
    for (_, tally) in rejected() {
        if let Some(share) = tally.share() {
            judged_documents += tally.documents;
            relevant.push(share.scaled(tally.documents as f64));
        }
    }
    let share = (judged_documents > 0).then(|| {
        let relevant = Interval::sum(&relevant);
        relevant
            .scaled(1.0 / judged_documents as f64)
            .within_share()
    });
    TallyReport {
        share,
        ..TallyReport::new(&sum)
    }
}

#[cfg(test)]
mod tests {
    use super::{Estimates, Tallies, estimate_recall};
    use crate::group::Group;
    use crate::interval::Interval;
    use crate::rule::{AcceptanceRule, GroupTally};
    use forage_text::Random;

    #[test]
    fn recall_is_defined_at_the_limits() {
        let none = Interval::exact(0.0);
        assert_eq!(estimate_recall(none, none), None);
        let recall = estimate_recall(Interval::exact(5.0), none).unwrap();
        assert_eq!((recall.lower, recall.upper), (1.0, 1.0));
    }

    #[test]
    fn groups_of_different_shares_are_put_together_by_their_sizes() {
        let groups = [
            ("slv", 90, 10, 10),
            ("slv/near", 10, 10, 5),
            ("rejected/slv", 80, 10, 0),
            ("rejected/slv/near", 20, 10, 1),
        ]
        .map(|(name, documents, judged, relevant)| {
            let tally = GroupTally {
                documents,
                judged,
                relevant,
            };
            (Group::from_name(name), tally)
        });
        let tallies: Tallies<'_> = groups
            .iter()
            .map(|(group, tally)| (group, *tally))
            .collect();
        let estimates = Estimates::new(&tallies, AcceptanceRule { limit: 0.75 });
        let filter = estimates.filter.unwrap();
        assert!((filter.precision.estimate - 0.95).abs() < 1e-12);
        assert!((filter.recall.unwrap().estimate - 95.0 / 97.0).abs() < 1e-12);
        let rejected = estimates.rejected;
        assert_eq!(
            (rejected.documents, rejected.judged, rejected.relevant),
            (100, 20, 1)
        );
        assert!((rejected.share.unwrap().estimate - 0.02).abs() < 1e-12);
        // The five others near the threshold are known not to be relevant; the one rejected
        // document that is, is kept.
        assert_eq!(estimates.kept, 96);
        assert!((estimates.missed.estimate - 1.0).abs() < 1e-12);
    }

    #[test]
    fn intervals_of_groups_together_contain_the_truth() {
        // Documents, judged, relevant.
        let groups = [
            ("slv", 900, 30, 855),
            ("slv/near", 300, 30, 240),
            ("rejected/slv", 500, 30, 50),
        ];
        let (mut precision, mut recall) = (0, 0);
        for seed in 0..1000 {
            let mut random = Random::for_purpose(seed, &["coverage"]);
            let drawn = groups.map(|(name, documents, judged, relevant)| {
                let mut tally = GroupTally {
                    documents,
                    ..GroupTally::default()
                };
                while tally.judged < judged {
                    let left = documents - tally.judged;
                    let is_relevant = random.next_below(left) < relevant - tally.relevant;
                    tally.relevant += u64::from(is_relevant);
                    tally.judged += 1;
                }
                (Group::from_name(name), tally)
            });
            let tallies: Tallies<'_> = drawn.iter().map(|(group, tally)| (group, *tally)).collect();
            let filter = Estimates::new(&tallies, AcceptanceRule { limit: 0.75 })
                .filter
                .unwrap();
            let contains = |interval: Interval, truth| {
                u32::from((interval.lower..=interval.upper).contains(&truth))
            };
            precision += contains(filter.precision, 1095.0 / 1200.0);
            recall += contains(filter.recall.unwrap(), 1095.0 / 1145.0);
        }
        assert!(precision >= 930 && recall >= 930, "{precision} {recall}");
    }
}
