//! Estimates the population of a target from the new documents that probes returned.

use serde::Serialize;

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling each constant of this module.

/// Minimum number of probes for an estimate. With 6, the interval has 5 degrees of freedom, for
/// which [`student_quantile`] is accurate to .03.
pub(crate) const MIN_PROBES: usize = 6;

/// Lower bound of the unseen documents, as a share of the number that one more new document would
/// represent. It keeps the estimate above the collected documents when no probe returned anything
/// new. Larger values lower the coverage that such a run reports.
const MIN_UNSEEN: f64 = 0.5;
/// Share of the population that is added to the documents unknown to a probe before its weight is
/// computed. It bounds the weight of late probes; larger values make weights more equal.
const WEIGHT_FLOOR: f64 = 0.05;

/// A probe that was retrieved to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeResult {
    /// Documents of the target that were known before the probe, without initial ones.
    pub known_before: f64,
    /// New documents of the target that the probe returned.
    pub new_relevant: f64,
    /// The inclusion probability of the region: that of a document to be in it.
    pub probability: f64,
}

/// An estimate with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IntervalEstimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The estimated coverage of a target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coverage {
    /// Collected documents of the target, without initial ones.
    pub collected: u64,
    /// Documents of the target that the engine can return.
    pub population: IntervalEstimate,
    /// Collected documents / population.
    pub share: IntervalEstimate,
    /// The number of probes in the estimate.
    pub probes: usize,
}

impl IntervalEstimate {
    /// Rounds all three numbers to integers.
    #[must_use]
    pub fn rounded_to_integers(self) -> Self {
        self.rounded(1.0)
    }

    /// Rounds all three numbers to multiples of `1.0 / scale`.
    fn rounded(self, scale: f64) -> Self {
        let round = |number: f64| (number * scale).round() / scale;
        IntervalEstimate {
            value: round(self.value),
            low: round(self.low),
            high: round(self.high),
        }
    }
}

impl Coverage {
    /// Rounds for reports: documents to integers, shares to four decimals.
    #[must_use]
    pub fn rounded(self) -> Self {
        Coverage {
            population: self.population.rounded_to_integers(),
            share: self.share.rounded(1e4),
            ..self
        }
    }
}

/// Estimates the population of which `collected` documents are collected. `None` if there are fewer
/// than `MIN_PROBES` probes.
///
/// Each probe yields an estimate: the documents known before it, and its new documents over its
/// inclusion probability (Horvitz & Thompson 1952). The result is their mean, weighted by the
/// inverse of the number of documents that were unknown to each probe, as the variance of an
/// estimate is proportional to that number.
///
/// The interval is log-normal over the unseen documents, as in Chao (1987): they cannot be fewer
/// than none, and rare finds that represent many documents make its upper part the longer one.
pub fn estimate_from_probes(collected: u64, probes: &[ProbeResult]) -> Option<Coverage> {
    if probes.len() < MIN_PROBES {
        return None;
    }
    let collected_documents = collected as f64;
    let probe_count = probes.len() as f64;
    let estimates: Vec<f64> = probes
        .iter()
        .map(|probe| probe.known_before + probe.new_relevant / probe.probability)
        .collect();
    let unweighted = (estimates.iter().sum::<f64>() / probe_count).max(collected_documents);
    let weights: Vec<f64> = probes
        .iter()
        .map(|probe| {
            let unknown = (unweighted - probe.known_before).max(0.0);
            1.0 / (unknown + WEIGHT_FLOOR * unweighted.max(1.0))
        })
        .collect();
    let weight_sum: f64 = weights.iter().sum();
    let weighted = weights
        .iter()
        .zip(&estimates)
        .map(|(weight, estimate)| weight * estimate)
        .sum::<f64>()
        / weight_sum;
    let squares = weights
        .iter()
        .zip(&estimates)
        .map(|(weight, estimate)| (weight / weight_sum * (estimate - weighted)).powi(2))
        .sum::<f64>();
    // The change of the estimate by one more new document, which might have been returned even if
    // none was.
    let one_more = probes
        .iter()
        .map(|probe| 1.0 / probe.probability)
        .sum::<f64>()
        / probe_count
        / probe_count;
    let variance = squares * probe_count / (probe_count - 1.0) + one_more * one_more;
    let unseen = (weighted - collected_documents).max(MIN_UNSEEN * one_more);
    let relative_variance = variance / (unseen * unseen);
    let factor =
        libm::exp(student_quantile(probe_count - 1.0) * libm::log(1.0 + relative_variance).sqrt());
    let population = IntervalEstimate {
        value: collected_documents + unseen,
        low: collected_documents + unseen / factor,
        high: collected_documents + unseen * factor,
    };
    let share = IntervalEstimate {
        value: share_of(collected_documents, population.value),
        low: share_of(collected_documents, population.high),
        high: share_of(collected_documents, population.low),
    };
    Some(Coverage {
        collected,
        population,
        share,
        probes: probes.len(),
    })
}

