//! Measures the accuracy of the built-in model, or of a compact one: `evaluate-langid [--compact
//! FILE] NAME=FILE...`, with files of lines "code, tab, text". Prints the sections of
//! `docs/LANGID.md`.
//!
//! For each set of texts, reports the share that is identified correctly, by length and by script;
//! the calibration of the scores; the speed on one thread; and each language with 10 texts or more
//! and an accuracy below 90 %, with the languages that it is mistaken for. `und` counts as an
//! error, and so do languages that the model does not have.

use anyhow::Context;
use forage_langid::model_bytes::unpack;
use forage_langid::{EvidenceModel, Identifier, LanguageCode, Model, Scratch};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

/// Intervals of the score in the calibration table.
const BINS: usize = 10;
/// Minimum number of letters of the texts in the calibration table.
const MIN_CALIBRATED_LETTERS: usize = 20;

/// Accuracy below which a language is listed.
const LISTED_BELOW: f64 = 0.90;
/// Minimum number of texts of a language that is listed.
const MIN_LISTED_TEXTS: u64 = 10;

/// Maximum number of wrong results that are listed per language.
const MAX_CONFUSIONS: usize = 4;

/// Number of texts, and of those identified correctly.
#[derive(Debug, Default, Clone, Copy)]
struct Accuracy {
    texts: u64,
    correct: u64,
}

impl Accuracy {
    fn add(&mut self, is_correct: bool) {
        self.texts += 1;
        self.correct += u64::from(is_correct);
    }

    fn share(self) -> f64 {
        self.correct as f64 / self.texts.max(1) as f64
    }
}

/// The results of a language.
#[derive(Debug, Default)]
struct LanguageResults {
    accuracy: Accuracy,
    /// Number of texts that were identified as another language.
    confusions: BTreeMap<LanguageCode, u64>,
}

/// The results of a set of texts.
#[derive(Debug, Default)]
struct SetResults {
    all: Accuracy,
    scripts: BTreeMap<String, Accuracy>,
    lengths: BTreeMap<&'static str, Accuracy>,
    languages: BTreeMap<LanguageCode, LanguageResults>,
    /// Accuracy and sum of scores by interval of the score.
    bins: [(Accuracy, f64); BINS],
    /// Texts of these intervals without alternatives, and with some.
    alternatives: [Accuracy; 2],
    /// Number of texts of which an alternative is the language.
    correct_alternatives: u64,
    megabytes_per_second: f64,
}

fn main() -> anyhow::Result<()> {
    const USAGE: &str = "usage: evaluate-langid [--compact FILE] NAME=FILE...";
    let mut arguments = std::env::args().skip(1).peekable();
    let mut identifier = Identifier::builtin();
    if arguments.next_if_eq("--compact").is_some() {
        let file = arguments.next().context(USAGE)?;
        let bytes = std::fs::read(&file).with_context(|| file.clone())?;
        let unpacked = unpack(&bytes).with_context(|| format!("{file}: not a compact model"))?;
        let evidence = EvidenceModel::from_bytes(unpacked.as_bytes().to_vec()).context(file)?;
        identifier = Identifier::new(Model::with_evidence(evidence));
    }
    let mut page = String::new();
    for argument in arguments {
        let (name, file) = argument.split_once('=').context(USAGE)?;
        let text = std::fs::read_to_string(file).with_context(|| file.to_owned())?;
        write_section(name, &measure(&identifier, &text)?, &mut page);
    }
    Ok(std::io::stdout().lock().write_all(page.as_bytes())?)
}

fn measure(identifier: &Identifier, text: &str) -> anyhow::Result<SetResults> {
    let mut codes: BTreeMap<&str, LanguageCode> = BTreeMap::new();
    let mut texts = Vec::new();
    for (code, text) in text.lines().filter_map(|line| line.split_once('\t')) {
        if !codes.contains_key(code) {
            codes.insert(code, code.parse()?);
        }
        texts.push((codes[code], text));
    }
    let mut scratch = Scratch::default();
    let start = Instant::now();
    let identifications: Vec<_> = texts
        .iter()
        .map(|(_, text)| identifier.identify_with(&mut scratch, text))
        .collect();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let mut results = SetResults {
        megabytes_per_second: bytes as f64 / 1e6 / start.elapsed().as_secs_f64(),
        ..SetResults::default()
    };
    for ((code, text), identification) in texts.into_iter().zip(identifications) {
        let is_correct = identification.code == code;
        results.all.add(is_correct);
        let script = identification.script.to_string();
        results.scripts.entry(script).or_default().add(is_correct);
        let length = length_class(text);
        results.lengths.entry(length).or_default().add(is_correct);
        let language = results.languages.entry(code).or_default();
        language.accuracy.add(is_correct);
        if !is_correct {
            *language.confusions.entry(identification.code).or_default() += 1;
        }
        if identification.code != LanguageCode::UNDETERMINED
            && count_letters(text) >= MIN_CALIBRATED_LETTERS
        {
            let bin = ((identification.score * BINS as f64) as usize).min(BINS - 1);
            results.bins[bin].0.add(is_correct);
            results.bins[bin].1 += identification.score;
            let other = identification.alternatives.contains(&code);
            let with_alternatives = !identification.alternatives.is_empty();
            results.alternatives[usize::from(with_alternatives)].add(is_correct);
            results.correct_alternatives += u64::from(other);
        }
    }
    Ok(results)
}

fn count_letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic()).count()
}

/// Returns the length class of a text, with a prefix by which the classes sort.
fn length_class(text: &str) -> &'static str {
    match count_letters(text) {
        0..20 => "1. under 20",
        20..50 => "2. 20 to 49",
        50..100 => "3. 50 to 99",
        100..200 => "4. 100 to 199",
        200..500 => "5. 200 to 499",
        _ => "6. 500 and more",
    }
}

