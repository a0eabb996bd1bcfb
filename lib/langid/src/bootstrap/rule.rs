//! The margin rule: which documents teach, and what margin a text is asked for.
//!
//! A margin is how far the language is ahead of the best other one in a text
//! ([`crate::Identifier::compute_lead`]). Texts of the language have much the same, whatever it is for this
//! language; those of a relative that is not known have less, with a long tail that comes near. So
//! both bounds are set by the margins themselves, by quantiles, which a few mistakes among the
//! documents hardly move. The constants were chosen on Bikol, Cebuano, Slovenian and Croatian, each
//! left out of the model.

use std::collections::BTreeMap;

/// Parts into which documents are divided to be left out by turns.
pub const FOLDS: usize = 5;

/// The part of the upper quartile's margin that a document needs to teach.
const TEACHES: f64 = 0.5;

/// Lower half-quartiles below the median at which the least margin is: 4 of them are 2.7 standard
/// deviations where margins are normally distributed.
const BELOW: f64 = 4.0;

/// Documents that are too few to learn a least margin from.
const FEW: usize = 5;

/// The part of what the initial documents expect that they demand of the first documents to teach.
const DEMANDS: f64 = 2.0 / 3.0;

/// Documents without which nothing is learned: with the initial one they are enough for a least
/// margin.
pub(crate) const FEWEST: usize = 4;

/// Documents that come before less is demanded.
const PATIENT: f64 = 40.0;

/// Documents of one host that teach.
const OF_A_HOST: usize = 25;

/// Documents that teach: with more a profile grows slower to load, and hardly better.
const MOST: usize = 200;

/// A document that the former profile accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<'a> {
    /// Its place among all documents.
    pub at: usize,
    /// How far the language is ahead in it.
    pub margin: f64,
    /// Where it is from.
    pub host: &'a str,
}

/// The margin that a document must have to teach: half of what the better ones have.
pub fn min_margin(accepted: &[Candidate<'_>]) -> f64 {
    let margins: Vec<f64> = accepted.iter().map(|candidate| candidate.margin).collect();
    TEACHES * quantile(&margins, 0.75)
}

/// The margin that a document must have to teach while none has been learned: two thirds of what
/// the initial documents expect. For it may be that all of the first documents are of a relative.
///
/// If fewer than `FEWEST` have it, the initial documents may expect too much. Then it falls until
/// so many do, but the lower the more documents have come: not at all before these are `PATIENT`,
/// by half with each doubling after.
pub fn min_initial_margin(accepted: &[Candidate<'_>], expected: f64, documents: usize) -> f64 {
    let demand = DEMANDS * expected.max(0.0);
    let floor = demand * (PATIENT / documents.max(1) as f64).min(1.0);
    let mut margins: Vec<f64> = accepted.iter().map(|candidate| candidate.margin).collect();
    margins.sort_by(|a, b| b.total_cmp(a));
    let met = margins.get(FEWEST - 1).copied().unwrap_or(0.0);
    met.clamp(floor, demand)
}

/// The places of the documents that teach: of those with the margin the first of each host, and
/// evenly chosen from these.
pub fn select_documents(accepted: &[Candidate<'_>], least: f64) -> Vec<usize> {
    let mut of_hosts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sure = Vec::new();
    for candidate in accepted
        .iter()
        .filter(|candidate| candidate.margin >= least)
    {
        let number = of_hosts.entry(candidate.host).or_default();
        *number += 1;
        if *number <= OF_A_HOST {
            sure.push(candidate.at);
        }
    }
    let taken = sure.len().min(MOST);
    (0..taken)
        .map(|number| sure[number * sure.len() / taken])
        .collect()
}

/// The least margin of a text in the language, by the margins of documents in it that were left out
/// of the profile in turn; 0 where these are few. To four decimals, as profiles keep it.
pub fn estimate_rejection_threshold(margins: &[f64]) -> f64 {
    if margins.len() < FEW {
        return 0.0;
    }
    let (median, quartile) = (quantile(margins, 0.5), quantile(margins, 0.25));
    let least = median - BELOW * (median - quartile);
    (least.clamp(0.0, 1.0) * 1e4).floor() / 1e4
}

/// The number below which this share of the numbers is; 0 of none.
pub fn quantile(numbers: &[f64], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (share * numbers.len() as f64) as usize;
    sorted
        .get(at.min(numbers.len().saturating_sub(1)))
        .copied()
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates<'a>(margins: &[f64], host: impl Fn(usize) -> &'a str) -> Vec<Candidate<'a>> {
        margins
            .iter()
            .enumerate()
            .map(|(at, margin)| Candidate {
                at,
                margin: *margin,
                host: host(at),
            })
            .collect()
    }

    #[test]
    fn what_is_hardly_ahead_teaches_nothing() {
        let accepted = candidates(&[0.6, 0.1, 0.7, 0.02, 0.5], |_| "a.test");
        let least = min_margin(&accepted);
        assert!((least - 0.3).abs() < 1e-9);
        assert_eq!(select_documents(&accepted, least), [0, 2, 4]);
    }

    #[test]
    fn a_language_with_a_near_neighbour_teaches_by_its_own_measure() {
        let accepted = candidates(&[0.06, 0.09, 0.01, 0.08], |_| "a.test");
        assert_eq!(
            select_documents(&accepted, min_margin(&accepted)),
            [0, 1, 3]
        );
    }

    #[test]
    fn first_documents_teach_only_if_they_are_like_the_initial_one_until_many_have_come() {
        let accepted = candidates(&[0.06, 0.09, 0.31, 0.08, 0.41, 0.05], |_| "a.test");
        let teachers_at =
            |documents| select_documents(&accepted, min_initial_margin(&accepted, 0.6, documents));
        assert_eq!(teachers_at(40), [4]);
        assert_eq!(teachers_at(60), [2, 4]);
        assert_eq!(teachers_at(1000), [1, 2, 3, 4], "no more than are needed");
    }

    #[test]
    fn one_host_does_not_take_over() {
        let accepted = candidates(
            &[0.5; 100],
            |at| if at < 90 { "big.test" } else { "small.test" },
        );
        let chosen = select_documents(&accepted, 0.1);
        assert_eq!((chosen.len(), chosen[24], chosen[25]), (35, 24, 90));
    }

    #[test]
    fn of_very_many_some_are_chosen_evenly() {
        let hosts: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let chosen = select_documents(&candidates(&[0.5; 1000], |at| &hosts[at]), 0.1);
        assert_eq!((chosen.len(), chosen[1], chosen[199]), (200, 5, 995));
    }

    #[test]
    fn the_least_margin_is_not_moved_by_a_few_mistakes() {
        let good: Vec<f64> = (0..40).map(|n| 0.7 + 0.005 * f64::from(n)).collect();
        let spoilt: Vec<f64> = good.iter().copied().chain([0.1, 0.2, 0.3]).collect();
        let (good, spoilt) = (
            estimate_rejection_threshold(&good),
            estimate_rejection_threshold(&spoilt),
        );
        assert!(
            (0.55..0.65).contains(&good) && (good - spoilt).abs() < 0.06,
            "{good} {spoilt}"
        );
        assert!(
            estimate_rejection_threshold(&[0.1, 0.9, 0.9, 0.9]).abs() < 1e-9,
            "four are few"
        );
    }
}
