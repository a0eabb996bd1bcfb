//! The texts that the reject option and the scores are fitted to.

use anyhow::Context;
use forage_langid::{Identifier, LanguageCode, RejectFeatures, Scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A language is a close relative of another one if it is the best for at least one in this many
/// texts in the other, whenever that and its closer relatives are excluded.
const RELATIVE_SHARE: usize = 5;
/// Number of times that the best languages are excluded as relatives.
const RELATIVE_ROUNDS: usize = 2;

/// Exponent of the sample size in the weight of a text in a known language: texts in languages with
/// many texts are more likely. A language with ten thousand times the sample has 2.5 times the
/// weight.
const SIZE_EXPONENT: f64 = 0.1;
/// Index of the logarithm of the sample size of the language among the features.
const LOG_SAMPLE_TOKENS: usize = 3;

/// Total weight of the texts in unknown languages, relative to those in known ones.
const UNKNOWN_WEIGHT: f64 = 0.5;

/// Maximum number of texts per language that are used as texts in an unknown language.
const MAX_UNKNOWN_TEXTS: usize = 40;

/// Numbers of words to which consecutive texts are cut, in turn; 0 leaves a text whole.
const TEXT_WORDS: [usize; 12] = [0, 0, 0, 4, 0, 0, 0, 10, 0, 0, 0, 25];

/// One in this many texts of other sources is used for the scores.
const SEEN_STEP: usize = 10;

/// Texts per page.
const PAGE_TEXTS: usize = 24;
/// One in this many texts of a page is in another language, like menus, names and quotations.
const FOREIGN_STEP: usize = 5;

/// Maximum number of pages per language.
const MAX_PAGES: usize = 24;

/// Scripts with a separate bias: those with many texts.
pub const SCRIPTS: [&str; 6] = ["Latn", "Cyrl", "Arab", "Deva", "Hani", "Jpan"];

/// The language as which a text was identified, compared with its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As the language that it is in.
    Correct,
    /// As another language than its own, which the identifier has.
    Mistaken,
    /// As another language than its own, which the identifier does not have, nor close relatives.
    Unknown,
}

/// A training text.
pub struct TrainingText {
    pub code: LanguageCode,
    pub outcome: Outcome,
    /// Index of the script in [`SCRIPTS`], or their number for another script.
    pub script: usize,
    pub features: RejectFeatures,
    /// True if the model was made from the source of the text.
    pub is_of_seen_source: bool,
    /// Weight in the fit.
    pub weight: f64,
}

/// Returns the files of texts in a folder, in the order of their names.
pub fn text_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<anyhow::Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "tsv"));
    files.sort();
    Ok(files)
}

/// Returns the texts of a source, as texts in known languages, and some also as texts in unknown
/// ones.
pub fn make_training_texts(lines: &str, all: &Identifier) -> anyhow::Result<Vec<TrainingText>> {
    let mut scratch = Scratch::default();
    let mut training = Vec::new();
    for (code, own) in read_languages(lines)? {
        let Some(others) = without_relatives(all, code, &own) else {
            continue;
        };
        let step = own.len().div_ceil(MAX_UNKNOWN_TEXTS);
        let known = own.iter().map(|text| (all, Outcome::Mistaken, text));
        let unknown = own
            .iter()
            .step_by(step)
            .map(|text| (&others, Outcome::Unknown, text));
        for (identifier, wrong, text) in known.chain(unknown) {
            if let Some(features) = identifier.compute_reject_features(&mut scratch, text) {
                training.push(new_training_text(code, wrong, features));
            }
        }
    }
    Ok(with_weights(training))
}

/// Returns texts of other sources than the one that is left out, one of [`SEEN_STEP`], as texts in
/// known languages.
pub fn make_seen_texts(lines: &str, all: &Identifier) -> anyhow::Result<Vec<TrainingText>> {
    let mut scratch = Scratch::default();
    let mut training = Vec::new();
    for line in lines.lines().step_by(SEEN_STEP) {
        let (code, text) = line.split_once('\t').context("no tab")?;
        let code = code.parse()?;
        let features = all.compute_reject_features(&mut scratch, text);
        training.extend(features.map(|features| TrainingText {
            is_of_seen_source: true,
            ..new_training_text(code, Outcome::Mistaken, features)
        }));
    }
    Ok(with_weights(training))
}

/// Returns a training text in the language `code`. Its outcome is `wrong` if another language is
/// the best.
fn new_training_text(code: LanguageCode, wrong: Outcome, features: RejectFeatures) -> TrainingText {
    let script = SCRIPTS
        .iter()
        .position(|other| *other == features.script.as_str());
    TrainingText {
        code,
        outcome: if features.code == code {
            Outcome::Correct
        } else {
            wrong
        },
        script: script.unwrap_or(SCRIPTS.len()),
        features,
        is_of_seen_source: false,
        weight: 1.0,
    }
}

/// Returns the texts of each language: whole, cut, and joined to pages.
fn read_languages(lines: &str) -> anyhow::Result<BTreeMap<LanguageCode, Vec<String>>> {
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
    Ok(languages)
}

/// Returns the identifier without the language and its close relatives, or `None` if it does not
/// have the language.
fn without_relatives(all: &Identifier, code: LanguageCode, texts: &[String]) -> Option<Identifier> {
    let mut scratch = Scratch::default();
    let mut others = all.clone();
    others.exclude(&[code]).ok()?;
    for _ in 0..RELATIVE_ROUNDS {
        let mut best: BTreeMap<LanguageCode, usize> = BTreeMap::new();
        for text in texts {
            if let Some(features) = others.compute_reject_features(&mut scratch, text) {
                *best.entry(features.code).or_default() += 1;
            }
        }
        best.retain(|_, number| *number * RELATIVE_SHARE >= texts.len());
        let relatives: Vec<LanguageCode> = best.into_keys().collect();
        others.exclude(&relatives).ok()?;
    }
    Some(others)
}

/// Gives the texts of a source their weights: those in known languages together the square root of
/// the number of languages, so that neither a source in one language nor one in hundreds decides.
fn with_weights(mut texts: Vec<TrainingText>) -> Vec<TrainingText> {
    for text in &mut texts {
        text.weight = if text.outcome == Outcome::Unknown {
            1.0
        } else {
            (text.features.values[LOG_SAMPLE_TOKENS] * SIZE_EXPONENT).exp()
        };
    }
    let codes: BTreeSet<LanguageCode> = texts.iter().map(|text| text.code).collect();
    let total = (codes.len() as f64).sqrt();
    for (is_unknown, total) in [(false, total), (true, total * UNKNOWN_WEIGHT)] {
        let is_affected = |text: &TrainingText| (text.outcome == Outcome::Unknown) == is_unknown;
        let affected = texts.iter().filter(|text| is_affected(text));
        let sum: f64 = affected.map(|text| text.weight).sum();
        for text in texts.iter_mut().filter(|text| is_affected(text)) {
            text.weight *= total / sum;
        }
    }
    texts
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
