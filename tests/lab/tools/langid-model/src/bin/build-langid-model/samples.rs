//! Samples for the method `evidence`: all word lists of a language combined, by script.

use crate::lists::{self, WordList, code_of, list_files};
use crate::sentences::{
    MESSAGES, PROSE_WEIGHT, SENTENCE_SOURCES, class_and_source, count_words, read_sentences,
};
use crate::serbian::in_both_scripts;
use anyhow::Context;
use forage_langid::{ClassSample, LanguageCode, Script, WordReader};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A source of word lists. Weights and sizes were set by judgement, not measured.
struct WordListSource {
    folder: &'static str,
    name: &'static str,
    /// Kind of the texts.
    kind: &'static str,
    /// Weight of a list relative to other lists of the same language.
    weight: f64,
    /// Number of tokens counted, if the lists do not state it.
    tokens: Option<f64>,
    /// Sum of the frequencies of all words, including those that a list omits, if it is known.
    total: Option<f64>,
}

/// Returns a source with weight 1 whose lists state their sizes.
const fn default_source(
    folder: &'static str,
    name: &'static str,
    kind: &'static str,
) -> WordListSource {
    WordListSource {
        folder,
        name,
        kind,
        weight: 1.0,
        tokens: None,
        total: None,
    }
}

const SOURCES: [WordListSource; 5] = [
    WordListSource {
        total: Some(1e9),
        ..default_source(
            "unilex-top40k/frequency",
            "Unicode Unilex (Unicode-3.0)",
            "religion",
        )
    },
    WordListSource {
        weight: 0.5,
        ..default_source(
            "lidpack/freqwords",
            "FrequencyWords (CC BY-SA 4.0)",
            "subtitles",
        )
    },
    WordListSource {
        total: Some(1e9),
        ..default_source("wordfreq", "wordfreq (CC BY-SA 4.0)", MIXED)
    },
    WordListSource {
        tokens: Some(2e7),
        total: Some(1e10),
        ..default_source("lingua-words", LINGUA_TITLE, "news")
    },
    WordListSource {
        weight: 0.3,
        ..default_source(
            "lidpack/mediawiki",
            "MediaWiki, counts (GPL-2.0+)",
            MESSAGES,
        )
    },
];

/// The titles of sources of which there are texts for tests.
pub const LINGUA_TITLE: &str = "lingua (Apache-2.0)";
pub const DECLARATION_TITLE: &str = "Universal Declaration of Human Rights";

const UDHR: WordListSource = WordListSource {
    weight: PROSE_WEIGHT,
    ..default_source("", DECLARATION_TITLE, "law")
};
/// The kind of sources with texts of several kinds.
const MIXED: &str = "mixed";
const FUNLANGID: &str = "FUN-LangID (Apache-2.0)";

/// Exponent of a list's size in its weight: a list of ten thousand times the tokens has ten times
/// the weight. Set by judgement, not measured.
const SIZE_EXPONENT: f64 = 0.25;

/// Sample size, in tokens, of a language for which only n-gram ranks are known. Set by judgement,
/// not measured.
const NGRAM_SAMPLE_TOKENS: u64 = 200;

/// Minimum number of n-grams of a class for which only n-gram ranks are known. Set by judgement,
/// not measured.
const MIN_NGRAMS: usize = 20;

/// Codes that are left out: a macrolanguage whose members all have samples; copies of another
/// language's words (`frc` is French, `lki` mostly Persian, `adx` and `khg` are one text in
/// literary Tibetan); and a sign language.
const EXCLUDED_CODES: [&str; 6] = ["hbs", "frc", "lki", "adx", "khg", "ase"];

/// Samples that are not in the language and script of their code.
const MISLABELLED: [(&str, &str); 1] = [("azb", "Latn")];

/// Minimum share of a list that words in Latin script must have. With a smaller share, they are
/// treated as quotations, most of which are in Latin script. Set by judgement, not measured.
const MIN_LATIN_SHARE: f64 = 0.35;
/// The minimum share for words in another script.
const MIN_OTHER_SHARE: f64 = 0.05;

/// Words of one source in one script.
pub struct SourceWords {
    words: BTreeMap<String, f64>,
    /// Share of all tokens of the source texts that these words cover.
    coverage: f64,
    tokens: f64,
    weight: f64,
    pub source: &'static str,
    /// Kind of the texts.
    pub kind: &'static str,
    /// Number of sentences or paragraphs; 0 if only word counts are known.
    pub sentences: u64,
}

/// The words of all sources, by class.
pub type WordsByClass = BTreeMap<(LanguageCode, Script), Vec<SourceWords>>;

