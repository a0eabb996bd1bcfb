//! Fits the verdict, whether a text is in a known language: `fit-verdict [MODEL=]FILE...`, files of
//! lines "code, tab, text". Prints the module `weights`. A model other than the program's is for
//! languages that are known from little there: texts of their own subjects are rare.
//!
//! Texts are met as they are, cut to a few words, and joined to pages that hold some lines in
//! another language; in a known language, and in an unknown one: with their own left out. A
//! logistic regression tells them apart. First it is fitted to half of the languages and measured
//! on the rest, which is said on standard error; then to all.

use anyhow::Context;
use forage_langid::{Identifier, LanguageCode, Model, Scratch};
use std::collections::BTreeMap;
use std::io::Write as _;

/// Part of the texts in known languages that may be called unknown.
const LOST: f64 = 0.012;

/// Texts of a language that are met as unknown, at most.
const UNKNOWN: usize = 40;

/// Words that texts are cut to, one text after the other; 0 leaves it whole.
const WORDS: [usize; 6] = [0, 4, 0, 10, 0, 25];

/// Texts of a page, and one of how many is in another language: menus, names, quotations.
const PAGE: usize = 24;
/// See [`PAGE`].
const FOREIGN: usize = 5;

/// Pages of a language, at most.
const PAGES: usize = 24;

/// Scripts with a bias of their own: those of many texts.
const SCRIPTS: [&str; 6] = ["Latn", "Cyrl", "Arab", "Deva", "Hani", "Jpan"];

/// The ridge: how dear a great weight is.
const RIDGE: f64 = 1.0;

/// How far from its mean a feature counts, in standard deviations; as in the module `verdict`.
const FAR: f64 = 4.0;

/// A text: its language, whether that was known, and what the verdict is made from.
struct Text {
    code: LanguageCode,
    is_known: bool,
    script: usize,
    features: Vec<f64>,
}

/// What was fitted.
struct Fit {
    means: Vec<f64>,
    scales: Vec<f64>,
    weights: Vec<f64>,
    threshold: f64,
}

fn main() -> anyhow::Result<()> {
    let mut texts = Vec::new();
    for argument in std::env::args().skip(1) {
        let (model, file) = match argument.split_once('=') {
            Some((model, file)) => (
                Model::from_bytes(&std::fs::read(model).with_context(|| model.to_owned())?)?,
                file,
            ),
            None => (Model::builtin(), argument.as_str()),
        };
        let lines = std::fs::read_to_string(file).with_context(|| file.to_owned())?;
        meet(&lines, &Identifier::new(model), &mut texts)?;
    }
    let is_first_half =
        |text: &Text| text.code.as_str().bytes().map(u32::from).sum::<u32>() % 2 == 0;
    let (half, rest): (Vec<&Text>, Vec<&Text>) = texts.iter().partition(|text| is_first_half(text));
    let fitted = fit(&half);
    for (name, texts) in [("fitted", &half), ("others", &rest)] {
        let lost = |is_known| {
            share(
                texts
                    .iter()
                    .copied()
                    .filter(|text| text.is_known == is_known),
                &fitted,
            )
        };
        writeln!(
            std::io::stderr(),
            "{name}: und of the unknown {:.3}, of the known {:.3}",
            lost(false),
            lost(true)
        )?;
    }
    let fitted = fit(&texts.iter().collect::<Vec<_>>());
    Ok(std::io::stdout()
        .lock()
        .write_all(module(&fitted).as_bytes())?)
}

