//! The rules of the bandit learners: `thompson`, `ucb` and `exp3`. See `docs/algorithms.md`,
//! "Learned query parameters".
//!
//! An arm is a value of a parameter. The bandit pulls an arm and observes a gain in [0, 1]: the
//! share of new relevant documents among those that the step could bring. Thompson sampling and
//! UCB1 keep the sums of gains and of 1 − gain for each arm, which add up to the number of its
//! pulls. EXP3 keeps a weight for each arm. All three give the probability with which each arm is
//! pulled next, so that values are drawn as by the other learners.
//!
//! Besides + − × ÷, only the square root and the logarithm and exponential of `libm` are used, so
//! that a projection has the same bits on every machine.

use super::rules::{normalise, softmax};

/// γ of EXP3: the share of pulls that explore. The choice of the paper needs the number of pulls in
/// advance. Set by judgement, not measured.
pub const EXPLORATION: f64 = 0.1;
/// Smallest weight of an arm under EXP3, of a sum of 1. It keeps weights above 0, from which no
/// factor could raise them. Not in the paper.
const MIN_WEIGHT: f64 = 1e-100;
/// Points of [0, 1] at which the densities of Thompson sampling are evaluated. After a thousand
/// pulls of an arm, the standard deviation of its density is 16 points at a mean gain of .5, and 3
/// points at .01.
const POINTS: usize = 1_000;

/// Thompson sampling and UCB1: adds the gain of a pull of arm `m`. With Thompson sampling the sums
/// start at 1, and are the parameters of a Beta distribution, the posterior of the arm. With UCB1
/// they start at 0; see [`upper_bounds`].
///
/// Thompson (1933) has gains of 0 and 1. For gains between them, Agrawal & Goyal (2012, section
/// 1.1) draw a success with the gain as its probability. This adds the mean of that draw instead,
/// so that the projection is not random.
pub fn count_pull(gained: &mut [f64], missed: &mut [f64], m: usize, gain: f64) {
    gained[m] += gain;
    missed[m] += 1.0 - gain;
}

/// The probability of each arm to be the best by its posterior, with which Thompson (1933) pulls
/// it.
///
/// The integral of f_j · Π F_k over the other arms k, by the midpoint rule. To draw from these
/// probabilities is to draw from each posterior and to take the arm of the highest value.
pub fn probabilities_of_best(gained: &[f64], missed: &[f64]) -> Vec<f64> {
    let arms: Vec<Vec<f64>> = gained
        .iter()
        .zip(missed)
        .map(|(&a, &b)| beta_masses(a, b))
        .collect();
    let mut below = vec![0.0; arms.len()];
    let mut best = vec![0.0; arms.len()];
    for point in 0..POINTS {
        // The distribution functions at the middle of the point's interval.
        let at_point: Vec<f64> = arms
            .iter()
            .zip(&below)
            .map(|(arm, below)| below + arm[point] / 2.0)
            .collect();
        for (j, arm) in arms.iter().enumerate() {
            let others = at_point
                .iter()
                .enumerate()
                .filter(|(k, _)| *k != j)
                .map(|(_, share)| share);
            best[j] += arm[point] * others.product::<f64>();
        }
        for (below, arm) in below.iter_mut().zip(&arms) {
            *below += arm[point];
        }
    }
    normalise(&mut best);
    best
}

/// The mass of the Beta distribution with α = `a` and β = `b` around each point; the sum is 1.
fn beta_masses(a: f64, b: f64) -> Vec<f64> {
    let log_densities: Vec<f64> = (0..POINTS)
        .map(|point| {
            let x = (point as f64 + 0.5) / POINTS as f64;
            (a - 1.0) * libm::log(x) + (b - 1.0) * libm::log(1.0 - x)
        })
        .collect();
    softmax(&log_densities)
}

/// The upper confidence bound of each arm: x̄ + √(2 ln n / n_j), where x̄ is its mean gain, n_j its
/// number of pulls, and n the number of all pulls (UCB1 of Auer, Cesa-Bianchi & Fischer 2002,
/// figure 1). Infinite for an arm that was never pulled, so that each is tried once.
pub fn upper_bounds(gained: &[f64], missed: &[f64]) -> Vec<f64> {
    let pulls: Vec<f64> = gained
        .iter()
        .zip(missed)
        .map(|(gained, missed)| gained + missed)
        .collect();
    let all = pulls.iter().sum::<f64>().max(1.0);
    let bound = |(&gained, &pulls): (&f64, &f64)| {
        if pulls > 0.0 {
            gained / pulls + (2.0 * libm::log(all) / pulls).sqrt()
        } else {
            f64::INFINITY
        }
    };
    gained.iter().zip(&pulls).map(bound).collect()
}