/// Appends the section of a set of texts. Writing to a string cannot fail.
fn write_section(name: &str, results: &SetResults, page: &mut String) {
    let SetResults {
        all,
        scripts,
        lengths,
        languages,
        bins,
        alternatives,
        correct_alternatives,
        megabytes_per_second,
    } = results;
    let sum: f64 = languages
        .values()
        .map(|language| language.accuracy.share())
        .sum();
    let mean = sum / languages.len().max(1) as f64;
    let _ = writeln!(page, "\n## {name}\n");
    let _ = writeln!(
        page,
        "{} texts in {} languages: {:.1} % correct; mean over languages {:.1} %; \
         {megabytes_per_second:.0} MB/s.\n",
        all.texts,
        languages.len(),
        all.share() * 100.0,
        mean * 100.0
    );
    let _ = writeln!(page, "| letters | texts | correct, % |\n|---|---|---|");
    for (length, accuracy) in lengths {
        let share = accuracy.share() * 100.0;
        let _ = writeln!(
            page,
            "| {} | {} | {share:.1} |",
            &length[3..],
            accuracy.texts
        );
    }
    write_scripts(scripts, page);
    write_calibration(bins, page);
    write_alternatives(alternatives, *correct_alternatives, page);
    write_listed_languages(languages, page);
}

/// Appends the scripts with mistakes, and names the others.
fn write_scripts(scripts: &BTreeMap<String, Accuracy>, page: &mut String) {
    let (correct, others): (Vec<_>, Vec<_>) = scripts
        .iter()
        .partition(|(_, accuracy)| accuracy.correct == accuracy.texts);
    let _ = writeln!(page, "\n| script | texts | correct, % |\n|---|---|---|");
    for (script, accuracy) in others {
        let share = accuracy.share() * 100.0;
        let _ = writeln!(page, "| {script} | {} | {share:.1} |", accuracy.texts);
    }
    if !correct.is_empty() {
        let names: Vec<_> = correct
            .into_iter()
            .map(|(script, _)| script.as_str())
            .collect();
        let _ = writeln!(page, "\nWithout a mistake: {}.", names.join(", "));
    }
}

/// Appends the calibration of the scores. The expected calibration error is the mean difference
/// between mean score and accuracy, over the intervals by their numbers of texts.
fn write_calibration(bins: &[(Accuracy, f64); BINS], page: &mut String) {
    let texts: u64 = bins.iter().map(|(accuracy, _)| accuracy.texts).sum();
    let difference = |(accuracy, sum): &(Accuracy, f64)| (sum - accuracy.correct as f64).abs();
    let error = bins.iter().map(difference).sum::<f64>() / texts.max(1) as f64;
    let _ = writeln!(
        page,
        "\nExpected calibration error of the scores, from {MIN_CALIBRATED_LETTERS} letters on: \
         {error:.3}.\n"
    );
    let _ = writeln!(
        page,
        "| score | texts | mean score | accuracy |\n|---|---|---|---|"
    );
    for (bin, (accuracy, sum)) in bins.iter().enumerate() {
        if accuracy.texts > 0 {
            let from = bin as f64 / BINS as f64;
            let to = (bin + 1) as f64 / BINS as f64;
            let mean = sum / accuracy.texts as f64;
            let _ = writeln!(
                page,
                "| {from:.1} to {to:.1} | {} | {mean:.3} | {:.3} |",
                accuracy.texts,
                accuracy.share()
            );
        }
    }
}

/// Appends how often texts have alternatives, and how often one of these is the right language.
fn write_alternatives([without, with]: &[Accuracy; 2], correct: u64, page: &mut String) {
    let share = correct as f64 / with.texts.max(1) as f64;
    let _ = writeln!(
        page,
        "\nOf these texts, {} have `alternatives`: {:.1} % of them are correct, of {:.1} % an alternative \
         is; of the texts without any, {:.1} % are correct.",
        with.texts,
        with.share() * 100.0,
        share * 100.0,
        without.share() * 100.0
    );
}

/// Appends the languages with an accuracy below [`LISTED_BELOW`] and [`MIN_LISTED_TEXTS`], worst
/// first.
fn write_listed_languages(languages: &BTreeMap<LanguageCode, LanguageResults>, page: &mut String) {
    let mut listed: Vec<_> = languages
        .iter()
        .filter(|(_, language)| language.accuracy.share() < LISTED_BELOW)
        .collect();
    listed.sort_by(|(a_code, a), (b_code, b)| {
        a.accuracy
            .share()
            .total_cmp(&b.accuracy.share())
            .then(a_code.cmp(b_code))
    });
    let _ = writeln!(
        page,
        "\n{} languages have an accuracy of {:.0} % or more; the others with {MIN_LISTED_TEXTS} texts \
         or more:\n",
        languages.len() - listed.len(),
        LISTED_BELOW * 100.0
    );
    listed.retain(|(_, language)| language.accuracy.texts >= MIN_LISTED_TEXTS);
    let _ = writeln!(
        page,
        "| language | texts | correct, % | mistaken for |\n|---|---|---|---|"
    );
    for (
        code,
        LanguageResults {
            accuracy,
            confusions,
        },
    ) in listed
    {
        let mut confusions: Vec<_> = confusions.iter().collect();
        confusions.sort_by_key(|(_, n)| Reverse(**n));
        let confusions: Vec<String> = confusions
            .iter()
            .take(MAX_CONFUSIONS)
            .map(|(code, n)| format!("{code} {n}"))
            .collect();
        let _ = writeln!(
            page,
            "| {code} | {} | {:.1} | {} |",
            accuracy.texts,
            accuracy.share() * 100.0,
            confusions.join(", ")
        );
    }
}