/// Meets each text as known and some as unknown.
fn meet(lines: &str, all: &Identifier, texts: &mut Vec<Text>) -> anyhow::Result<()> {
    let mut languages: BTreeMap<LanguageCode, Vec<String>> = BTreeMap::new();
    for (line, words) in lines.lines().zip(WORDS.iter().cycle()) {
        let (code, text) = line.split_once('\t').context("no tab")?;
        let first = || {
            text.split_whitespace()
                .take(*words)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let text = if *words == 0 {
            text.to_owned()
        } else {
            first()
        };
        languages.entry(code.parse()?).or_default().push(text);
    }
    let foreign = languages.get(&"eng".parse()?).cloned().unwrap_or_default();
    for texts in languages.values_mut() {
        let pages = pages(texts, &foreign);
        texts.extend(pages);
    }
    let mut scratch = Scratch::default();
    for (code, own) in languages {
        let mut others = all.clone();
        if others.exclude(&[code]).is_err() {
            continue;
        }
        let step = own.len().div_ceil(UNKNOWN);
        let unknown = own.iter().step_by(step).map(|text| (&others, text));
        for (identifier, text) in own.iter().map(|text| (all, text)).chain(unknown) {
            if let Some((script, features)) = identifier.compute_reject_features(&mut scratch, text)
            {
                let script = SCRIPTS
                    .iter()
                    .position(|one| *one == script.as_str())
                    .unwrap_or(SCRIPTS.len());
                let is_known = std::ptr::eq(identifier, all);
                texts.push(Text {
                    code,
                    is_known,
                    script,
                    features: features.to_vec(),
                });
            }
        }
    }
    Ok(())
}

/// Texts of a language, joined.
fn pages(texts: &[String], foreign: &[String]) -> Vec<String> {
    let step = (texts.len() / PAGES).max(1);
    let page = |start: usize| {
        let mut lines = texts[start..(start + PAGE).min(texts.len())].to_vec();
        let others = foreign.iter().cycle().skip(start);
        lines
            .iter_mut()
            .step_by(FOREIGN)
            .zip(others)
            .for_each(|(line, other)| line.clone_from(other));
        lines.join("\n")
    };
    (0..texts.len()).step_by(step).map(page).collect()
}

/// Part of the texts that are taken to be in no known language.
fn share<'a>(texts: impl Iterator<Item = &'a Text>, fit: &Fit) -> f64 {
    let (mut all, mut lost) = (0.0, 0.0);
    for text in texts {
        all += 1.0;
        lost += f64::from(u8::from(
            product(&row(text, fit), &fit.weights) < fit.threshold,
        ));
    }
    lost / f64::max(all, 1.0)
}

fn fit(texts: &[&Text]) -> Fit {
    let number = texts.first().map_or(0, |text| text.features.len());
    let mean = |of: &dyn Fn(&Text) -> f64| {
        texts.iter().map(|text| of(text)).sum::<f64>() / texts.len() as f64
    };
    let means: Vec<f64> = (0..number)
        .map(|at| mean(&|text| text.features[at]))
        .collect();
    let scales = (0..number)
        .map(|at| mean(&|text| (text.features[at] - means[at]).powi(2)).sqrt())
        .collect();
    let mut fit = Fit {
        means,
        scales,
        weights: Vec::new(),
        threshold: 0.0,
    };
    let rows: Vec<Vec<f64>> = texts.iter().map(|text| row(text, &fit)).collect();
    let known = texts.iter().filter(|text| text.is_known).count() as f64;
    let of_unknown = known / (texts.len() as f64 - known) / 2.0;
    let share: Vec<f64> = texts
        .iter()
        .map(|text| if text.is_known { 1.0 } else { of_unknown })
        .collect();
    let wanted: Vec<f64> = texts
        .iter()
        .map(|text| f64::from(u8::from(text.is_known)))
        .collect();
    fit.weights = regression(&rows, &wanted, &share);
    let mut sums: Vec<f64> = rows
        .iter()
        .zip(texts)
        .filter(|(_, text)| text.is_known)
        .map(|(row, _)| product(row, &fit.weights))
        .collect();
    sums.sort_by(f64::total_cmp);
    fit.threshold = sums[(sums.len() as f64 * LOST) as usize];
    fit
}