/// Reads the words of all sources from which the built-in model is made.
pub fn read_source_words(data: &Path) -> anyhow::Result<WordsByClass> {
    let mut classes = WordsByClass::new();
    for source in &SOURCES {
        for file in list_files(&data.join(source.folder))? {
            let (words, size) = lists::read_words(&file)?;
            let sum = || words.iter().map(|(_, n)| n).sum();
            let tokens = source.tokens.or(size).unwrap_or_else(sum);
            let list = WordList { words, tokens };
            let coverage = list.coverage(source.total);
            add_list(code_of(&file)?, list, (coverage, 0), source, &mut classes);
        }
    }
    let mut reader = WordReader::default();
    for file in read_sentences(&data.join("sentences/train"))? {
        let file = file?;
        let source = WordListSource {
            weight: file.source.weight(),
            ..default_source("", file.source.title, file.source.genre)
        };
        let list = count_words(&file, &mut reader);
        let size = (1.0, file.text.lines().count() as u64);
        add_list(file.code, list, size, &source, &mut classes);
    }
    add_counts(data, &mut classes, |name| {
        let source = SENTENCE_SOURCES.iter().find(|source| source.name == name);
        source.map(|source| (source.title, source.genre))
    })?;
    for (code, (list, paragraphs)) in read_declaration(&data.join("lidpack/udhr-train.tsv"))? {
        add_list(code, list, (1.0, paragraphs), &UDHR, &mut classes);
    }
    Ok(classes)
}

/// Adds the words of sources whose licences exclude them from the built-in model.
pub fn add_restricted_words(data: &Path, classes: &mut WordsByClass) -> anyhow::Result<()> {
    add_counts(data, classes, |name| {
        let is_built_in = SENTENCE_SOURCES.iter().any(|source| source.name == name);
        (!is_built_in).then_some(("restricted counts", MIXED))
    })
}

/// Adds the lists `sentences/counts/CODE_Script.SOURCE.tsv` of the sources that have a title, with
/// the weight of prose.
fn add_counts(
    data: &Path,
    classes: &mut WordsByClass,
    title_and_kind: impl Fn(&str) -> Option<(&'static str, &'static str)>,
) -> anyhow::Result<()> {
    for file in list_files(&data.join("sentences/counts"))? {
        let (code, name) = class_and_source(&file)?;
        let Some((title, kind)) = title_and_kind(name) else {
            continue;
        };
        let source = WordListSource {
            weight: PROSE_WEIGHT,
            ..default_source("", title, kind)
        };
        let (words, _) = lists::read_words(&file)?;
        let tokens = words.iter().map(|(_, n)| n).sum();
        let list = WordList { words, tokens };
        add_list(code.parse()?, list, (1.0, 0), &source, classes);
    }
    Ok(())
}

/// Returns the samples of all classes, by script and code, without the words of the sources with the
/// titles `left_out`.
pub fn make_samples(
    words: &WordsByClass,
    left_out: &[&str],
    data: &Path,
    names: &BTreeMap<String, String>,
) -> anyhow::Result<Vec<ClassSample>> {
    let mut samples: Vec<ClassSample> = words
        .iter()
        .filter_map(|(class, sources)| {
            let is_kept = |source: &&SourceWords| !left_out.contains(&source.source);
            let sources: Vec<&SourceWords> = sources.iter().filter(is_kept).collect();
            (!sources.is_empty()).then(|| combine_sources(*class, &sources, names))
        })
        .collect();
    let known: BTreeSet<LanguageCode> = samples.iter().map(|sample| sample.code).collect();
    samples.extend(read_ngram_samples(
        &data.join("lidpack/funlangid-4grams.tsv"),
        &known,
        names,
    )?);
    // The classes of a script are adjacent, because only these are compared for a text.
    samples.sort_by_key(|sample| (sample.script, sample.code));
    Ok(samples)
}

/// Adds the words of a list to the classes of its language, by script. `coverage` is the share of
/// all tokens that the list has, `sentences` the number of those that were counted, if they were read.
fn add_list(
    code: LanguageCode,
    mut list: WordList,
    (coverage, sentences): (f64, u64),
    source: &WordListSource,
    classes: &mut WordsByClass,
) {
    if code.as_str() == "srp" {
        list.words = in_both_scripts(list.words);
        list.tokens *= 2.0;
    }
    let mut scripts: BTreeMap<Script, BTreeMap<String, f64>> = BTreeMap::new();
    let mut total = 0.0;
    let mut reader = WordReader::default();
    for (word, frequency) in list.words {
        reader.for_each_word(&word, |word, script| {
            if script != Script::COMMON {
                *scripts.entry(script).or_default().entry(word).or_default() += frequency;
                total += frequency;
            }
        });
    }
    for (script, words) in scripts {
        let share = words.values().sum::<f64>() / total;
        let min_share = if script.as_str() == "Latn" {
            MIN_LATIN_SHARE
        } else {
            MIN_OTHER_SHARE
        };
        let is_excluded = MISLABELLED.contains(&(code.as_str(), script.as_str()))
            || EXCLUDED_CODES.contains(&code.as_str());
        if share >= min_share && !is_excluded {
            let tokens = (list.tokens * share).max(1.0);
            // Han with and without kana is one class, except for Japanese.
            let script = if script == Script::JAPANESE && code.as_str() != "jpn" {
                Script::HAN
            } else {
                script
            };
            classes
                .entry((code, script))
                .or_default()
                .push(SourceWords {
                    words,
                    coverage,
                    tokens,
                    weight: source.weight,
                    source: source.name,
                    kind: source.kind,
                    sentences,
                });
        }
    }
}

