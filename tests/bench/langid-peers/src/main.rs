//! Compares language identifiers on the same texts, each on one thread:
//! `langid-peers PYTHON PER_LANGUAGE FILE...`.
//!
//! A line of a file has code, tab, text. Of each language in a file, PER_LANGUAGE texts at regular
//! intervals are used; of the first file also the first words of texts of more than
//! [`WORDS`]' most. PYTHON is an interpreter that has the packages of `requirements.txt`; those
//! that are missing are left out. The output is two tables in Markdown: accuracy, and speed and
//! memory.
//!
//! `langid-peers --identify NAME` runs one of the identifiers that are crates, as `peers.py` runs
//! the others.

mod labels;
mod peer;

use anyhow::Context;
use forage_langid::LanguageCode;
use labels::CodeLabels;
use peer::PeerRun;
use std::collections::BTreeMap;

/// Numbers of first words of a text that are identified.
const WORDS: [usize; 5] = [1, 2, 3, 5, 8];

/// A text with the label of its language.
#[derive(Clone)]
struct LabelledText {
    label: LanguageCode,
    text: String,
}

/// Texts that are a column of the tables.
struct TextSet {
    name: String,
    texts: Vec<LabelledText>,
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [option, name] = &arguments[..]
        && option == "--identify"
    {
        return peer::answer_input(name);
    }
    let [python, per_language, first, others @ ..] = &arguments[..] else {
        anyhow::bail!("usage: langid-peers PYTHON PER_LANGUAGE FILE...");
    };
    let per_language = per_language.parse().context("PER_LANGUAGE")?;
    let mut sets = first_words(first, per_language)?;
    for file in std::iter::once(first).chain(others) {
        let name = file.rsplit('/').next().unwrap_or(file);
        sets.push(TextSet {
            name: name.trim_end_matches(".tsv").to_owned(),
            texts: sample(read_texts(file)?, per_language),
        });
    }
    compare_identifiers(&sets, python)
}

/// Returns the sets of the first words of a file's texts.
fn first_words(file: &str, per_language: usize) -> anyhow::Result<Vec<TextSet>> {
    let most = WORDS.into_iter().max().unwrap_or_default();
    let mut texts = read_texts(file)?;
    texts.retain(|text| text.text.split_whitespace().count() > most);
    let texts = sample(texts, per_language);
    let cut = |text: &LabelledText, words| LabelledText {
        label: text.label,
        text: text
            .text
            .split_whitespace()
            .take(words)
            .collect::<Vec<_>>()
            .join(" "),
    };
    let set = |words| TextSet {
        name: format!("{words} word{}", if words == 1 { "" } else { "s" }),
        texts: texts.iter().map(|text| cut(text, words)).collect(),
    };
    Ok(WORDS.map(set).into())
}

/// Reads the texts of a file.
fn read_texts(file: &str) -> anyhow::Result<Vec<LabelledText>> {
    let lines = std::fs::read_to_string(file).with_context(|| file.to_owned())?;
    let text = |(code, text): (&str, &str)| {
        Ok(LabelledText {
            label: code.parse().with_context(|| file.to_owned())?,
            text: text.to_owned(),
        })
    };
    let labelled = lines.lines().filter_map(|line| line.split_once('\t'));
    labelled.map(text).collect()
}

/// Returns `per_language` texts of each language, at regular intervals.
fn sample(texts: Vec<LabelledText>, per_language: usize) -> Vec<LabelledText> {
    let mut by_language: BTreeMap<LanguageCode, Vec<LabelledText>> = BTreeMap::new();
    for text in texts {
        by_language.entry(text.label).or_default().push(text);
    }
    let draw = |texts: Vec<LabelledText>| {
        let number = texts.len().min(per_language);
        (0..number).map(move |n| texts[n * texts.len() / number].clone())
    };
    by_language.into_values().flat_map(draw).collect()
}