/// The share of collected documents in a population; 1 if it is empty.
fn share_of(collected: f64, population: f64) -> f64 {
    if population > 0.0 {
        collected / population
    } else {
        1.0
    }
}

/// The 97.5 % quantile of Student's t distribution, for 5 degrees of freedom or more: the first
/// terms of the Cornish–Fisher expansion, with an error below .03, and below .005 from 11 on.
fn student_quantile(freedom: f64) -> f64 {
    const Z: f64 = 1.959_964;
    Z + (Z.powi(3) + Z) / (4.0 * freedom)
        + (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / (96.0 * freedom * freedom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use forage_text::Random;

    #[test]
    fn student_quantiles_agree_with_tables() {
        for (freedom, quantile) in [(11.0, 2.201), (20.0, 2.086), (30.0, 2.042)] {
            assert!(
                (student_quantile(freedom) - quantile).abs() < 0.005,
                "{freedom}"
            );
        }
    }

    #[test]
    fn estimates_a_population_worked_out_by_hand() {
        // Each region contains one document in ten, so a new one represents ten.
        let probes = [0.0, 1.0].map(|new_relevant| ProbeResult {
            known_before: 100.0,
            new_relevant,
            probability: 0.1,
        });
        let probes: Vec<ProbeResult> = probes.iter().cycle().take(12).copied().collect();
        let coverage = estimate_from_probes(100, &probes).unwrap();
        assert!(
            (coverage.population.value - 105.0).abs() < 1e-9,
            "{coverage:?}"
        );
        assert!(
            coverage.population.low > 100.0 && coverage.population.high < 120.0,
            "{coverage:?}"
        );
        assert_eq!(estimate_from_probes(100, &probes[..5]), None);
    }

    #[test]
    fn allows_for_a_few_unseen_documents_when_probes_return_nothing_new() {
        let probes = vec![
            ProbeResult {
                known_before: 50.0,
                new_relevant: 0.0,
                probability: 0.2
            };
            20
        ];
        let coverage = estimate_from_probes(50, &probes).unwrap();
        assert!(
            coverage.share.value > 0.95 && coverage.share.low < 0.99,
            "{coverage:?}"
        );
    }

    #[test]
    fn the_interval_contains_the_truth_in_nearly_all_runs_although_regions_differ_in_size() {
        let mut contained = 0;
        let mut relative_sum = 0.0;
        for seed in 0..200 {
            let mut random = Random::for_purpose(seed, &["coverage"]);
            // A hundred regions, drawn with probabilities that are not proportional to their sizes;
            // half of the documents are known.
            let sizes: Vec<f64> = (0..100).map(|_| random.next_below(20) as f64).collect();
            let all: f64 = sizes.iter().sum();
            let mut unseen: Vec<f64> = sizes.iter().map(|size| (size / 2.0).floor()).collect();
            let mut probes = Vec::new();
            for _ in 0..30 {
                let region = random.next_below(100) as usize;
                let known = all - unseen.iter().sum::<f64>();
                probes.push(ProbeResult {
                    known_before: known,
                    new_relevant: std::mem::take(&mut unseen[region]),
                    probability: 0.01,
                });
            }
            let collected = all - unseen.iter().sum::<f64>();
            let IntervalEstimate { value, low, high } =
                estimate_from_probes(collected as u64, &probes)
                    .unwrap()
                    .population;
            contained += usize::from(low <= all && all <= high);
            relative_sum += value / all;
        }
        assert!(contained >= 180, "{contained} of 200");
        let mean = relative_sum / 200.0;
        assert!((mean - 1.0).abs() < 0.05, "{mean}");
    }
}
