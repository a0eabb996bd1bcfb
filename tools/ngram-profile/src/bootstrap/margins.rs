//! Margins: the selection of documents for the self-training sample, and the rejection threshold.
//!
//! The margin of a document is the lead of the language over the best other one
//! ([`forage_langid::Identifier::compute_lead`]). Texts in the language have similar margins, whose
//! level depends on the language. Texts in a related language that no model has are less ahead,
//! with a long tail that comes close. So both bounds are computed from quantiles of the margins,
//! which a few misclassified documents hardly change.
//!
//! The constants were chosen on Bikol, Cebuano, Slovenian and Croatian, each removed from the
//! model. BENCHMARKS.md, "Bootstrapped filters", has the results; `docs/algorithms.md`,
//! "Bootstrapped filters", the rules.

use std::collections::BTreeMap;

/// Number of folds of the cross-validation that measures margins.
pub(crate) const FOLDS: usize = 5;

/// Minimum margin of a document of the sample, as a share of the upper quartile of the margins.
const MIN_MARGIN_SHARE: f64 = 0.5;

/// Distance of the rejection threshold below the median, in differences of median and lower
/// quartile. Four of these are 2.7 standard deviations if margins are normally distributed.
const THRESHOLD_DISTANCE: f64 = 4.0;

/// Minimum number of documents for the estimate of a rejection threshold.
const MIN_DOCUMENTS_FOR_THRESHOLD: usize = 5;

/// Minimum margin of the documents of the first sample, as a share of the margin that the initial
/// documents lead to expect.
const INITIAL_MARGIN_SHARE: f64 = 2.0 / 3.0;

/// Minimum number of documents in a sample: with an initial document, they are enough for a
/// rejection threshold.
pub(crate) const MIN_SAMPLE: usize = 4;

/// Maximum number of retrieved documents at which the first sample's minimum margin is not lowered.
const DOCUMENTS_BEFORE_LOWERING: f64 = 40.0;

/// Maximum number of documents per host in a sample.
const MAX_PER_HOST: usize = 25;

/// Maximum number of documents in a sample. With more, a profile takes longer to load and is hardly
/// better.
const MAX_SAMPLE: usize = 200;

/// A document that the previous profile accepted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AcceptedDocument<'a> {
    /// Index among all documents.
    pub(crate) index: usize,
    /// Lead of the language over the best other one.
    pub(crate) margin: f64,
    /// Host of the document.
    pub(crate) host: &'a str,
}

