//! The rule by which a group is accepted.

use crate::group::Group;
use crate::interval::Interval;
use crate::judgements::Verdict;

/// A group is accepted if more than this share of its judged documents is relevant (Kluev 2000,
/// section 4: "more than 75 %").
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AcceptanceRule {
    /// The share, 0 to 1. A group that has exactly this share is not accepted.
    pub limit: f64,
}

impl AcceptanceRule {
    /// Parses a limit, which may be 0 but not 1: no share exceeds 1.
    ///
    /// # Errors
    /// Fails if `text` is not such a share.
    pub fn parse_limit(text: &str) -> Result<f64, String> {
        text.parse()
            .ok()
            .filter(|limit| (0.0..1.0).contains(limit))
            .ok_or_else(|| "not a share of at least 0 and under 1".into())
    }

    /// Returns `true` if a group is accepted.
    pub fn accepts_group(self, group: &Group, tally: &GroupTally) -> bool {
        match group {
            Group::Undoubted => true,
            Group::Rejected(_) => false,
            Group::Judged(_) => self.exceeds_limit(tally),
        }
    }

    /// Returns `true` if more judged documents are relevant than the limit requires.
    pub fn exceeds_limit(self, tally: &GroupTally) -> bool {
        tally.judged > 0 && tally.relevant as f64 > self.limit * tally.judged as f64
    }

    /// Returns `true` if a document is kept: of an accepted group all but those judged nonrelevant,
    /// of another group, also of a rejected one, only those judged relevant.
    pub fn keeps_document(is_accepted: bool, verdict: Option<Verdict>) -> bool {
        match verdict {
            Some(verdict) => verdict == Verdict::Relevant,
            None => is_accepted,
        }
    }
}

/// The numbers of documents of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupTally {
    /// All documents.
    pub documents: u64,
    /// Documents that were judged.
    pub judged: u64,
    /// Documents that were judged relevant.
    pub relevant: u64,
}

impl std::iter::Sum for GroupTally {
    fn sum<I: Iterator<Item = GroupTally>>(tallies: I) -> GroupTally {
        tallies.fold(GroupTally::default(), |sum, tally| GroupTally {
            documents: sum.documents + tally.documents,
            judged: sum.judged + tally.judged,
            relevant: sum.relevant + tally.relevant,
        })
    }
}

impl GroupTally {
    /// Counts a document.
    pub fn add_document(&mut self, verdict: Option<Verdict>) {
        self.documents += 1;
        self.judged += u64::from(verdict.is_some());
        self.relevant += u64::from(verdict == Some(Verdict::Relevant));
    }

    /// Returns the number of documents that are kept if the group is accepted, or is not.
    pub fn kept(&self, is_accepted: bool) -> u64 {
        if is_accepted {
            self.documents - (self.judged - self.relevant)
        } else {
            self.relevant
        }
    }

    /// Estimates the share of relevant documents; `None` if none is judged.
    pub fn share(&self) -> Option<Interval> {
        Interval::of_share(self.relevant, self.judged, self.documents)
    }

    /// Estimates the number of relevant documents that were not judged; `None` if none is judged.
    pub fn relevant_unjudged(&self) -> Option<Interval> {
        let share = self.share()?;
        let known = self.relevant as f64;
        let unjudged = (self.documents - self.judged) as f64;
        // The interval is that of the number in the group, of which the judged part is known.
        let bounded = |share: f64| (share * self.documents as f64 - known).clamp(0.0, unjudged);
        Some(Interval {
            estimate: share.estimate * unjudged,
            lower: bounded(share.lower),
            upper: bounded(share.upper),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{AcceptanceRule, GroupTally};
    use crate::group::Group;

    #[test]
    fn a_group_must_exceed_the_limit() {
        let rule = AcceptanceRule { limit: 0.75 };
        let group = Group::Judged("vsm".into());
        let accepts = |relevant, judged| {
            let tally = GroupTally {
                documents: 100,
                judged,
                relevant,
            };
            (
                rule.accepts_group(&group, &tally),
                tally.kept(rule.accepts_group(&group, &tally)),
            )
        };
        assert_eq!(accepts(16, 20), (true, 96));
        assert_eq!(accepts(15, 20), (false, 15));
        assert_eq!(accepts(3, 4), (false, 3));
        assert_eq!(accepts(0, 0), (false, 0));
    }

    #[test]
    fn undoubted_documents_are_accepted_and_rejected_ones_are_not() {
        let rule = AcceptanceRule { limit: 0.75 };
        let none = GroupTally::default();
        assert!(rule.accepts_group(&Group::Undoubted, &none));
        let all = GroupTally {
            documents: 9,
            judged: 9,
            relevant: 9,
        };
        assert!(!rule.accepts_group(&Group::rejected(), &all));
    }
}
