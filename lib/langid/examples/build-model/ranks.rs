//! What the method out-of-place learns from: every word list makes a profile of its own, so that a
//! language known from Bible and news is also known as people speak it; languages without a word
//! list are learned from the declaration.

use crate::lists::{code_of, files, read, words};
use anyhow::Context;
use forage_langid::{LanguageCode, Profile, ProfileLearner};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const UNILEX: &str = "word frequencies of Unicode Unilex, Unicode-3.0";
const FREQUENCY_WORDS: &str = "word frequencies of FrequencyWords (film subtitles), CC BY-SA 4.0";
const WORDFREQ: &str = "word frequencies of wordfreq (books, news, web, talk), CC BY-SA 4.0";
const UDHR: &str = "Universal Declaration of Human Rights, public domain";

/// Subtitles of these languages are not used: those called Bosnian hardly differ from the Croatian
/// ones, and those in Macedonian attract Serbian.
const SUBTITLES_UNLIKE: [&str; 2] = ["bos", "mkd"];

/// Chinese is learned from the declaration too, because its relatives are known from that alone.
const FORMAL_TOO: &str = "zho";

const LATIN: &str = "abvgdđežzijklmnoprstćufhcčš";
const CYRILLIC: &str = "абвгдђежзијклмнопрстћуфхцчш";

/// Languages that Unilex lacks, and two whose nearest relative is one of them.
const WORDFREQ_FOR: [&str; 10] = [
    "ces", "dan", "eng", "heb", "isl", "lit", "nob", "rus", "slk", "vie",
];

/// The profiles of all lists.
pub fn profiles(data: &Path, names: &BTreeMap<String, String>) -> anyhow::Result<Vec<Profile>> {
    let mut profiles = Vec::new();
    for file in files(&data.join("unilex-top40k/frequency"))? {
        profiles.push(from_words(&file, UNILEX, names, str::to_owned)?);
    }
    for file in files(&data.join("lidpack/freqwords"))? {
        let code = code_of(&file)?;
        if !SUBTITLES_UNLIKE.contains(&code.as_str()) {
            profiles.push(from_words(&file, FREQUENCY_WORDS, names, str::to_owned)?);
        }
        if code.as_str() == "srp" {
            profiles.push(from_words(&file, FREQUENCY_WORDS, names, in_cyrillic)?);
        }
    }
    for file in files(&data.join("wordfreq"))? {
        if WORDFREQ_FOR.contains(&code_of(&file)?.as_str()) {
            profiles.push(from_words(&file, WORDFREQ, names, str::to_owned)?);
        }
    }
    let known: BTreeSet<LanguageCode> = profiles.iter().map(|p| p.code).collect();
    profiles.extend(from_texts(
        &data.join("lidpack/udhr-train.tsv"),
        &known,
        names,
    )?);
    Ok(profiles)
}

/// A profile of a list of "word, tab, frequency", each word as `spelt`.
fn from_words(
    file: &Path,
    source: &str,
    names: &BTreeMap<String, String>,
    spelt: impl Fn(&str) -> String,
) -> anyhow::Result<Profile> {
    let code = code_of(file)?;
    let mut learner = ProfileLearner::default();
    let (words, size) = words(file)?;
    words
        .iter()
        .for_each(|(word, frequency)| learner.add_word(&spelt(word), *frequency));
    let name = names.get(code.as_str()).map_or("", String::as_str);
    let (mut profile, _) = learner
        .finish(code, name, source)
        .with_context(|| file.display().to_string())?;
    profile.words = size.unwrap_or(profile.words);
    Ok(profile)
}

/// A Serbian word in Latin letters, spelt in Cyrillic ones: each has its counterpart, three are
/// written as two.
fn in_cyrillic(word: &str) -> String {
    let pairs = word
        .to_lowercase()
        .replace("lj", "љ")
        .replace("nj", "њ")
        .replace("dž", "џ");
    pairs
        .chars()
        .map(|c| {
            LATIN
                .chars()
                .position(|l| l == c)
                .and_then(|n| CYRILLIC.chars().nth(n))
                .unwrap_or(c)
        })
        .collect()
}

/// Profiles of the languages that are not known yet, from lines of "code, tab, text".
fn from_texts(
    file: &Path,
    known: &BTreeSet<LanguageCode>,
    names: &BTreeMap<String, String>,
) -> anyhow::Result<Vec<Profile>> {
    let mut learners: BTreeMap<LanguageCode, ProfileLearner> = BTreeMap::new();
    for line in read(file)?.lines() {
        let (code, text) = line.split_once('\t').context("no tab")?;
        let code = code.parse()?;
        if !known.contains(&code) || FORMAL_TOO == code.as_str() {
            learners.entry(code).or_default().add_text(text);
        }
    }
    let finish = |(code, learner): (LanguageCode, ProfileLearner)| {
        let name = names.get(code.as_str()).map_or("", String::as_str);
        Ok(learner.finish(code, name, UDHR)?.0)
    };
    learners.into_iter().map(finish).collect()
}