/// Prints the tables, with a row for each identifier that could be run.
fn compare_identifiers(sets: &[TextSet], python: &str) -> anyhow::Result<()> {
    let names = sets.iter().map(|set| set.name.as_str());
    let head = names.collect::<Vec<_>>().join(" | ");
    let rule = "--:|".repeat(sets.len());
    let mut accuracy = vec![
        format!("| identifier | languages | {head} |"),
        format!("|---|--:|{rule}"),
    ];
    let mut speed = vec![
        format!("| identifier | memory, MB | {head} |"),
        format!("|---|--:|{rule}"),
    ];
    let mut forage = Vec::new();
    for name in peer::CRATES.into_iter().chain(peer::PACKAGES) {
        let runs: anyhow::Result<Vec<PeerRun>> = sets
            .iter()
            .map(|set| {
                peer::run(
                    name,
                    python,
                    set.texts.iter().map(|text| text.text.as_str()),
                )
            })
            .collect();
        match runs {
            Ok(runs) => {
                if forage.is_empty() {
                    forage = runs.iter().map(parse_answers).collect::<Result<_, _>>()?;
                }
                accuracy.push(accuracy_row(&runs, sets, &forage));
                speed.push(speed_row(&runs, sets));
            }
            Err(error) => eprintln!("langid-peers: {error:#}"),
        }
    }
    println!("{}\n\n{}", accuracy.join("\n"), speed.join("\n"));
    Ok(())
}

/// Returns the answers of forage-langid as labels.
fn parse_answers(run: &PeerRun) -> anyhow::Result<Vec<LanguageCode>> {
    let parse = |code: &String| code.parse().with_context(|| code.clone());
    run.answers.iter().map(parse).collect()
}

/// Returns for each set the share of texts in the identifier's languages that it labels correctly,
/// and in parentheses that of forage-langid, in per cent. `forage` has the latter's answers.
fn accuracy_row(runs: &[PeerRun], sets: &[TextSet], forage: &[Vec<LanguageCode>]) -> String {
    let labels = CodeLabels::new(runs[0].codes.iter().map(String::as_str));
    let own_labels = labels.languages();
    let cell = |((run, set), forage): ((&PeerRun, &TextSet), &Vec<LanguageCode>)| {
        let own: Vec<usize> = (0..set.texts.len())
            .filter(|n| own_labels.contains(&set.texts[*n].label))
            .collect();
        let is_correct = |n: &usize| labels.has_label(&run.answers[*n], set.texts[*n].label);
        // A mistake between languages that the identifier does not distinguish does not count: it
        // cannot make this mistake.
        let is_forage_correct = |n: &usize| labels.unites(set.texts[*n].label, forage[*n]);
        format!(
            "{:.1} ({:.1})",
            share(own.iter().map(is_correct)),
            share(own.iter().map(is_forage_correct))
        )
    };
    let cells: Vec<String> = runs.iter().zip(sets).zip(forage).map(cell).collect();
    format!(
        "| {} | {} | {} |",
        runs[0].title,
        labels.language_count(),
        cells.join(" | ")
    )
}

/// Returns memory, and for each set the texts a second.
fn speed_row(runs: &[PeerRun], sets: &[TextSet]) -> String {
    let memory = runs.iter().map(|run| run.megabytes).fold(0.0, f64::max);
    let cell =
        |(run, set): (&PeerRun, &TextSet)| format!("{:.0}", set.texts.len() as f64 / run.seconds);
    let cells: Vec<String> = runs.iter().zip(sets).map(cell).collect();
    format!(
        "| {} | {memory:.0} | {} |",
        runs[0].title,
        cells.join(" | ")
    )
}

/// Returns the share of correct answers in per cent.
fn share(answers: impl ExactSizeIterator<Item = bool>) -> f64 {
    let number = answers.len() as f64;
    answers.filter(|is_correct| *is_correct).count() as f64 / number * 100.0
}
