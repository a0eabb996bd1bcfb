//! Accuracy on sources that the model was not trained on: each source of prose is left out in turn,
//! and the model is tested on texts of it. Or several are left out at a time, and the models, each
//! with other texts of these sources, are written to a folder, from which `fit-reject-model` fits
//! the reject option: each language then lacks some of its sources in one of the models.
//!
//! Only texts are counted whose language keeps a class in their script: a language of which there
//! is no other sample cannot be recognised.

use crate::lists::{code_of, list_files, read_file};
use crate::samples::{DECLARATION_TITLE, LINGUA_TITLE, WordsByClass, make_samples};
use crate::sentences::{SENTENCE_SOURCES, read_sentences};
use anyhow::Context;
use forage_langid::{
    EvidenceLimits, Identifier, LanguageCode, Model, Scratch, Script, pack_evidence,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

/// Maximum number of texts per file, taken at equal intervals.
const MAX_TEXTS: usize = 150;
/// One in this many of the news sentences, of which all are unknown to the model, is for the reject
/// option.
const NEWS_STEP: usize = 5;
/// Number of models that are written, each without one in so many sources. Set by judgement, not
/// measured.
const FOLDS: usize = 3;
/// Minimum number of letters of a text; fewer in scripts without blanks. Set by judgement, not
/// measured.
const MIN_LETTERS: usize = 40;
const MIN_LETTERS_WITHOUT_BLANKS: usize = 15;
/// Minimum size in tokens of a class, without the source, whose texts are counted.
const MIN_SAMPLE_TOKENS: u64 = 400;
/// Minimum number of texts of a language that counts in means over languages.
const MIN_TEXTS: u32 = 20;

/// A text with its language.
type LabelledText = (LanguageCode, String);

/// Texts of a source.
struct LeftOutSource {
    name: &'static str,
    genre: &'static str,
    title: &'static str,
    /// Texts for the test.
    test: Vec<LabelledText>,
    /// Other texts, to which the reject option is fitted.
    train: Vec<LabelledText>,
}

/// The accuracy on a source that was left out.
#[derive(Default)]
struct SourceAccuracy {
    texts: u32,
    correct: u32,
    undetermined: u32,
    /// Texts of each language, and correct ones.
    languages: BTreeMap<LanguageCode, (u32, u32)>,
}

/// Writes the table of all sources, and the means over them, to standard output.
///
/// # Errors
/// Fails if a file of texts cannot be read.
pub fn write_table(
    words: &WordsByClass,
    data: &Path,
    names: &BTreeMap<String, String>,
    limits: &EvidenceLimits,
) -> anyhow::Result<()> {
    let mut table = std::io::stdout().lock();
    writeln!(
        table,
        "| source | genre | languages | texts | correct, % | `und`, % | mean over languages, % \
         | worst quarter of languages, % |\n|---|---|--:|--:|--:|--:|--:|--:|"
    )?;
    let mut rows = Vec::new();
    for source in read_sources(data)? {
        let samples = make_samples(words, &[source.title], data, names)?;
        let evidence = pack_evidence(&samples, limits)?;
        let accuracy = measure(
            &Identifier::new(Model::with_evidence(evidence)?),
            &source.test,
        );
        let values = accuracy.values();
        let languages = accuracy.languages.len();
        writeln!(
            table,
            "| {} | {} | {languages} | {} | {} |",
            source.title.split(" (").next().unwrap_or(source.name),
            source.genre,
            accuracy.texts,
            format_values(&values)
        )?;
        rows.push(values);
    }
    let mean = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64;
    writeln!(
        table,
        "| mean | | | | {} |",
        format_values(&[0, 1, 2, 3].map(mean))
    )?;
    Ok(())
}

/// Writes models to `folder`, `N.bin` without each [`FOLDS`]th source, and texts of these sources,
/// `N.tsv`.
///
/// # Errors
/// Fails if a file of texts cannot be read, or a file cannot be written.
pub fn write_models(
    words: &WordsByClass,
    data: &Path,
    names: &BTreeMap<String, String>,
    limits: &EvidenceLimits,
    folder: &Path,
) -> anyhow::Result<()> {
    let sources = read_sources(data)?;
    for fold in 0..FOLDS {
        let left_out = || sources.iter().skip(fold).step_by(FOLDS);
        let titles: Vec<&str> = left_out().map(|source| source.title).collect();
        let samples = make_samples(words, &titles, data, names)?;
        let write = |extension: &str, bytes: &[u8]| {
            let file = folder.join(format!("{fold}.{extension}"));
            std::fs::write(&file, bytes).with_context(|| file.display().to_string())
        };
        write("bin", &pack_evidence(&samples, limits)?)?;
        let texts = left_out().flat_map(|source| &source.train);
        let line = |(code, text): &LabelledText| format!("{code}\t{}\n", text.replace('\t', " "));
        write("tsv", texts.map(line).collect::<String>().as_bytes())?;
    }
    Ok(())
}

fn format_values(values: &[f64; 4]) -> String {
    values
        .map(|value| format!("{:.1}", 100.0 * value))
        .join(" | ")
}

/// Reads the texts of all sources of prose, of the news and of the Declaration.
fn read_sources(data: &Path) -> anyhow::Result<Vec<LeftOutSource>> {
    let mut sources: Vec<LeftOutSource> = SENTENCE_SOURCES
        .iter()
        .filter(|source| source.is_prose())
        .map(|source| new_source(source.name, source.genre, source.title))
        .collect();
    for folder in ["sentences/dev", "sentences/train"] {
        for file in read_sentences(&data.join(folder))? {
            let file = file?;
            if let Some(source) = sources.iter_mut().find(|s| s.name == file.source.name) {
                let texts = if folder.ends_with("dev") {
                    &mut source.test
                } else {
                    &mut source.train
                };
                add_texts(texts, file.code, file.text.lines());
            }
        }
    }
    let mut news = new_source("lingua", "news", LINGUA_TITLE);
    for file in list_files(&data.join("news"))? {
        let (code, text) = (code_of(&file)?, read_file(&file)?);
        let is_for_fit = |index: usize| index.is_multiple_of(NEWS_STEP);
        let lines = || text.lines().enumerate();
        let train = lines().filter(|(index, _)| is_for_fit(*index));
        let test = lines().filter(|(index, _)| !is_for_fit(*index));
        add_texts(&mut news.train, code, train.map(|(_, line)| line));
        add_texts(&mut news.test, code, test.map(|(_, line)| line));
    }
    let mut declaration = new_source("Declaration", "law", DECLARATION_TITLE);
    for (name, texts) in [
        ("udhr-test.tsv", &mut declaration.test),
        ("udhr-train.tsv", &mut declaration.train),
    ] {
        for line in read_file(&data.join("lidpack").join(name))?.lines() {
            let (code, text) = line.split_once('\t').context("no tab")?;
            add_texts(texts, code.parse()?, std::iter::once(text));
        }
    }
    sources.extend([news, declaration]);
    sources.retain(|source| !source.test.is_empty());
    Ok(sources)
}

fn new_source(name: &'static str, genre: &'static str, title: &'static str) -> LeftOutSource {
    LeftOutSource {
        name,
        genre,
        title,
        test: Vec::new(),
        train: Vec::new(),
    }
}

/// Adds the lines that are long enough, at most [`MAX_TEXTS`] of them.
fn add_texts<'a>(
    texts: &mut Vec<LabelledText>,
    code: LanguageCode,
    lines: impl Iterator<Item = &'a str>,
) {
    let long: Vec<&str> = lines.filter(|line| has_enough_letters(line)).collect();
    let step = long.len().div_ceil(MAX_TEXTS).max(1);
    let chosen = long.into_iter().step_by(step);
    texts.extend(chosen.map(|text| (code, text.to_owned())));
}

