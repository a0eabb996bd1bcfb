//! The report on a review: precision of what is accepted, and an estimate of recall.

use crate::group::Group;
use crate::interval::Interval;
use crate::judgements::Judgements;
use crate::population::Population;
use crate::rule::{AcceptanceRule, GroupTally};
use serde::Serialize;
use std::collections::BTreeMap;

/// The numbers of documents by group.
type Tallies<'a> = BTreeMap<&'a Group, GroupTally>;

/// The report on a review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewReport {
    /// The groups, without the rejected documents.
    pub groups: Vec<GroupReport>,
    /// The work of the people who judged.
    pub judged: JudgedReport,
    /// What the filter of the run accepted; `None` if not all groups of it are judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterReport>,
    /// What the rule accepts.
    pub accepted: AcceptedReport,
    /// The estimate of recall; `None` if no rejected document is judged.
    pub recall: Option<RecallReport>,
    /// The same for each class, if each has groups of its own and there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassReport>,
}

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

/// The estimates for a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassReport {
    /// The class.
    pub class: String,
    /// Its documents that the filter accepted; `None` if not all groups of them are judged.
    pub filter: Option<FilterReport>,
    /// Its documents that the rule accepts.
    pub accepted: AcceptedReport,
    /// The estimated number of its documents that are missed, and the recall; `None` if no rejected
    /// document is judged. Documents of the class that were accepted as those of another one are
    /// not among them.
    pub missed: Option<Interval>,
    /// The share of its documents that is accepted.
    pub recall: Option<Interval>,
}

/// The review of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupReport {
    /// The name of the group.
    pub group: String,
    /// Its documents.
    pub documents: u64,
    /// Those that are judged.
    pub judged: u64,
    /// Those that are judged relevant.
    pub relevant: u64,
    /// The estimated share of relevant documents; `None` if none is judged.
    pub precision: Option<Interval>,
    /// True if the rule accepts the group.
    pub accepted: bool,
    /// The documents that are kept.
    pub kept: u64,
}

impl GroupReport {
    /// Creates the report on a group.
    pub fn new(group: &Group, tally: &GroupTally, rule: AcceptanceRule) -> GroupReport {
        let accepted = rule.accepts_group(group, tally);
        GroupReport {
            group: group.name().into(),
            documents: tally.documents,
            judged: tally.judged,
            relevant: tally.relevant,
            precision: tally.share(),
            accepted,
            kept: match group {
                Group::Rejected(_) => 0,
                _ => tally.kept(accepted),
            },
        }
    }
}

/// The work of the people who judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedReport {
    /// The judged documents of the groups.
    pub documents: u64,
    /// Their share of all documents of the groups.
    pub share: f64,
    /// The judged documents among the rejected ones.
    pub rejected: u64,
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

/// The estimate of recall from judged documents that the crawler rejected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecallReport {
    /// The rejected documents, those that are judged, and those that are judged relevant.
    #[serde(flatten)]
    pub rejected: TallyReport,
    /// The estimated number of relevant documents that are not accepted: rejected ones, and those
    /// of groups that the rule does not accept.
    pub missed: Interval,
    /// The share of relevant documents that is accepted.
    pub recall: Option<Interval>,
    /// The groups without a judgement, whose relevant documents are not among the missed ones.
    pub unjudged_groups: Vec<String>,
    /// Figures of the rejected documents, which are a sample only if they are one group.
    #[serde(flatten)]
    pub rejected_parts: Option<RejectedParts>,
}

/// The rejected documents by period and host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RejectedParts {
    /// The estimate by the rule for groups.
    pub by_rule: RuleRecall,
    /// The rejected documents in each third of the crawl.
    pub periods: Vec<TallyReport>,
    /// The rejected documents of each host of which one is judged.
    pub hosts: Vec<HostReport>,
}

/// Estimates from the tallies of groups.
struct Estimates {
    filter: Option<FilterReport>,
    /// The documents that are kept.
    kept: u64,
    accepted: AcceptedReport,
    rejected: TallyReport,
    missed: Interval,
    recall: Option<Interval>,
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

/// The estimate of recall by the rule for groups, applied to the rejected documents of each host
/// (Kluev 2000, section 5).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleRecall {
    /// The rejected documents that count as relevant.
    pub missed: u64,
    /// The accepted documents relative to these and the accepted ones; `None` if there are none.
    pub recall: Option<f64>,
}

