//! Fits the reject option, which decides if a text is in a known language: `fit-reject-model
//! [MODEL=]FILE...`, with files of lines "code, tab, text". Prints the module `weights`.
//!
//! With a model other than the built-in one, its languages can be given smaller samples, in which
//! words of the subject of a text are rare.
//!
//! Training data are the unmodified texts, texts cut to a few words, and texts joined to pages with
//! some lines in another language. Each is used as a text in a known language, and some also as a
//! text in an unknown one, with their own language excluded. A logistic regression separates the
//! two. It is fitted first to half of the languages and measured on the other half, with results on
//! standard error, and then fitted to all. The constants of this file were set by judgement, not
//! measured.

use anyhow::Context;
use forage_langid::{Identifier, LanguageCode, Model, Scratch};
use std::collections::BTreeMap;
use std::io::Write as _;

/// Share of the texts in known languages that may be rejected.
const FALSE_REJECTION_RATE: f64 = 0.012;

/// Maximum number of texts per language that are used as texts in an unknown language.
const MAX_UNKNOWN_TEXTS: usize = 40;

/// Numbers of words to which consecutive texts are cut, in turn; 0 leaves a text whole.
const TEXT_WORDS: [usize; 6] = [0, 4, 0, 10, 0, 25];

/// Texts per page.
const PAGE_TEXTS: usize = 24;
/// One in this many texts of a page is in another language, like menus, names and quotations.
const FOREIGN_STEP: usize = 5;

/// Maximum number of pages per language.
const MAX_PAGES: usize = 24;

/// Scripts with a separate bias: those with many texts.
const SCRIPTS: [&str; 6] = ["Latn", "Cyrl", "Arab", "Deva", "Hani", "Jpan"];

/// Ridge penalty of the regression.
const RIDGE: f64 = 1.0;

/// Maximum deviation of a feature from its mean, in standard deviations; as in the module
/// `identify::reject`.
const MAX_DEVIATION: f64 = 4.0;

/// Iterations of Newton's method.
const NEWTON_STEPS: usize = 25;

/// A training text.
struct TrainingText {
    code: LanguageCode,
    /// True if the identifier had the text's language.
    is_known: bool,
    /// Index of the script in [`SCRIPTS`], or their number for another script.
    script: usize,
    features: Vec<f64>,
}

/// A fitted model.
struct RejectModel {
    means: Vec<f64>,
    scales: Vec<f64>,
    weights: Vec<f64>,
    threshold: f64,
}

fn main() -> anyhow::Result<()> {
    let mut texts = Vec::new();
    for argument in std::env::args().skip(1) {
        let (model, file) = match argument.split_once('=') {
            Some((model, file)) => {
                let bytes = std::fs::read(model).with_context(|| model.to_owned())?;
                (Model::from_bytes(&bytes)?, file)
            }
            None => (Model::builtin(), argument.as_str()),
        };
        let lines = std::fs::read_to_string(file).with_context(|| file.to_owned())?;
        add_training_texts(&lines, &Identifier::new(model), &mut texts)?;
    }
    let (half, rest): (Vec<&TrainingText>, Vec<&TrainingText>) =
        texts.iter().partition(|text| is_in_first_half(text.code));
    let model = fit(&half);
    for (name, texts) in [("fitted", &half), ("others", &rest)] {
        let rejection_rate = |is_known| {
            let texts = texts.iter().copied();
            rejected_share(texts.filter(|text| text.is_known == is_known), &model)
        };
        writeln!(
            std::io::stderr(),
            "{name}: rejected {:.3} of unknown, {:.3} of known",
            rejection_rate(false),
            rejection_rate(true)
        )?;
    }
    let model = fit(&texts.iter().collect::<Vec<_>>());
    Ok(std::io::stdout()
        .lock()
        .write_all(to_module(&model).as_bytes())?)
}

/// Assigns a language to one of two halves, by the letters of its code.
fn is_in_first_half(code: LanguageCode) -> bool {
    code.as_str().bytes().map(u32::from).sum::<u32>() % 2 == 0
}

/// Adds each text as one in a known language, and some as texts in an unknown one.
fn add_training_texts(
    lines: &str,
    all: &Identifier,
    texts: &mut Vec<TrainingText>,
) -> anyhow::Result<()> {
    let mut languages: BTreeMap<LanguageCode, Vec<String>> = BTreeMap::new();
    for (line, words) in lines.lines().zip(TEXT_WORDS.iter().cycle()) {
        let (code, text) = line.split_once('\t').context("no tab")?;
        let text = if *words == 0 {
            text.to_owned()
        } else {
            first_words(text, *words)
        };
        languages.entry(code.parse()?).or_default().push(text);
    }
    let foreign = languages.get(&"eng".parse()?).cloned().unwrap_or_default();
    for texts in languages.values_mut() {
        let pages = join_to_pages(texts, &foreign);
        texts.extend(pages);
    }
    let mut scratch = Scratch::default();
    for (code, own) in languages {
        let mut others = all.clone();
        if others.exclude(&[code]).is_err() {
            continue;
        }
        let step = own.len().div_ceil(MAX_UNKNOWN_TEXTS);
        let unknown = own.iter().step_by(step).map(|text| (&others, text));
        for (identifier, text) in own.iter().map(|text| (all, text)).chain(unknown) {
            if let Some((script, features)) = identifier.compute_reject_features(&mut scratch, text)
            {
                let script = SCRIPTS
                    .iter()
                    .position(|other| *other == script.as_str())
                    .unwrap_or(SCRIPTS.len());
                texts.push(TrainingText {
                    code,
                    is_known: std::ptr::eq(identifier, all),
                    script,
                    features: features.to_vec(),
                });
            }
        }
    }
    Ok(())
}

