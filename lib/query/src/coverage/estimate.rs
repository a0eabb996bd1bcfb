//! The population, from what probes brought that was not known.

use serde::Serialize;

/// Probes that an estimate takes at least.
pub(super) const LEAST_PROBES: usize = 12;

/// Of the documents that one more find would stand for, this share is taken to be unseen at least.
const LEAST_UNSEEN: f64 = 0.5;
/// What is taken to be unknown to any probe, as a share of the population.
const FLOOR: f64 = 0.05;

/// A probe that was asked to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Documents of the target that were known before it.
    pub known: f64,
    /// Words in the pool that it was drawn from.
    pub pool: f64,
    /// For each new document of the target that it brought, one over the pool's words that the document has.
    pub weights: Vec<f64>,
}

/// A number that was estimated, with the interval that holds the true one with a probability of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
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
    pub population: Estimate,
    /// Collected documents over the population.
    pub share: Estimate,
    /// Probes that the estimate is from.
    pub probes: usize,
}

impl Coverage {
    /// As it is reported: whole documents, shares to four digits.
    #[must_use]
    pub fn rounded(self) -> Self {
        let round = |e: Estimate, to: f64| {
            let one = |number: f64| (number * to).round() / to;
            Estimate { value: one(e.value), low: one(e.low), high: one(e.high) }
        };
        Coverage { population: round(self.population, 1.0), share: round(self.share, 1e4), ..self }
    }
}

/// Estimates the population of which `collected` documents are known; `typical` is one over the pool's words that a
/// document has, as a mean over the collected ones. `None` where there are too few probes.
///
/// Each probe says by itself: so many were known, and so many are not. Late ones say it more precisely, as less was
/// unknown to them, and weigh more. The interval is log-normal over what is still unseen (as Chao's, 1987): it can't
/// be less than nothing, and rare finds that stand for many make its upper part the longer one.
pub fn estimate(collected: u64, typical: f64, probes: &[Probe]) -> Option<Coverage> {
    if probes.len() < LEAST_PROBES {
        return None;
    }
    let collected_now = collected as f64;
    let m = probes.len() as f64;
    // A document with hardly a word of the pool would stand for more than all others: weights are truncated (Ionides
    // 2008), the later the more of them there are.
    let new = probes.iter().map(|probe| probe.weights.len()).sum::<usize>().max(1) as f64;
    let most = typical * new.sqrt();
    let unseen = |probe: &Probe| probe.pool * probe.weights.iter().map(|weight| weight.min(most)).sum::<f64>();
    let says: Vec<f64> = probes.iter().map(|probe| probe.known + unseen(probe)).collect();
    let first = (says.iter().sum::<f64>() / m).max(collected_now);
    // The variance of what a probe says is proportional to what was unknown to it, and to that alone.
    let weigh = |probe: &Probe| 1.0 / ((first - probe.known).max(0.0) + FLOOR * first.max(1.0));
    let weights: Vec<f64> = probes.iter().map(weigh).collect();
    let all: f64 = weights.iter().sum();
    let population = weights.iter().zip(&says).map(|(weight, says)| weight * says).sum::<f64>() / all;
    let spread = |(weight, says): (&f64, &f64)| (weight / all * (says - population)).powi(2);
    // Where nothing new came at all, one more document might have come as well.
    let one_more = probes[probes.len() - 1].pool * typical / m;
    let variance = weights.iter().zip(&says).map(spread).sum::<f64>() * m / (m - 1.0) + one_more * one_more;
    let unseen = (population - collected_now).max(LEAST_UNSEEN * one_more);
    let spread = libm::exp(student(m - 1.0) * libm::log(1.0 + variance / (unseen * unseen)).sqrt());
    let at = |unseen: f64| collected_now + unseen;
    let population = Estimate { value: at(unseen), low: at(unseen / spread), high: at(unseen * spread) };
    let share = |population: f64| if population > 0.0 { collected_now / population } else { 1.0 };
    let share = Estimate { value: share(population.value), low: share(population.high), high: share(population.low) };
    Some(Coverage { collected, population, share, probes: probes.len() })
}

/// The 97.5 % point of Student's distribution, near enough from 11 degrees of freedom on (Cornish & Fisher's first
/// terms).
fn student(freedom: f64) -> f64 {
    const Z: f64 = 1.959_964;
    Z + (Z.powi(3) + Z) / (4.0 * freedom) + (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / (96.0 * freedom * freedom)
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
        // Ten words in the pool, each document has five: a new one stands for two.
        let probe = |new: usize| Probe { known: 100.0, pool: 10.0, weights: vec![0.2; new] };
        let probes: Vec<Probe> = [0, 1].iter().cycle().take(12).map(|&new| probe(new)).collect();
        let coverage = estimate(100, 0.2, &probes).unwrap();
        assert!((coverage.population.value - 101.0).abs() < 1e-9, "{coverage:?}");
        assert!(coverage.population.low > 100.0 && coverage.population.high < 104.0, "{coverage:?}");
        assert_eq!(estimate(100, 0.2, &probes[..11]), None);
    }

    #[test]
    fn probes_in_vain_leave_room_for_a_few() {
        let probes = vec![Probe { known: 50.0, pool: 1000.0, weights: Vec::new() }; 20];
        let coverage = estimate(50, 0.05, &probes).unwrap();
        assert!(coverage.share.value > 0.95 && coverage.share.low < 0.95, "{coverage:?}");
    }

    /// A population of documents with a few or many of the pool's words, of which those with many are known.
    fn population(random: &mut Random) -> (Vec<Vec<usize>>, Vec<bool>) {
        const POOL: u64 = 500;
        let document = |random: &mut Random| {
            let words = 2 + random.below(30);
            (0..words).map(|_| random.below(POOL) as usize).collect::<std::collections::BTreeSet<_>>()
        };
        let documents: Vec<Vec<usize>> = (0..1_000).map(|_| document(random).into_iter().collect()).collect();
        let is_known = documents.iter().map(|words| random.unit() < 0.5 + words.len() as f64 / 64.0).collect();
        (documents, is_known)
    }

    #[test]
    fn the_interval_holds_the_truth_in_nearly_all_runs_though_long_documents_are_found_first() {
        let (mut held, mut sum) = (0, 0.0);
        for seed in 0..100 {
            let mut random = Random::for_purpose(seed, &["coverage"]);
            let (documents, mut is_known) = population(&mut random);
            let mut probes = Vec::new();
            for _ in 0..30 {
                let word = random.below(500) as usize;
                let known = is_known.iter().filter(|known| **known).count() as f64;
                let mut weights = Vec::new();
                for (document, known) in documents.iter().zip(&mut is_known) {
                    if !*known && document.contains(&word) {
                        weights.push(1.0 / document.len() as f64);
                        *known = true;
                    }
                }
                probes.push(Probe { known, pool: 500.0, weights });
            }
            let collected = is_known.iter().filter(|known| **known).count() as u64;
            let Estimate { value, low, high } = estimate(collected, 0.06, &probes).unwrap().population;
            held += usize::from(low <= 1_000.0 && 1_000.0 <= high);
            sum += value;
        }
        assert!(held >= 88, "{held} of 100");
        assert!((sum / 100.0 - 1_000.0).abs() < 30.0, "{}", sum / 100.0);
    }
}