fn has_enough_letters(text: &str) -> bool {
    let is_without_blanks = |c: char| ('\u{e00}'..'\u{1000}').contains(&c) || c >= '\u{2e80}';
    let min = if text.chars().any(is_without_blanks) {
        MIN_LETTERS_WITHOUT_BLANKS
    } else {
        MIN_LETTERS
    };
    text.chars().filter(|c| c.is_alphabetic()).count() >= min
}

fn measure(identifier: &Identifier, texts: &[LabelledText]) -> SourceAccuracy {
    let known: BTreeSet<(LanguageCode, Script)> = identifier
        .classes()
        .filter(|class| class.sample_tokens >= MIN_SAMPLE_TOKENS)
        .map(|class| (class.code, class.script))
        .collect();
    let mut scratch = Scratch::default();
    let mut accuracy = SourceAccuracy::default();
    for (code, text) in texts {
        let identification = identifier.identify_with(&mut scratch, text);
        let is_known = known.contains(&(*code, identification.script));
        if is_known {
            let is_correct = u32::from(identification.code == *code);
            accuracy.texts += 1;
            accuracy.correct += is_correct;
            accuracy.undetermined += u32::from(identification.code == LanguageCode::UNDETERMINED);
            let language = accuracy.languages.entry(*code).or_default();
            language.0 += 1;
            language.1 += is_correct;
        }
    }
    accuracy
}

impl SourceAccuracy {
    /// Returns the share of correct texts, that of undetermined ones, the mean over languages, and
    /// the mean over the worst quarter of them.
    fn values(&self) -> [f64; 4] {
        let share = |number: u32| f64::from(number) / f64::from(self.texts.max(1));
        let mut languages: Vec<f64> = self
            .languages
            .values()
            .filter(|(texts, _)| *texts >= MIN_TEXTS)
            .map(|(texts, correct)| f64::from(*correct) / f64::from(*texts))
            .collect();
        languages.sort_by(f64::total_cmp);
        let worst = &languages[..languages.len().div_ceil(4)];
        let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        [
            share(self.correct),
            share(self.undetermined),
            mean(&languages),
            mean(worst),
        ]
    }
}
