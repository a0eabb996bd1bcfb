//! The distribution of one parameter: the numbers that a rule keeps, their updates, and the
//! probabilities that follow from them.

use super::gamma::{self, LengthMoments};
use super::rules::{self, Reward};
use super::spec::{LearnerSpec, UpdateRule};

/// The numbers that a rule keeps for one parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterDistribution {
    /// The probability of each value, which the rule of the learner updates (`ml`, `ltm`, `fm`).
    Probabilities(LearnerSpec, Vec<f64>),
    /// Successes and failures of each value (`lta`).
    Counts {
        /// 1 + the number of successes.
        successes: Vec<f64>,
        /// 1 + the number of failures.
        failures: Vec<f64>,
    },
    /// A Gamma distribution of lengths, with the memory of the learner.
    Gamma(LearnerSpec, LengthMoments),
}

impl ParameterDistribution {
    /// Creates the uniform distribution over `values` values, before any update.
    pub fn uniform(learner: LearnerSpec, values: usize) -> Self {
        match learner.rule {
            UpdateRule::LongTermAdditive => ParameterDistribution::Counts {
                successes: vec![1.0; values],
                failures: vec![1.0; values],
            },
            _ => ParameterDistribution::Probabilities(learner, vec![1.0 / values as f64; values]),
        }
    }

    /// Updates the distribution by the result of a query with the value at index `m`. The index of
    /// a length is the length.
    pub fn reward(&mut self, m: usize, reward: Reward) {
        match self {
            ParameterDistribution::Probabilities(learner, scores) => match learner.rule {
                UpdateRule::Memoryless => rules::update_memoryless(scores, m, reward),
                UpdateRule::FadingMemory => rules::update_fading(scores, m, reward),
                _ => rules::update_multiplicative(scores, m, reward, learner.beta()),
            },
            ParameterDistribution::Counts {
                successes,
                failures,
            } => {
                rules::update_additive(successes, failures, m, reward);
            }
            ParameterDistribution::Gamma(learner, moments) => {
                gamma::update(moments, learner.rule, m as f64, reward);
            }
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
                let mut scores: Vec<f64> = successes
                    .iter()
                    .zip(failures)
                    .map(|(&successes, &failures)| rules::additive_score(successes, failures))
                    .collect();
                rules::normalise(&mut scores);
                scores
            }
            ParameterDistribution::Gamma(_, moments) => gamma::length_probabilities(moments),
        }
    }

    /// The probabilities with the first value, of length 0, ruled out. If a rule gives the other
    /// values no probability, they are equally likely.
    pub fn probabilities_without_first(&self) -> Vec<f64> {
        let mut others = self.probabilities().split_off(1);
        rules::normalise(&mut others);
        std::iter::once(0.0).chain(others).collect()
    }

    /// All numbers of the distribution to be stored, each with a name. `values` are the names of
    /// the parameter's values.
    pub(super) fn named_numbers(&mut self, values: &[String]) -> Vec<(String, &mut f64)> {
        match self {
            ParameterDistribution::Probabilities(_, scores) => {
                name_numbers("p", values, scores).collect()
            }
            ParameterDistribution::Counts {
                successes,
                failures,
            } => name_numbers("successes", values, successes)
                .chain(name_numbers("failures", values, failures))
                .collect(),
            ParameterDistribution::Gamma(
                _,
                LengthMoments {
                    count,
                    sum,
                    squares,
                },
            ) => [("count", count), ("sum", sum), ("squares", squares)]
                .map(|(name, number)| (name.into(), number))
                .into(),
        }
    }
}

/// Names one number per value, as in `successes or`.
fn name_numbers<'a>(
    quantity: &str,
    values: &[String],
    numbers: &'a mut [f64],
) -> impl Iterator<Item = (String, &'a mut f64)> {
    values
        .iter()
        .map(move |value| format!("{quantity} {value}"))
        .zip(numbers)
}