/// Returns the margin that a document needs to be in the sample: half of the upper quartile.
pub(crate) fn min_margin(accepted: &[AcceptedDocument<'_>]) -> f64 {
    let margins: Vec<f64> = accepted.iter().map(|document| document.margin).collect();
    MIN_MARGIN_SHARE * quantile(&margins, 0.75)
}

/// Returns the margin that a document needs to be in the first sample: two thirds of `expected`,
/// the margin that the initial documents lead to expect. It is stricter than [`min_margin`] because
/// all of the first documents may be in a related language.
///
/// If fewer than `MIN_SAMPLE` documents reach it, the expectation may be too high. The result is
/// then the largest margin that `MIN_SAMPLE` documents reach, but not less than a lower bound that
/// depends on `documents`, the number retrieved: two thirds of `expected` up to
/// `DOCUMENTS_BEFORE_LOWERING`, and half as much with each doubling after.
pub(crate) fn min_initial_margin(
    accepted: &[AcceptedDocument<'_>],
    expected: f64,
    documents: usize,
) -> f64 {
    let upper_bound = INITIAL_MARGIN_SHARE * expected.max(0.0);
    let lower_bound = upper_bound * (DOCUMENTS_BEFORE_LOWERING / documents.max(1) as f64).min(1.0);
    let mut margins: Vec<f64> = accepted.iter().map(|document| document.margin).collect();
    margins.sort_by(|a, b| b.total_cmp(a));
    let reached = margins.get(MIN_SAMPLE - 1).copied().unwrap_or(0.0);
    reached.clamp(lower_bound, upper_bound)
}

/// Returns the indices of the documents of the sample. Of the documents with a margin of at least
/// `min_margin`, the first ones of each host qualify; the sample is spread evenly over these.
pub(crate) fn select_documents(accepted: &[AcceptedDocument<'_>], min_margin: f64) -> Vec<usize> {
    let mut per_host: BTreeMap<&str, usize> = BTreeMap::new();
    let mut qualified = Vec::new();
    let sufficient = accepted
        .iter()
        .filter(|document| document.margin >= min_margin);
    for document in sufficient {
        let number = per_host.entry(document.host).or_default();
        *number += 1;
        if *number <= MAX_PER_HOST {
            qualified.push(document.index);
        }
    }
    let size = qualified.len().min(MAX_SAMPLE);
    let spread = |number| qualified[number * qualified.len() / size];
    (0..size).map(spread).collect()
}

/// Returns the rejection threshold, given the margins of the documents of the sample by profiles
/// that were learned without them; 0 if there are too few. To four decimals, as in a profile file.
pub(crate) fn estimate_rejection_threshold(margins: &[f64]) -> f64 {
    if margins.len() < MIN_DOCUMENTS_FOR_THRESHOLD {
        return 0.0;
    }
    let median = quantile(margins, 0.5);
    let lower_quartile = quantile(margins, 0.25);
    let threshold = median - THRESHOLD_DISTANCE * (median - lower_quartile);
    (threshold.clamp(0.0, 1.0) * 1e4).floor() / 1e4
}

/// Returns the number below which this share of the numbers lies; 0 if there are none.
pub(crate) fn quantile(numbers: &[f64], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (share * numbers.len() as f64) as usize;
    let number = sorted.get(index.min(numbers.len().saturating_sub(1)));
    number.copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accept<'a>(margins: &[f64], host: impl Fn(usize) -> &'a str) -> Vec<AcceptedDocument<'a>> {
        margins
            .iter()
            .enumerate()
            .map(|(index, margin)| AcceptedDocument {
                index,
                margin: *margin,
                host: host(index),
            })
            .collect()
    }

    #[test]
    fn documents_with_a_small_margin_are_not_selected() {
        let accepted = accept(&[0.6, 0.1, 0.7, 0.02, 0.5], |_| "a.test");
        let minimum = min_margin(&accepted);
        assert!((minimum - 0.3).abs() < 1e-9);
        assert_eq!(select_documents(&accepted, minimum), [0, 2, 4]);
    }

    #[test]
    fn the_minimum_margin_adapts_to_a_language_with_a_close_relative() {
        let accepted = accept(&[0.06, 0.09, 0.01, 0.08], |_| "a.test");
        assert_eq!(
            select_documents(&accepted, min_margin(&accepted)),
            [0, 1, 3]
        );
    }

    #[test]
    fn the_first_sample_needs_the_expected_margin_until_many_documents_were_retrieved() {
        let accepted = accept(&[0.06, 0.09, 0.31, 0.08, 0.41, 0.05], |_| "a.test");
        let selected_after =
            |documents| select_documents(&accepted, min_initial_margin(&accepted, 0.6, documents));
        assert_eq!(selected_after(40), [4]);
        assert_eq!(selected_after(60), [2, 4]);
        assert_eq!(selected_after(1000), [1, 2, 3, 4], "no more than needed");
    }

    #[test]
    fn limits_the_documents_per_host() {
        let accepted = accept(&[0.5; 100], |index| {
            if index < 90 { "big.test" } else { "small.test" }
        });
        let selected = select_documents(&accepted, 0.1);
        assert_eq!((selected.len(), selected[24], selected[25]), (35, 24, 90));
    }

    #[test]
    fn spreads_the_selection_evenly_over_many_documents() {
        let hosts: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let selected = select_documents(&accept(&[0.5; 1000], |index| &hosts[index]), 0.1);
        assert_eq!((selected.len(), selected[1], selected[199]), (200, 5, 995));
    }

    #[test]
    fn a_few_misclassified_documents_hardly_change_the_threshold() {
        let good: Vec<f64> = (0..40).map(|n| 0.7 + 0.005 * f64::from(n)).collect();
        let contaminated: Vec<f64> = good.iter().copied().chain([0.1, 0.2, 0.3]).collect();
        let (good, contaminated) = (
            estimate_rejection_threshold(&good),
            estimate_rejection_threshold(&contaminated),
        );
        assert!(
            (0.55..0.65).contains(&good) && (good - contaminated).abs() < 0.06,
            "{good} {contaminated}"
        );
        assert!(
            estimate_rejection_threshold(&[0.1, 0.9, 0.9, 0.9]).abs() < 1e-9,
            "four are too few"
        );
    }
}