/// Combines the words of all sources of a class, by their weights.
fn combine_sources(
    (code, script): (LanguageCode, Script),
    sources: &[&SourceWords],
    names: &BTreeMap<String, String>,
) -> ClassSample {
    let weight = |source: &&SourceWords| libm::pow(source.tokens, SIZE_EXPONENT) * source.weight;
    let total: f64 = sources.iter().map(weight).sum();
    let mut words: BTreeMap<String, f64> = BTreeMap::new();
    for source in sources {
        let sum: f64 = source.words.values().sum();
        for (word, frequency) in &source.words {
            *words.entry(word.clone()).or_default() +=
                frequency / sum * source.coverage * weight(source) / total;
        }
    }
    let mut source_names: Vec<&str> = sources.iter().map(|source| source.source).collect();
    source_names.dedup();
    ClassSample {
        code,
        script,
        name: names.get(code.as_str()).cloned().unwrap_or_default(),
        source: source_names.join("; "),
        sample_tokens: sources
            .iter()
            .map(|source| source.tokens * source.weight)
            .sum::<f64>()
            .ceil() as u64,
        words: words.into_iter().collect(),
        ngrams: Vec::new(),
    }
}

/// Counts the words of lines of "code, tab, text", and the lines of each language.
fn read_declaration(file: &Path) -> anyhow::Result<BTreeMap<LanguageCode, (WordList, u64)>> {
    let mut counts: BTreeMap<LanguageCode, (BTreeMap<String, f64>, u64)> = BTreeMap::new();
    let mut reader = WordReader::default();
    for line in lists::read_file(file)?.lines() {
        let (code, text) = line.split_once('\t').context("no tab")?;
        let (words, lines) = counts.entry(code.parse()?).or_default();
        *lines += 1;
        reader.for_each_word(text, |word, _| *words.entry(word).or_default() += 1.0);
    }
    let list = |words: BTreeMap<String, f64>| WordList {
        tokens: words.values().sum(),
        words: words.into_iter().collect(),
    };
    Ok(counts
        .into_iter()
        .map(|(code, (words, lines))| (code, (list(words), lines)))
        .collect())
}

/// Reads classes for which only the most frequent n-grams of four characters are known, ranked.
///
/// The n-grams have lost the blanks at their ends: one of two letters was a word, one of three
/// began or ended a word. Frequencies are assumed to fall with the rank as they do in other
/// languages.
fn read_ngram_samples(
    file: &Path,
    known: &BTreeSet<LanguageCode>,
    names: &BTreeMap<String, String>,
) -> anyhow::Result<Vec<ClassSample>> {
    let mut ngrams: BTreeMap<(LanguageCode, Script), Vec<(String, f64)>> = BTreeMap::new();
    let mut reader = WordReader::default();
    for line in lists::read_file(file)?.lines() {
        let mut fields = line.split('\t');
        let (Some(code), Some(rank), Some(ngram)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let Ok(code) = code
            .split('-')
            .next()
            .unwrap_or_default()
            .parse::<LanguageCode>()
        else {
            continue;
        };
        if known.contains(&code) || EXCLUDED_CODES.contains(&code.as_str()) {
            continue;
        }
        let probability = 0.02 / (rank.parse::<f64>()? + 5.0);
        let mut script = Script::COMMON;
        reader.for_each_word(ngram, |_, word_script| script = word_script);
        let ngram = ngram.to_lowercase();
        let variants = match ngram.chars().count() {
            2 => vec![format!("_{ngram}_")],
            3 => vec![format!("_{ngram}"), format!("{ngram}_")],
            4 => vec![ngram],
            _ => continue,
        };
        if script != Script::COMMON && variants.iter().all(|variant| !variant.contains(' ')) {
            let share = probability / variants.len() as f64;
            ngrams
                .entry((code, script))
                .or_default()
                .extend(variants.into_iter().map(|variant| (variant, share)));
        }
    }
    let sample =
        |((code, script), ngrams): ((LanguageCode, Script), Vec<(String, f64)>)| ClassSample {
            code,
            script,
            name: names.get(code.as_str()).cloned().unwrap_or_default(),
            source: FUNLANGID.into(),
            sample_tokens: NGRAM_SAMPLE_TOKENS,
            words: Vec::new(),
            ngrams,
        };
    Ok(ngrams
        .into_iter()
        .filter(|(_, ngrams)| ngrams.len() >= MIN_NGRAMS)
        .map(sample)
        .collect())
}
