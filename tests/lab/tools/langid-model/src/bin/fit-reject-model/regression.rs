//! The logistic regression of the reject option.

use crate::texts::{Outcome, SCRIPTS, TrainingText};
use forage_langid::LanguageCode;
use std::collections::BTreeMap;

/// Share of the texts in known languages that may be rejected, by weight.
const FALSE_REJECTION_RATE: f64 = 0.009;

/// Share of the texts in one known language that may be rejected. A language of which more would be
/// gets a bonus.
const FALSE_REJECTION_RATE_OF_LANGUAGE: f64 = 0.02;
/// Minimum number of texts of a language that gets a bonus.
const MIN_TEXTS_FOR_BONUS: usize = 40;

/// Ridge penalty of the regression.
const RIDGE: f64 = 30.0;

/// Maximum deviation of a feature from its mean, in standard deviations; as in the module
/// `identify::reject`.
const MAX_DEVIATION: f64 = 4.0;

/// Iterations of Newton's method.
const NEWTON_STEPS: usize = 25;

/// A fitted model.
pub struct RejectModel {
    pub means: Vec<f64>,
    pub scales: Vec<f64>,
    pub weights: Vec<f64>,
    pub threshold: f64,
    /// What is added to the log odds of some languages.
    pub bonuses: BTreeMap<LanguageCode, f64>,
}

/// Returns `true` if the model rejects the text.
pub fn is_rejected(text: &TrainingText, model: &RejectModel) -> bool {
    let bonus = model.bonuses.get(&text.features.code).copied();
    log_odds(text, model) + bonus.unwrap_or(0.0) < model.threshold
}

fn log_odds(text: &TrainingText, model: &RejectModel) -> f64 {
    dot_product(&regressors(text, model), &model.weights)
}

/// Returns the share of the texts, by their weights, that the model rejects.
pub fn rejected_share<'a>(
    texts: impl Iterator<Item = &'a TrainingText>,
    model: &RejectModel,
) -> f64 {
    let mut all = 0.0;
    let mut rejected = 0.0;
    for text in texts {
        all += text.weight;
        rejected += text.weight * f64::from(u8::from(is_rejected(text, model)));
    }
    rejected / f64::max(all, f64::MIN_POSITIVE)
}

/// Fits the model to texts that are identified correctly, and to texts in unknown languages.
pub fn fit(texts: &[&TrainingText]) -> RejectModel {
    let number = texts.first().map_or(0, |text| text.features.values.len());
    let mean = |value: &dyn Fn(&TrainingText) -> f64| {
        texts.iter().map(|text| value(text)).sum::<f64>() / texts.len() as f64
    };
    let means: Vec<f64> = (0..number)
        .map(|index| mean(&|text| text.features.values[index]))
        .collect();
    let scales = (0..number)
        .map(|index| mean(&|text| (text.features.values[index] - means[index]).powi(2)).sqrt())
        .collect();
    let mut model = RejectModel {
        means,
        scales,
        weights: Vec::new(),
        threshold: 0.0,
        bonuses: BTreeMap::new(),
    };
    let rows: Vec<Vec<f64>> = texts.iter().map(|text| regressors(text, &model)).collect();
    // The penalty of the regression is that for weights of 1 on average.
    let mean_weight = texts.iter().map(|text| text.weight).sum::<f64>() / texts.len() as f64;
    let row_weights: Vec<f64> = texts.iter().map(|text| text.weight / mean_weight).collect();
    let targets: Vec<f64> = texts
        .iter()
        .map(|text| f64::from(u8::from(text.outcome == Outcome::Correct)))
        .collect();
    model.weights = fit_logistic_regression(&rows, &targets, &row_weights);
    let known = rows
        .iter()
        .zip(texts)
        .filter(|(_, text)| text.outcome == Outcome::Correct);
    let log_odds = known.map(|(row, text)| (dot_product(row, &model.weights), text.weight));
    model.threshold = weighted_quantile(log_odds.collect(), FALSE_REJECTION_RATE);
    model.bonuses = fit_bonuses(texts, &model);
    model
}

