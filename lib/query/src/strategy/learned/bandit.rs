//! The rules of the bandit learners: `thompson`, `ucb` and `exp3` (ALGORITHMS §5).
//!
//! A bandit pulls an arm, here a value of a parameter, and sees a gain in [0, 1]: the share of new
//! relevant documents among those that the step could bring. Thompson sampling and UCB1 keep of
//! each arm what it gained and what it missed, the sum of both being the times that it was pulled;
//! EXP3 keeps a weight of each. All three end in the probability with which an arm is pulled next,
//! so that they are drawn from like the other learners.
//!
//! Beside + − × ÷ only the square root, and `libm`'s logarithm and exponential are used: a fold of
//! the journal gives the same bits on every machine.

use super::rules::{normalise, normalised_exponentials};

/// γ of EXP3: the share of pulls that explores. Ours; the paper's choice wants the number of pulls
/// beforehand.
pub const EXPLORATION: f64 = 0.1;
/// The least weight of an arm under EXP3, of a sum of 1. Ours: none becomes 0, from which no factor
/// brings it back.
const LEAST_WEIGHT: f64 = 1e-100;
/// Points of [0, 1] at which the densities of Thompson sampling are compared. With a thousand pulls
/// the narrowest density is some ten points wide.
const POINTS: usize = 1_000;

/// Thompson sampling and UCB1: counts what arm `m` gained and missed, from 1 each and from 0 each.
/// Under the former they make a Beta distribution, the arm's posterior; for the latter see
/// [`upper_bounds`].
///
/// Thompson (1933) for gains of 0 and 1. For gains between them Agrawal & Goyal (2012, §1.1) draw a
/// success with the gain as its probability; this adds what that draw has as its mean, so that the
/// fold draws nothing.
pub fn count_pull(gained: &mut [f64], missed: &mut [f64], m: usize, gain: f64) {
    gained[m] += gain;
    missed[m] += 1.0 - gain;
}

/// The probability of each arm to be the best by its posterior: with it Thompson (1933) pulls it.
///
/// The integral of f_j · Π F_k over the other arms k, by the midpoint rule. Drawing from these is
/// drawing from each posterior and taking the highest.
pub fn probabilities_of_best(gained: &[f64], missed: &[f64]) -> Vec<f64> {
    let arms: Vec<Vec<f64>> = gained
        .iter()
        .zip(missed)
        .map(|(&a, &b)| masses(a, b))
        .collect();
    let mut below = vec![0.0; arms.len()];
    let mut best = vec![0.0; arms.len()];
    for point in 0..POINTS {
        // The distribution functions at the middle of the point's interval.
        let here: Vec<f64> = arms
            .iter()
            .zip(&below)
            .map(|(arm, below)| below + arm[point] / 2.0)
            .collect();
        for (j, arm) in arms.iter().enumerate() {
            let others = here
                .iter()
                .enumerate()
                .filter(|(k, _)| *k != j)
                .map(|(_, share)| share);
            best[j] += arm[point] * others.product::<f64>();
        }
        below
            .iter_mut()
            .zip(&arms)
            .for_each(|(below, arm)| *below += arm[point]);
    }
    normalise(&mut best);
    best
}

/// The mass of the Beta distribution with α = `a` and β = `b` around each point; the sum is 1.
fn masses(a: f64, b: f64) -> Vec<f64> {
    let at = |point: usize| (point as f64 + 0.5) / POINTS as f64;
    let exponent =
        |point| (a - 1.0) * libm::log(at(point)) + (b - 1.0) * libm::log(1.0 - at(point));
    normalised_exponentials(&(0..POINTS).map(exponent).collect::<Vec<_>>())
}

/// The upper confidence bound of each arm: x̄ + √(2 ln n / n_j), x̄ its mean gain, n_j its pulls, n
/// all pulls (UCB1 of Auer, Cesa-Bianchi & Fischer 2002, figure 1). Endless for an arm that was
/// never pulled: each is tried once.
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

/// The probability of each arm where the highest bound is pulled: 1, shared evenly by those that
/// have it. The paper leaves open which of equals is taken.
pub fn highest(bounds: &[f64]) -> Vec<f64> {
    let most = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut shares: Vec<f64> = bounds
        .iter()
        .map(|&bound| f64::from(u8::from(bound >= most)))
        .collect();
    normalise(&mut shares);
    shares
}

/// EXP3: the weight of arm `m`, of K arms, is multiplied by exp(γ x̂ / K), where x̂ is the gain
/// divided by the probability of the pull (Auer, Cesa-Bianchi, Freund & Schapire 2002, figure 1).
///
/// Weights are kept normalised, which changes no proportion and keeps them from growing without
/// end. The probability is that of now: where several queries were drawn before the first of them
/// was folded, it has moved since.
pub fn exp3(weight: &mut [f64], m: usize, gain: f64) {
    let estimated = gain / exp3_probabilities(weight)[m];
    weight[m] *= libm::exp(EXPLORATION * estimated / weight.len() as f64);
    normalise(weight);
    weight
        .iter_mut()
        .for_each(|weight| *weight = weight.max(LEAST_WEIGHT));
}

