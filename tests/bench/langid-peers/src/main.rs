//! Compares language identifiers on the same texts, each on one thread:
//! `langid-peers [--python] PYTHON PER_LANGUAGE FILE...`.
//!
//! A line of a file has code, tab, text. Of each language in a file, PER_LANGUAGE texts at regular
//! intervals are used. PYTHON is an interpreter that has the packages of `requirements.txt`; those
//! that are missing are left out. With --python, all identifiers are packages of Python, and their
//! memory is measured. The output is a table in Markdown.

mod labels;
mod peer;

use anyhow::Context;
use forage_langid::{LanguageCode, Scratch};
use labels::CodeLabels;
use peer::PeerRun;
use std::collections::BTreeMap;
use std::fmt;

/// A text with the label of its language.
struct LabelledText {
    label: LanguageCode,
    text: String,
}

/// The columns of the table of identifiers that are crates or packages.
const COLUMNS: &str =
    "| texts | identifier | languages | MB/s | correct, % of all | correct, % of \
    its languages | forage-langid on these, % | forage-langid restricted to them, % |
|---|---|--:|--:|--:|--:|--:|--:|";

/// The columns with --python.
const PYTHON_COLUMNS: &str =
    "| texts | identifier | languages | texts/s | memory, MB | correct, % \
    of its languages | forage-langid on these, % |
|---|---|--:|--:|--:|--:|--:|";

fn main() -> anyhow::Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_python = arguments.first().is_some_and(|first| first == "--python");
    arguments.drain(..usize::from(is_python));
    let [python, per_language, files @ ..] = &arguments[..] else {
        anyhow::bail!("usage: langid-peers [--python] PYTHON PER_LANGUAGE FILE...");
    };
    println!("{}", if is_python { PYTHON_COLUMNS } else { COLUMNS });
    for file in files {
        let texts = read_texts(file, per_language.parse().context("PER_LANGUAGE")?)?;
        let name = file
            .rsplit('/')
            .next()
            .unwrap_or(file)
            .trim_end_matches(".tsv");
        compare_identifiers(name, &texts, python, is_python)?;
    }
    Ok(())
}

/// Reads the texts of a file, of each language `per_language` at regular intervals.
fn read_texts(file: &str, per_language: usize) -> anyhow::Result<Vec<LabelledText>> {
    let lines = std::fs::read_to_string(file).with_context(|| file.to_owned())?;
    let mut by_language: BTreeMap<LanguageCode, Vec<&str>> = BTreeMap::new();
    for (code, text) in lines.lines().filter_map(|line| line.split_once('\t')) {
        let label = code.parse().with_context(|| file.to_owned())?;
        by_language.entry(label).or_default().push(text);
    }
    let sample = |(label, texts): (LanguageCode, Vec<&str>)| -> Vec<LabelledText> {
        let number = texts.len().min(per_language);
        (0..number)
            .map(|n| LabelledText {
                label,
                text: texts[n * texts.len() / number].to_owned(),
            })
            .collect()
    };
    Ok(by_language.into_iter().flat_map(sample).collect())
}

/// Prints a row for each identifier.
fn compare_identifiers(
    name: &str,
    texts: &[LabelledText],
    python: &str,
    is_python: bool,
) -> anyhow::Result<()> {
    let plain: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
    let forage = peer::run_forage(&plain);
    let forage_answers = parse_answers(&forage)?;
    let print = |run: &PeerRun| -> anyhow::Result<()> {
        let row = Row::new(run, texts, &forage_answers)?;
        let row = if is_python {
            row.for_python()
        } else {
            row.to_string()
        };
        println!("| {name} | {} | {row} |", run.title);
        Ok(())
    };
    if !is_python {
        print(&forage)?;
        for run_crate in peer::CRATES {
            print(&run_crate(&plain))?;
        }
    }
    let packages = if is_python {
        &peer::IN_PYTHON[..]
    } else {
        &peer::PYTHON_PEERS
    };
    for name in packages {
        match peer::run_python(name, python, &plain) {
            Ok(run) => print(&run)?,
            Err(error) => eprintln!("langid-peers: {error:#}"),
        }
    }
    Ok(())
}

