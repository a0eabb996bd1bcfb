//! What the method of evidence learns from: all lists of a language together, by script.

use crate::lists::{self, List, code_of, files};
use anyhow::Context;
use forage_langid::{ClassSample, LanguageCode, Script, WordReader};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A kind of list.
struct Source {
    folder: &'static str,
    name: &'static str,
    /// How much a list counts beside others of the same language.
    weight: f64,
    /// Words that were counted, where the list does not tell.
    tokens: Option<f64>,
    /// What the frequencies of all words add up to, those among them that are not in the list,
    /// where that is known.
    total: Option<f64>,
}

/// A list that counts as much as another, and tells what was counted.
const fn usual(folder: &'static str, name: &'static str) -> Source {
    Source {
        folder,
        name,
        weight: 1.0,
        tokens: None,
        total: None,
    }
}

const LISTS: [Source; 5] = [
    Source {
        total: Some(1e9),
        ..usual("unilex-top40k/frequency", "Unicode Unilex (Unicode-3.0)")
    },
    Source {
        weight: 0.5,
        ..usual("lidpack/freqwords", "FrequencyWords (CC BY-SA 4.0)")
    },
    Source {
        total: Some(1e9),
        ..usual("wordfreq", "wordfreq (CC BY-SA 4.0)")
    },
    Source {
        tokens: Some(2e7),
        total: Some(1e10),
        ..usual("lingua-words", "lingua (Apache-2.0)")
    },
    Source {
        weight: 0.3,
        ..usual("lidpack/mediawiki", "MediaWiki, counts (GPL-2.0+)")
    },
];

const UDHR: Source = usual("", "Universal Declaration of Human Rights");
const FUNLANGID: &str = "FUN-LangID (Apache-2.0)";

/// A list counts by its size to this power: ten thousand times the words, ten times the weight.
const POWER: f64 = 0.25;

/// Words of which the frequencies of n-grams alone are as much worth.
const GRAMS_WORDS: u64 = 200;

/// Codes that stand for several languages, all known by themselves, for a copy of another's words,
/// or for signs.
const LEFT_OUT: [&str; 3] = ["hbs", "frc", "ase"];

/// Texts that are in another language or script than their code says.
const MISTAKEN: [(&str, &str); 1] = [("azb", "Latn")];

/// Part of a list that words in one script must be, not to be quotations: these are in Latin
/// letters for the most part.
const LEAST_LATIN: f64 = 0.35;
const LEAST_OTHER: f64 = 0.05;

/// Words of one source in one script.
struct Part {
    words: BTreeMap<String, f64>,
    /// The part of all words of the texts that these are.
    coverage: f64,
    tokens: f64,
    weight: f64,
    source: &'static str,
}

type Parts = BTreeMap<(LanguageCode, Script), Vec<Part>>;

/// The samples of all classes, by code and script.
pub fn read(data: &Path, names: &BTreeMap<String, String>) -> anyhow::Result<Vec<ClassSample>> {
    let mut parts = Parts::new();
    for source in &LISTS {
        for file in files(&data.join(source.folder))? {
            let (words, size) = lists::words(&file)?;
            let sum = || words.iter().map(|(_, n)| n).sum();
            let tokens = source.tokens.or(size).unwrap_or_else(sum);
            let list = List { words, tokens };
            let coverage = list.coverage(source.total);
            take(code_of(&file)?, list, coverage, source, &mut parts);
        }
    }
    for (code, list) in declaration(&data.join("lidpack/udhr-train.tsv"))? {
        take(code, list, 1.0, &UDHR, &mut parts);
    }
    let mut samples: Vec<ClassSample> = parts
        .into_iter()
        .map(|(class, parts)| join(class, parts, names))
        .collect();
    let known: BTreeSet<LanguageCode> = samples.iter().map(|sample| sample.code).collect();
    samples.extend(by_grams(
        &data.join("lidpack/funlangid-4grams.tsv"),
        &known,
        names,
    )?);
    // Those of a script together: only these have to be looked at for a text.
    samples.sort_by_key(|sample| (sample.script, sample.code));
    Ok(samples)
}

