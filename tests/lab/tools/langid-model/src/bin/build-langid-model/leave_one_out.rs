//! Models that lack sources, with texts of these sources. Each lacks a third of the sources of prose,
//! of which `fit-reject-model` and `report-langid` then use texts: each language lacks some of its
//! sources in one of the models.

use crate::lists::{code_of, list_files, read_file};
use crate::samples::{DECLARATION_TITLE, LINGUA_TITLE, WordsByClass, make_samples};
use crate::sentences::{SENTENCE_SOURCES, read_sentences};
use anyhow::Context;
use forage_langid::{EvidenceLimits, EvidenceModel, LanguageCode};
use std::collections::BTreeMap;
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

/// Writes models to `folder`, `N.bin` without each [`FOLDS`]th source, and texts of these sources:
/// for the fit `N.tsv`, lines of code, text; for the test `N.test`, lines of source, genre, code,
/// text.
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
        let evidence = EvidenceModel::from_samples(&samples, limits)?;
        write("bin", evidence.as_bytes())?;
        let line = |(code, text): &LabelledText| format!("{code}\t{}\n", text.replace('\t', " "));
        let texts = left_out().flat_map(|source| &source.train);
        write("tsv", texts.map(line).collect::<String>().as_bytes())?;
        let tests = left_out().flat_map(|source| {
            let prefix = format!("{}\t{}\t", source.title, source.genre);
            source
                .test
                .iter()
                .map(move |text| prefix.clone() + &line(text))
        });
        write("test", tests.collect::<String>().as_bytes())?;
    }
    Ok(())
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
