//! The population, from what probes brought that was not known.

use serde::Serialize;

/// Probes that an estimate takes at least.
pub(super) const LEAST_PROBES: usize = 12;

/// Of the documents that one more find would stand for, this share is taken to be unseen at least.
const LEAST_UNSEEN: f64 = 0.5;
/// What is taken to be unknown to any probe, as a share of the population.
const FLOOR: f64 = 0.05;

/// A probe that was asked to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    /// Documents of the target that were known before it.
    pub known: f64,
    /// New documents of the target that it brought.
    pub found: f64,
    /// With what probability a document was in its region.
    pub chance: f64,
}

/// A number that was estimated, with the interval that holds the true one with a probability of 95
/// %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IntervalEstimate {
    /// The estimate.
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// How much of a target is collected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coverage {
    /// Documents of the target that were collected, initial ones aside.
    pub collected: u64,
    /// Documents of the target that the engine can reach.
    pub population: IntervalEstimate,
    /// Collected documents over the population.
    pub share: IntervalEstimate,
    /// Probes that the estimate is from.
    pub probes: usize,
}

impl IntervalEstimate {
    /// Rounded to whole numbers.
    #[must_use]
    pub fn rounded_to_integers(self) -> Self {
        self.rounded(1.0)
    }

    fn rounded(self, to: f64) -> Self {
        let round = |number: f64| (number * to).round() / to;
        IntervalEstimate {
            value: round(self.value),
            low: round(self.low),
            high: round(self.high),
        }
    }
}

impl Coverage {
    /// As it is reported: whole documents, shares to four digits.
    #[must_use]
    pub fn rounded(self) -> Self {
        Coverage {
            population: self.population.rounded_to_integers(),
            share: self.share.rounded(1e4),
            ..self
        }
    }
}

/// Estimates the population of which `collected` documents are known; `None` where there are too
/// few probes.
///
/// Each probe says by itself: so many were known, and so many are not. Late ones say it more
/// precisely, as less was unknown to them, and weigh more. The interval is log-normal over what is
/// still unseen (as Chao's, 1987): it can't be less than nothing, and rare finds that stand for
/// many make its upper part the longer one.
pub fn estimate_from_probes(collected: u64, probes: &[Probe]) -> Option<Coverage> {
    if probes.len() < LEAST_PROBES {
        return None;
    }
    let collected_now = collected as f64;
    let m = probes.len() as f64;
    let says: Vec<f64> = probes
        .iter()
        .map(|probe| probe.known + probe.found / probe.chance)
        .collect();
    let first = (says.iter().sum::<f64>() / m).max(collected_now);
    // The variance of what a probe says is proportional to what was unknown to it, and to that
    // alone.
    let weigh = |probe: &Probe| 1.0 / ((first - probe.known).max(0.0) + FLOOR * first.max(1.0));
    let weights: Vec<f64> = probes.iter().map(weigh).collect();
    let all: f64 = weights.iter().sum();
    let population = weights
        .iter()
        .zip(&says)
        .map(|(weight, says)| weight * says)
        .sum::<f64>()
        / all;
    let spread = |(weight, says): (&f64, &f64)| (weight / all * (says - population)).powi(2);
    // Where nothing new came at all, one more document might have come as well.
    let one_more = probes.iter().map(|probe| 1.0 / probe.chance).sum::<f64>() / m / m;
    let variance =
        weights.iter().zip(&says).map(spread).sum::<f64>() * m / (m - 1.0) + one_more * one_more;
    let unseen = (population - collected_now).max(LEAST_UNSEEN * one_more);
    let spread = libm::exp(student(m - 1.0) * libm::log(1.0 + variance / (unseen * unseen)).sqrt());
    let at = |unseen: f64| collected_now + unseen;
    let population = IntervalEstimate {
        value: at(unseen),
        low: at(unseen / spread),
        high: at(unseen * spread),
    };
    let share = |population: f64| {
        if population > 0.0 {
            collected_now / population
        } else {
            1.0
        }
    };
    let share = IntervalEstimate {
        value: share(population.value),
        low: share(population.high),
        high: share(population.low),
    };
    Some(Coverage {
        collected,
        population,
        share,
        probes: probes.len(),
    })
}

/// The 97.5 % point of Student's distribution, near enough from 11 degrees of freedom on (Cornish &
/// Fisher's first terms).
fn student(freedom: f64) -> f64 {
    const Z: f64 = 1.959_964;
    Z + (Z.powi(3) + Z) / (4.0 * freedom)
        + (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / (96.0 * freedom * freedom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use forage_text::Random;

    #[test]
    fn students_points_are_those_of_the_tables() {
        for (freedom, point) in [(11.0, 2.201), (20.0, 2.086), (30.0, 2.042)] {
            assert!((student(freedom) - point).abs() < 0.005, "{freedom}");
        }
    }

    #[test]
    fn by_hand() {
        // One in ten documents is in each region: a new one stands for ten.
        let probes = [0.0, 1.0].map(|found| Probe {
            known: 100.0,
            found,
            chance: 0.1,
        });
        let probes: Vec<Probe> = probes.iter().cycle().take(12).copied().collect();
        let coverage = estimate_from_probes(100, &probes).unwrap();
        assert!(
            (coverage.population.value - 105.0).abs() < 1e-9,
            "{coverage:?}"
        );
        assert!(
            coverage.population.low > 100.0 && coverage.population.high < 120.0,
            "{coverage:?}"
        );
        assert_eq!(estimate_from_probes(100, &probes[..11]), None);
    }

    #[test]
    fn probes_in_vain_leave_room_for_a_few() {
        let probes = vec![
            Probe {
                known: 50.0,
                found: 0.0,
                chance: 0.2
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
    fn the_interval_holds_the_truth_in_nearly_all_runs_though_regions_differ_in_size() {
        let (mut held, mut sum) = (0, 0.0);
        for seed in 0..200 {
            let mut random = Random::for_purpose(seed, &["coverage"]);
            // A hundred regions, drawn with a chance that is off by a factor; half of the documents
            // are known.
            let sizes: Vec<f64> = (0..100).map(|_| random.next_below(20) as f64).collect();
            let all: f64 = sizes.iter().sum();
            let mut unseen: Vec<f64> = sizes.iter().map(|size| (size / 2.0).floor()).collect();
            let mut probes = Vec::new();
            for _ in 0..30 {
                let at = random.next_below(100) as usize;
                let known = all - unseen.iter().sum::<f64>();
                probes.push(Probe {
                    known,
                    found: std::mem::take(&mut unseen[at]),
                    chance: 0.01,
                });
            }
            let collected = all - unseen.iter().sum::<f64>();
            let IntervalEstimate { value, low, high } =
                estimate_from_probes(collected as u64, &probes)
                    .unwrap()
                    .population;
            held += usize::from(low <= all && all <= high);
            sum += value / all;
        }
        assert!(held >= 180, "{held} of 200");
        assert!((sum / 200.0 - 1.0).abs() < 0.05, "{}", sum / 200.0);
    }
}
