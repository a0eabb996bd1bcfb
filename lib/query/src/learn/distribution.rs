//! What a learner knows of one parameter: some numbers, the way they change, and the probabilities that they mean.

use super::lengths::{self, Moments, UNIFORM};
use super::rules::{self, Reward};
use super::spec::Rule;

/// What is known of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// A probability for each value, which the rule moves (`ml`, `ltm`, `fm`).
    Probabilities(Rule, Vec<f64>),
    /// Successes and failures of each value (`lta`).
    Counts {
        /// 1 and the successes.
        successes: Vec<f64>,
        /// 1 and the failures.
        failures: Vec<f64>,
    },
    /// A Gamma distribution of lengths.
    Gamma(Moments),
}

impl Distribution {
    /// Of `values` values of which nothing is known yet: uniform.
    pub fn start(rule: Rule, values: usize) -> Self {
        match rule {
            Rule::LongTermAdditive => {
                Distribution::Counts { successes: vec![1.0; values], failures: vec![1.0; values] }
            }
            _ => Distribution::Probabilities(rule, vec![1.0 / values as f64; values]),
        }
    }

    /// Of lengths of which nothing is known yet.
    pub fn start_gamma() -> Self {
        Distribution::Gamma(UNIFORM)
    }

    /// Learns what came of a query with the value at place `m`; a length's place is the length.
    pub fn reward(&mut self, m: usize, reward: Reward) {
        match self {
            Distribution::Probabilities(Rule::Memoryless, scores) => rules::memoryless(scores, m, reward),
            Distribution::Probabilities(Rule::FadingMemory, scores) => rules::fading_memory(scores, m, reward),
            Distribution::Probabilities(_, scores) => rules::long_term_multiplicative(scores, m, reward),
            Distribution::Counts { successes, failures } => {
                rules::long_term_additive(successes, failures, m, reward);
            }
            Distribution::Gamma(moments) if reward == Reward::Success => lengths::add(moments, m as f64),
            Distribution::Gamma(_) => {}
        }
    }

    /// The probability of each value; they sum to 1.
    pub fn probabilities(&self) -> Vec<f64> {
        match self {
            Distribution::Probabilities(_, scores) => scores.clone(),
            Distribution::Counts { successes, failures } => {
                let score = |(&successes, &failures)| rules::additive_score(successes, failures);
                let mut scores: Vec<f64> = successes.iter().zip(failures).map(score).collect();
                rules::normalise(&mut scores);
                scores
            }
            Distribution::Gamma(moments) => lengths::probabilities(moments),
        }
    }

    /// All its numbers, to be kept, each under a name; `values` are the names of its values.
    pub(super) fn numbers(&mut self, values: &[String]) -> Vec<(String, &mut f64)> {
        match self {
            Distribution::Probabilities(_, scores) => named("p", values, scores).collect(),
            Distribution::Counts { successes, failures } => {
                named("successes", values, successes).chain(named("failures", values, failures)).collect()
            }
            Distribution::Gamma(Moments { count, sum, squares }) => {
                [("count", count), ("sum", sum), ("squares", squares)].map(|(name, at)| (name.into(), at)).into()
            }
        }
    }
}

fn named<'a>(what: &str, values: &[String], numbers: &'a mut [f64]) -> impl Iterator<Item = (String, &'a mut f64)> {
    values.iter().map(move |value| format!("{what} {value}")).zip(numbers)
}