fn first_words(text: &str, number: usize) -> String {
    text.split_whitespace()
        .take(number)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Joins the texts of a language to pages, with some texts replaced by foreign ones.
fn join_to_pages(texts: &[String], foreign: &[String]) -> Vec<String> {
    let step = (texts.len() / MAX_PAGES).max(1);
    let page = |start: usize| {
        let mut lines = texts[start..(start + PAGE_TEXTS).min(texts.len())].to_vec();
        let others = foreign.iter().cycle().skip(start);
        for (line, other) in lines.iter_mut().step_by(FOREIGN_STEP).zip(others) {
            line.clone_from(other);
        }
        lines.join("\n")
    };
    (0..texts.len()).step_by(step).map(page).collect()
}

/// Returns the share of the texts that the model rejects.
fn rejected_share<'a>(texts: impl Iterator<Item = &'a TrainingText>, model: &RejectModel) -> f64 {
    let mut number = 0.0;
    let mut rejected = 0.0;
    for text in texts {
        let log_odds = dot_product(&regressors(text, model), &model.weights);
        number += 1.0;
        rejected += f64::from(u8::from(log_odds < model.threshold));
    }
    rejected / f64::max(number, 1.0)
}

fn fit(texts: &[&TrainingText]) -> RejectModel {
    let number = texts.first().map_or(0, |text| text.features.len());
    let mean = |value: &dyn Fn(&TrainingText) -> f64| {
        texts.iter().map(|text| value(text)).sum::<f64>() / texts.len() as f64
    };
    let means: Vec<f64> = (0..number)
        .map(|index| mean(&|text| text.features[index]))
        .collect();
    let scales = (0..number)
        .map(|index| mean(&|text| (text.features[index] - means[index]).powi(2)).sqrt())
        .collect();
    let mut model = RejectModel {
        means,
        scales,
        weights: Vec::new(),
        threshold: 0.0,
    };
    let rows: Vec<Vec<f64>> = texts.iter().map(|text| regressors(text, &model)).collect();
    let known = texts.iter().filter(|text| text.is_known).count() as f64;
    // Texts in unknown languages have half the total weight of those in known ones.
    let unknown_weight = known / (texts.len() as f64 - known) / 2.0;
    let row_weights: Vec<f64> = texts
        .iter()
        .map(|text| if text.is_known { 1.0 } else { unknown_weight })
        .collect();
    let targets: Vec<f64> = texts
        .iter()
        .map(|text| f64::from(u8::from(text.is_known)))
        .collect();
    model.weights = fit_logistic_regression(&rows, &targets, &row_weights);
    let mut log_odds: Vec<f64> = rows
        .iter()
        .zip(texts)
        .filter(|(_, text)| text.is_known)
        .map(|(row, _)| dot_product(row, &model.weights))
        .collect();
    log_odds.sort_by(f64::total_cmp);
    model.threshold = log_odds[(log_odds.len() as f64 * FALSE_REJECTION_RATE) as usize];
    model
}

/// Returns the regressors of a text: the scaled features, their products, and an indicator of each
/// script.
fn regressors(text: &TrainingText, model: &RejectModel) -> Vec<f64> {
    let scaled = text.features.iter().zip(&model.means).zip(&model.scales);
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

/// Returns the source text of the module `identify::weights`.
fn to_module(model: &RejectModel) -> String {
    let number = model.means.len();
    let list = |values: &[f64]| {
        values
            .iter()
            .map(|value| format!("{value:.4}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (linear, rest) = model.weights.split_at(number);
    let (products, scripts) = rest.split_at(number * (number + 1) / 2);
    let biases: Vec<f64> = scripts.iter().map(|bias| bias - model.threshold).collect();
    let named: Vec<String> = SCRIPTS
        .iter()
        .zip(&biases)
        .map(|(script, bias)| format!("(\"{script}\", {bias:.4})"))
        .collect();
    format!(
        "//! Weights of the reject option, fitted by `make reject-model`.\n\n\
         /// Means of the features.\n\
         pub(crate) const MEANS: [f64; {number}] = [{}];\n\n\
         /// Standard deviations of the features.\n\
         pub(crate) const SCALES: [f64; {number}] = [{}];\n\n\
         /// Bias for texts in a script, less the threshold.\n\
         pub(crate) const BIASES: [(&str, f64); {}] = [{}];\n\n\
         /// Bias for texts in other scripts, less the threshold.\n\
         pub(crate) const DEFAULT_BIAS: f64 = {:.4};\n\n\
         /// Weights of the features.\n\
         pub(crate) const LINEAR: [f64; {number}] = [{}];\n\n\
         /// Weights of the products of two features: of the first with itself and all later ones, \
         then of\n\
         /// the second, and so on.\n\
         pub(crate) const PRODUCTS: [f64; {}] = [{}];\n",
        list(&model.means),
        list(&model.scales),
        SCRIPTS.len(),
        named.join(", "),
        biases[SCRIPTS.len()],
        list(linear),
        products.len(),
        list(products),
    )
}