/// The probability of each arm if the arm of the highest bound is pulled: 1, shared evenly by the
/// arms that have it. The paper does not say which of several is pulled.
pub fn share_among_highest(bounds: &[f64]) -> Vec<f64> {
    let highest = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut shares: Vec<f64> = bounds
        .iter()
        .map(|&bound| f64::from(u8::from(bound >= highest)))
        .collect();
    normalise(&mut shares);
    shares
}

/// EXP3: multiplies the weight of arm `m`, of K arms, by exp(γ x̂ / K), where x̂ is the gain
/// divided by the probability of the pull (Auer, Cesa-Bianchi, Freund & Schapire 2002, figure 1).
///
/// Weights are kept normalised, which preserves their proportions and bounds them. The probability
/// is the current one. If several queries were drawn before the first of them was applied, it has
/// changed since the draw.
pub fn update_exp3(weights: &mut [f64], m: usize, gain: f64) {
    let estimated_gain = gain / exp3_probabilities(weights)[m];
    weights[m] *= libm::exp(EXPLORATION * estimated_gain / weights.len() as f64);
    normalise(weights);
    for weight in weights {
        *weight = weight.max(MIN_WEIGHT);
    }
}

/// The probability of each arm under EXP3: (1 − γ) · w_j / Σw + γ / K.
pub fn exp3_probabilities(weights: &[f64]) -> Vec<f64> {
    let sum = weights.iter().sum::<f64>();
    let even = EXPLORATION / weights.len() as f64;
    weights
        .iter()
        .map(|weight| (1.0 - EXPLORATION) * weight / sum + even)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{
        count_pull, exp3_probabilities, probabilities_of_best, share_among_highest, update_exp3,
        upper_bounds,
    };
    use crate::strategy::learned::tests::{OR, POR, PTF, TF, assert_near, check_steps};

    /// Ten steps: the index of the method, and the gain.
    const STEPS: [(usize, f64); 10] = [
        (OR, 0.8),
        (OR, 1.0),
        (TF, 0.1),
        (PTF, 0.0),
        (OR, 0.5),
        (POR, 0.6),
        (POR, 0.0),
        (TF, 0.2),
        (OR, 0.9),
        (OR, 0.7),
    ];

    #[test]
    fn thompson_agrees_with_values_worked_out_by_hand() {
        let (mut gained, mut missed) = ([1.0; 4], [1.0; 4]);
        // α from 1 by each gain, then β from 1 by 1 − gain. OR: α 1.8, 2.8, 3.3, 4.2,
        // 4.9 and β 1.2, 1.2, 1.7, 1.8, 2.1. TF: α 1.1, 1.3 and β 1.9, 2.7. PTF: β 2. POR: α 1.6
        // and β 1.4, 2.4.
        let expected = [
            [1.0, 1.0, 1.8, 1.0, 1.0, 1.0, 1.2, 1.0],
            [1.0, 1.0, 2.8, 1.0, 1.0, 1.0, 1.2, 1.0],
            [1.1, 1.0, 2.8, 1.0, 1.9, 1.0, 1.2, 1.0],
            [1.1, 1.0, 2.8, 1.0, 1.9, 2.0, 1.2, 1.0],
            [1.1, 1.0, 3.3, 1.0, 1.9, 2.0, 1.7, 1.0],
            [1.1, 1.0, 3.3, 1.6, 1.9, 2.0, 1.7, 1.4],
            [1.1, 1.0, 3.3, 1.6, 1.9, 2.0, 1.7, 2.4],
            [1.3, 1.0, 3.3, 1.6, 2.7, 2.0, 1.7, 2.4],
            [1.3, 1.0, 4.2, 1.6, 2.7, 2.0, 1.8, 2.4],
            [1.3, 1.0, 4.9, 1.6, 2.7, 2.0, 2.1, 2.4],
        ];
        let apply = |m, gain| {
            count_pull(&mut gained, &mut missed, m, gain);
            [gained, missed].concat()
        };
        check_steps(STEPS, apply, expected, 5e-9);
    }

    #[test]
    fn the_probability_of_the_best_agrees_with_exact_integrals() {
        let check = |gained: &[f64], missed: &[f64], expected: &[f64]| {
            assert_near(
                &probabilities_of_best(gained, missed),
                expected,
                2e-6,
                &format!("{gained:?} {missed:?}"),
            );
        };
        check(&[1.0; 4], &[1.0; 4], &[0.25; 4]);
        // One density is 2x, three are 1: the integral of 2x·x³ is 2/5, and the others share the
        // rest.
        check(&[1.0, 1.0, 2.0, 1.0], &[1.0; 4], &[0.2, 0.2, 0.4, 0.2]);
        // Beta(1,3), (1,2), (5,2) and (2,2): polynomials, integrated exactly.
        let exact = [139.0 / 5005.0, 36.0 / 455.0, 694.0 / 1001.0, 200.0 / 1001.0];
        check(&[1.0, 1.0, 5.0, 2.0], &[3.0, 2.0, 2.0, 2.0], &exact);
    }

    #[test]
    fn the_posterior_of_many_pulls_is_a_distribution() {
        let p = probabilities_of_best(&[4e5, 1.0, 3e5], &[6e5, 1e6, 7e5]);
        assert!(
            p[0] > 0.999 && p.iter().all(|p| (0.0..=1.0).contains(p)),
            "{p:?}"
        );
    }

    #[test]
    fn ucb_agrees_with_values_worked_out_by_hand() {
        let (mut gained, mut missed) = ([0.0; 4], [0.0; 4]);
        let infinite = f64::INFINITY;
        // Mean and √(2 ln n / n_j). After the first step ln 1 = 0. Second: OR 1.8/2 + √(2 ln 2 /
        // 2). Fifth: TF 0.1 + √(2 ln 5), PTF √(2 ln 5), OR 2.3/3 + √(2 ln 5 / 3). Tenth: TF 0.3/2 +
        // √(2 ln 10 / 2), PTF √(2 ln 10), OR 3.9/5 + √(2 ln 10 / 5), POR 0.6/2 + √(2 ln 10 / 2).
        let expected = [
            [infinite, infinite, 0.8, infinite],
            [infinite, infinite, 1.732554611, infinite],
            [1.582303807, infinite, 1.948147074, infinite],
            [1.765109222, 1.665109222, 2.077410023, infinite],
            [1.894122578, 1.794122578, 1.802503820, infinite],
            [1.993018473, 1.893018473, 1.859601392, 2.493018473],
            [2.072769702, 1.972769702, 1.905645785, 1.694958834],
            [1.592026887, 2.039333980, 1.944076689, 1.742026887],
            [1.632303807, 2.096294148, 1.848147074, 1.782303807],
            [1.667427129, 2.145966026, 1.739705182, 1.817427129],
        ];
        let apply = |m, gain| {
            count_pull(&mut gained, &mut missed, m, gain);
            upper_bounds(&gained, &missed)
        };
        check_steps(STEPS, apply, expected, 5e-9);
        assert_eq!(
            share_among_highest(&upper_bounds(&gained, &missed)),
            [0.0, 1.0, 0.0, 0.0]
        );
        assert_eq!(
            share_among_highest(&expected[1]),
            [1.0 / 3.0, 1.0 / 3.0, 0.0, 1.0 / 3.0]
        );
    }

    #[test]
    fn exp3_agrees_with_values_worked_out_by_hand() {
        let mut weights = [0.25; 4];
        // Weights from 1, γ/K = 0.025. First: p = 0.25, OR · e^(0.025·0.8/0.25) = e^0.08 =
        // 1.083287. Second: p = 0.9·1.083287/4.083287 + 0.025 = 0.263768, OR · e^(0.025/0.263768) =
        // 1.190984. Third: p of TF is 0.239747, TF · e^(0.0025/0.239747) = 1.010482. A gain of 0
        // changes nothing. These are the probabilities after each.
        let expected = [
            [0.245410661, 0.245410661, 0.263768018, 0.245410661],
            [0.239746680, 0.239746680, 0.280759961, 0.239746680],
            [0.241456317, 0.239210908, 0.280121866, 0.239210908],
            [0.241456317, 0.239210908, 0.280121866, 0.239210908],
            [0.238692034, 0.236475301, 0.288357363, 0.236475301],
            [0.235453668, 0.233270529, 0.284366351, 0.246909452],
            [0.235453668, 0.233270529, 0.284366351, 0.246909452],
            [0.238897066, 0.232230485, 0.283071149, 0.245801299],
            [0.233940501, 0.227428402, 0.297946352, 0.240684745],
            [0.230176251, 0.223781473, 0.309243285, 0.236798991],
        ];
        let apply = |m, gain| {
            update_exp3(&mut weights, m, gain);
            exp3_probabilities(&weights)
        };
        check_steps(STEPS, apply, expected, 5e-9);
    }

    #[test]
    fn under_exp3_an_arm_that_has_lost_can_recover() {
        let mut weights = [0.5; 2];
        for _ in 0..20_000 {
            update_exp3(&mut weights, 0, 1.0);
        }
        assert!(
            exp3_probabilities(&weights)[1] >= 0.05 && weights[1] > 0.0,
            "{weights:?}"
        );
        for _ in 0..400 {
            update_exp3(&mut weights, 1, 1.0);
        }
        assert!(exp3_probabilities(&weights)[1] > 0.9, "{weights:?}");
    }
}
