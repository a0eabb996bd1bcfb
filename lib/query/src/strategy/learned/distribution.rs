//! What a learner knows of one parameter: some numbers, the way they change, and the probabilities
//! that they mean.

use super::bandit;
use super::lengths::{self, LengthMoments};
use super::rules::{self, Reward};
use super::spec::UpdateRule;

/// What is known of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterDistribution {
    /// A probability for each value, which the rule moves (`ml`, `ltm`, `fm`).
    Probabilities(UpdateRule, Vec<f64>),
    /// What each value gained and missed over the times that it was tried (`thompson`, `ucb`).
    Pulls {
        /// Which of the two.
        rule: UpdateRule,
        /// Sum of the gains.
        gained: Vec<f64>,
        /// Sum of what was missing to gains of 1.
        missed: Vec<f64>,
    },
    /// A weight for each value (`exp3`).
    Weights(Vec<f64>),
    /// Successes and failures of each value (`lta`).
    Counts {
        /// 1 and the successes.
        successes: Vec<f64>,
        /// 1 and the failures.
        failures: Vec<f64>,
    },
    /// A Gamma distribution of lengths.
    Gamma(LengthMoments),
}

impl ParameterDistribution {
    /// Of `values` values of which nothing is known yet: uniform.
    pub fn start(rule: UpdateRule, values: usize) -> Self {
        match rule {
            UpdateRule::LongTermAdditive => ParameterDistribution::Counts {
                successes: vec![1.0; values],
                failures: vec![1.0; values],
            },
            UpdateRule::Thompson => ParameterDistribution::Pulls {
                rule,
                gained: vec![1.0; values],
                missed: vec![1.0; values],
            },
            UpdateRule::Ucb => ParameterDistribution::Pulls {
                rule,
                gained: vec![0.0; values],
                missed: vec![0.0; values],
            },
            UpdateRule::Exp3 => ParameterDistribution::Weights(vec![1.0 / values as f64; values]),
            _ => ParameterDistribution::Probabilities(rule, vec![1.0 / values as f64; values]),
        }
    }

    /// Learns what came of a query with the value at place `m`; a length's place is the length.
    pub fn reward(&mut self, m: usize, reward: Reward) {
        match self {
            ParameterDistribution::Probabilities(UpdateRule::Memoryless, scores) => {
                rules::memoryless(scores, m, reward)
            }
            ParameterDistribution::Probabilities(UpdateRule::FadingMemory, scores) => {
                rules::fading_memory(scores, m, reward)
            }
            ParameterDistribution::Probabilities(_, scores) => {
                rules::long_term_multiplicative(scores, m, reward)
            }
            ParameterDistribution::Counts {
                successes,
                failures,
            } => {
                rules::long_term_additive(successes, failures, m, reward);
            }
            ParameterDistribution::Gamma(moments) if reward == Reward::Success => {
                lengths::add(moments, m as f64)
            }
            ParameterDistribution::Gamma(_) => {}
            ParameterDistribution::Pulls { .. } | ParameterDistribution::Weights(_) => {
                self.gain(m, if reward == Reward::Success { 1.0 } else { 0.0 });
            }
        }
    }

    /// Learns what a step with the value at place `m` gained, 0 to 1, where the rule is a bandit's;
    /// the others learn from rewards alone.
    pub fn gain(&mut self, m: usize, gain: f64) {
        match self {
            ParameterDistribution::Pulls { gained, missed, .. } => {
                bandit::count_pull(gained, missed, m, gain)
            }
            ParameterDistribution::Weights(weights) => bandit::exp3(weights, m, gain),
            ParameterDistribution::Probabilities(..)
            | ParameterDistribution::Counts { .. }
            | ParameterDistribution::Gamma(_) => {}
        }
    }

    /// The probability of each value; they sum to 1.
    pub fn probabilities(&self) -> Vec<f64> {
        match self {
            ParameterDistribution::Probabilities(_, scores) => scores.clone(),
            ParameterDistribution::Counts {
                successes,
                failures,
            } => {
                let score = |(&successes, &failures)| rules::additive_score(successes, failures);
                let mut scores: Vec<f64> = successes.iter().zip(failures).map(score).collect();
                rules::normalise(&mut scores);
                scores
            }
            ParameterDistribution::Gamma(moments) => lengths::probabilities(moments),
            ParameterDistribution::Pulls {
                rule: UpdateRule::Thompson,
                gained,
                missed,
            } => bandit::probabilities_of_best(gained, missed),
            ParameterDistribution::Pulls { gained, missed, .. } => {
                bandit::highest(&bandit::upper_bounds(gained, missed))
            }
            ParameterDistribution::Weights(weights) => bandit::exp3_probabilities(weights),
        }
    }

    /// The same where the first value, of length 0, is out of the question. UCB1 then takes the
    /// highest of the other bounds; where a rule leaves the others no probability, they are equally
    /// likely.
    pub fn probabilities_but_first(&self) -> Vec<f64> {
        let mut others = match self {
            ParameterDistribution::Pulls {
                rule: UpdateRule::Ucb,
                gained,
                missed,
            } => bandit::highest(
                bandit::upper_bounds(gained, missed)
                    .get(1..)
                    .unwrap_or_default(),
            ),
            _ => self.probabilities().split_off(1),
        };
        rules::normalise(&mut others);
        std::iter::once(0.0).chain(others).collect()
    }

    /// How often each value was tried and what it gained on average, where the rule keeps that.
    pub fn means(&self) -> Option<Vec<(f64, Option<f64>)>> {
        let ParameterDistribution::Pulls {
            rule,
            gained,
            missed,
        } = self
        else {
            return None;
        };
        let prior = if *rule == UpdateRule::Thompson {
            1.0
        } else {
            0.0
        };
        let mean = |(gained, missed): (&f64, &f64)| {
            let (gained, pulls) = (gained - prior, gained + missed - 2.0 * prior);
            (pulls, (pulls > 0.0).then(|| gained / pulls))
        };
        Some(gained.iter().zip(missed).map(mean).collect())
    }

    /// All its numbers, to be kept, each under a name; `values` are the names of its values.
    pub(super) fn numbers(&mut self, values: &[String]) -> Vec<(String, &mut f64)> {
        match self {
            ParameterDistribution::Probabilities(_, scores) => named("p", values, scores).collect(),
            ParameterDistribution::Counts {
                successes,
                failures,
            } => named("successes", values, successes)
                .chain(named("failures", values, failures))
                .collect(),
            ParameterDistribution::Pulls { gained, missed, .. } => named("gained", values, gained)
                .chain(named("missed", values, missed))
                .collect(),
            ParameterDistribution::Weights(weights) => named("w", values, weights).collect(),
            ParameterDistribution::Gamma(LengthMoments {
                count,
                sum,
                squares,
            }) => [("count", count), ("sum", sum), ("squares", squares)]
                .map(|(name, at)| (name.into(), at))
                .into(),
        }
    }
}

fn named<'a>(
    what: &str,
    values: &[String],
    numbers: &'a mut [f64],
) -> impl Iterator<Item = (String, &'a mut f64)> {
    values
        .iter()
        .map(move |value| format!("{what} {value}"))
        .zip(numbers)
}
