//! The scores: estimates of the probability that a result is right.

use crate::texts::{Outcome, TrainingText};

/// Values that are tried for the factor of the scale, its exponent and the greatest score. Greater
/// exponents fit the sentences better, but make scores of one or two words too high.
const FACTORS: [f64; 12] = [1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0, 3.5, 4.0, 5.0];
const EXPONENTS: [f64; 9] = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6];
const GREATEST_SCORES: [f64; 6] = [0.97, 0.975, 0.98, 0.985, 0.99, 0.995];

/// Parameters of the scores; see `identify::weights`.
#[derive(Debug, Clone, Copy)]
pub struct ScoreParameters {
    pub factor: f64,
    pub exponent: f64,
    pub greatest: f64,
}

/// Returns the parameters with the least cross-entropy for these texts, which are in known
/// languages and are not rejected.
pub fn fit_scores(texts: &[&TrainingText]) -> ScoreParameters {
    let mut best = (f64::INFINITY, None);
    for factor in FACTORS {
        for exponent in EXPONENTS {
            let shares: Vec<f64> = texts
                .iter()
                .map(|text| share_of_best(text, factor, exponent))
                .collect();
            for greatest in GREATEST_SCORES {
                let losses = texts.iter().zip(&shares);
                let loss: f64 = losses
                    .map(|(text, share)| loss(text, share * greatest))
                    .sum();
                if loss < best.0 {
                    let parameters = ScoreParameters {
                        factor,
                        exponent,
                        greatest,
                    };
                    best = (loss, Some(parameters));
                }
            }
        }
    }
    best.1.unwrap_or(ScoreParameters {
        factor: 1.0,
        exponent: 0.0,
        greatest: 1.0,
    })
}

/// Returns the share of the best language in the sum of the probabilities, as in the module
/// `identify::reject`.
fn share_of_best(text: &TrainingText, factor: f64, exponent: f64) -> f64 {
    let scale = factor * f64::from(text.features.words.max(1)).powf(exponent);
    let sum: f64 = text
        .features
        .deficits
        .iter()
        .map(|d| (-d / scale).exp())
        .sum();
    1.0 / sum
}

/// Returns the cross-entropy of a score, by the weight of the text.
fn loss(text: &TrainingText, score: f64) -> f64 {
    let probability = if text.outcome == Outcome::Correct {
        score
    } else {
        1.0 - score
    };
    -text.weight * probability.ln()
}

/// Returns the expected calibration error of the scores of these texts: the mean, over ten
/// intervals of the score by the weight of their texts, of the difference between the mean score
/// and the accuracy.
pub fn calibration_error(texts: &[&TrainingText], parameters: ScoreParameters) -> f64 {
    let mut differences = [0.0; 10];
    let mut total = 0.0;
    for text in texts {
        let share = share_of_best(text, parameters.factor, parameters.exponent);
        let score = parameters.greatest * share;
        let is_correct = f64::from(u8::from(text.outcome == Outcome::Correct));
        let interval = ((score * 10.0) as usize).min(9);
        differences[interval] += text.weight * (score - is_correct);
        total += text.weight;
    }
    differences.iter().map(|sum| sum.abs()).sum::<f64>() / f64::max(total, f64::MIN_POSITIVE)
}