/// The probability of each arm under EXP3: (1 − γ) · w_j / Σw + γ / K.
pub fn exp3_probabilities(weight: &[f64]) -> Vec<f64> {
    let (sum, even) = (
        weight.iter().sum::<f64>(),
        EXPLORATION / weight.len() as f64,
    );
    weight
        .iter()
        .map(|weight| (1.0 - EXPLORATION) * weight / sum + even)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{
        count_pull, exp3, exp3_probabilities, highest, probabilities_of_best, upper_bounds,
    };
    use crate::strategy::learned::tests::{OR, POR, PTF, TF, assert_near, check};

    /// Ten steps: the place of the method, and the gain.
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
    fn thompson_by_hand() {
        let (mut gained, mut missed) = ([1.0; 4], [1.0; 4]);
        // α from 1 by each gain, then β from 1 by what was missing to 1. OR: α 1.8, 2.8, 3.3, 4.2,
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
        check(STEPS, apply, expected, 5e-9);
    }

    #[test]
    fn the_probability_to_be_best_by_hand() {
        let near = |gained: &[f64], missed: &[f64], expected: &[f64]| {
            assert_near(
                &probabilities_of_best(gained, missed),
                expected,
                2e-6,
                &format!("{gained:?} {missed:?}"),
            );
        };
        near(&[1.0; 4], &[1.0; 4], &[0.25; 4]);
        // One density is 2x, three are 1: the integral of 2x·x³ is 2/5, and the others share the
        // rest.
        near(&[1.0, 1.0, 2.0, 1.0], &[1.0; 4], &[0.2, 0.2, 0.4, 0.2]);
        // Beta(1,3), (1,2), (5,2) and (2,2): polynomials, integrated exactly.
        let exact = [139.0 / 5005.0, 36.0 / 455.0, 694.0 / 1001.0, 200.0 / 1001.0];
        near(&[1.0, 1.0, 5.0, 2.0], &[3.0, 2.0, 2.0, 2.0], &exact);
    }

    #[test]
    fn a_posterior_of_many_pulls_stays_a_distribution() {
        let p = probabilities_of_best(&[4e5, 1.0, 3e5], &[6e5, 1e6, 7e5]);
        assert!(
            p[0] > 0.999 && p.iter().all(|p| (0.0..=1.0).contains(p)),
            "{p:?}"
        );
    }

    #[test]
    fn ucb_by_hand() {
        let (mut gained, mut missed) = ([0.0; 4], [0.0; 4]);
        let endless = f64::INFINITY;
        // Mean and √(2 ln n / n_j). After the first step ln 1 = 0. Second: OR 1.8/2 + √(2 ln 2 /
        // 2). Fifth: TF 0.1 + √(2 ln 5), PTF √(2 ln 5), OR 2.3/3 + √(2 ln 5 / 3). Tenth: TF 0.3/2 +
        // √(2 ln 10 / 2), PTF √(2 ln 10), OR 3.9/5 + √(2 ln 10 / 5), POR 0.6/2 + √(2 ln 10 / 2).
        let expected = [
            [endless, endless, 0.8, endless],
            [endless, endless, 1.732554611, endless],
            [1.582303807, endless, 1.948147074, endless],
            [1.765109222, 1.665109222, 2.077410023, endless],
            [1.894122578, 1.794122578, 1.802503820, endless],
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
        check(STEPS, apply, expected, 5e-9);
        assert_eq!(
            highest(&upper_bounds(&gained, &missed)),
            [0.0, 1.0, 0.0, 0.0]
        );
        assert_eq!(
            highest(&expected[1]),
            [1.0 / 3.0, 1.0 / 3.0, 0.0, 1.0 / 3.0]
        );
    }

    #[test]
    fn exp3_by_hand() {
        let mut weight = [0.25; 4];
        // Weights from 1, γ/K = 0.025. First: p = 0.25, OR · e^(0.025·0.8/0.25) = e^0.08 =
        // 1.083287. Second: p = 0.9·1.083287/4.083287 + 0.025 = 0.263768, OR · e^(0.025/0.263768) =
        // 1.190984. Third: p of TF is 0.239747, TF · e^(0.0025/0.239747) = 1.010482. A gain of 0
        // changes nothing. Here are the probabilities after each.
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
            exp3(&mut weight, m, gain);
            exp3_probabilities(&weight)
        };
        check(STEPS, apply, expected, 5e-9);
    }

    #[test]
    fn under_exp3_an_arm_that_has_lost_can_come_back() {
        let mut weight = [0.5; 2];
        (0..20_000).for_each(|_| exp3(&mut weight, 0, 1.0));
        assert!(
            exp3_probabilities(&weight)[1] >= 0.05 && weight[1] > 0.0,
            "{weight:?}"
        );
        (0..400).for_each(|_| exp3(&mut weight, 1, 1.0));
        assert!(exp3_probabilities(&weight)[1] > 0.9, "{weight:?}");
    }
}