/// Puts the words of a list where they belong by script.
fn take(code: LanguageCode, list: List, coverage: f64, source: &Source, parts: &mut Parts) {
    let mut scripts: BTreeMap<Script, BTreeMap<String, f64>> = BTreeMap::new();
    let (mut total, mut reader) = (0.0, WordReader::default());
    for (word, frequency) in list.words {
        reader.read(&word, |word, script| {
            if script != Script::COMMON {
                *scripts.entry(script).or_default().entry(word).or_default() += frequency;
                total += frequency;
            }
        });
    }
    for (script, words) in scripts {
        let share = words.values().sum::<f64>() / total;
        let least = if script.as_str() == "Latn" {
            LEAST_LATIN
        } else {
            LEAST_OTHER
        };
        let is_mistaken = MISTAKEN.contains(&(code.as_str(), script.as_str()))
            || LEFT_OUT.contains(&code.as_str());
        if share >= least && !is_mistaken {
            let tokens = (list.tokens * share).max(1.0);
            // Han with kana or without is one class.
            let script = if script == Script::JAPANESE && code.as_str() != "jpn" {
                Script::HAN
            } else {
                script
            };
            parts.entry((code, script)).or_default().push(Part {
                words,
                coverage,
                tokens,
                weight: source.weight,
                source: source.name,
            });
        }
    }
}

/// All parts of a class, each by its weight.
fn join(
    (code, script): (LanguageCode, Script),
    parts: Vec<Part>,
    names: &BTreeMap<String, String>,
) -> ClassSample {
    let mass = |part: &Part| libm::pow(part.tokens, POWER) * part.weight;
    let all: f64 = parts.iter().map(mass).sum();
    let mut words: BTreeMap<String, f64> = BTreeMap::new();
    for part in &parts {
        let sum: f64 = part.words.values().sum();
        for (word, frequency) in &part.words {
            *words.entry(word.clone()).or_default() +=
                frequency / sum * part.coverage * mass(part) / all;
        }
    }
    let mut sources: Vec<&str> = parts.iter().map(|part| part.source).collect();
    sources.dedup();
    ClassSample {
        code,
        script,
        name: names.get(code.as_str()).cloned().unwrap_or_default(),
        source: sources.join("; "),
        sample_tokens: parts
            .iter()
            .map(|part| part.tokens * part.weight)
            .sum::<f64>()
            .ceil() as u64,
        words: words.into_iter().collect(),
        grams: Vec::new(),
    }
}

/// The words of lines of "code, tab, text".
fn declaration(file: &Path) -> anyhow::Result<BTreeMap<LanguageCode, List>> {
    let mut counts: BTreeMap<LanguageCode, BTreeMap<String, f64>> = BTreeMap::new();
    let mut reader = WordReader::default();
    for line in lists::read(file)?.lines() {
        let (code, text) = line.split_once('\t').context("no tab")?;
        let words = counts.entry(code.parse()?).or_default();
        reader.read(text, |word, _| *words.entry(word).or_default() += 1.0);
    }
    let list = |words: BTreeMap<String, f64>| List {
        tokens: words.values().sum(),
        words: words.into_iter().collect(),
    };
    Ok(counts
        .into_iter()
        .map(|(code, words)| (code, list(words)))
        .collect())
}

/// Classes of which the most frequent n-grams of four characters are known, ranked, and nothing
/// else. The blanks at the ends of an n-gram are lost; one of two letters was a word, one of three
/// began or ended one. Their frequencies are taken to fall with the rank as they do in other
/// languages.
fn by_grams(
    file: &Path,
    known: &BTreeSet<LanguageCode>,
    names: &BTreeMap<String, String>,
) -> anyhow::Result<Vec<ClassSample>> {
    let mut grams: BTreeMap<(LanguageCode, Script), Vec<(String, f64)>> = BTreeMap::new();
    let mut reader = WordReader::default();
    for line in lists::read(file)?.lines() {
        let mut fields = line.split('\t');
        let (Some(code), Some(rank), Some(gram)) = (fields.next(), fields.next(), fields.next())
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
        if known.contains(&code) || LEFT_OUT.contains(&code.as_str()) {
            continue;
        }
        let probability = 0.02 / (rank.parse::<f64>()? + 5.0);
        let mut script = Script::COMMON;
        reader.read(gram, |_, found| script = found);
        let gram = gram.to_lowercase();
        let shapes = match gram.chars().count() {
            2 => vec![format!("_{gram}_")],
            3 => vec![format!("_{gram}"), format!("{gram}_")],
            4 => vec![gram],
            _ => continue,
        };
        if script != Script::COMMON && shapes.iter().all(|shape| !shape.contains(' ')) {
            let share = probability / shapes.len() as f64;
            grams
                .entry((code, script))
                .or_default()
                .extend(shapes.into_iter().map(|shape| (shape, share)));
        }
    }
    let sample =
        |((code, script), grams): ((LanguageCode, Script), Vec<(String, f64)>)| ClassSample {
            code,
            script,
            name: names.get(code.as_str()).cloned().unwrap_or_default(),
            source: FUNLANGID.into(),
            sample_tokens: GRAMS_WORDS,
            words: Vec::new(),
            grams,
        };
    Ok(grams
        .into_iter()
        .filter(|(_, grams)| grams.len() >= 20)
        .map(sample)
        .collect())
}
