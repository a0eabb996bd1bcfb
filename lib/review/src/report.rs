//! The report on a review: precision of what is accepted, and an estimate of recall.

use crate::estimates::{AcceptedReport, Estimates, FilterReport, Tallies, TallyReport};
use crate::group::Group;
use crate::interval::Interval;
use crate::judgements::Judgements;
use crate::population::Population;
use crate::rule::{AcceptanceRule, GroupTally};
use serde::Serialize;

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
            kept: tally.kept(accepted),
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

/// The estimate of recall from judged documents that the crawler rejected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecallReport {
    /// The rejected documents, those that are judged, and those that are judged relevant.
    #[serde(flatten)]
    pub rejected: TallyReport,
    /// The estimated number of relevant documents that are not accepted: those of groups that are
    /// rejected, or that the rule does not accept, without those judged relevant.
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
            rejected_parts: (!population.is_by_target()).then(|| {
                // Those judged relevant are part of what is missed by the rule.
                let kept = estimates.kept - estimates.rejected.relevant;
                RejectedParts::new(population, judgements, rule, kept)
            }),
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

fn ratio(part: u64, total: u64) -> Option<f64> {
    (total > 0).then(|| part as f64 / total as f64)
}

fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::ReviewReport;
    use crate::group::Grouping;
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
        // 40 undoubted, 16 judged and 80 × 0.8 others of the accepted group, 7 + 3 judged ones.
        assert!((precision.estimate - (40.0 + 16.0 + 64.0 + 10.0) / 146.0).abs() < 1e-12);
        assert!(precision.lower < precision.estimate && precision.upper <= 1.0);
        assert!(report.accepted.undoubted_assumed);
    }

    #[test]
    fn recall_counts_rejected_documents_and_those_of_groups_that_are_not_accepted() {
        let recall = report().recall.unwrap();
        // A quarter of the 48 other rejected documents, and 70 % of the 40 others by passages.
        assert!((recall.missed.estimate - (12.0 + 28.0)).abs() < 1e-12);
        let estimate = recall.recall.unwrap();
        assert!((estimate.estimate - 130.0 / 170.0).abs() < 1e-12);
        assert!(estimate.lower < estimate.estimate && estimate.estimate < estimate.upper);
        // Each host has 6 judged documents, of which fewer than the limit are relevant.
        let parts = recall.rejected_parts.unwrap();
        assert_eq!(parts.by_rule.missed, 3);
        assert_eq!(parts.by_rule.recall, Some(0.9795)); // 143 of 146
        assert_eq!(parts.periods.iter().map(|p| p.documents).sum::<u64>(), 60);
    }
}
