//! Makes the model that comes with the program: `build-model DATA NAMES OUT`.
//!
//! DATA holds `unilex-top40k/frequency/*.txt` (Unicode Unilex), `lidpack/freqwords/*.tsv` (FrequencyWords),
//! `wordfreq/*.tsv` (wordfreq, exported as "word, tab, frequency") and `lidpack/udhr-train.tsv` (Universal Declaration
//! of Human Rights); NAMES is iso-codes' `iso_639-3.json`. Every word list makes a profile of its own, so that a language
//! known from Bible and news is also known as people speak it; languages without a word list are learned from the
//! declaration. Only ranks of n-grams go into the model, no word and no text. The same data always give the same bytes.

use anyhow::Context;
use forage_langid::{Code, Learner, Model, Profile};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const UNILEX: &str = "word frequencies of Unicode Unilex, Unicode-3.0";
const FREQUENCY_WORDS: &str = "word frequencies of FrequencyWords (film subtitles), CC BY-SA 4.0";
const WORDFREQ: &str = "word frequencies of wordfreq (books, news, web, talk), CC BY-SA 4.0";
const UDHR: &str = "Universal Declaration of Human Rights, public domain";

/// Subtitles of these languages are not used: those called Bosnian hardly differ from the Croatian ones, and those in
/// Macedonian attract Serbian.
const SUBTITLES_UNLIKE: [&str; 2] = ["bos", "mkd"];

/// Chinese is learned from the declaration too, because its relatives are known from that alone.
const FORMAL_TOO: &str = "zho";

const LATIN: &str = "abvgdđežzijklmnoprstćufhcčš";
const CYRILLIC: &str = "абвгдђежзијклмнопрстћуфхцчш";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [data, names, out] = arguments.as_slice() else { anyhow::bail!("usage: build-model DATA NAMES OUT") };
    let names = read_names(names)?;
    let mut profiles = Vec::new();
    for file in files(&data.join("unilex-top40k/frequency"))? {
        profiles.push(from_words(&file, UNILEX, &names, str::to_owned)?);
    }
    for file in files(&data.join("lidpack/freqwords"))? {
        let code = code_of(&file)?;
        if !SUBTITLES_UNLIKE.contains(&code.as_str()) {
            profiles.push(from_words(&file, FREQUENCY_WORDS, &names, str::to_owned)?);
        }
        if code.as_str() == "srp" {
            profiles.push(from_words(&file, FREQUENCY_WORDS, &names, in_cyrillic)?);
        }
    }
    for file in files(&data.join("wordfreq"))? {
        profiles.push(from_words(&file, WORDFREQ, &names, str::to_owned)?);
    }
    let known: BTreeSet<Code> = profiles.iter().map(|p| p.code).collect();
    profiles.extend(from_texts(&data.join("lidpack/udhr-train.tsv"), &known, &names)?);
    std::fs::write(out, Model::pack(&profiles)?.as_bytes()).with_context(|| out.display().to_string())
}

/// The English names by code.
fn read_names(file: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let table: serde_json::Value = serde_json::from_str(&read(file)?)?;
    let entries = table["639-3"].as_array().context("no list \"639-3\"")?;
    let pair = |e: &serde_json::Value| Some((e["alpha_3"].as_str()?.to_owned(), e["name"].as_str()?.to_owned()));
    Ok(entries.iter().filter_map(pair).collect())
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| file.display().to_string())
}

fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.map(|e| Ok(e?.path())).collect::<anyhow::Result<_>>()?;
    files.sort();
    Ok(files)
}

/// The language in the name of a file such as `sr-Latn.txt`.
fn code_of(file: &Path) -> anyhow::Result<Code> {
    let name = file.file_stem().and_then(|n| n.to_str()).unwrap_or_default();
    Ok(name.split('-').next().unwrap_or_default().parse()?)
}

/// A profile of a list of "word, tab, frequency", each word as `spelt`.
fn from_words(
    file: &Path,
    source: &str,
    names: &BTreeMap<String, String>,
    spelt: impl Fn(&str) -> String,
) -> anyhow::Result<Profile> {
    let code = code_of(file)?;
    let mut learner = Learner::new();
    let mut size = None;
    for line in read(file)?.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            size = size.or(comment.strip_prefix("Corpus-Size: ").and_then(|n| n.trim().parse().ok()));
        } else if let Some((word, frequency)) = line.split_once('\t')
            && let Ok(frequency) = frequency.trim().parse()
        {
            learner.word(&spelt(word), frequency);
        }
    }
    let name = names.get(code.as_str()).map_or("", String::as_str);
    let (mut profile, _) = learner.finish(code, name, source).with_context(|| file.display().to_string())?;
    profile.words = size.unwrap_or(profile.words);
    Ok(profile)
}

/// A Serbian word in Latin letters, spelt in Cyrillic ones: each has its counterpart, three are written as two.
fn in_cyrillic(word: &str) -> String {
    let pairs = word.to_lowercase().replace("lj", "љ").replace("nj", "њ").replace("dž", "џ");
    pairs
        .chars()
        .map(|c| LATIN.chars().position(|l| l == c).and_then(|n| CYRILLIC.chars().nth(n)).unwrap_or(c))
        .collect()
}

/// Profiles of the languages that are not known yet, from lines of "code, tab, text".
fn from_texts(file: &Path, known: &BTreeSet<Code>, names: &BTreeMap<String, String>) -> anyhow::Result<Vec<Profile>> {
    let mut learners: BTreeMap<Code, Learner> = BTreeMap::new();
    for line in read(file)?.lines() {
        let (code, text) = line.split_once('\t').context("no tab")?;
        let code = code.parse()?;
        if !known.contains(&code) || FORMAL_TOO == code.as_str() {
            learners.entry(code).or_default().text(text);
        }
    }
    let finish = |(code, learner): (Code, Learner)| {
        let name = names.get(code.as_str()).map_or("", String::as_str);
        Ok(learner.finish(code, name, UDHR)?.0)
    };
    learners.into_iter().map(finish).collect()
}