/// Returns for each text if the answer is right.
fn correct_answers(texts: &[LabelledText], run: &PeerRun) -> Vec<bool> {
    let labels = CodeLabels::new(run.codes.iter().map(String::as_str));
    texts
        .iter()
        .zip(&run.answers)
        .map(|(text, answer)| labels.has_label(answer, text.label))
        .collect()
}

/// Returns the answers of forage-langid as labels.
fn parse_answers(run: &PeerRun) -> anyhow::Result<Vec<LanguageCode>> {
    let parse = |code: &String| code.parse().with_context(|| code.clone());
    run.answers.iter().map(parse).collect()
}

/// The measurements of an identifier. Shares are in per cent.
struct Row {
    languages: usize,
    megabytes_per_second: f64,
    texts_per_second: f64,
    /// Memory; `None` if it was not measured.
    megabytes: Option<f64>,
    /// Correct answers to all texts.
    correct: f64,
    /// Correct answers to the texts in languages of the identifier.
    own_correct: f64,
    /// Correct answers of forage-langid to these texts.
    forage: f64,
    /// The same with these languages as the only candidates.
    restricted: f64,
}

impl Row {
    fn new(
        run: &PeerRun,
        texts: &[LabelledText],
        forage_answers: &[LanguageCode],
    ) -> anyhow::Result<Self> {
        let labels = CodeLabels::new(run.codes.iter().map(String::as_str));
        let own_labels = labels.languages();
        let own: Vec<usize> = (0..texts.len())
            .filter(|n| own_labels.contains(&texts[*n].label))
            .collect();
        let correct = correct_answers(texts, run);
        let bytes: usize = texts.iter().map(|text| text.text.len()).sum();
        let restricted = peer::restricted_forage(&own_labels)?;
        let mut scratch = Scratch::default();
        // A mistake between languages that the identifier does not distinguish does not count: it
        // cannot make this mistake.
        let is_right = |n: usize, answer| labels.unites(texts[n].label, answer);
        let mut identify_restricted =
            |n: usize| restricted.identify_with(&mut scratch, &texts[n].text).code;
        Ok(Self {
            languages: labels.language_count(),
            megabytes_per_second: bytes as f64 / 1e6 / run.seconds,
            texts_per_second: texts.len() as f64 / run.seconds,
            megabytes: run.megabytes,
            correct: share(correct.iter().copied()),
            own_correct: share(own.iter().map(|n| correct[*n])),
            forage: share(own.iter().map(|n| is_right(*n, forage_answers[*n]))),
            restricted: share(own.iter().map(|n| is_right(*n, identify_restricted(*n)))),
        })
    }

    /// Returns the cells of the table with `PYTHON_COLUMNS`.
    fn for_python(&self) -> String {
        format!(
            "{} | {:.0} | {:.0} | {:.1} | {:.1}",
            self.languages,
            self.texts_per_second,
            self.megabytes.unwrap_or_default(),
            self.own_correct,
            self.forage,
        )
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} | {} | {:.1} | {:.1} | {:.1} | {:.1}",
            self.languages,
            format_speed(self.megabytes_per_second),
            self.correct,
            self.own_correct,
            self.forage,
            self.restricted,
        )
    }
}

/// Formats a speed with one decimal, or with two if it is below 1, where identifiers differ
/// tenfold.
fn format_speed(megabytes_per_second: f64) -> String {
    let decimals = if megabytes_per_second < 1.0 { 2 } else { 1 };
    format!("{megabytes_per_second:.decimals$}")
}

/// Returns the share of correct answers in per cent.
fn share(answers: impl ExactSizeIterator<Item = bool>) -> f64 {
    let number = answers.len() as f64;
    answers.filter(|is_correct| *is_correct).count() as f64 / number * 100.0
}