/// The rejected documents of a host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostReport {
    /// The host.
    pub host: String,
    /// Its counts.
    #[serde(flatten)]
    pub tally: TallyReport,
    /// The documents that count as relevant by the rule.
    pub missed_by_rule: u64,
}

impl ReviewReport {
    /// Creates the report on the documents of `population`.
    pub fn new(
        population: &Population,
        judgements: &Judgements,
        rule: AcceptanceRule,
    ) -> ReviewReport {
        let tallies = population.tallies(judgements);
        let estimates = Estimates::new(&tallies, rule);
        let groups: Vec<GroupReport> = tallies
            .iter()
            .filter(|(group, _)| !group.is_rejected())
            .map(|(group, tally)| GroupReport::new(group, tally, rule))
            .collect();
        let documents: u64 = groups.iter().map(|group| group.documents).sum();
        let judged: u64 = groups.iter().map(|group| group.judged).sum();
        let recall = (estimates.rejected.judged > 0)
            .then(|| RecallReport::new(population, judgements, rule, &tallies, &estimates));
        let mut classes = Vec::new();
        if population.is_by_target() {
            let by_class = population.class_tallies(judgements).into_iter();
            classes
                .extend(by_class.map(|(class, tallies)| ClassReport::new(class, &tallies, rule)));
        }
        ReviewReport {
            judged: JudgedReport {
                documents: judged,
                share: round(ratio(judged, documents).unwrap_or_default()),
                rejected: estimates.rejected.judged,
            },
            // Undoubted documents, which a crawl by metrics has, are seldom judged.
            filter: estimates.filter.filter(|_| population.is_by_target()),
            accepted: estimates.accepted,
            groups,
            recall,
            classes: if classes.len() > 1 {
                classes
            } else {
                Vec::new()
            },
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

impl ClassReport {
    fn new(class: &str, tallies: &Tallies<'_>, rule: AcceptanceRule) -> ClassReport {
        let estimates = Estimates::new(tallies, rule);
        let has_rejected = estimates.rejected.judged > 0;
        ClassReport {
            class: class.into(),
            filter: estimates.filter,
            accepted: estimates.accepted,
            missed: has_rejected.then_some(estimates.missed),
            recall: estimates.recall.filter(|_| has_rejected),
        }
    }
}

impl Estimates {
    fn new(tallies: &Tallies<'_>, rule: AcceptanceRule) -> Estimates {
        let in_groups = || tallies.iter().filter(|(group, _)| !group.is_rejected());
        let kept = in_groups()
            .map(|(group, tally)| tally.kept(rule.accepts_group(group, tally)))
            .sum();
        let relevant: Vec<Interval> = in_groups()
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
                undoubted_assumed: in_groups()
                    .any(|(group, tally)| **group == Group::Undoubted && tally.judged == 0),
            },
            rejected: rejected_report(tallies),
            missed,
            recall: estimate_recall(relevant, missed),
        }
    }
}

impl RecallReport {
    fn new(
        population: &Population,
        judgements: &Judgements,
        rule: AcceptanceRule,
        tallies: &Tallies<'_>,
        estimates: &Estimates,
    ) -> RecallReport {
        let is_unjudged = |(group, tally): &(&&Group, &GroupTally)| {
            **group != &Group::Undoubted && tally.judged == 0
        };
        RecallReport {
            rejected: estimates.rejected.clone(),
            missed: estimates.missed,
            recall: estimates.recall,
            unjudged_groups: tallies
                .iter()
                .filter(is_unjudged)
                .map(|(group, _)| group.name().to_owned())
                .collect(),
            rejected_parts: (!population.is_by_target())
                .then(|| RejectedParts::new(population, judgements, rule, estimates.kept)),
        }
    }
}

impl RejectedParts {
    fn new(
        population: &Population,
        judgements: &Judgements,
        rule: AcceptanceRule,
        kept: u64,
    ) -> RejectedParts {
        let (periods, hosts) = population.rejected_tallies(judgements);
        let hosts: Vec<HostReport> = hosts
            .into_iter()
            .filter(|(_, tally)| tally.judged > 0)
            .map(|(host, tally)| HostReport {
                host: host.into(),
                missed_by_rule: tally.kept(rule.exceeds_limit(&tally)),
                tally: TallyReport::new(&tally),
            })
            .collect();
        let missed = hosts.iter().map(|host| host.missed_by_rule).sum();
        RejectedParts {
            by_rule: RuleRecall {
                missed,
                recall: ratio(kept, kept + missed).map(round),
            },
            periods: periods.iter().map(TallyReport::new).collect(),
            hosts,
        }
    }
}

impl TallyReport {
    fn new(tally: &GroupTally) -> TallyReport {
        TallyReport {
            documents: tally.documents,
            judged: tally.judged,
            relevant: tally.relevant,
            share: tally.share(),
        }
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
    let unjudged = tally.relevant_unjudged()?;
    let known = if group.is_rejected() {
        tally.relevant
    } else {
        0
    };
    Some(Interval::sum(&[Interval::exact(known as f64), unjudged]))
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

fn ratio(part: u64, total: u64) -> Option<f64> {
    (total > 0).then(|| part as f64 / total as f64)
}

fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::{ReviewReport, estimate_recall};
    use crate::group::Grouping;
    use crate::interval::Interval;
    use crate::judgements::Judgements;
    use crate::population::Population;
    use crate::rule::AcceptanceRule;
    use forage_record::Record;
    use forage_run::Event;

    /// 40 undoubted documents, 100 by the vector space model of which 16 of 20 judged are relevant,
    /// 50 by passages of which 7 of 10 are, and 60 rejected ones of which 3 of 12 are.
    fn report() -> ReviewReport {
        let mut population = Population::new(Grouping::parse("topic.metrics").unwrap());
        let mut judgements = Judgements::new();
        let mut number = 0;
        for (metrics, documents, judged, relevant) in [
            (r#""vsm","term""#, 40, 0, 0),
            (r#""vsm""#, 100, 20, 16),
            (r#""passage""#, 50, 10, 7),
            ("", 60, 12, 3),
        ] {
            for place in 0..documents {
                number += 1;
                let url = format!("http://{}.test/{number}", place % 2);
                let json =
                    format!(r#"{{"url":"{url}","text":"x","topic":{{"metrics":[{metrics}]}}}}"#);
                let record = Record::parse(json.into_bytes()).unwrap();
                population
                    .add_record(number, &Event::from_record(&record), None)
                    .unwrap();
                if place < judged {
                    let verdict = if place < relevant { "yes" } else { "no" };
                    judgements
                        .add_line(format!("{url}\t{verdict}").as_bytes())
                        .unwrap();
                }
            }
        }
        ReviewReport::new(&population, &judgements, AcceptanceRule { limit: 0.75 })
    }

    #[test]
    fn groups_are_accepted_by_the_rule() {
        let report = report();
        let kept: Vec<_> = report
            .groups
            .iter()
            .map(|group| (group.group.as_str(), group.accepted, group.kept))
            .collect();
        assert_eq!(
            kept,
            [
                ("passage", false, 7),
                ("vsm", true, 96),
                ("undoubted", true, 40)
            ]
        );
        assert_eq!((report.judged.documents, report.judged.share), (30, 0.1579));
    }

    #[test]
    fn precision_is_that_of_the_kept_documents() {
        let report = report();
        let precision = report.accepted.precision.unwrap();
        // 40 undoubted, 16 judged and 80 × 0.8 others of the accepted group, 7 judged ones.
        assert!((precision.estimate - (40.0 + 16.0 + 64.0 + 7.0) / 143.0).abs() < 1e-12);
        assert!(precision.lower < precision.estimate && precision.upper <= 1.0);
        assert!(report.accepted.undoubted_assumed);
    }

    #[test]
    fn recall_counts_rejected_documents_and_those_of_groups_that_are_not_accepted() {
        let recall = report().recall.unwrap();
        // A quarter of the rejected documents, and 70 % of the 40 others chosen by passages.
        assert!((recall.missed.estimate - (15.0 + 28.0)).abs() < 1e-12);
        let estimate = recall.recall.unwrap();
        assert!((estimate.estimate - 127.0 / 170.0).abs() < 1e-12);
        assert!(estimate.lower < estimate.estimate && estimate.estimate < estimate.upper);
        // Each host has 6 judged documents, of which fewer than the limit are relevant.
        let parts = recall.rejected_parts.unwrap();
        assert_eq!(parts.by_rule.missed, 3);
        assert_eq!(parts.periods.iter().map(|p| p.documents).sum::<u64>(), 60);
    }

    #[test]
    fn recall_is_defined_at_the_limits() {
        let none = Interval::exact(0.0);
        assert_eq!(estimate_recall(none, none), None);
        let recall = estimate_recall(Interval::exact(5.0), none).unwrap();
        assert_eq!((recall.lower, recall.upper), (1.0, 1.0));
    }
}