/// What the weights are for: the features, their products, and a script.
fn row(text: &Text, fit: &Fit) -> Vec<f64> {
    let scaled = text.features.iter().zip(&fit.means).zip(&fit.scales);
    let x: Vec<f64> = scaled
        .map(|((feature, mean), scale)| ((feature - mean) / scale).clamp(-FAR, FAR))
        .collect();
    let products = (0..x.len()).flat_map(|one| (one..x.len()).map(move |other| (one, other)));
    let products: Vec<f64> = products.map(|(one, other)| x[one] * x[other]).collect();
    let scripts = (0..=SCRIPTS.len()).map(|script| f64::from(u8::from(script == text.script)));
    x.iter().copied().chain(products).chain(scripts).collect()
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Logistic regression, by Newton's method.
fn regression(rows: &[Vec<f64>], wanted: &[f64], share: &[f64]) -> Vec<f64> {
    let number = rows.first().map_or(0, Vec::len);
    let mut weights = vec![0.0; number];
    for _ in 0..25 {
        let mut slope: Vec<f64> = weights.iter().map(|weight| -RIDGE * weight).collect();
        let mut curvature = vec![vec![0.0; number]; number];
        for ((row, wanted), share) in rows.iter().zip(wanted).zip(share) {
            let probability = 1.0 / (1.0 + (-product(row, &weights)).exp());
            let curve = share * probability * (1.0 - probability);
            for (at, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                slope[at] += share * (wanted - probability) * x;
                curvature[at]
                    .iter_mut()
                    .zip(row)
                    .for_each(|(sum, y)| *sum += curve * x * y);
            }
        }
        curvature
            .iter_mut()
            .enumerate()
            .for_each(|(at, row)| row[at] += RIDGE);
        weights
            .iter_mut()
            .zip(solution(curvature, slope))
            .for_each(|(weight, step)| *weight += step);
    }
    weights
}

/// Solves the equations by elimination.
fn solution(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let number = right.len();
    for pivot in 0..number {
        let row = matrix[pivot].clone();
        for other in pivot + 1..number {
            let factor = matrix[other][pivot] / row[pivot];
            matrix[other]
                .iter_mut()
                .zip(&row)
                .for_each(|(value, above)| *value -= factor * above);
            right[other] -= factor * right[pivot];
        }
    }
    for at in (0..number).rev() {
        let known: f64 = (at + 1..number)
            .map(|other| matrix[at][other] * right[other])
            .sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}

/// The module's text.
fn module(fit: &Fit) -> String {
    let number = fit.means.len();
    let list = |values: &[f64]| {
        values
            .iter()
            .map(|value| format!("{value:.4}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (linear, rest) = fit.weights.split_at(number);
    let (products, scripts) = rest.split_at(number * (number + 1) / 2);
    let biases: Vec<f64> = scripts.iter().map(|bias| bias - fit.threshold).collect();
    let named: Vec<String> = SCRIPTS
        .iter()
        .zip(&biases)
        .map(|(script, bias)| format!("(\"{script}\", {bias:.4})"))
        .collect();
    format!(
        "//! Weights of the verdict, as `make verdict` fitted them.\n\n\
         /// Means of the features.\n\
         pub(crate) const MEANS: [f64; {number}] = [{}];\n\n\
         /// Their standard deviations.\n\
         pub(crate) const SCALES: [f64; {number}] = [{}];\n\n\
         /// What is added for texts in a script; the threshold is in it.\n\
         pub(crate) const BIASES: [(&str, f64); {}] = [{}];\n\n\
         /// The same for other scripts.\n\
         pub(crate) const BIAS: f64 = {:.4};\n\n\
         /// The weight of each feature.\n\
         pub(crate) const LINEAR: [f64; {number}] = [{}];\n\n\
         /// Those of the products: of the first with itself and all behind it, then of the second,
         /// and so on.\n\
         pub(crate) const PRODUCTS: [f64; {}] = [{}];\n",
        list(&fit.means),
        list(&fit.scales),
        SCRIPTS.len(),
        named.join(", "),
        biases[SCRIPTS.len()],
        list(linear),
        products.len(),
        list(products),
    )
}