/// Returns what the log odds of each language lack so that few texts in it are rejected.
fn fit_bonuses(texts: &[&TrainingText], model: &RejectModel) -> BTreeMap<LanguageCode, f64> {
    let mut languages: BTreeMap<LanguageCode, Vec<(f64, f64)>> = BTreeMap::new();
    for text in texts.iter().filter(|text| text.outcome == Outcome::Correct) {
        let log_odds = log_odds(text, model);
        languages
            .entry(text.code)
            .or_default()
            .push((log_odds, 1.0));
    }
    languages.retain(|_, log_odds| log_odds.len() >= MIN_TEXTS_FOR_BONUS);
    languages
        .into_iter()
        .map(|(code, log_odds)| {
            let lowest = weighted_quantile(log_odds, FALSE_REJECTION_RATE_OF_LANGUAGE);
            (code, model.threshold - lowest)
        })
        .filter(|(_, bonus)| *bonus > 0.0)
        .collect()
}

/// Returns the value below which values have this share of the total weight.
fn weighted_quantile(mut values: Vec<(f64, f64)>, share: f64) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    for (value, weight) in &values {
        below += weight;
        if below > share * total {
            return *value;
        }
    }
    0.0
}

/// Returns the regressors of a text: the scaled features, their products, and an indicator of each
/// script.
fn regressors(text: &TrainingText, model: &RejectModel) -> Vec<f64> {
    let scaled = text
        .features
        .values
        .iter()
        .zip(&model.means)
        .zip(&model.scales);
    let x: Vec<f64> = scaled
        .map(|((feature, mean), scale)| {
            ((feature - mean) / scale).clamp(-MAX_DEVIATION, MAX_DEVIATION)
        })
        .collect();
    let pairs = (0..x.len()).flat_map(|i| (i..x.len()).map(move |j| (i, j)));
    let products: Vec<f64> = pairs.map(|(i, j)| x[i] * x[j]).collect();
    let scripts = (0..=SCRIPTS.len()).map(|script| f64::from(u8::from(script == text.script)));
    x.iter().copied().chain(products).chain(scripts).collect()
}

fn dot_product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Fits a weighted logistic regression with ridge penalty by Newton's method.
fn fit_logistic_regression(rows: &[Vec<f64>], targets: &[f64], row_weights: &[f64]) -> Vec<f64> {
    let number = rows.first().map_or(0, Vec::len);
    let mut weights = vec![0.0; number];
    for _ in 0..NEWTON_STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| -RIDGE * weight).collect();
        let mut hessian = vec![vec![0.0; number]; number];
        for ((row, target), row_weight) in rows.iter().zip(targets).zip(row_weights) {
            let probability = 1.0 / (1.0 + (-dot_product(row, &weights)).exp());
            let curvature = row_weight * probability * (1.0 - probability);
            for (index, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                gradient[index] += row_weight * (target - probability) * x;
                for (sum, y) in hessian[index].iter_mut().zip(row) {
                    *sum += curvature * x * y;
                }
            }
        }
        for (index, row) in hessian.iter_mut().enumerate() {
            row[index] += RIDGE;
        }
        for (weight, step) in weights.iter_mut().zip(solve(hessian, gradient)) {
            *weight += step;
        }
    }
    weights
}

/// Solves a system of linear equations by Gaussian elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let number = right.len();
    for pivot in 0..number {
        let pivot_row = matrix[pivot].clone();
        for row in pivot + 1..number {
            let factor = matrix[row][pivot] / pivot_row[pivot];
            for (value, above) in matrix[row].iter_mut().zip(&pivot_row) {
                *value -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..number).rev() {
        let known: f64 = (row + 1..number)
            .map(|column| matrix[row][column] * right[column])
            .sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}
