//! Fits the reject option, which decides if a text is in a known language, and the scores, which
//! estimate the probability that the result is right: `fit-reject-model FOLDER`. FOLDER has what
//! `build-langid-model --leave-one-out` writes: for each of some groups of sources of running text
//! the evidence of a model that was made without them, `N.bin`, and texts of them, lines of "code,
//! tab, text", `N.tsv`. Prints the module `weights`.
//!
//! Training data of the reject option are the unmodified texts, texts cut to a few words, and texts
//! joined to pages with some lines in another language. Those that are identified correctly are
//! texts in a known language: of a source that the model has not seen, as most texts are. Some of
//! all texts are used again as texts in an unknown language, with their own language and its close
//! relatives excluded: a text whose language is unknown but has a known relative cannot be told
//! from a text in a variety of the relative. A logistic regression separates the two.
//!
//! The scores are fitted to the same texts in known languages and to texts of the other sources,
//! which together have four times the weight, because these are in more languages. With equal
//! weights, the scores are too low on the sets of `docs/LANGID.md`.
//!
//! Everything is fitted first to half of the languages and measured on the other half, with results
//! on standard error, and then fitted to all. The constants were set by judgement, not measured.

mod regression;
mod scores;
mod texts;

use anyhow::{Context, ensure};
use forage_langid::{EvidenceModel, Identifier, LanguageCode, Model};
use regression::{RejectModel, fit, is_rejected, rejected_share};
use scores::{ScoreParameters, calibration_error, fit_scores};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use texts::{Outcome, SCRIPTS, TrainingText, make_seen_texts, make_training_texts, text_files};

fn main() -> anyhow::Result<()> {
    let folder = std::env::args()
        .nth(1)
        .context("usage: fit-reject-model FOLDER")?;
    let mut texts = Vec::new();
    let files = text_files(Path::new(&folder))?;
    let read =
        |file: &PathBuf| std::fs::read_to_string(file).with_context(|| file.display().to_string());
    for file in &files {
        let evidence = std::fs::read(file.with_extension("bin"))
            .with_context(|| format!("the model without {}", file.display()))?;
        let identifier =
            Identifier::new(Model::with_evidence(EvidenceModel::from_bytes(evidence)?));
        let left_out = make_training_texts(&read(file)?, &identifier)
            .with_context(|| file.display().to_string())?;
        let others = files.iter().filter(|other| *other != file).map(read);
        let others = others.collect::<anyhow::Result<String>>()?;
        texts.extend(left_out);
        texts.extend(make_seen_texts(&others, &identifier)?);
    }
    for outcome in [Outcome::Correct, Outcome::Unknown] {
        let has_outcome = texts.iter().any(|text| text.outcome == outcome);
        ensure!(has_outcome, "{folder}: too few texts to fit to");
    }
    let (half, rest): (Vec<&TrainingText>, Vec<&TrainingText>) =
        texts.iter().partition(|text| is_in_first_half(text.code));
    let (model, scores) = fit_all(&half);
    report("fitted", &half, &model, scores)?;
    report("others", &rest, &model, scores)?;
    let (model, scores) = fit_all(&texts.iter().collect::<Vec<_>>());
    Ok(std::io::stdout()
        .lock()
        .write_all(to_module(&model, scores).as_bytes())?)
}

/// Fits the reject option, and the scores to the texts that it accepts.
fn fit_all(texts: &[&TrainingText]) -> (RejectModel, ScoreParameters) {
    let fitted: Vec<&TrainingText> = texts
        .iter()
        .copied()
        .filter(|text| text.outcome != Outcome::Mistaken && !text.is_of_seen_source)
        .collect();
    let model = fit(&fitted);
    let scores = fit_scores(&accepted(texts, &model));
    (model, scores)
}

/// Returns the texts in known languages that are not rejected.
fn accepted<'a>(texts: &[&'a TrainingText], model: &RejectModel) -> Vec<&'a TrainingText> {
    texts
        .iter()
        .copied()
        .filter(|text| text.outcome != Outcome::Unknown && !is_rejected(text, model))
        .collect()
}

/// Writes to standard error how well the fitted parameters are for some texts.
fn report(
    name: &str,
    texts: &[&TrainingText],
    model: &RejectModel,
    scores: ScoreParameters,
) -> anyhow::Result<()> {
    let (seen, left_out): (Vec<&TrainingText>, Vec<&TrainingText>) =
        texts.iter().partition(|text| text.is_of_seen_source);
    let rejected = |outcome| {
        let texts = left_out.iter().copied();
        rejected_share(texts.filter(|text| text.outcome == outcome), model)
    };
    let error = |texts: &[&TrainingText]| calibration_error(&accepted(texts, model), scores);
    Ok(writeln!(
        std::io::stderr(),
        "{name}: rejected {:.3} of unknown, {:.3} of correct, {:.3} of mistaken; expected \
         calibration error {:.3} on sources that are left out, {:.3} on others",
        rejected(Outcome::Unknown),
        rejected(Outcome::Correct),
        rejected(Outcome::Mistaken),
        error(&left_out),
        error(&seen)
    )?)
}

/// Assigns a language to one of two halves, by the letters of its code.
fn is_in_first_half(code: LanguageCode) -> bool {
    code.as_str().bytes().map(u32::from).sum::<u32>() % 2 == 0
}

/// Returns the source text of the module `identify::weights`.
fn to_module(model: &RejectModel, scores: ScoreParameters) -> String {
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
    let bonuses: Vec<String> = model
        .bonuses
        .iter()
        .map(|(code, bonus)| format!("(\"{code}\", {bonus:.2})"))
        .collect();
    let named: Vec<String> = SCRIPTS
        .iter()
        .zip(&biases)
        .map(|(script, bias)| format!("(\"{script}\", {bias:.4})"))
        .collect();
    format!(
        "//! Weights of the reject option and parameters of the scores, fitted by\n\
         //! `make -C tests/lab reject-model`.\n\n\
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
         pub(crate) const PRODUCTS: [f64; {}] = [{}];\n\n\
         /// What is added to the log odds of some languages, whose texts vary more than their \
         samples.\n\
         pub(crate) const BONUSES: [(&str, f64); {}] = [{}];\n\n\
         /// Parameters of the scale of the evidence, in nats, in the scores: factor, and exponent \
         of the\n\
         /// number of words.\n\
         pub(crate) const SCORE_SCALE: (f64, f64) = ({:?}, {:?});\n\n\
         /// Sum of the scores of the best languages. The rest accounts for texts that are not in \
         the\n\
         /// language of their label.\n\
         pub(crate) const MAX_SCORE: f64 = {:?};\n",
        list(&model.means),
        list(&model.scales),
        SCRIPTS.len(),
        named.join(", "),
        biases[SCRIPTS.len()],
        list(linear),
        products.len(),
        list(products),
        bonuses.len(),
        bonuses.join(", "),
        scores.factor,
        scores.exponent,
        scores.greatest,
    )
}
